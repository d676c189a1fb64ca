"""How numba compiles a rule: into one module of many rules; only entry points become machine code.

Left to itself numba optimises, links and emits every function with all that it calls, although Python
calls nothing but the entry points: that was two thirds of the compile time. Here a rule is typed and lowered
by those of numba's passes that rules need, its LLVM code is added to one library, and this is optimised and
emitted once, with the entry points that link it (``entry_points.py``).

This rests on numba's compiler classes (``numba.core``), hence the upper bound on its version.
"""

from __future__ import annotations

import copy
from typing import Any

import numba
from numba import _dynfunc  # pyright: ignore[reportAttributeAccessIssue] (written in C)
from numba.core import callconv, compiler, cpu, typed_passes, untyped_passes
from numba.core.codegen import JITCodeLibrary
from numba.core.compiler_machinery import LoweringPass, PassManager, register_pass


class _RulesLibrary(JITCodeLibrary):
    """The LLVM code of many rules, for entry points to link; never turned into machine code by itself."""

    def __init__(self, codegen: Any, name: str) -> None:
        super().__init__(codegen, name)
        self._modules: list[Any] = []

    def add_llvm_module(self, module: Any) -> None:
        self._optimize_functions(module)
        self._modules.append(module)

    def add_linking_library(self, library: Any) -> None:
        if library is not self:  # a rule that calls a rule
            super().add_linking_library(library)

    def finalize(self) -> None:
        self._link_modules()
        for library in dict.fromkeys(self._linking_libraries):
            self._reload_init.update(library._reload_init)
            self._final_module.link_in(library._get_module_for_linking(), preserve=True)
        self._finalized = True

    def _link_modules(self) -> None:
        """In pairs, pairs of pairs, ...: linking takes as long as the module linked to is large."""
        modules = [self._final_module, *self._modules]
        while len(modules) > 1:
            for target, source in zip(modules[::2], modules[1::2], strict=False):
                target.link_in(source)
            modules = modules[::2]
        self._modules.clear()


_libraries: dict[str, _RulesLibrary] = {}
"""One for each top-level package, since a library that an entry point has linked takes no more code."""


def _library_of(module: str, context: Any) -> _RulesLibrary:
    package = module.partition(".")[0]
    if package not in _libraries:
        _libraries[package] = _RulesLibrary(context.codegen(), package)
    return _libraries[package]


@numba.njit
def _refuse() -> None:
    raise TypeError("compiled rules run inside the entry points of wotr_env.engine.kernel")


def _refusal() -> int:
    """The address of a function that raises: what Python calls if it calls a rule."""
    _refuse.compile(())
    (compiled,) = _refuse.overloads.values()
    return compiled.library.get_pointer_to_function(compiled.fndesc.llvm_cpython_wrapper_name)


@register_pass(mutates_CFG=True, analysis_only=False)
class _RegisterRule(LoweringPass):
    """Makes a lowered rule known to its callers, without machine code of its own."""

    _name = "register_rule"

    def __init__(self) -> None:
        LoweringPass.__init__(self)

    def run_pass(self, state: Any) -> bool:
        lowered = state["cr"]
        rule = lowered.fndesc
        key = _dynfunc.make_function(
            rule.lookup_module(), rule.qualname, "", _refusal(), lowered.env, (_refuse, state.library)
        )
        state.targetctx.insert_user_function(key, rule, [state.library])
        state["cr"] = lowered._replace(cfunc=key)
        return True


_TYPING_PASSES = (
    untyped_passes.TranslateByteCode,
    untyped_passes.FixupArgs,
    untyped_passes.IRProcessing,
    untyped_passes.GenericRewrites,
    untyped_passes.ReconstructSSA,
    typed_passes.NopythonTypeInference,
    typed_passes.PreLowerStripPhis,
    typed_passes.IRLegalization,
)
"""Those of numba's own passes that do something for rules, which have neither closures, ``with``, unrolled
loops, array expressions nor branches for one type of an argument only."""


def pipeline_of(name: str, *lowering: Any) -> PassManager:
    """The passes that type a function of Python, those that lower it, and numba's last."""
    pipeline = PassManager(name)
    for each in (*_TYPING_PASSES, *lowering, typed_passes.NoPythonBackend):
        pipeline.add_pass(each, each._name)
    pipeline.finalize()
    return pipeline


class _RuleCalls(callconv.CPUCallConv):
    """How rules call rules: as numba's functions do, but without clearing room that is written anyway.

    numba gives each call room for its result and for its exception, cleared where the caller begins: a chain
    that calls one of eighty rules began with more than a hundred stores.
    """

    def call_function(
        self, builder: Any, callee: Any, resty: Any, argtys: Any, args: Any, attrs: Any = ()
    ) -> tuple[Any, Any]:
        with builder.goto_entry_block():
            result = builder.alloca(self.get_return_type(resty).pointee)
        exception = self._get_excinfo_argument(
            builder.function
        )  # an exception goes on to the caller's caller
        packed = self._get_arg_packer(argtys).as_arguments(builder, args)
        code = builder.call(callee, [result, exception, *packed], attrs=attrs or ())
        status = self._get_return_status(builder, code, builder.load(exception))
        return status, self.context.get_returned_value(builder, resty, builder.load(result))


class _RulesContext(cpu.CPUContext):
    """numba's target for code of this machine, with these calls."""

    call_conv = property(_RuleCalls)


class RuleCompiler(compiler.CompilerBase):
    """The pipeline of ``numba.njit(pipeline_class=RuleCompiler)``.

    Rules allocate no arrays, and those that they are given belong to the caller of the entry point. So nobody
    counts references, which would be two atomic operations for each rule that gets a mask.
    """

    def __init__(
        self, typing: Any, target: Any, library: Any, args: Any, result: Any, flags: Any, types: Any
    ) -> None:
        flags.nrt = False
        rules = copy.copy(target)
        rules.__class__ = _RulesContext
        super().__init__(typing, rules, library, args, result, flags, types)

    def define_pipelines(self) -> list[PassManager]:
        flags = self.state.flags
        flags.no_compile = flags.no_cpython_wrapper = flags.no_cfunc_wrapper = True
        self.state.library = _library_of(self.state.func_id.modname, self.state.targetctx)
        return [pipeline_of("rule", typed_passes.NativeLowering, _RegisterRule)]
