"""Tables that kernels take as constants."""

from __future__ import annotations

import numpy as np


def constant_table(values: object) -> np.ndarray:
    """The values as a read-only int64 array."""
    table = np.array(values, dtype=np.int64)
    table.setflags(write=False)
    return table
