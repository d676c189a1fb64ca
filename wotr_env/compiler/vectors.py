"""Sums of products over rows of numbers, for networks inside kernels.

numba does not vectorise a sum of floating-point numbers, because this would change the order of additions.
Here, the order of additions is one that vectors of any width can keep. So the results are the same bytes on
every machine, compiled or interpreted. ``lowering/vectors.py`` has the LLVM code.
"""

from __future__ import annotations

import numpy as np

LANES = 64
"""The size of a row is a multiple of this number; rows are padded with zeros."""


LANES_OF_HIGHEST = 32
"""The minimal number of elements for ``add_highest``."""
FEW = 4
"""The number of totals of ``add_rows_to_few``."""


def padded(size: int, of: int = LANES) -> int:
    """The next multiple of ``of`` that is not less than ``size``."""
    return -(-size // of) * of


def add_rows(
    total: np.ndarray, matrix: np.ndarray, rows: np.ndarray, factors: np.ndarray, count: int
) -> None:
    """Adds rows of a matrix, each multiplied by its factor, to a total, one after another.

    Args:
        total: float32[N], N a multiple of ``LANES``; changed.
        matrix: float32[M, N].
        rows: int64[>= count], the rows to add; compiled code does not check them.
        factors: float32[>= count].
        count: number of rows to add.
    """
    for place in range(count):
        total += factors[place] * matrix[rows[place]]


def add_rows_to_few(
    totals: np.ndarray, matrix: np.ndarray, rows: np.ndarray, factors: np.ndarray, count: int
) -> None:
    """Adds rows of a matrix to ``FEW`` totals, each multiplied by a factor for the row and the total; each
    row is read only once.

    Args:
        totals: float32[FEW, N], N a multiple of ``LANES``; changed.
        matrix: float32[M, N].
        rows: int64[>= count], the rows to add; compiled code does not check them.
        factors: float32[>= count, FEW].
        count: number of rows to add.
    """
    for place in range(count):
        totals += factors[place][:, None] * matrix[rows[place]]


def add_highest(
    highest: np.ndarray, matrix: np.ndarray, rows: np.ndarray, factors: np.ndarray, count: int
) -> None:
    """Replaces each number by the maximum of itself and the elements of the rows of a matrix, each row
    multiplied by its factor.

    Args:
        highest: float64[N], N >= ``LANES_OF_HIGHEST``; changed.
        matrix: float64[M, N].
        rows: int64[>= count], the rows to use; compiled code does not check them.
        factors: float64[>= count].
        count: number of rows to use.
    """
    for place in range(count):
        np.maximum(highest, factors[place] * matrix[rows[place]], out=highest)


def dot(left: np.ndarray, right: np.ndarray) -> float:
    """The dot product of two rows: float32[N] each, N a multiple of ``LANES``, summed in 64 lanes."""
    sums = np.zeros(LANES, dtype=np.float32)
    for first in range(0, left.size, LANES):
        sums += left[first : first + LANES] * right[first : first + LANES]
    while sums.size > 1:
        sums = sums[: sums.size // 2] + sums[sums.size // 2 :]
    return float(sums[0])
