"""Translates the types of arguments to numba's types."""

from __future__ import annotations

import functools
from typing import Any

import numba
import numpy as np
from numba.np.numpy_support import from_dtype

from wotr_env.compiler.lowering import form
from wotr_env.compiler.types import ArgumentType, ArrayType, Number, RecordType, TupleType

_NUMBERS = {Number.INT64: numba.int64, Number.FLOAT64: numba.float64}
_BYTE = 8


@functools.cache
def numba_type(wanted: ArgumentType) -> Any:
    """Returns the numba type that corresponds to an argument type."""
    if isinstance(wanted, Number):
        return _NUMBERS[wanted]
    if isinstance(wanted, RecordType):
        return _element(wanted.dtype)
    if isinstance(wanted, ArrayType):
        layout = "A" if wanted.strided else "C"
        anywhere = wanted.strided and wanted.dtype.itemsize > 1 and form.for_device()
        return numba.types.Array(_element(wanted.dtype), wanted.dimensions, layout, aligned=not anywhere)
    assert isinstance(wanted, TupleType)
    of = [numba_type(each) for each in wanted.of]
    if len(set(of)) == 1:
        return numba.types.NamedUniTuple(of[0], len(of), wanted.made_by)
    return numba.types.NamedTuple(of, wanted.made_by)


@functools.cache
def _element(dtype: np.dtype) -> Any:
    """The numba type of an array's elements.

    numba assumes that the arrays in a record are aligned, although the arrays of a packed record may have any
    address. This machine accepts unaligned addresses; a GPU stops with an error.
    """
    found = from_dtype(dtype)
    if form.for_device() and isinstance(found, numba.types.Record) and not found.aligned:
        for field in found.fields.values():
            if isinstance(field.type, numba.types.NestedArray) and field.type.dtype.bitwidth > _BYTE:
                field.type.aligned = False
    return found
