"""Machine code for entry points: they are optimised and emitted together, and each gets one wrapper function.

A wrapper takes two addresses. The first is the address of the arguments as 64-bit words, followed by space
for the result. The second is the address of the data types that the arrays must have, in order. A number is
passed as a word, and an array as the address of its Python object, in which numpy has not moved the fields
for twenty years. A wrapper returns 0 after success, and ``WRONG_ARRAY`` before it has executed anything. For
any other return value, an exception was raised, and the space for the result holds the address at which numba
describes it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from llvmlite import ir
from numba.core import compiler, typed_passes, types
from numba.core.compiler_machinery import PassManager
from numba.np.arrayobj import populate_array

from wotr_env.compiler.entry_points import OBJECT_SIZE, WRONG_ARRAY, Kind
from wotr_env.compiler.lowering.rules import TARGET, compile_into, pipeline_of, typing_of_rules

_WORD = ir.IntType(64)
_SHORT = ir.IntType(32)
_WAY_IN = ir.FunctionType(_SHORT, (_WORD.as_pointer(), _WORD.as_pointer()))
_TYPE = OBJECT_SIZE - 8
"""Offsets of the fields of an array object, as in numpy's ``PyArrayObject_fields``, beginning with the
type."""
_DATA, _DIMENSIONS, _SHAPE, _DTYPE, _FLAGS = (OBJECT_SIZE + offset for offset in (0, 8, 16, 40, 48))
_BEHAVED = 0x501
"""numpy's flags of an array in C order, aligned and writeable."""
_KINDS = {types.int64: Kind.INT, types.boolean: Kind.BOOL, types.float64: Kind.FLOAT, types.none: Kind.NONE}

Signatures = Mapping[str, tuple[Callable[..., Any], tuple[Any, ...]]]
"""Functions and the numba types of their arguments, by the names of entry points."""


class EntryPointCompiler(compiler.CompilerBase):
    """Types and lowers an entry point into a given library."""

    def __init__(self, typing_context: Any, *others: Any) -> None:
        super().__init__(typing_of_rules(typing_context), *others)

    def define_pipelines(self) -> list[PassManager]:
        return [pipeline_of("entry point", typed_passes.NativeLowering)]


def compile_entry_points(name: str, signatures: Signatures) -> tuple[dict[str, tuple[str, Kind]], bytes]:
    """Compiles functions together with all kernels that they reach.

    Returns:
        The symbol and the kind of result of each entry point (``entry_points.Result``), and an object file.
    """
    library = TARGET.target_context.codegen().create_library(name)
    library.enable_object_caching()
    compiled = {
        entry_point: compile_into(library, function, types_of, EntryPointCompiler)
        for entry_point, (function, types_of) in signatures.items()
    }
    module = library.create_ir_module(f"{name}.entry_points")
    results = {}
    for number, (entry_point, result) in enumerate(compiled.items()):
        symbol = f"{name}.{number}"
        _write_wrapper(module, symbol, result.fndesc)
        results[entry_point] = symbol, _KINDS[result.signature.return_type]
    library.add_ir_module(module)
    library.finalize()
    return results, library._get_compiled_object()


class _Words:
    """Reads the words of the arguments, one after another."""

    def __init__(self, context: Any, builder: Any, words: Any, wanted: Any) -> None:
        self._context, self._builder, self._words, self._wanted = context, builder, words, wanted
        self._read = self._arrays = 0

    def argument(self, wanted: Any) -> Any:
        """Reads the next argument, in the form that kernels receive."""
        if isinstance(wanted, (types.NamedTuple, types.NamedUniTuple)):
            items = [self.argument(each) for each in wanted.types]
            return self._context.make_tuple(self._builder, wanted, items)
        if isinstance(wanted, types.Array):
            return self._array(wanted)
        word = self._builder.load(self.room())
        self._read += 1
        return self._builder.bitcast(word, ir.DoubleType()) if wanted == types.float64 else word

    def room(self) -> Any:
        """The address of the next word; after the last argument, the address of the space for the result."""
        return self._builder.gep(self._words, [_WORD(self._read)])

    def _array(self, wanted: Any) -> Any:
        builder = self._builder
        given = builder.load(self.room())
        self._read += 1

        def field(offset: int, kind: Any) -> Any:
            return builder.load(builder.inttoptr(builder.add(given, _WORD(offset)), kind.as_pointer()))

        kind_wanted, type_wanted = (
            builder.load(builder.gep(self._wanted, [_WORD(place)])) for place in (0, 1 + self._arrays)
        )
        is_array = builder.icmp_unsigned("==", field(_TYPE, _WORD), kind_wanted)
        self._unless(is_array)
        behaved = builder.icmp_unsigned(
            "==", builder.and_(field(_FLAGS, _SHORT), _SHORT(_BEHAVED)), _SHORT(_BEHAVED)
        )
        of_type = builder.icmp_unsigned("==", field(_DTYPE, _WORD), type_wanted)
        as_wide = builder.icmp_unsigned("==", field(_DIMENSIONS, _SHORT), _SHORT(wanted.ndim))
        self._unless(builder.and_(behaved, builder.and_(of_type, as_wide)))
        self._arrays += 1
        array = self._context.make_array(wanted)(self._context, builder)
        data = builder.inttoptr(field(_DATA, _WORD), array.data.type)
        lengths = field(_SHAPE, _WORD.as_pointer())
        shape = [builder.load(builder.gep(lengths, [_WORD(axis)])) for axis in range(wanted.ndim)]
        size = self._context.get_abi_sizeof(self._context.get_data_type(wanted.dtype))
        strides = [_WORD(size)]
        for length in reversed(shape[1:]):
            strides.insert(0, builder.mul(strides[0], length))
        populate_array(array, data, shape, strides, _WORD(size), None)
        return array._getvalue()

    def _unless(self, right: Any) -> None:
        """Returns ``WRONG_ARRAY`` unless the condition holds."""
        with self._builder.if_then(self._builder.not_(right), likely=False):
            self._builder.ret(_SHORT(WRONG_ARRAY))


def _write_wrapper(module: Any, symbol: str, function: Any) -> None:
    context = TARGET.target_context
    way_in = ir.Function(module, _WAY_IN, name=symbol)
    builder = ir.IRBuilder(way_in.append_basic_block())
    words = _Words(context, builder, *way_in.args)
    arguments = [words.argument(each) for each in function.argtypes]
    callee = context.declare_function(module, function)
    status, result = context.call_conv.call_function(
        builder, callee, function.restype, function.argtypes, arguments
    )
    with builder.if_then(status.is_error, likely=False):
        builder.store(builder.ptrtoint(status.excinfoptr, _WORD), words.room())
        builder.ret(status.code)
    if function.restype != types.none:
        builder.store(_as_word(builder, function.restype, result), words.room())
    builder.ret(_SHORT(0))


def _as_word(builder: Any, kind: Any, value: Any) -> Any:
    if kind == types.float64:
        return builder.bitcast(value, _WORD)
    return builder.zext(value, _WORD) if kind == types.boolean else value
