"""What this process lowers kernels for: this machine, or a GPU.

numba knows one code for each function, so a process that compiles for a GPU compiles for nothing else.
"""

from __future__ import annotations

_device = False


def for_device() -> bool:
    """Whether the code is for a GPU."""
    return _device


def lower_for_device() -> None:
    """From now on it is; nothing must have been compiled yet."""
    global _device
    _device = True
