"""The target for which this process lowers kernels: this machine, or a GPU.

numba keeps one version of the code of each function, so a process that compiles for a GPU cannot compile for
anything else.
"""

from __future__ import annotations

_device = False


def for_device() -> bool:
    """Whether this process compiles for a GPU."""
    return _device


def lower_for_device() -> None:
    """Makes this process compile for a GPU. Nothing must have been compiled before."""
    global _device
    _device = True
