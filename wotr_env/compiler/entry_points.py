"""Entry points: what Python calls of the kernels, as machine code or as it is written.

Machine code is an object file (``lowering``), loaded by LLVM's linker and called without the compiler. Its
functions take the addresses of the arguments, laid out as 64-bit words, and look at arrays themselves: asking
an array in Python for its type, shape and address takes longer than most decisions of a game.
"""

from __future__ import annotations

import ctypes
import enum
import functools
import json
import pickle
import struct
from array import array
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple, Protocol

import llvmlite.binding
import numpy as np

from wotr_env.compiler.types import ArgumentType, ArrayType, Number, TupleType

_Packer = Callable[[Any, list[int]], None]
_NATIVE = ctypes.CFUNCTYPE(ctypes.c_int32, ctypes.c_void_p, ctypes.c_void_p)
"""Of the address of the arguments and that of the result: 0, or something was raised."""
_WORDS = "q"
WRONG_ARRAY = 0x7777
"""What machine code returns if an argument is none of the arrays wanted; it has done nothing then."""
OBJECT_SIZE = object.__basicsize__
"""Bytes of an object of Python before its own fields; the last eight say what it is."""
_EXCEPTION = struct.Struct("@Pi")
"""The address and the size of a pickle: the class and the arguments of what was raised, and the place."""


class Kind(enum.StrEnum):
    """What the word means that an entry point leaves."""

    INT = "int"
    BOOL = "bool"
    FLOAT = "float"
    NONE = "none"


class Result(NamedTuple):
    """How the word is read that an entry point leaves."""

    symbol: str
    """Of the entry point in the machine code."""
    kind: Kind


class Owner(Protocol):
    """The set of kernels that an entry point belongs to."""

    interpreted: bool
    argument_types: dict[str, ArgumentType]

    def bound(self, entry_point: EntryPoint) -> Callable[..., Any] | None:
        """The machine code of an entry point; None as long as it runs as it is written."""
        ...


class EntryPoint:
    """A function that Python calls: compiled before the first call, where kernels are compiled at all.

    Args:
        kernels: the set that it belongs to.
        function: as it is written.
        types_of: types of arguments that are not of the set's ``argument_types``.
    """

    def __init__(
        self, kernels: Owner, function: Callable[..., Any], types_of: Mapping[str, ArgumentType]
    ) -> None:
        functools.update_wrapper(self, function)
        self.function = function
        self.name = f"{function.__module__}.{function.__qualname__}"
        self._kernels, self._types_of = kernels, types_of
        self._call: Callable[..., Any] | None = function if kernels.interpreted else None

    def __call__(self, *arguments: Any) -> Any:
        """Calls it; compiled, with arguments of its types only.

        Raises:
            TypeError: an argument is of another type, or a read-only array.
        """
        if self._call is None:
            self._call = self._kernels.bound(self)
        return (self._call or self.function)(*arguments)

    @property
    def types(self) -> tuple[ArgumentType, ...]:
        """Of its arguments."""
        return types_of_arguments(self.function, {**self._kernels.argument_types, **self._types_of})


def types_of_arguments(
    function: Callable[..., Any], types_of: Mapping[str, ArgumentType]
) -> tuple[ArgumentType, ...]:
    """The types of a function's arguments by their names; int64 for others."""
    code = function.__code__
    return tuple(types_of.get(name, Number.INT64) for name in code.co_varnames[: code.co_argcount])


