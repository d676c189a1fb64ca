"""Compiling a set of kernels into one piece of machine code.

Each kernel is compiled once, callees first, with int64 for all scalars: left to itself numba would compile a
function again for each mix of int8 fields, literals and int64 that it is called with, three times on average;
here such arguments are converted instead. Compiled each by itself, as numba would, every entry point would be
optimised and emitted with all rules that it reaches: with seven of them that was half of the waiting.
"""

from __future__ import annotations

import json
import types
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any

import numba
from numba.core.compiler_lock import global_compiler_lock
from numba.core.typing.templates import make_concrete_template

from wotr_env.compiler.entry_points import types_of_arguments
from wotr_env.compiler.lowering import codes, memory, vectors  # noqa: F401 (what they teach numba)
from wotr_env.compiler.lowering.entries import compile_entry_points
from wotr_env.compiler.lowering.rules import TARGET, compile_rule
from wotr_env.compiler.lowering.types import numba_type

if TYPE_CHECKING:
    from wotr_env.compiler.kernels import KernelSet, Progress

_compiled: set[Callable[..., Any]] = set()
"""Kernels that others can call."""


@global_compiler_lock
def build(kernels: KernelSet, progress: Progress) -> bytes:
    """The machine code of the entry points of a set: a line of JSON that lists them, then an object file."""
    compile_kernels(kernels, progress)
    signatures = {
        entry_point.name: (entry_point.function, tuple(map(numba_type, entry_point.types)))
        for entry_point in kernels.entry_points.values()
    }
    results, machine_code = compile_entry_points(kernels.package.name, signatures)
    return json.dumps(results).encode() + b"\n" + machine_code


def compile_kernels(kernels: KernelSet, progress: Progress) -> None:
    """Compiles every kernel of a set, and of the sets that it needs, for other kernels to call."""
    sets = list(kernels.with_needed())
    known = {kernel: each for each in sets for kernel in each.kernels}
    done: set[Callable[..., Any]] = set()

    def visit(kernel: Callable[..., Any]) -> None:
        if kernel in done:
            return
        done.add(kernel)
        for callee in _callees(kernel):
            if isinstance(callee, types.FunctionType) and callee in known:
                visit(callee)
        if kernel not in _compiled:
            _compile(kernel, known[kernel])
            _compiled.add(kernel)
        progress(len(done), len(known))

    for kernel in known:
        visit(kernel)


def _compile(kernel: Callable[..., Any], kernels: KernelSet) -> None:
    """Compiles a kernel with int64 for its arguments, or what its set says; calls find it by the function."""
    types_of = types_of_arguments(kernel, kernels.argument_types)
    signature = compile_rule(kernel, tuple(map(numba_type, types_of)))
    template = make_concrete_template(kernel.__name__, key=kernel, signatures=[signature])
    TARGET.typing_context.insert_global(kernel, numba.types.Function(template))


def _callees(function: Any) -> Iterator[Any]:
    """What a function's names mean in its module, and in the modules that it names."""
    names = function.__code__.co_names
    for name in names:
        found = function.__globals__.get(name)
        yield found
        if isinstance(found, types.ModuleType):
            for other in names:
                yield getattr(found, other, None)
