"""Arrays on a GPU, independent of any game; the rules are in ``wotr_env.games.war_of_the_ring.device``.

Only the driver of the GPU is needed. The import also works without a GPU.
"""

from __future__ import annotations

import importlib
from typing import Any

from wotr_env.cuda.arrays import DeviceArray
from wotr_env.cuda.errors import CudaError

__all__ = ["CudaError", "DeviceArray"]

_IN_THE_GAME = {
    "CudaMachine": "driver",
    "DeviceGame": "game",
    "DeviceRules": "rules",
    "gpu": "driver",
    "has_cuda": "driver",
}


def __getattr__(name: str) -> Any:
    """Names of version 0.1, kept for one more version."""
    if name not in _IN_THE_GAME:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    module = importlib.import_module(f"wotr_env.games.war_of_the_ring.device.{_IN_THE_GAME[name]}")
    return getattr(module, name)
