"""Compiles a set of kernels into one piece of machine code.

Each kernel is compiled once, callees first, with int64 for all scalars. By default, numba would compile a
function again for each combination of int8 fields, literals and int64 in its calls, three times on average;
here such arguments are converted instead. Also by default, numba would compile each entry point separately,
and optimise and emit all rules that the entry point reaches. With seven entry points, this took half of the
compile time.
"""

from __future__ import annotations

import contextlib
import json
import types
from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from typing import Any, Protocol, Self

from numba.core.compiler_lock import global_compiler_lock

from wotr_env.compiler.entry_points import EntryPoint, types_of_arguments
from wotr_env.compiler.lowering import codes, memory, vectors  # noqa: F401 (what they teach numba)
from wotr_env.compiler.lowering.entries import compile_entry_points
from wotr_env.compiler.lowering.rules import Lowered, compile_rule
from wotr_env.compiler.lowering.sharing import (
    Kernel,
    LostProcess,
    lower_together,
    processes_for,
    run_in_fork,
)
from wotr_env.compiler.lowering.types import numba_type
from wotr_env.compiler.types import ArgumentType, Progress

_compiled: dict[Kernel, tuple[Any, ...]] = {}
"""The kernels that others can call, with the types of their arguments."""


class Kernels(Protocol):
    """The parts of a kernel set that are compiled."""

    name: str
    kernels: list[Kernel]
    entry_points: dict[str, EntryPoint]
    argument_types: dict[str, ArgumentType]

    def with_needed(self) -> Iterator[Self]:
        """Yields the sets that this set needs, and then this set."""
        ...


@global_compiler_lock
def build(sets: Sequence[Kernels], progress: Progress) -> list[bytes]:
    """Returns the machine code of the entry points of each set: a line of JSON that lists them, then an
    object file.

    Args:
        sets: the kernel sets; each set needs the previous one.
        progress: receives the number of compiled kernels and the number of kernels of all sets.
    """
    compile_kernels(sets[-1], progress)
    *others, last = sets
    with contextlib.ExitStack() as stack:
        begun = [stack.enter_context(run_in_fork(partial(_code_of, each))) for each in others]
        code = _code_of(last)
        return [*(finish() for finish in begun), code]


def _code_of(kernels: Kernels) -> bytes:
    signatures = {
        entry_point.name: (entry_point.function, tuple(map(numba_type, entry_point.types)))
        for entry_point in kernels.entry_points.values()
    }
    results, machine_code = compile_entry_points(kernels.name, signatures)
    return json.dumps(results).encode() + b"\n" + machine_code


def compile_kernels(kernels: Kernels, progress: Progress) -> None:
    """Compiles every kernel of a set, and of the sets that it needs, so that other kernels can call it."""
    known = {kernel: each for each in kernels.with_needed() for kernel in each.kernels}
    callees = _in_order(known)
    missing = [kernel for kernel in callees if kernel not in _compiled]
    types_of = {
        kernel: tuple(map(numba_type, types_of_arguments(kernel, known[kernel].argument_types)))
        for kernel in callees
    }
    for kernel in callees:
        if _compiled.get(kernel, types_of[kernel]) != types_of[kernel]:
            raise TypeError(f"{kernel.__name__} is compiled for other arguments; {kernels.name} needs a copy")

    def lower(kernel: Kernel) -> Lowered:
        """Lowers a kernel. Its arguments are int64, unless its set has another type; calls find the kernel by
        its function."""
        return compile_rule(kernel, types_of[kernel], known[kernel].name)

    def tell(count: int) -> None:
        progress(len(known) - len(missing) + count, len(known))

    processes = processes_for(len(missing))
    if processes > 1:
        among = {kernel: [each for each in callees[kernel] if each not in _compiled] for kernel in missing}
        with contextlib.suppress(LostProcess):
            lower_together(missing, among, lower, processes, tell)
            _compiled.update({kernel: types_of[kernel] for kernel in missing})
            return
    for count, kernel in enumerate(missing, 1):
        lower(kernel)
        _compiled[kernel] = types_of[kernel]
        tell(count)


def _in_order(known: Mapping[Kernel, Kernels]) -> dict[Kernel, list[Kernel]]:
    """All kernels, callees first, each with the kernels that it calls."""
    callees: dict[Kernel, list[Kernel]] = {}
    visited: set[Kernel] = set()

    def visit(kernel: Kernel) -> None:
        if kernel in visited:
            return
        visited.add(kernel)
        found = (each for each in _names(kernel) if isinstance(each, types.FunctionType) and each in known)
        called = list(dict.fromkeys(found))
        for callee in called:
            visit(callee)
        callees[kernel] = called

    for kernel in known:
        visit(kernel)
    return callees


def _names(function: Any) -> Iterator[Any]:
    """The objects that a function's names refer to, in its module and in the modules among these objects."""
    names = function.__code__.co_names
    for name in names:
        found = function.__globals__.get(name)
        yield found
        if isinstance(found, types.ModuleType):
            for other in names:
                yield getattr(found, other, None)
