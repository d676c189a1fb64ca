"""Sums of products over rows of numbers, for networks inside kernels.

numba does not turn a sum of floating-point numbers into vector code, because the order of additions would
change. Here the order is one that vectors of any width keep, so the results are the same bytes on every
machine and interpreted. ``lowering/vectors.py`` has the LLVM code.
"""

from __future__ import annotations

import numpy as np

LANES = 64
"""Rows of numbers have a multiple of this size; zeros fill them up."""


LANES_OF_HIGHEST = 32
"""The fewest numbers for ``add_highest``."""
FEW = 4
"""Totals that ``add_rows_to_few`` adds to."""


def padded(size: int, of: int = LANES) -> int:
    """The next multiple."""
    return -(-size // of) * of


def add_rows(
    total: np.ndarray, matrix: np.ndarray, rows: np.ndarray, factors: np.ndarray, count: int
) -> None:
    """Adds rows of a matrix, each times its factor, one after the other.

    Args:
        total: float32[N], N a multiple of ``LANES``; changed.
        matrix: float32[M, N].
        rows: int64[>= count]; compiled, they are not checked.
        factors: float32[>= count].
        count: how many.
    """
    for place in range(count):
        total += factors[place] * matrix[rows[place]]


def add_rows_to_few(
    totals: np.ndarray, matrix: np.ndarray, rows: np.ndarray, factors: np.ndarray, count: int
) -> None:
    """Adds rows of a matrix to ``FEW`` totals, for each times another factor: a row is read once for all.

    Args:
        totals: float32[FEW, N], N a multiple of ``LANES``; changed.
        matrix: float32[M, N].
        rows: int64[>= count]; compiled, they are not checked.
        factors: float32[>= count, FEW].
        count: how many.
    """
    for place in range(count):
        totals += factors[place][:, None] * matrix[rows[place]]


def add_highest(
    highest: np.ndarray, matrix: np.ndarray, rows: np.ndarray, factors: np.ndarray, count: int
) -> None:
    """Raises numbers to the rows of a matrix, each times its factor, where these are higher.

    Args:
        highest: float64[N], N >= ``LANES_OF_HIGHEST``; changed.
        matrix: float64[M, N].
        rows: int64[>= count]; compiled, they are not checked.
        factors: float64[>= count].
        count: how many.
    """
    for place in range(count):
        np.maximum(highest, factors[place] * matrix[rows[place]], out=highest)


def dot(left: np.ndarray, right: np.ndarray) -> float:
    """The sum of the products of two rows: float32[N] each, N a multiple of ``LANES``, added in 64 lanes."""
    sums = np.zeros(LANES, dtype=np.float32)
    for first in range(0, left.size, LANES):
        sums += left[first : first + LANES] * right[first : first + LANES]
    while sums.size > 1:
        sums = sums[: sums.size // 2] + sums[sums.size // 2 :]
    return float(sums[0])
