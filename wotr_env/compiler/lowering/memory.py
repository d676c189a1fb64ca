"""The LLVM code of the operations of ``wotr_env.compiler.memory``."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from llvmlite import ir
from numba.core import cgutils, types
from numba.core.imputils import lower_builtin
from numba.core.typing.templates import AbstractTemplate, infer_global
from numba.np.arrayobj import populate_array

from wotr_env.compiler.lowering import form
from wotr_env.compiler.lowering.device_flags import flags_on_device
from wotr_env.compiler.memory import (
    FLAGS_PER_WORD,
    bit_count,
    copy_bytes,
    equal_flags,
    equal_flags_of_few,
    flag_word,
    local_numbers,
    lowest_bit,
    pair_flags,
    prefetch_row,
    unequal_flags,
)

_CACHE_LINE = 64


def lowers(operation: Callable[..., Any], result: Any, *of: Any) -> Callable[[Any], Any]:
    """Decorates the function that writes the LLVM code of an operation.

    Args:
        operation: the operation, which kernels call.
        result: the type of the result.
        of: the types of the arguments; a class of types accepts every argument type of this class.
    """

    class Typing(AbstractTemplate):
        prefer_literal = types.IntegerLiteral in of

        def generic(self, args, _keywords):  # noqa: ANN001, ANN202 (numba's protocol)
            taken = zip(args, of, strict=True)
            return result(*(given if isinstance(wanted, type) else wanted for given, wanted in taken))

    typing_of: Any = infer_global  # numba's own signature says that it may return None
    typing_of(operation)(Typing)
    return lower_builtin(operation, *of)


@lowers(copy_bytes, types.none, types.Array, types.intp, types.Array)
def _lower_copy_bytes(context, builder, signature, args):  # noqa: ANN001, ANN202 (numba's protocol)
    target = context.make_array(signature.args[0])(context, builder, args[0])
    source = context.make_array(signature.args[2])(context, builder, args[2])
    cgutils.raw_memcpy(builder, builder.gep(target.data, [args[1]]), source.data, source.nitems, 1)
    return context.get_dummy_value()


@lowers(local_numbers, types.Array(types.int64, 1, "C"), types.IntegerLiteral)
def _lower_local_numbers(context, builder, signature, _args):  # noqa: ANN001, ANN202 (numba's protocol)
    number, size = ir.IntType(64), signature.args[0].literal_value
    array = context.make_array(signature.return_type)(context, builder)
    room = cgutils.alloca_once(builder, number, size=size)
    width = number(number.width // 8)
    populate_array(array, room, [number(size)], [width], width, None)
    return array._getvalue()


@lowers(prefetch_row, types.none, types.Array, types.intp)
def _lower_prefetch_row(context, builder, signature, args):  # noqa: ANN001, ANN202 (numba's protocol)
    if form.for_device():  # other threads work while one waits
        return context.get_dummy_value()
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


@lowers(flag_word, types.int64, types.Array, types.intp)
def _lower_flag_word(context, builder, signature, args):  # noqa: ANN001, ANN202 (numba's protocol)
    flags = context.make_array(signature.args[0])(context, builder, args[0])
    start = _start(builder, flags.nitems, args[1])
    if form.for_device():
        word = flags_on_device(builder, builder.gep(flags.data, [start]), FLAGS_PER_WORD)
        return builder.lshr(word, builder.sub(args[1], start))
    loaded = _bytes_at(builder, flags, start)
    return _flags_of(builder, loaded, "!=", loaded.type([0] * FLAGS_PER_WORD), start, args[1])


def _start(builder: Any, size: Any, first: Any) -> Any:
    """The address at which to read a word of flags, so that no byte after the end is read."""
    last = builder.sub(size, first.type(FLAGS_PER_WORD))
    return builder.select(builder.icmp_signed(">", first, last), last, first)


def _bytes_at(builder: Any, array: Any, start: Any, count: int = FLAGS_PER_WORD) -> Any:
    lanes = ir.VectorType(ir.IntType(8), count)
    return builder.load(builder.bitcast(builder.gep(array.data, [start]), lanes.as_pointer()), align=1)


def in_all_lanes(builder: Any, value: Any, count: int = FLAGS_PER_WORD) -> Any:
    """Returns a vector with the same value in each of ``count`` lanes."""
    vector = ir.VectorType(value.type, count)
    one = builder.insert_element(ir.Constant(vector, ir.Undefined), value, ir.IntType(32)(0))
    lanes = ir.VectorType(ir.IntType(32), count)
    return builder.shuffle_vector(one, ir.Constant(vector, ir.Undefined), lanes([0] * count))


def _flags_of(builder: Any, values: Any, relation: str, to: Any, start: Any, first: Any) -> Any:
    """Compares a vector of values; returns one bit for each lane, without the lanes that lie before
    ``first``."""
    word = builder.bitcast(builder.icmp_unsigned(relation, values, to), ir.IntType(FLAGS_PER_WORD))
    return builder.lshr(word, builder.sub(first, start))


@lowers(pair_flags, types.int64, types.Array, types.intp, types.intp)
def _lower_pair_flags(context, builder, signature, args):  # noqa: ANN001, ANN202 (numba's protocol)
    pairs = context.make_array(signature.args[0])(context, builder, args[0])
    rows = builder.lshr(pairs.nitems, args[2].type(1))
    start = _start(builder, rows, args[2])
    if form.for_device():
        place = builder.gep(pairs.data, [builder.shl(start, start.type(1))])
        word = flags_on_device(builder, place, FLAGS_PER_WORD, column=args[1])
        return builder.lshr(word, builder.sub(args[2], start))
    both = ir.VectorType(ir.IntType(16), FLAGS_PER_WORD)
    place = builder.gep(pairs.data, [builder.shl(start, start.type(1))])
    loaded = builder.load(builder.bitcast(place, both.as_pointer()), align=1)
    shift = builder.trunc(builder.shl(args[1], args[1].type(3)), ir.IntType(16))
    of_column = builder.lshr(loaded, in_all_lanes(builder, shift))
    lanes = ir.VectorType(ir.IntType(8), FLAGS_PER_WORD)
    values = builder.trunc(of_column, lanes)
    return _flags_of(builder, values, "!=", lanes([0] * FLAGS_PER_WORD), start, args[2])


@lowers(equal_flags, types.int64, types.Array, types.intp, types.intp)
def _lower_equal_flags(context, builder, signature, args):  # noqa: ANN001, ANN202 (numba's protocol)
    values = context.make_array(signature.args[0])(context, builder, args[0])
    start = _start(builder, values.nitems, args[2])
    if form.for_device():
        word = flags_on_device(builder, builder.gep(values.data, [start]), FLAGS_PER_WORD, equal_to=args[1])
        return builder.lshr(word, builder.sub(args[2], start))
    wanted = in_all_lanes(builder, builder.trunc(args[1], ir.IntType(8)))
    return _flags_of(builder, _bytes_at(builder, values, start), "==", wanted, start, args[2])


@lowers(unequal_flags, types.int64, types.Array, types.Array, types.intp)
def _lower_unequal_flags(context, builder, signature, args):  # noqa: ANN001, ANN202 (numba's protocol)
    some, others = (
        context.make_array(kind)(context, builder, given)
        for kind, given in zip(signature.args[:2], args[:2], strict=True)
    )
    start = _start(builder, some.nitems, args[2])
    other = _bytes_at(builder, others, start)
    return _flags_of(builder, _bytes_at(builder, some, start), "!=", other, start, args[2])


@lowers(equal_flags_of_few, types.int64, types.Array, types.intp, types.IntegerLiteral)
def _lower_equal_flags_of_few(context, builder, signature, args):  # noqa: ANN001, ANN202 (numba's protocol)
    values = context.make_array(signature.args[0])(context, builder, args[0])
    word, few = ir.IntType(FLAGS_PER_WORD), signature.args[2].literal_value
    wanted = in_all_lanes(builder, builder.trunc(args[1], ir.IntType(8)), few)
    last = builder.sub(values.nitems, word(few))
    flags = word(0)
    for start in (word(0), last):  # they overlap
        if form.for_device():
            bits = flags_on_device(builder, builder.gep(values.data, [start]), few, equal_to=args[1])
        else:
            found = builder.icmp_unsigned("==", _bytes_at(builder, values, start, few), wanted)
            bits = builder.zext(builder.bitcast(found, ir.IntType(few)), word)
        flags = builder.or_(flags, builder.shl(bits, start))
    return flags


@lowers(bit_count, types.int64, types.int64)
def _lower_bit_count(_context, builder, _signature, args):  # noqa: ANN001, ANN202 (numba's protocol)
    return builder.ctpop(args[0])


@lowers(lowest_bit, types.int64, types.int64)
def _lower_lowest_bit(_context, builder, _signature, args):  # noqa: ANN001, ANN202 (numba's protocol)
    return builder.cttz(args[0], ir.IntType(1)(1))
