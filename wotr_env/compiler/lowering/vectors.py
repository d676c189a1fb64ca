"""The LLVM code of the operations of ``wotr_env.compiler.vectors``.

LLVM splits vectors of 64 numbers into as many registers as the processor needs.
"""

from __future__ import annotations

from typing import Any

from llvmlite import ir
from numba.core import cgutils, types

from wotr_env.compiler.lowering.memory import in_all_lanes, lowers
from wotr_env.compiler.vectors import (
    FEW,
    LANES,
    LANES_OF_HIGHEST,
    add_highest,
    add_rows,
    add_rows_to_few,
    dot,
)

_NUMBER = ir.FloatType()
_VECTOR = ir.VectorType(_NUMBER, LANES)
_LANES_OF_FEW = 32
"""Number of lanes of each total that are added at the same time; they stay in registers."""
_BYTES = 4


def _vector_at(builder: Any, data: Any, place: Any, vector: Any = _VECTOR) -> Any:
    return builder.bitcast(builder.gep(data, [place]), vector.as_pointer())


@lowers(add_rows, types.none, types.Array, types.Array, types.Array, types.Array, types.intp)
def _lower_add_rows(context, builder, signature, args):  # noqa: ANN001, ANN202 (numba's protocol)
    total, matrix, rows, factors = (
        context.make_array(kind)(context, builder, given)
        for kind, given in zip(signature.args[:4], args[:4], strict=True)
    )
    word = total.nitems.type
    sums = cgutils.alloca_once(builder, _VECTOR)
    with cgutils.for_range_slice(builder, word(0), total.nitems, word(LANES)) as (first, _count):
        kept = _vector_at(builder, total.data, first)
        builder.store(builder.load(kept, align=_BYTES), sums)
        with cgutils.for_range(builder, args[4]) as loop:
            row = builder.load(builder.gep(rows.data, [loop.index]))
            factor = in_all_lanes(builder, builder.load(builder.gep(factors.data, [loop.index])))
            place = builder.add(builder.mul(row, total.nitems), first)
            numbers = builder.load(_vector_at(builder, matrix.data, place), align=_BYTES)
            builder.store(builder.fadd(builder.load(sums), builder.fmul(factor, numbers)), sums)
        builder.store(builder.load(sums), kept, align=_BYTES)
    return context.get_dummy_value()


@lowers(add_rows_to_few, types.none, types.Array, types.Array, types.Array, types.Array, types.intp)
def _lower_add_rows_to_few(context, builder, signature, args):  # noqa: ANN001, ANN202 (numba's protocol)
    totals, matrix, rows, factors = (
        context.make_array(kind)(context, builder, given)
        for kind, given in zip(signature.args[:4], args[:4], strict=True)
    )
    word = totals.nitems.type
    vector = ir.VectorType(_NUMBER, _LANES_OF_FEW)
    size = builder.udiv(totals.nitems, word(FEW))
    sums = [cgutils.alloca_once(builder, vector) for _ in range(FEW)]
    with cgutils.for_range_slice(builder, word(0), size, word(_LANES_OF_FEW)) as (first, _count):
        kept = [
            _vector_at(builder, totals.data, builder.add(builder.mul(size, word(which)), first), vector)
            for which in range(FEW)
        ]
        for total, total_sum in zip(kept, sums, strict=True):
            builder.store(builder.load(total, align=_BYTES), total_sum)
        with cgutils.for_range(builder, args[4]) as loop:
            row = builder.load(builder.gep(rows.data, [loop.index]))
            place = builder.add(builder.mul(row, size), first)
            numbers = builder.load(_vector_at(builder, matrix.data, place, vector), align=_BYTES)
            factor_at = builder.mul(loop.index, word(FEW))
            for which, total_sum in enumerate(sums):
                at = builder.gep(factors.data, [builder.add(factor_at, word(which))])
                factor = in_all_lanes(builder, builder.load(at), _LANES_OF_FEW)
                product = builder.fmul(factor, numbers)
                builder.store(builder.fadd(builder.load(total_sum), product), total_sum)
        for total, total_sum in zip(kept, sums, strict=True):
            builder.store(builder.load(total_sum), total, align=_BYTES)
    return context.get_dummy_value()


@lowers(add_highest, types.none, types.Array, types.Array, types.Array, types.Array, types.intp)
def _lower_add_highest(context, builder, signature, args):  # noqa: ANN001, ANN202 (numba's protocol)
    highest, matrix, rows, factors = (
        context.make_array(kind)(context, builder, given)
        for kind, given in zip(signature.args[:4], args[:4], strict=True)
    )
    size = highest.nitems
    word = size.type
    vector = ir.VectorType(ir.DoubleType(), LANES_OF_HIGHEST)
    so_far = cgutils.alloca_once(builder, vector)
    last = builder.sub(size, word(LANES_OF_HIGHEST))
    with cgutils.for_range_slice(builder, word(0), size, word(LANES_OF_HIGHEST)) as (first, _count):
        start = builder.select(builder.icmp_signed(">", first, last), last, first)  # the last ones overlap
        kept = _vector_at(builder, highest.data, start, vector)
        builder.store(builder.load(kept, align=_BYTES), so_far)
        with cgutils.for_range(builder, args[4]) as loop:
            row = builder.load(builder.gep(rows.data, [loop.index]))
            factor = builder.load(builder.gep(factors.data, [loop.index]))
            place = builder.add(builder.mul(row, size), start)
            numbers = builder.load(_vector_at(builder, matrix.data, place, vector), align=_BYTES)
            product = builder.fmul(in_all_lanes(builder, factor, LANES_OF_HIGHEST), numbers)
            before = builder.load(so_far)
            builder.store(builder.select(builder.fcmp_ordered(">", product, before), product, before), so_far)
        builder.store(builder.load(so_far), kept, align=_BYTES)
    return context.get_dummy_value()


@lowers(dot, types.float64, types.Array, types.Array)
def _lower_dot(context, builder, signature, args):  # noqa: ANN001, ANN202 (numba's protocol)
    left, right = (
        context.make_array(kind)(context, builder, given)
        for kind, given in zip(signature.args, args, strict=True)
    )
    word = left.nitems.type
    sums = cgutils.alloca_once(builder, _VECTOR)
    builder.store(_VECTOR([0.0] * LANES), sums)
    with cgutils.for_range_slice(builder, word(0), left.nitems, word(LANES)) as (first, _count):
        some, others = (
            builder.load(_vector_at(builder, array.data, first), align=_BYTES) for array in (left, right)
        )
        builder.store(builder.fadd(builder.load(sums), builder.fmul(some, others)), sums)
    return builder.fpext(_sum_of_halves(builder, builder.load(sums)), ir.DoubleType())


def _sum_of_halves(builder: Any, vector: Any) -> Any:
    """Adds the upper half of a vector to its lower one until a single number is left."""
    size = vector.type.count
    while size > 1:
        size //= 2
        lanes = ir.VectorType(ir.IntType(32), size)
        low = builder.shuffle_vector(vector, vector, lanes(list(range(size))))
        high = builder.shuffle_vector(vector, vector, lanes(list(range(size, 2 * size))))
        vector = builder.fadd(low, high)
    return builder.extract_element(vector, ir.IntType(32)(0))
