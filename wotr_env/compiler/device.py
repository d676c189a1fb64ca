"""Arguments and parameters of kernels on a GPU. This module needs neither the compiler nor the driver.

Each kernel is launched with one thread for each game of a batch. Its parameters are 64-bit words: the
arguments of the function of the rules, without the first and the last game; then ``Extra``.
"""

from __future__ import annotations

import enum
from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

import numpy as np

from wotr_env.compiler.types import ArgumentType, ArrayType, Number, TupleType


class Extra(enum.IntEnum):
    """The parameters that follow the arguments."""

    COUNT = 0
    """Number of games of the batch."""
    ORDER = 1
    """Address of int64[N], the game of each thread; 0: each thread plays the game of its own number."""
    FAULTS = 2
    """Address of int64[N], the address on the device of the exception that each game has raised."""
    FLAGS = 3
    """Address of int64[``len(Flag)``]."""


class Flag(enum.IntEnum):
    """The numbers that report the results of launches."""

    REFUSED = 0
    """The lowest game whose action is refused, or ``NONE``. While an action is refused, no game is played."""
    FAULTY = 1
    """The lowest game that has raised an exception, or ``NONE``."""
    TOTAL = 2
    """The sum of the numbers that the function has returned for all games."""


class Returns(enum.Enum):
    """The use of the number that the function returns for a game."""

    TOTAL = enum.auto()
    """The number is added to ``Flag.TOTAL``."""
    REFUSED = enum.auto()
    """The game is refused if the number is not negative."""


class DeviceKernel(NamedTuple):
    """A function of the rules that becomes a kernel on the GPU."""

    function: Callable[..., Any]
    """The function. Its last two arguments are the first game, and the last game plus 1."""
    types: tuple[ArgumentType, ...]
    """The types of the arguments."""
    returns: Returns


class Sort(enum.StrEnum):
    """The kernels that sort games by a byte of their states."""

    COUNT = "sort_count"
    """(states, bytes of a state, offset of the byte, bins, N): counts the games with each value of the
    byte."""
    STARTS = "sort_starts"
    """(bins): replaces the counts by the index at which each value starts; one thread."""
    PLACE = "sort_place"
    """(states, bytes of a state, offset of the byte, bins, N, order): writes the numbers of the games in
    sorted order."""


DeviceKernels = Mapping[str, DeviceKernel]
"""The kernels by their names."""
NONE = int(np.iinfo(np.int64).max)
BINS = 256
"""Number of int64 in the bins of ``Sort``."""
SYMBOL = "wotr_"
"""The prefix of the names of kernels in the code."""


def words_of(value: Any, wanted: ArgumentType) -> list[int]:
    """Returns an argument as 64-bit words: a number as it is, an array as its address and lengths.

    Arrays have an ``address``, a ``shape`` and a ``dtype``.

    Raises:
        TypeError: an array is of another type.
    """
    if isinstance(wanted, TupleType):
        return [word for one, of in zip(value, wanted.of, strict=True) for word in words_of(one, of)]
    if isinstance(wanted, ArrayType):
        if value.dtype != wanted.dtype or len(value.shape) != wanted.dimensions:
            raise TypeError(f"wanted is {wanted.dtype} of {wanted.dimensions} dimensions, not {value!r}")
        return [value.address, *value.shape]
    if wanted is not Number.INT64:
        raise TypeError(f"a kernel on a GPU is given no {wanted}")
    return [int(value)]
