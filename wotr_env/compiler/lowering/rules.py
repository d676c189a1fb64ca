"""Compiles a rule with numba into one module of many rules; only entry points become machine code.

By default, numba optimises, links and emits every function together with all functions that it calls,
although Python calls only the entry points. This took two thirds of the compile time. Here, a rule is typed
and lowered by the passes of numba that rules need, and its LLVM code is added to one library. The library is
optimised and emitted once, with the entry points that link it (``entries.py``).

This module depends on numba's compiler classes (``numba.core``). Therefore, the allowed versions of numba
have an upper bound.
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
"""More than the number of symbols that a process creates."""
TARGET: Any = registry.cpu_target  # its contexts are made when they are asked for


class _Share(NamedTuple):
    """The code of one kernel set that a process has lowered."""

    bitcode: bytes
    linked: tuple[str, ...]
    """The sets whose rules this code calls."""


class RulesLibrary(JITCodeLibrary):
    """The LLVM code of many rules, which entry points link. It is never turned into machine code by
    itself."""

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
        """Returns the code, for the same library in another process."""
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
        """Links modules in pairs, then pairs of these, and so on, because the time to link depends on the
        size of the target module."""
        modules = [self._final_module, *self._modules]
        while len(modules) > 1:
            for target, source in zip(modules[::2], modules[1::2], strict=False):
                target.link_in(source)
            modules = modules[::2]
        self._modules.clear()


_libraries: dict[str, RulesLibrary] = {}
"""One library for each kernel set. No code can be added to a library after an entry point has linked it."""


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
"""The passes of numba that rules need. Rules have no closures, ``with``, unrolled loops, array expressions or
branches that depend on the type of an argument."""


class _Passes(PassManager):
    """Runs passes one after another, without the events that numba sends to listeners for each pass."""

    def run(self, state: Any) -> None:
        for each in self.passes:
            one = _pass_registry.get(each[0]).pass_inst
            one.analysis = self._analysis
            one.run_pass(state)


def pipeline_of(name: str, *lowering: Any) -> PassManager:
    """Returns the passes that type a Python function, the passes that lower it, and numba's last pass."""
    pipeline = _Passes(name)
    for each in (*_TYPING_PASSES, *lowering, typed_passes.NoPythonBackend):
        pipeline.add_pass(each, each._name)
    pipeline.finalize()
    return pipeline


class _RuleCalls(callconv.CPUCallConv):
    """The calling convention between rules: numba's own, without clearing memory that is always written.

    numba reserves memory for the result and for the exception of each call, and clears it at the start of the
    caller. For a kernel that calls one of eighty rules, this meant more than a hundred stores at its start.
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
    """numba's target for code of this machine, with this calling convention."""

    call_conv = property(_RuleCalls)


class _RulesTyping(Context):
    """numba's typing context with a cache of the results for each function and its arguments.

    Without the cache, numba searches for an addition among the additions of numbers, arrays, strings, dates
    and others each time. Also, numba would truncate a floating-point number to call a rule that takes an
    integer; this class refuses such calls.
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
    """Returns a copy of numba's typing context for rules and entry points."""
    typing_context = copy.copy(context)
    typing_context.__class__ = _RulesTyping
    return typing_context


def _whole_numbers_stay_whole(func: Any, args: Any, signature: Any) -> Any:
    """Returns the signature if no floating-point argument would be truncated to an integer, which numba
    allows.

    Raises:
        TypingError: an argument would be truncated.
    """
    wanted = signature.args if signature is not None else ()
    for place, (given, taken) in enumerate(zip(args, wanted, strict=False)):
        if isinstance(given, types.Float) and isinstance(taken, types.Integer):
            name = getattr(func.typing_key, "__name__", func.typing_key)
            raise errors.TypingError(f"argument {place} of {name} is an integer and is given a {given}")
    return signature


class _RuleCompiler(compiler.CompilerBase):
    """Types and lowers a rule.

    Rules allocate no arrays, and the caller of the entry point owns the arrays that rules receive. So
    reference counting is off; it would need two atomic operations for each rule that receives a mask.
    """

    def __init__(self, typing_context: Any, target_context: Any, *others: Any) -> None:
        rules = copy.copy(target_context)
        rules.__class__ = _RulesContext
        super().__init__(typing_of_rules(typing_context), rules, *others)

    def define_pipelines(self) -> list[PassManager]:
        return [pipeline_of("rule", typed_passes.NativeLowering, _RegisterRule)]


def compile_into(library: Any, function: Callable[..., Any], given: tuple[Any, ...], pipeline: Any) -> Any:
    """Compiles a function with numba into a library, for arguments of these types. Python cannot call the
    result."""
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
    """The libraries of all rules compiled so far. No more code can be added to them after this call."""
    for library in _libraries.values():
        if not library._finalized:
            library.finalize()
    return list(_libraries.values())


class Lowered(NamedTuple):
    """The information about a rule that its callers need."""

    signature: Any
    symbol: str
    library: str


def compile_rule(rule: Callable[..., Any], given: tuple[Any, ...], library: str) -> Lowered:
    """Compiles a rule for arguments of these types, so that other rules and entry points can call it.

    Args:
        rule: the rule.
        given: the numba types of the arguments.
        library: the name of the kernel set of the rule.
    """
    compiled = compile_into(_library(library), rule, given, _RuleCompiler)
    _make_callable(rule, compiled.signature)
    return Lowered(compiled.signature, compiled.fndesc.mangled_name, library)


def know(rule: Callable[..., Any], lowered: Lowered) -> None:
    """Makes a rule callable that another process lowers."""
    signature = lowered.signature
    called = funcdesc.ExternalFunctionDescriptor(lowered.symbol, signature.return_type, signature.args)
    TARGET.target_context.insert_user_function(rule, called, [_library(lowered.library)])
    _make_callable(rule, signature)


def forget(rule: Callable[..., Any]) -> None:
    """Forgets that a rule was lowered or made known, so that it can be lowered again. Nothing calls its old
    code."""
    if TARGET.target_context._defns.pop(rule, None) is not None:
        TARGET.typing_context._remove_global(rule)


def _make_callable(rule: Callable[..., Any], signature: Any) -> None:
    template = make_concrete_template(rule.__name__, key=rule, signatures=[signature])
    TARGET.typing_context.insert_global(rule, types.Function(template))


def begin_share(rank: int) -> None:
    """Starts the share of this copy of the first process: its code is collected separately, and its symbols
    are unique."""
    _libraries.clear()
    bytecode.FunctionIdentity._unique_ids = itertools.count(rank * _SYMBOLS)


def code_of_share() -> dict[str, _Share]:
    """The code that this process has lowered, by kernel set."""
    return {name: library.share() for name, library in _libraries.items() if library.has_code}


def take_share(shares: Mapping[str, _Share]) -> None:
    """Adds the code of another process to the code of this process."""
    for name, share in shares.items():
        _library(name).take(share)
