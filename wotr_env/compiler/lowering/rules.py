"""How numba compiles a rule: into one module of many rules; only entry points become machine code.

Left to itself numba optimises, links and emits every function with all that it calls, although Python
calls nothing but the entry points: that was two thirds of the compile time. Here a rule is typed and lowered
by those of numba's passes that rules need, its LLVM code is added to one library, and this is optimised and
emitted once, with the entry points that link it (``entries.py``).

This rests on numba's compiler classes (``numba.core``), hence the upper bound on its version.
"""

from __future__ import annotations

import copy
import itertools
from collections.abc import Callable, Mapping
from typing import Any, ClassVar, NamedTuple

import llvmlite.binding
from numba.core import (
    bytecode,
    callconv,
    compiler,
    cpu,
    errors,
    funcdesc,
    registry,
    typed_passes,
    types,
    untyped_passes,
)
from numba.core.codegen import JITCodeLibrary
from numba.core.compiler_machinery import LoweringPass, PassManager, _pass_registry, register_pass
from numba.core.typing.context import Context
from numba.core.typing.templates import make_concrete_template

from wotr_env.compiler.lowering import form

_SYMBOLS = 10**7
"""More than a process makes."""
TARGET: Any = registry.cpu_target  # its contexts are made when they are asked for


class _Share(NamedTuple):
    """What a process has lowered of a set."""

    bitcode: bytes
    linked: tuple[str, ...]
    """The sets whose rules it calls."""


class RulesLibrary(JITCodeLibrary):
    """The LLVM code of many rules, for entry points to link; never turned into machine code by itself."""

    def __init__(self, codegen: Any, name: str) -> None:
        super().__init__(codegen, name)
        self._modules: list[Any] = []

    @property
    def has_code(self) -> bool:
        return bool(self._modules)

    def add_llvm_module(self, module: Any) -> None:
        if not form.for_device():  # that code is optimised for the device, all at once
            self._optimize_functions(module)
        self._modules.append(module)

    def add_linking_library(self, library: Any) -> None:
        if not isinstance(library, RulesLibrary):
            super().add_linking_library(library)
        elif library is not self:  # a rule of another set, which may be given more code until this is linked
            self._linking_libraries.append(library)

    def finalize(self) -> None:
        self._link_modules()
        for library in dict.fromkeys(self._linking_libraries):
            self._reload_init.update(library._reload_init)
            self._final_module.link_in(library._get_module_for_linking(), preserve=True)
        self._finalized = True

    def share(self) -> _Share:
        """The code, for the same library of another process."""
        linked = dict.fromkeys(self._linking_libraries)
        rules = [library for library in linked if isinstance(library, RulesLibrary)]
        self._linking_libraries = [library for library in linked if library not in rules]
        self.finalize()
        return _Share(self._final_module.as_bitcode(), tuple(library.name for library in rules))

    def take(self, share: _Share) -> None:
        """Adds the code of another process."""
        self._modules.append(llvmlite.binding.parse_bitcode(share.bitcode))
        self._linking_libraries += map(_library, share.linked)

    def _link_modules(self) -> None:
        """In pairs, pairs of pairs, ...: linking takes as long as the module linked to is large."""
        modules = [self._final_module, *self._modules]
        while len(modules) > 1:
            for target, source in zip(modules[::2], modules[1::2], strict=False):
                target.link_in(source)
            modules = modules[::2]
        self._modules.clear()


_libraries: dict[str, RulesLibrary] = {}
"""One for each set of kernels, since a library that an entry point has linked takes no more code."""


def _library(name: str) -> RulesLibrary:
    if name not in _libraries:
        _libraries[name] = RulesLibrary(TARGET.target_context.codegen(), name)
    return _libraries[name]


@register_pass(mutates_CFG=True, analysis_only=False)
class _RegisterRule(LoweringPass):
    """Makes a lowered rule known to its callers, without machine code of its own."""

    _name = "register_rule"

    def __init__(self) -> None:
        LoweringPass.__init__(self)

    def run_pass(self, state: Any) -> bool:
        lowered, rule = state["cr"], state.func_id.func
        state.targetctx.insert_user_function(rule, lowered.fndesc, [state.library])
        state["cr"] = lowered._replace(cfunc=rule)
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


class _Passes(PassManager):
    """Passes one after the other, without the words that numba writes about each for whoever listens."""

    def run(self, state: Any) -> None:
        for each in self.passes:
            one = _pass_registry.get(each[0]).pass_inst
            one.analysis = self._analysis
            one.run_pass(state)


def pipeline_of(name: str, *lowering: Any) -> PassManager:
    """The passes that type a function of Python, those that lower it, and numba's last."""
    pipeline = _Passes(name)
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
        exception = self._get_excinfo_argument(builder.function)  # goes on to the caller's caller
        packed = self._get_arg_packer(argtys).as_arguments(builder, args)
        code = builder.call(callee, [result, exception, *packed], attrs=attrs or ())
        status = self._get_return_status(builder, code, builder.load(exception))
        return status, self.context.get_returned_value(builder, resty, builder.load(result))


