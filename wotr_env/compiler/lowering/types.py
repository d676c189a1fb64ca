"""numba's words for the types of arguments."""

from __future__ import annotations

import functools
from typing import Any

import numba
from numba.np.numpy_support import from_dtype

from wotr_env.compiler.types import ArgumentType, ArrayType, Number, RecordType, TupleType

_NUMBERS = {Number.INT64: numba.int64, Number.FLOAT64: numba.float64}


@functools.cache
def numba_type(wanted: ArgumentType) -> Any:
    """The same type as numba has it."""
    if isinstance(wanted, Number):
        return _NUMBERS[wanted]
    if isinstance(wanted, RecordType):
        return from_dtype(wanted.dtype)
    if isinstance(wanted, ArrayType):
        layout = "A" if wanted.strided else "C"
        return numba.types.Array(from_dtype(wanted.dtype), wanted.dimensions, layout)
    assert isinstance(wanted, TupleType)
    of = [numba_type(each) for each in wanted.of]
    if len(set(of)) == 1:
        return numba.types.NamedUniTuple(of[0], len(of), wanted.made_by)
    return numba.types.NamedTuple(of, wanted.made_by)
