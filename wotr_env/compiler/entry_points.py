"""Entry points: the kernels that Python calls, either as machine code or as plain Python functions.

Machine code is an object file (``lowering``). LLVM's linker loads it, and it runs without the compiler. Its
functions take the addresses of the arguments, stored as 64-bit words. They read the type, shape and address
of an array themselves, because reading these in Python takes longer than most decisions of a game.
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
"""The type of a function of machine code. It takes the addresses of the arguments and of the wanted data
types, and returns 0, ``WRONG_ARRAY``, or another number if an exception was raised."""
_WORDS = "q"
WRONG_ARRAY = 0x7777
"""The return value of machine code if an argument is not an array of the required type; then nothing has been
executed."""
OBJECT_SIZE = object.__basicsize__
"""Size in bytes of a Python object before its own fields; the last eight bytes are the address of its
type."""
_EXCEPTION = struct.Struct("@Pi")
"""The address and the size of a pickle with the class, the arguments and the place of an exception."""


class Kind(enum.StrEnum):
    """The type of the word that an entry point returns."""

    INT = "int"
    BOOL = "bool"
    FLOAT = "float"
    NONE = "none"


class Result(NamedTuple):
    """The location and result type of an entry point in machine code."""

    symbol: str
    """The symbol of the entry point in the machine code."""
    kind: Kind


class Owner(Protocol):
    """The kernel set of an entry point."""

    interpreted: bool
    argument_types: dict[str, ArgumentType]

    def bound(self, entry_point: EntryPoint) -> Callable[..., Any] | None:
        """Returns the machine code of an entry point; None as long as the entry point runs as plain
        Python."""
        ...


class EntryPoint:
    """A function that Python calls. It is compiled before the first call, unless kernels are interpreted.

    Args:
        kernels: the kernel set that the function belongs to.
        function: the Python function.
        types_of: types of arguments that differ from ``argument_types`` of the set or are missing there.
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
        """Calls the function. Compiled code accepts only arguments of the declared types.

        Raises:
            TypeError: an argument is of another type, or a read-only array.
        """
        if self._call is None:
            self._call = self._kernels.bound(self)
        return (self._call or self.function)(*arguments)

    @property
    def types(self) -> tuple[ArgumentType, ...]:
        """The types of the arguments."""
        return types_of_arguments(self.function, {**self._kernels.argument_types, **self._types_of})


def types_of_arguments(
    function: Callable[..., Any], types_of: Mapping[str, ArgumentType]
) -> tuple[ArgumentType, ...]:
    """The types of a function's arguments, in order. ``types_of`` has types by argument name; all other
    arguments are int64."""
    code = function.__code__
    return tuple(types_of.get(name, Number.INT64) for name in code.co_varnames[: code.co_argcount])


class MachineCode:
    """The loaded machine code of some entry points.

    Args:
        code: a line of JSON with the ``Result`` of each entry point by its name; then an object file.

    Raises:
        ValueError: the code does not have this form, or an entry point is missing.
    """

    def __init__(self, code: bytes) -> None:
        self._wanted: list[array[int]] = []
        """The required types of arrays, which machine code reads at these addresses."""
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
        """Returns a function that calls an entry point with arguments of these types."""
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
                return call(*map(_with_exact_dtype, arguments, types))
            if failed:
                raise raised(given[-1], ctypes.string_at)
            return read(given[-1])

        return call


def _arrays(types: Sequence[ArgumentType]) -> Iterator[ArrayType]:
    """The types of all arrays among some arguments, in order."""
    for each in types:
        if isinstance(each, ArrayType):
            yield each
        elif isinstance(each, TupleType):
            yield from _arrays(each.of)


def _with_exact_dtype(value: Any, wanted: ArgumentType) -> Any:
    """The argument, in which arrays have the required data type object instead of an equal one.

    Raises:
        TypeError: an argument is not an array of the required type.
    """
    if isinstance(wanted, TupleType):
        return wanted.made_by(*map(_with_exact_dtype, value, wanted.of))
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
        address: the address of the description of the exception; 0 if there is none.
        read: a function that returns the bytes at an address, from the address and the number of bytes.
    """
    if not address:
        return SystemError("the rules have failed without saying why")
    where, size = _EXCEPTION.unpack(read(address, _EXCEPTION.size))
    kind, arguments, _place = pickle.loads(read(where, size))
    return kind(*(arguments or ()))


def _packer(wanted: ArgumentType) -> _Packer:
    """Returns a function that writes an argument of this type as words: numbers, addresses and lengths."""
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
