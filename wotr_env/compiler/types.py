"""The types of what kernels are given, in words of numpy: nothing here needs the compiler."""

from __future__ import annotations

import dataclasses
import enum
from collections.abc import Callable
from typing import Any

import numpy as np
import numpy.typing as npt

Progress = Callable[[int, int], object]
"""Told the number of kernels compiled so far and their total."""


class Number(enum.Enum):
    """The type of a number that is given as it is."""

    INT64 = enum.auto()
    FLOAT64 = enum.auto()


@dataclasses.dataclass(frozen=True)
class ArrayType:
    """An array that may be written to, in C order."""

    dtype: np.dtype
    dimensions: int = 1
    strided: bool = False
    """Of any strides, as a field of a record is; kernels may be given such arrays, entry points may not."""


@dataclasses.dataclass(frozen=True)
class RecordType:
    """One record of an array, for kernels."""

    dtype: np.dtype


@dataclasses.dataclass(frozen=True)
class TupleType:
    """A named tuple of arguments."""

    made_by: type[tuple]
    of: tuple[ArgumentType, ...]


ArgumentType = Number | ArrayType | RecordType | TupleType


def array_of(dtype: npt.DTypeLike, dimensions: int = 1, *, strided: bool = False) -> ArrayType:
    """The type of an array."""
    return ArrayType(np.dtype(dtype), dimensions, strided)


def record_of(dtype: npt.DTypeLike) -> RecordType:
    """The type of a record."""
    return RecordType(np.dtype(dtype))


def tuple_of(made_by: type[Any], *of: ArgumentType) -> TupleType:
    """The type of a named tuple of those types."""
    return TupleType(made_by, of)


def type_of(value: Any) -> ArgumentType:
    """The type of arrays and named tuples of them, whatever their sizes."""
    if isinstance(value, np.ndarray):
        return array_of(value.dtype, value.ndim)
    return TupleType(type(value), tuple(map(type_of, value)))
