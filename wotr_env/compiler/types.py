"""The types of kernel arguments, expressed with numpy dtypes. This module does not need the compiler."""

from __future__ import annotations

import dataclasses
import enum
from collections.abc import Callable
from typing import Any

import numpy as np
import numpy.typing as npt

Progress = Callable[[int, int], object]
"""A function that receives the number of kernels compiled so far and their total."""


class Number(enum.Enum):
    """The type of a number."""

    INT64 = enum.auto()
    FLOAT64 = enum.auto()


@dataclasses.dataclass(frozen=True)
class ArrayType:
    """The type of a writeable array in C order."""

    dtype: np.dtype
    dimensions: int = 1
    strided: bool = False
    """Whether the array may have any strides, as a field of records does. Kernels can receive such arrays,
    entry points cannot."""


@dataclasses.dataclass(frozen=True)
class RecordType:
    """The type of one record of an array, for kernels."""

    dtype: np.dtype


@dataclasses.dataclass(frozen=True)
class TupleType:
    """The type of a named tuple of arguments."""

    made_by: type[tuple]
    of: tuple[ArgumentType, ...]


ArgumentType = Number | ArrayType | RecordType | TupleType


def array_of(dtype: npt.DTypeLike, dimensions: int = 1, *, strided: bool = False) -> ArrayType:
    """Returns the type of an array."""
    return ArrayType(np.dtype(dtype), dimensions, strided)


def record_of(dtype: npt.DTypeLike) -> RecordType:
    """Returns the type of a record."""
    return RecordType(np.dtype(dtype))


def tuple_of(made_by: type[Any], *of: ArgumentType) -> TupleType:
    """Returns the type of a named tuple with the types of its fields."""
    return TupleType(made_by, of)


def type_of(value: Any) -> ArgumentType:
    """Returns the type of an array or of a named tuple of arrays, independent of their sizes."""
    if isinstance(value, np.ndarray):
        return array_of(value.dtype, value.ndim)
    return TupleType(type(value), tuple(map(type_of, value)))