class _RulesContext(cpu.CPUContext):
    """numba's target for code of this machine, with these calls."""

    call_conv = property(_RuleCalls)


class _RulesTyping(Context):
    """numba's types, which remembers what it has found out about a function and its arguments.

    An addition is otherwise looked for among those of numbers, arrays, strings, dates, ... each time. And
    where numba would cut a number off at its point to call a rule that takes an integer, this one refuses.
    """

    _found: ClassVar[dict[Any, Any]] = {}

    def resolve_function_type(self, func: Any, args: Any, kws: Any) -> Any:
        if kws or not isinstance(func, types.Function):
            return super().resolve_function_type(func, args, kws)
        key = func, tuple(args)
        if key not in self._found:
            self._found[key] = _whole_numbers_stay_whole(
                func, args, super().resolve_function_type(func, args, kws)
            )
        return self._found[key]


def typing_of_rules(context: Any) -> Any:
    """numba's types as rules and entry points have them, of its context."""
    typing_context = copy.copy(context)
    typing_context.__class__ = _RulesTyping
    return typing_context


def _whole_numbers_stay_whole(func: Any, args: Any, signature: Any) -> Any:
    """The signature, if no argument would lose what comes behind its point, as numba lets it.

    Raises:
        TypingError: one would.
    """
    wanted = signature.args if signature is not None else ()
    for place, (given, taken) in enumerate(zip(args, wanted, strict=False)):
        if isinstance(given, types.Float) and isinstance(taken, types.Integer):
            name = getattr(func.typing_key, "__name__", func.typing_key)
            raise errors.TypingError(f"argument {place} of {name} is an integer and is given a {given}")
    return signature


class _RuleCompiler(compiler.CompilerBase):
    """Types and lowers a rule.

    Rules allocate no arrays, and those that they are given belong to the caller of the entry point. So nobody
    counts references, which would be two atomic operations for each rule that gets a mask.
    """

    def __init__(self, typing_context: Any, target_context: Any, *others: Any) -> None:
        rules = copy.copy(target_context)
        rules.__class__ = _RulesContext
        super().__init__(typing_of_rules(typing_context), rules, *others)

    def define_pipelines(self) -> list[PassManager]:
        return [pipeline_of("rule", typed_passes.NativeLowering, _RegisterRule)]


def compile_into(library: Any, function: Callable[..., Any], given: tuple[Any, ...], pipeline: Any) -> Any:
    """Has numba compile a function with arguments of those types; no Python calls it."""
    flags: Any = compiler.Flags()
    flags.error_model = "numpy"
    flags.no_compile = flags.no_cpython_wrapper = flags.no_cfunc_wrapper = True
    typing_context, target_context = TARGET.typing_context, TARGET.target_context
    return compiler.compile_extra(
        typing_context,
        target_context,
        function,
        given,
        None,
        flags,
        {},
        library=library,
        pipeline_class=pipeline,
    )


def rules_libraries() -> list[Any]:
    """The libraries of all rules compiled so far; they take no more code from then on."""
    for library in _libraries.values():
        if not library._finalized:
            library.finalize()
    return list(_libraries.values())


class Lowered(NamedTuple):
    """What a caller needs of a rule."""

    signature: Any
    symbol: str
    library: str


def compile_rule(rule: Callable[..., Any], given: tuple[Any, ...], library: str) -> Lowered:
    """Compiles a rule for other rules and entry points to call, with arguments of those types.

    Args:
        library: the name of the set that it belongs to.
    """
    compiled = compile_into(_library(library), rule, given, _RuleCompiler)
    _make_callable(rule, compiled.signature)
    return Lowered(compiled.signature, compiled.fndesc.mangled_name, library)


def know(rule: Callable[..., Any], lowered: Lowered) -> None:
    """Has a rule called that another process lowers."""
    signature = lowered.signature
    called = funcdesc.ExternalFunctionDescriptor(lowered.symbol, signature.return_type, signature.args)
    TARGET.target_context.insert_user_function(rule, called, [_library(lowered.library)])
    _make_callable(rule, signature)


def forget(rule: Callable[..., Any]) -> None:
    """Has a rule, if it was lowered or known, lowered again; its code is left for nobody to call."""
    if TARGET.target_context._defns.pop(rule, None) is not None:
        TARGET.typing_context._remove_global(rule)


def _make_callable(rule: Callable[..., Any], signature: Any) -> None:
    template = make_concrete_template(rule.__name__, key=rule, signatures=[signature])
    TARGET.typing_context.insert_global(rule, types.Function(template))


def begin_share(rank: int) -> None:
    """What is lowered from now on in this copy of a process is its share; its symbols are no other's."""
    _libraries.clear()
    bytecode.FunctionIdentity._unique_ids = itertools.count(rank * _SYMBOLS)


def code_of_share() -> dict[str, _Share]:
    """The code of this process by set."""
    return {name: library.share() for name, library in _libraries.items() if library.has_code}


def take_share(shares: Mapping[str, _Share]) -> None:
    """Adds the code of another process to that of this one."""
    for name, share in shares.items():
        _library(name).take(share)
