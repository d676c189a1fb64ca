"""What kernels on a GPU are given, in words that neither the compiler nor the driver is needed for.

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
    """The parameters behind the arguments."""

    COUNT = 0
    """Games of the batch."""
    ORDER = 1
    """Address of int64[N], the game of each thread; 0 if that is the number of the thread."""
    FAULTS = 2
    """Address of int64[N]: where what a game has raised lies on the device."""
    FLAGS = 3
    """Address of int64[``len(Flag)``]."""


class Flag(enum.IntEnum):
    """The numbers that say how launches went."""

    REFUSED = 0
    """The lowest game whose action is refused, or ``NONE``. While there is one nothing is played."""
    FAULTY = 1
    """The lowest game that has raised something, or ``NONE``."""
    TOTAL = 2
    """The sum of what the function has returned for all games."""


class Returns(enum.Enum):
    """What is made of the number that the function returns for a game."""

    TOTAL = enum.auto()
    """Added to ``Flag.TOTAL``."""
    REFUSED = enum.auto()
    """If it is not negative, the game is refused."""


class DeviceKernel(NamedTuple):
    """A function of the rules as a kernel."""

    function: Callable[..., Any]
    """Its last two arguments are the first game and the one behind the last."""
    types: tuple[ArgumentType, ...]
    """Of its arguments."""
    returns: Returns


class Sort(enum.StrEnum):
    """The kernels that sort games by a byte of their states."""

    COUNT = "sort_count"
    """(states, bytes of a state, place of the byte, bins, N): counts the games of each kind."""
    STARTS = "sort_starts"
    """(bins): makes counts places to begin at; one thread."""
    PLACE = "sort_place"
    """(states, bytes of a state, place of the byte, bins, N, order): writes the games in their order."""


DeviceKernels = Mapping[str, DeviceKernel]
"""By their names."""
NONE = int(np.iinfo(np.int64).max)
BINS = 256
"""int64 each, for ``Sort``."""
SYMBOL = "wotr_"
"""What the names of kernels begin with in the code."""


def words_of(value: Any, wanted: ArgumentType) -> list[int]:
    """An argument as words: numbers as they are, arrays by address and lengths.

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
