"""Kernels that choose a kernel by a code, made from tables.

A kernel can neither index a table of functions nor call its members. But it can compare a code with one
constant after another, and LLVM compiles such a chain of comparisons to a jump table. This module generates
the chain from the table.
"""

from __future__ import annotations

import linecache
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from wotr_env.compiler.codes import Codes


def dispatch(
    kernel: Callable[[Callable], Any],
    table: Mapping[Any, Any],
    otherwise: Any = None,
    by: tuple[Any, ...] = (),
) -> Callable[[Callable], Any]:
    """Decorates a function without a body. The result is a kernel that reads a code (by default the first
    argument) and calls the kernel that a table names for this code.

    ::

        @dispatch(kernel, {Face.ARMY: march, Face.MUSTER: muster, Face.ARMY_MUSTER: muster}, otherwise=skip)
        def use_die(face, state, side):
            '''Uses a die by its result.'''

    becomes this function, which is also shown in tracebacks:

        def use_die(face, state, side):
            if face == Face.ARMY:
                return march(state, side)
            if face == Face.MUSTER or face == Face.ARMY_MUSTER:
                return muster(state)
            return skip(face)

    Each kernel receives the arguments that its own argument names select. If the code is not an argument,
    ``by`` names the kernels that read it: with ``by=(face_of_die,)`` the chain starts with ``code =
    face_of_die(state)``. With several such kernels, a key of the table is a tuple with one code for each, or
    the first code alone.

    Args:
        kernel: the method ``kernel`` of a ``KernelSet``; applied to the new function.
        table: the kernel of each code (a member of a ``Codes`` enum, or a tuple of them).
        otherwise: the kernel for all other codes. Without it, the function does nothing for other codes, so
            kernels that return a value need it.
        by: the kernels that read the codes; without them, the code is the first argument.

    Raises:
        ValueError: a kernel has an argument that the function does not have, or two kernels have the same
            name.
    """

    def decorate(function: Callable) -> Any:
        arguments = _arguments(function)
        names: dict[str, Any] = {"__name__": function.__module__, function.__name__: function}
        lines = [f"def {function.__name__}({', '.join(arguments)}):\n"]
        codes = ["code", *(f"code_{place}" for place in range(2, len(by) + 1))][: len(by)]
        for code, reader in zip(codes, by, strict=True):
            lines.append(f"    {code} = {_call(names, reader, function)}\n")
        for callee, keys in _keys_of(table).items():
            tests = " or ".join(_test(names, codes or arguments[:1], key) for key in keys)
            lines.append(f"    if {tests}:\n")
            lines.append(f"        return {_call(names, callee, function)}\n")
        if otherwise is not None:
            lines.append(f"    return {_call(names, otherwise, function)}\n")
        elif not table:
            lines.append("    pass\n")
        return kernel(_define(function, "".join(lines), names))

    return decorate


def _arguments(function: Any) -> tuple[str, ...]:
    code = function.__code__
    return code.co_varnames[: code.co_argcount]


def _keys_of(table: Mapping[Any, Any]) -> dict[Any, list[tuple[Codes, ...]]]:
    """The keys of each kernel, as tuples."""
    keys: dict[Any, list[tuple[Codes, ...]]] = {}
    for key, callee in table.items():
        keys.setdefault(callee, []).append(key if isinstance(key, tuple) else (key,))
    return keys


def _name(names: dict[str, Any], name: str, meaning: Any) -> str:
    """Returns the name, and binds it to this meaning in the chain."""
    if names.setdefault(name, meaning) is not meaning:
        raise ValueError(f"{name} would mean both {names[name]!r} and {meaning!r}; rename one")
    return name


def _test(names: dict[str, Any], codes: Sequence[str], key: tuple[Codes, ...]) -> str:
    """The source of a condition: the codes equal the codes of a key."""
    return " and ".join(
        f"{code} == {_name(names, type(member).__name__, type(member))}.{member.name}"
        for code, member in zip(codes, key, strict=False)
    )


def _call(names: dict[str, Any], callee: Any, function: Callable) -> str:
    wanted, given = _arguments(callee), _arguments(function)
    name = _name(names, callee.__name__, callee)
    if not set(wanted) <= set(given):
        needs, has = f"{name}({', '.join(wanted)})", f"{function.__name__}({', '.join(given)})"
        raise ValueError(f"{needs} needs more than {has}")
    return f"{name}({', '.join(wanted)})"


def _define(function: Callable, source: str, names: dict[str, Any]) -> Any:
    """Compiles the source of a function that replaces another function. Tracebacks find the source by its
    file name."""
    file = f"<dispatch {function.__module__}.{function.__qualname__}>"
    linecache.cache[file] = (len(source), None, source.splitlines(keepends=True), file)
    exec(compile(source, file, "exec"), names)
    made = names[function.__name__]
    made.__qualname__ = function.__qualname__
    made.__doc__ = function.__doc__
    return made
