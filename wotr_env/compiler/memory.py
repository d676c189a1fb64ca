"""Moving bytes inside kernels, asking for them in time, and looking at many flags at once.

numba turns ``a[:] = b`` into a copy by single bytes that first asks whether the arrays overlap. Each function
here has two forms: the one written in Python, for interpreted kernels, and below it the LLVM code.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from llvmlite import ir
from numba.core import cgutils, types
from numba.core.imputils import lower_builtin
from numba.core.typing.templates import AbstractTemplate, infer_global

FLAGS_PER_WORD = 64
_typing_of: Any = infer_global  # numba's own signature says that it may return None
_CACHE_LINE = 64


def copy_bytes(target: np.ndarray, at: int, source: np.ndarray) -> None:
    """Writes all of ``source`` (int8, contiguous) into ``target`` (int8[N]) from ``at`` >= 0 on.

    Compiled, neither the room in ``target`` nor an overlap is checked, and a size that is a constant of the
    layout takes a few moves of words.
    """
    target[at : at + source.size] = source.reshape(-1)


@_typing_of(copy_bytes)
class _CopyBytes(AbstractTemplate):
    def generic(self, args, _keywords):  # noqa: ANN001, ANN202 (numba's protocol)
        return types.none(args[0], types.intp, args[2])


@lower_builtin(copy_bytes, types.Array, types.intp, types.Array)
def _lower_copy_bytes(context, builder, signature, args):  # noqa: ANN001, ANN202 (numba's protocol)
    target = context.make_array(signature.args[0])(context, builder, args[0])
    source = context.make_array(signature.args[2])(context, builder, args[2])
    cgutils.raw_memcpy(builder, builder.gep(target.data, [args[1]]), source.data, source.nitems, 1)
    return context.get_dummy_value()


def prefetch_row(array: np.ndarray, row: int) -> None:
    """Asks for the cache lines of ``array[row]``, which is C-contiguous and going to be written."""


@_typing_of(prefetch_row)
class _PrefetchRow(AbstractTemplate):
    def generic(self, args, _keywords):  # noqa: ANN001, ANN202 (numba's protocol)
        return types.none(args[0], types.intp)


@lower_builtin(prefetch_row, types.Array, types.intp)
def _lower_prefetch_row(context, builder, signature, args):  # noqa: ANN001, ANN202 (numba's protocol)
    array = context.make_array(signature.args[0])(context, builder, args[0])
    size = cgutils.unpack_tuple(builder, array.strides)[0]
    start = builder.add(builder.ptrtoint(array.data, size.type), builder.mul(args[1], size))
    number = ir.IntType(32)
    prefetch = builder.module.declare_intrinsic(
        "llvm.prefetch",
        (cgutils.voidptr_t,),
        ir.FunctionType(ir.VoidType(), (cgutils.voidptr_t, number, number, number)),
    )
    to_write, into_all_levels, data = number(1), number(3), number(1)
    stop = builder.add(start, size)
    with cgutils.for_range_slice(builder, start, stop, size.type(_CACHE_LINE)) as (address, _count):
        place = builder.inttoptr(address, cgutils.voidptr_t)
        builder.call(prefetch, (place, to_write, into_all_levels, data))
    return context.get_dummy_value()


def flag_word(flags: np.ndarray, first: int) -> int:
    """Up to 64 of the flags (bool[N], N >= 64) from ``first`` on, one bit each, the first one lowest."""
    bits = np.packbits(flags[first : first + FLAGS_PER_WORD], bitorder="little")
    return int.from_bytes(bits.tobytes(), "little")


@_typing_of(flag_word)
class _FlagWord(AbstractTemplate):
    def generic(self, args, _keywords):  # noqa: ANN001, ANN202 (numba's protocol)
        return types.int64(args[0], types.intp)


@lower_builtin(flag_word, types.Array, types.intp)
def _lower_flag_word(context, builder, signature, args):  # noqa: ANN001, ANN202 (numba's protocol)
    flags = context.make_array(signature.args[0])(context, builder, args[0])
    last = builder.sub(flags.nitems, args[1].type(FLAGS_PER_WORD))
    past = builder.icmp_signed(">", args[1], last)
    start = builder.select(past, last, args[1])  # reads nothing behind the end
    lanes = ir.VectorType(ir.IntType(8), FLAGS_PER_WORD)
    place = builder.bitcast(builder.gep(flags.data, [start]), lanes.as_pointer())
    is_set = builder.icmp_unsigned("!=", builder.load(place, align=1), lanes([0] * FLAGS_PER_WORD))
    word = builder.bitcast(is_set, ir.IntType(FLAGS_PER_WORD))
    return builder.lshr(word, builder.sub(args[1], start))


def lowest_bit(word: int) -> int:
    """The place of the lowest bit that is set in a word, which is not 0."""
    word = int(word)  # numpy integers have no bit_length
    return (word & -word).bit_length() - 1


@_typing_of(lowest_bit)
class _LowestBit(AbstractTemplate):
    def generic(self, _args, _keywords):  # noqa: ANN001, ANN202 (numba's protocol)
        return types.int64(types.int64)


@lower_builtin(lowest_bit, types.int64)
def _lower_lowest_bit(_context, builder, _signature, args):  # noqa: ANN001, ANN202 (numba's protocol)
    return builder.cttz(args[0], ir.IntType(1)(1))
