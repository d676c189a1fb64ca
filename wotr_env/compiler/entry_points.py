"""Entry points: what Python calls, compiled together into one piece of machine code that is kept.

Compiled each by itself, as numba would, every entry point is optimised and emitted with all rules that it
reaches: with seven of them that was half of the waiting. Kept by numba's own cache the machine code would be
found by the age of a source file, and notice neither edits in imported modules nor changed tables.
"""

from __future__ import annotations

import pickle
from collections.abc import Mapping
from typing import Any, cast

import llvmlite.binding
from numba.core import compiler, registry, serialize, typed_passes
from numba.core.compiler_lock import global_compiler_lock
from numba.core.compiler_machinery import PassManager

from wotr_env.compiler.lowering import pipeline_of

_TARGET: Any = registry.cpu_target  # its contexts are made when they are asked for
_kept: list[Any] = []
"""Environments that machine code points at."""

Signatures = Mapping[Any, tuple[Any, ...]]
"""numba types of the arguments of each entry point, a numba dispatcher."""


class _EntryPointCompiler(compiler.CompilerBase):
    """Types and lowers an entry point into the library that it is given."""

    def define_pipelines(self) -> list[PassManager]:
        return [pipeline_of("entry point", typed_passes.NativeLowering)]


@global_compiler_lock
def compile_entry_points(name: str, signatures: Signatures) -> bytes:
    """Compiles entry points, which can be called from then on; returns their machine code, to be loaded."""
    library = _TARGET.target_context.codegen().create_library(name)
    library.enable_object_caching()
    results = {}
    for entry_point, argument_types in signatures.items():
        flags: Any = compiler.Flags()
        entry_point.targetdescr.options.parse_as_flags(flags, entry_point.targetoptions)
        flags.no_compile = flags.no_cfunc_wrapper = True
        results[entry_point] = compiler.compile_extra(
            _TARGET.typing_context,
            _TARGET.target_context,
            entry_point.py_func,
            argument_types,
            None,
            flags,
            {},
            library=library,
            pipeline_class=cast(Any, _EntryPointCompiler),
        )
    library.finalize()
    environments = next(iter(results.values()))._find_referenced_environments()  # of the whole library
    entries = {}
    for entry_point, result in results.items():
        function = result.fndesc
        function.typemap = function.calltypes = None  # of use to the compiler alone
        entries[_name(entry_point)] = function, result.environment, result.signature
        _make_callable(entry_point, library, *entries[_name(entry_point)])
    return serialize.dumps((name, library._get_compiled_object(), entries, environments))


@global_compiler_lock
def load_entry_points(machine_code: bytes, signatures: Signatures) -> None:
    """Makes entry points callable by the machine code that ``compile_entry_points`` returned."""
    name, object_code, entries, environments = pickle.loads(machine_code)
    _TARGET.target_context.refresh()  # brings in numba's own run time
    codegen = _TARGET.target_context.codegen()
    nothing_to_inline = llvmlite.binding.parse_assembly(str(codegen._create_empty_module(name))).as_bitcode()
    library = codegen.unserialize_library((name, "object", (object_code, nothing_to_inline)))
    codegen._engine._defined_symbols |= {entry[0].llvm_cpython_wrapper_name for entry in entries.values()}
    for environment in environments:
        codegen.set_env(environment.env_name, environment)
    _kept.extend(environments)
    for entry_point in signatures:
        _make_callable(entry_point, library, *entries[_name(entry_point)])


def _name(entry_point: Any) -> str:
    return f"{entry_point.__module__}.{entry_point.__qualname__}"


def _make_callable(entry_point: Any, library: Any, function: Any, environment: Any, signature: Any) -> None:
    """Lets an entry point take arguments of these types, and no others."""
    context = _TARGET.target_context
    result = compiler.compile_result(
        typing_context=_TARGET.typing_context,
        target_context=context,
        entry_point=context.get_executable(library, function, environment),
        library=library,
        fndesc=function,
        environment=environment,
        signature=signature,
        objectmode=False,
    )
    entry_point.add_overload(result)
    entry_point.disable_compile()
