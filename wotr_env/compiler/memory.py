"""Operations of kernels on memory: copying bytes, prefetching, and reading many flags at once.

numba compiles ``a[:] = b`` to a loop over single bytes, after a check whether the arrays overlap. Interpreted
kernels call the functions of this module; ``lowering/memory.py`` has the LLVM code of each.
"""

from __future__ import annotations

import numpy as np

FLAGS_PER_WORD = 64
_ALL_BITS = (1 << FLAGS_PER_WORD) - 1


def copy_bytes(target: np.ndarray, at: int, source: np.ndarray) -> None:
    """Copies all of ``source`` (int8, contiguous) into ``target`` (int8, contiguous), from index ``at`` >= 0
    on.

    The compiled function checks neither the size of ``target`` nor an overlap. If the size is a constant of
    the layout, the copy takes only a few moves of words.
    """
    target.reshape(-1)[at : at + source.size] = source.reshape(-1)


def local_numbers(size: int) -> np.ndarray:
    """Temporary memory for a kernel: int64[size] with undefined content; ``size`` is a constant."""
    return np.empty(size, dtype=np.int64)


def prefetch_row(array: np.ndarray, row: int) -> None:
    """Prefetches the cache lines of ``array[row]``, which is C-contiguous and will be written."""


def flag_word(flags: np.ndarray, first: int) -> int:
    """Up to 64 of the flags (bool[N], N >= 64) from index ``first`` on, one bit each, the first flag in the
    lowest bit."""
    bits = np.packbits(flags[first : first + FLAGS_PER_WORD], bitorder="little")
    return int.from_bytes(bits.tobytes(), "little")


def pair_flags(pairs: np.ndarray, column: int, first: int) -> int:
    """Which of up to 64 rows of ``pairs[first:, column]`` (int8[N, 2], N >= 64) are not 0, in the form of
    ``flag_word``."""
    return flag_word(pairs[:, column] != 0, first)


def equal_flags(values: np.ndarray, value: int, first: int) -> int:
    """Which of up to 64 elements of ``values[first:]`` (int8[N], N >= 64) equal ``value``, in the form of
    ``flag_word``."""
    return flag_word(values == value, first)


def unequal_flags(values: np.ndarray, others: np.ndarray, first: int) -> int:
    """Which of up to 64 elements of ``values[first:]`` differ from ``others``, in the form of ``flag_word``.

    Both are int8[N], N >= 64, or have several dimensions and the same number of elements in C order.
    """
    return flag_word((values != others).reshape(-1), first)


def equal_flags_of_few(values: np.ndarray, value: int, lanes: int) -> int:
    """Which elements of ``values`` equal ``value``: one bit each, the first element in the lowest bit.

    Args:
        values: int8[N], ``lanes`` <= N <= 2 * ``lanes``, at most 64.
        value: the number to compare with.
        lanes: number of elements that are compared at once; a constant, 4, 8, 16 or 32.
    """
    return sum(1 << place for place in range(values.size) if values[place] == value)


def bit_count(word: int) -> int:
    """The number of set bits in a word."""
    return (int(word) & _ALL_BITS).bit_count()


def lowest_bit(word: int) -> int:
    """The index of the lowest set bit in a word, which is not 0."""
    word = int(word)  # numpy integers have no bit_length
    return (word & -word).bit_length() - 1
