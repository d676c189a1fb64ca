"""Where kernels run: a GPU, or this machine in its place."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

import numpy as np


class Machine(Protocol):
    """Memory, and kernels that run on it in the order of their launches."""

    is_cuda: bool
    """Whether its addresses are those of a GPU."""
    number: int
    """Of the GPU."""

    def allocate(self, size: int) -> int:
        """The address of so many bytes of no certain content, a multiple of 256."""
        ...

    def free(self, address: int) -> None:
        """Gives them back."""
        ...

    def write(self, address: int, data: np.ndarray) -> None:
        """Copies a C-contiguous array there; it can be changed afterwards."""
        ...

    def read(self, address: int, size: int) -> bytes:
        """So many bytes from there, as all launches before have left them."""
        ...

    def copy(self, target: int, source: int, size: int) -> None:
        """Copies so many bytes there."""
        ...

    def clear(self, address: int, size: int) -> None:
        """Makes so many bytes 0."""
        ...

    def launch(self, kernel: str, words: Sequence[int], threads: int) -> None:
        """Runs a kernel with these parameters on so many threads."""
        ...