class MachineCode:
    """The machine code of some entry points, loaded.

    Args:
        code: a line of JSON, the ``Result`` of each entry point by its name; then an object file.

    Raises:
        ValueError: it is something else.
    """

    def __init__(self, code: bytes) -> None:
        self._wanted: list[array[int]] = []
        """Data types that machine code looks at."""
        listed, _, self.object_file = code.partition(b"\n")
        self.results = {
            name: Result(symbol, Kind(kind)) for name, (symbol, kind) in json.loads(listed).items()
        }
        llvmlite.binding.initialize_native_target()
        llvmlite.binding.initialize_native_asmprinter()
        target = llvmlite.binding.Target.from_default_triple().create_target_machine()
        module = llvmlite.binding.parse_assembly("")
        self._engine = llvmlite.binding.create_mcjit_compiler(module, target)
        self._engine.add_object_file(llvmlite.binding.ObjectFileRef.from_data(self.object_file))
        self._engine.finalize_object()
        self.addresses = {
            name: self._engine.get_function_address(result.symbol) for name, result in self.results.items()
        }
        if not all(self.addresses.values()):
            raise ValueError("the machine code lacks an entry point")

    def call_of(self, name: str, types: Sequence[ArgumentType]) -> Callable[..., Any]:
        """The function that calls an entry point with arguments of these types."""
        native, read = _NATIVE(self.addresses[name]), _READ[self.results[name].kind]
        packers = tuple(map(_packer, types))
        wanted = array(_WORDS, (id(np.ndarray), *(id(each.dtype) for each in _arrays(types))))
        self._wanted.append(wanted)
        address_of_wanted = wanted.buffer_info()[0]

        def call(*arguments: Any) -> Any:
            words: list[int] = []
            for pack, argument in zip(packers, arguments, strict=True):
                pack(argument, words)
            words.append(0)
            given = array(_WORDS, words)
            failed = native(given.buffer_info()[0], address_of_wanted)
            if failed == WRONG_ARRAY:
                return call(*map(_mended, arguments, types))
            if failed:
                raise raised(given[-1], ctypes.string_at)
            return read(given[-1])

        return call


def _arrays(types: Sequence[ArgumentType]) -> Iterator[ArrayType]:
    """The types of the arrays among some arguments, in their order."""
    for each in types:
        if isinstance(each, ArrayType):
            yield each
        elif isinstance(each, TupleType):
            yield from _arrays(each.of)


def _mended(value: Any, wanted: ArgumentType) -> Any:
    """The argument, with arrays that have the very data type wanted instead of one that is equal to it.

    Raises:
        TypeError: an array is none of the type.
    """
    if isinstance(wanted, TupleType):
        return wanted.made_by(*map(_mended, value, wanted.of))
    if not isinstance(wanted, ArrayType):
        return value
    is_array = isinstance(value, np.ndarray)
    if is_array and value.ndim == wanted.dimensions and value.dtype == wanted.dtype and value.flags.carray:
        return value.view(np.ndarray).view(wanted.dtype)
    found = f"{value.dtype} of shape {value.shape}" if is_array else type(value).__name__
    what = f"{wanted.dimensions}-dimensional writeable array of {wanted.dtype} in C order"
    raise TypeError(f"wanted is a {what}, not {found}")


def _float_of(word: int) -> float:
    return struct.unpack("d", struct.pack("q", word))[0]


_READ: dict[Kind, Callable[[int], Any]] = {
    Kind.INT: int,
    Kind.BOOL: bool,
    Kind.FLOAT: _float_of,
    Kind.NONE: lambda _word: None,
}


def raised(address: int, read: Callable[[int, int], bytes]) -> BaseException:
    """The exception that machine code has raised.

    Args:
        address: where it says what it is; 0 if it does not.
        read: the bytes at an address, so many.
    """
    if not address:
        return SystemError("the rules have failed without saying why")
    where, size = _EXCEPTION.unpack(read(address, _EXCEPTION.size))
    kind, arguments, _place = pickle.loads(read(where, size))
    return kind(*(arguments or ()))


def _packer(wanted: ArgumentType) -> _Packer:
    """What lays an argument of a type out as words: numbers, addresses and lengths."""
    if wanted is Number.INT64:
        return _pack_int
    if wanted is Number.FLOAT64:
        return _pack_float
    if isinstance(wanted, ArrayType):
        return _pack_array
    if isinstance(wanted, TupleType):
        return _tuple_packer(wanted)
    raise TypeError(f"an entry point cannot be given {wanted}")


def _pack_int(value: Any, words: list[int]) -> None:
    words.append(value)


def _pack_float(value: Any, words: list[int]) -> None:
    words.extend(struct.unpack("q", struct.pack("d", value)))


def _pack_array(value: Any, words: list[int]) -> None:
    words.append(id(value))


def _tuple_packer(wanted: TupleType) -> _Packer:
    packers = tuple(map(_packer, wanted.of))
    only_arrays = all(isinstance(each, ArrayType) for each in wanted.of)

    def pack(value: Any, words: list[int]) -> None:
        if type(value) is not wanted.made_by:
            raise TypeError(f"wanted is a {wanted.made_by.__name__}, not {type(value).__name__}")
        if only_arrays:
            words.extend(map(id, value))
            return
        for pack_one, one in zip(packers, value, strict=True):
            pack_one(one, words)

    return pack
