"""States of games as bytes."""

from __future__ import annotations

import functools
import hashlib

import numpy as np


def bytes_of(records: np.ndarray) -> np.ndarray:
    """The memory of contiguous records, ``dtype[N]``, as ``uint8[N, bytes]``, which numpy copies faster."""
    return records.view(np.uint8).reshape(records.size, records.dtype.itemsize)


def copy_states(states: np.ndarray, rows: np.ndarray | None = None) -> np.ndarray:
    """A copy of contiguous ``kind.state[N]``, or of some (int64[R])."""
    cells = bytes_of(states)
    copied = cells.copy() if rows is None else cells[rows]
    return copied.reshape(-1).view(states.dtype)


@functools.cache
def layout_of(state: np.dtype) -> bytes:
    """The names, types and shapes of a state's fields, to be hashed.

    A turn limit (``wotr_env.core.turns``) is stored in a byte that was always 0 before: the upper byte of an
    int16 that counted turns. So the layouts with and without a turn limit count as the same.
    """
    fields = repr((state.descr, state.itemsize))
    return fields.replace("('turn', '|u1'), ('max_turns', '|u1')", "('turn', '<i2')").encode()


def state_hash(state: np.ndarray | np.record) -> str:
    """A hash of a state's bytes, 32 hex digits; the same on every machine."""
    return hashlib.blake2b(state.tobytes(), digest_size=16).hexdigest()
