"""Moving bytes inside kernels, asking for them in time, and looking at many flags at once.

numba turns ``a[:] = b`` into a copy by single bytes that first asks whether the arrays overlap. These
functions are what interpreted kernels call; ``lowering/memory.py`` has the LLVM code of each.
"""

from __future__ import annotations

import numpy as np

FLAGS_PER_WORD = 64
_ALL_BITS = (1 << FLAGS_PER_WORD) - 1


def copy_bytes(target: np.ndarray, at: int, source: np.ndarray) -> None:
    """Writes all of ``source`` (int8, contiguous) into ``target`` (int8, contiguous) from ``at`` >= 0 on.

    Compiled, neither the room in ``target`` nor an overlap is checked, and a size that is a constant of the
    layout takes a few moves of words.
    """
    target.reshape(-1)[at : at + source.size] = source.reshape(-1)


def local_numbers(size: int) -> np.ndarray:
    """Room for numbers while a kernel runs: int64[size], of no certain content; ``size`` is a constant."""
    return np.empty(size, dtype=np.int64)


def prefetch_row(array: np.ndarray, row: int) -> None:
    """Asks for the cache lines of ``array[row]``, which is C-contiguous and going to be written."""


def flag_word(flags: np.ndarray, first: int) -> int:
    """Up to 64 of the flags (bool[N], N >= 64) from ``first`` on, one bit each, the first one lowest."""
    bits = np.packbits(flags[first : first + FLAGS_PER_WORD], bitorder="little")
    return int.from_bytes(bits.tobytes(), "little")


def pair_flags(pairs: np.ndarray, column: int, first: int) -> int:
    """Where ``pairs[first:, column]`` is not 0: up to 64 rows of int8[N, 2], N >= 64, as ``flag_word``."""
    return flag_word(pairs[:, column] != 0, first)


def equal_flags(values: np.ndarray, value: int, first: int) -> int:
    """Where ``values[first:]`` is ``value``: up to 64 of ``values`` (int8[N], N >= 64), as ``flag_word``."""
    return flag_word(values == value, first)


def unequal_flags(values: np.ndarray, others: np.ndarray, first: int) -> int:
    """Where ``values[first:]`` differ from ``others``: up to 64, as ``flag_word``.

    Both are int8[N], N >= 64, or of more dimensions and as many numbers in C order.
    """
    return flag_word((values != others).reshape(-1), first)


def equal_flags_of_few(values: np.ndarray, value: int, lanes: int) -> int:
    """Where ``values`` are ``value``: one bit each, the first one lowest.

    Args:
        values: int8[N], ``lanes`` <= N <= 2 * ``lanes``, at most 64.
        lanes: compared at once; a constant, 4, 8, 16 or 32.
    """
    return sum(1 << place for place in range(values.size) if values[place] == value)


def bit_count(word: int) -> int:
    """How many bits are set in a word."""
    return (int(word) & _ALL_BITS).bit_count()


def lowest_bit(word: int) -> int:
    """The place of the lowest bit that is set in a word, which is not 0."""
    word = int(word)  # numpy integers have no bit_length
    return (word & -word).bit_length() - 1
