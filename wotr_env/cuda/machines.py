"""Machines that run kernels: a GPU, or this machine, which emulates one."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

import numpy as np


class Machine(Protocol):
    """A machine with memory, which runs kernels in the order of their launches."""

    is_cuda: bool
    """Whether the addresses of this machine are on a GPU."""
    number: int
    """The number of the GPU."""

    def allocate(self, size: int) -> int:
        """Allocates bytes with undefined content; returns their address, a multiple of 256."""
        ...

    def free(self, address: int) -> None:
        """Frees allocated memory."""
        ...

    def write(self, address: int, data: np.ndarray) -> None:
        """Copies a C-contiguous array to an address; the array may be changed afterwards."""
        ...

    def read(self, address: int, size: int) -> bytes:
        """Reads bytes from an address, after all earlier launches."""
        ...

    def copy(self, target: int, source: int, size: int) -> None:
        """Copies bytes from one address to another."""
        ...

    def clear(self, address: int, size: int) -> None:
        """Sets bytes to 0."""
        ...

    def launch(self, kernel: str, words: Sequence[int], threads: int) -> None:
        """Runs a kernel with these parameters on a number of threads."""
        ...
