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
from numba.np.arrayobj import populate_array

FLAGS_PER_WORD = 64
_typing_of: Any = infer_global  # numba's own signature says that it may return None
_CACHE_LINE = 64
_ALL_BITS = (1 << FLAGS_PER_WORD) - 1


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


def local_numbers(size: int) -> np.ndarray:
    """Room for numbers while a kernel runs: int64[size], of no certain content; ``size`` is a constant."""
    return np.empty(size, dtype=np.int64)


@_typing_of(local_numbers)
class _LocalNumbers(AbstractTemplate):
    prefer_literal = True

    def generic(self, args, _keywords):  # noqa: ANN001, ANN202 (numba's protocol)
        return types.Array(types.int64, 1, "C")(*args)


@lower_builtin(local_numbers, types.IntegerLiteral)
def _lower_local_numbers(context, builder, signature, _args):  # noqa: ANN001, ANN202 (numba's protocol)
    number, size = ir.IntType(64), signature.args[0].literal_value
    array = context.make_array(signature.return_type)(context, builder)
    room = cgutils.alloca_once(builder, number, size=size)
    width = number(number.width // 8)
    populate_array(array, room, [number(size)], [width], width, None)
    return array._getvalue()


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
    start = _start(builder, flags.nitems, args[1])
    loaded = _bytes_at(builder, flags, start)
    return _flags_of(builder, loaded, "!=", loaded.type([0] * FLAGS_PER_WORD), start, args[1])


def _start(builder: Any, size: Any, first: Any) -> Any:
    """Where to read a word of flags, so that nothing behind the end is read."""
    last = builder.sub(size, first.type(FLAGS_PER_WORD))
    return builder.select(builder.icmp_signed(">", first, last), last, first)


def _bytes_at(builder: Any, array: Any, start: Any, count: int = FLAGS_PER_WORD) -> Any:
    lanes = ir.VectorType(ir.IntType(8), count)
    return builder.load(builder.bitcast(builder.gep(array.data, [start]), lanes.as_pointer()), align=1)


def _in_all_lanes(builder: Any, value: Any, count: int = FLAGS_PER_WORD) -> Any:
    vector = ir.VectorType(value.type, count)
    one = builder.insert_element(ir.Constant(vector, ir.Undefined), value, ir.IntType(32)(0))
    lanes = ir.VectorType(ir.IntType(32), count)
    return builder.shuffle_vector(one, ir.Constant(vector, ir.Undefined), lanes([0] * count))


def _flags_of(builder: Any, values: Any, relation: str, to: Any, start: Any, first: Any) -> Any:
    """One bit for each lane, less those read before ``first``."""
    word = builder.bitcast(builder.icmp_unsigned(relation, values, to), ir.IntType(FLAGS_PER_WORD))
    return builder.lshr(word, builder.sub(first, start))


def pair_flags(pairs: np.ndarray, column: int, first: int) -> int:
    """Where ``pairs[first:, column]`` is not 0: up to 64 rows of int8[N, 2], N >= 64, as ``flag_word``."""
    return flag_word(pairs[:, column] != 0, first)


@_typing_of(pair_flags)
class _PairFlags(AbstractTemplate):
    def generic(self, args, _keywords):  # noqa: ANN001, ANN202 (numba's protocol)
        return types.int64(args[0], types.intp, types.intp)


@lower_builtin(pair_flags, types.Array, types.intp, types.intp)
def _lower_pair_flags(context, builder, signature, args):  # noqa: ANN001, ANN202 (numba's protocol)
    pairs = context.make_array(signature.args[0])(context, builder, args[0])
    rows = builder.lshr(pairs.nitems, args[2].type(1))
    start = _start(builder, rows, args[2])
    both = ir.VectorType(ir.IntType(16), FLAGS_PER_WORD)
    place = builder.gep(pairs.data, [builder.shl(start, start.type(1))])
    loaded = builder.load(builder.bitcast(place, both.as_pointer()), align=1)
    shift = builder.trunc(builder.shl(args[1], args[1].type(3)), ir.IntType(16))
    of_column = builder.lshr(loaded, _in_all_lanes(builder, shift))
    lanes = ir.VectorType(ir.IntType(8), FLAGS_PER_WORD)
    values = builder.trunc(of_column, lanes)
    return _flags_of(builder, values, "!=", lanes([0] * FLAGS_PER_WORD), start, args[2])


def equal_flags(values: np.ndarray, value: int, first: int) -> int:
    """Where ``values[first:]`` is ``value``: up to 64 of ``values`` (int8[N], N >= 64), as ``flag_word``."""
    return flag_word(values == value, first)


@_typing_of(equal_flags)
class _EqualFlags(AbstractTemplate):
    def generic(self, args, _keywords):  # noqa: ANN001, ANN202 (numba's protocol)
        return types.int64(args[0], types.intp, types.intp)


@lower_builtin(equal_flags, types.Array, types.intp, types.intp)
def _lower_equal_flags(context, builder, signature, args):  # noqa: ANN001, ANN202 (numba's protocol)
    values = context.make_array(signature.args[0])(context, builder, args[0])
    start = _start(builder, values.nitems, args[2])
    wanted = _in_all_lanes(builder, builder.trunc(args[1], ir.IntType(8)))
    return _flags_of(builder, _bytes_at(builder, values, start), "==", wanted, start, args[2])


def equal_flags_of_few(values: np.ndarray, value: int, lanes: int) -> int:
    """Where ``values`` are ``value``: one bit each, the first one lowest.

    Args:
        values: int8[N], ``lanes`` <= N <= 2 * ``lanes``, at most 64.
        lanes: compared at once; a constant, 8, 16 or 32.
    """
    return sum(1 << place for place in range(values.size) if values[place] == value)


@_typing_of(equal_flags_of_few)
class _EqualFlagsOfFew(AbstractTemplate):
    prefer_literal = True

    def generic(self, args, _keywords):  # noqa: ANN001, ANN202 (numba's protocol)
        return types.int64(args[0], types.intp, args[2])


@lower_builtin(equal_flags_of_few, types.Array, types.intp, types.IntegerLiteral)
def _lower_equal_flags_of_few(context, builder, signature, args):  # noqa: ANN001, ANN202 (numba's protocol)
    values = context.make_array(signature.args[0])(context, builder, args[0])
    word, few = ir.IntType(FLAGS_PER_WORD), signature.args[2].literal_value
    wanted = _in_all_lanes(builder, builder.trunc(args[1], ir.IntType(8)), few)
    last = builder.sub(values.nitems, word(few))
    flags = word(0)
    for start in (word(0), last):  # they overlap
        found = builder.icmp_unsigned("==", _bytes_at(builder, values, start, few), wanted)
        bits = builder.zext(builder.bitcast(found, ir.IntType(few)), word)
        flags = builder.or_(flags, builder.shl(bits, start))
    return flags


def bit_count(word: int) -> int:
    """How many bits are set in a word."""
    return (int(word) & _ALL_BITS).bit_count()


@_typing_of(bit_count)
class _BitCount(AbstractTemplate):
    def generic(self, _args, _keywords):  # noqa: ANN001, ANN202 (numba's protocol)
        return types.int64(types.int64)


@lower_builtin(bit_count, types.int64)
def _lower_bit_count(_context, builder, _signature, args):  # noqa: ANN001, ANN202 (numba's protocol)
    return builder.ctpop(args[0])


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
