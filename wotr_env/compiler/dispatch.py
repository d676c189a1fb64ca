"""Kernels that choose a kernel by a code, made from tables.

A kernel can neither index nor call a table of functions, but it can compare a code with one constant after
the other, and LLVM makes a jump table of such a chain. Here the chain is written from the table.
"""

from __future__ import annotations

import linecache
from collections.abc import Callable, Mapping
from typing import Any

from wotr_env.compiler.codes import Codes


def dispatch(
    kernel: Callable[[Callable], Any], table: Mapping[Any, Any], otherwise: Any = None
) -> Callable[[Callable], Any]:
    """Makes a function without a body the kernel that calls what a table names for its first argument.

    ::

        @dispatch(kernel, {Face.ARMY: march, Face.MUSTER: muster, Face.ARMY_MUSTER: muster}, otherwise=skip)
        def use_die(face, state, side):
            '''Uses a die by its result.'''

    is, as tracebacks show it too,

        def use_die(face, state, side):
            if face == Face.ARMY:
                return march(state, side)
            if face == Face.MUSTER or face == Face.ARMY_MUSTER:
                return muster(state)
            return skip(face)

    Each kernel is given those arguments that it has by name.

    Args:
        kernel: the ``kernel`` of a ``KernelSet``, for the function made.
        table: the kernel of each code (a member of a ``Codes`` enum).
        otherwise: the kernel for all other codes. Without it nothing is done for them, so kernels that
            return a value need it.

    Raises:
        ValueError: a kernel has an argument that the function lacks, or two kernels have the same name.
    """

    def decorate(function: Callable) -> Any:
        code, *_ = _arguments(function)
        names: dict[str, Any] = {"__name__": function.__module__, function.__name__: function}
        lines = [f"def {function.__name__}({', '.join(_arguments(function))}):\n"]
        if not table and otherwise is None:
            lines.append("    pass\n")
        for callee, codes in _codes_of(table).items():
            tests = " or ".join(f"{code} == {_name_code(names, member)}" for member in codes)
            lines.append(f"    if {tests}:\n")
            lines.append(f"        return {_call(names, callee, function)}\n")
        if otherwise is not None:
            lines.append(f"    return {_call(names, otherwise, function)}\n")
        return kernel(_define(function, "".join(lines), names))

    return decorate


def _python(function: Any) -> Any:
    """The Python function of a kernel, compiled or interpreted."""
    return getattr(function, "py_func", function)


def _arguments(function: Any) -> tuple[str, ...]:
    code = _python(function).__code__
    return code.co_varnames[: code.co_argcount]


def _codes_of(table: Mapping[Any, Any]) -> dict[Any, list[Codes]]:
    """The codes of each kernel."""
    codes: dict[Any, list[Codes]] = {}
    for member, callee in table.items():
        codes.setdefault(callee, []).append(member)
    return codes


def _name(names: dict[str, Any], name: str, meaning: Any) -> str:
    """The name, which from now on means this in the chain."""
    if names.setdefault(name, meaning) is not meaning:
        raise ValueError(f"{name} would mean both {names[name]!r} and {meaning!r}; rename one")
    return name


def _name_code(names: dict[str, Any], member: Codes) -> str:
    return f"{_name(names, type(member).__name__, type(member))}.{member.name}"


def _call(names: dict[str, Any], callee: Any, function: Callable) -> str:
    wanted, given = _arguments(callee), _arguments(function)
    name = _name(names, _python(callee).__name__, callee)
    if not set(wanted) <= set(given):
        raise ValueError(f"{name}({', '.join(wanted)}) needs more than {function.__name__}({', '.join(given)})")
    return f"{name}({', '.join(wanted)})"


def _define(function: Callable, source: str, names: dict[str, Any]) -> Any:
    """The function of this source, in place of another; tracebacks find the source by its file name."""
    file = f"<dispatch {function.__module__}.{function.__qualname__}>"
    linecache.cache[file] = (len(source), None, source.splitlines(keepends=True), file)
    exec(compile(source, file, "exec"), names)
    made = names[function.__name__]
    made.__qualname__ = function.__qualname__
    made.__doc__ = function.__doc__
    return made
