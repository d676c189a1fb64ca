"""Compiles kernels for a GPU: to PTX, with LLVM's compiler for GPUs, which is part of numba.

Rules are typed and lowered as for this machine. The result is then optimised for the GPU, and each function
that is needed there is wrapped in a kernel. This requires neither a GPU nor software of its manufacturer.
``device_code.py`` emits the code.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import llvmlite.binding as llvm
from llvmlite import ir
from numba.core import cgutils, types
from numba.core.compiler_lock import global_compiler_lock
from numba.np.arrayobj import populate_array

from wotr_env.compiler.device import (
    BINS,
    NONE,
    SYMBOL,
    DeviceKernel,
    DeviceKernels,
    Extra,
    Flag,
    Returns,
    Sort,
)
from wotr_env.compiler.device_code import SPECIAL, as_of, gpu_machine
from wotr_env.compiler.lowering import form
from wotr_env.compiler.lowering.entries import EntryPointCompiler
from wotr_env.compiler.lowering.kernels import Kernels, compile_kernels
from wotr_env.compiler.lowering.rules import TARGET, RulesLibrary, compile_into, rules_libraries
from wotr_env.compiler.lowering.types import numba_type
from wotr_env.compiler.types import Progress

_WORD = ir.IntType(64)
_SHORT = ir.IntType(32)
_BYTE = ir.IntType(8)
_THREAD = "wotr.thread"
_OLDEST_LLVM = 20
_OPTIMISED = 2
_INLINED = 50
"""LLVM's threshold for inlining functions. With LLVM's default of 225, the code is 1.5 times as large, and
the assembler of the GPU's manufacturer needs more than twice as long."""


@global_compiler_lock
def build_device(kernels: Kernels, wanted: DeviceKernels, processor: str, progress: Progress) -> str:
    """Returns the LLVM code of kernels, optimised for a GPU.

    After this call, the process cannot compile kernels for this machine.

    Args:
        kernels: the kernel set of the functions.
        wanted: the functions that become kernels on the GPU.
        processor: the GPU, such as ``sm_90``.
        progress: receives the numbers of compiled kernels and of all kernels.

    Raises:
        RuntimeError: the LLVM of this numba is too old.
    """
    if llvm.llvm_version_info[0] < _OLDEST_LLVM:
        raise RuntimeError("code for a GPU needs a later numba, with LLVM 20 or later")
    form.lower_for_device()
    compile_kernels(kernels, progress)
    library = RulesLibrary(TARGET.target_context.codegen(), "device")
    compiled = {
        name: compile_into(library, each.function, tuple(map(numba_type, each.types)), EntryPointCompiler)
        for name, each in wanted.items()
    }
    module = library.create_ir_module("device.kernels")
    _write_thread(module)
    for name, each in wanted.items():
        _write_kernel(module, name, each, compiled[name].fndesc)
    _write_sort(module)
    library.add_ir_module(module)
    library.finalize()
    machine = gpu_machine(processor)
    whole = as_of(machine, str(library._final_module))
    for rules in rules_libraries():
        whole.link_in(as_of(machine, str(rules._final_module)))
    _keep_kernels_only(whole)
    _optimise(whole, machine)
    return str(whole)


def _keep_kernels_only(module: Any) -> None:
    """Makes all functions except kernels internal, so that LLVM removes the functions that no kernel
    reaches."""
    for each in (*module.functions, *module.global_variables):
        if not each.is_declaration and not each.name.startswith(SYMBOL):
            each.linkage = "internal"


def _optimise(module: Any, machine: Any) -> None:
    options = llvm.PipelineTuningOptions(speed_level=_OPTIMISED)
    options.loop_vectorization = options.slp_vectorization = False
    options.inlining_threshold = _INLINED
    builder = llvm.create_pass_builder(machine, options)
    builder.getModulePassManager().run(module, builder)


def _write_thread(module: Any) -> None:
    """Writes a function that returns the number of the thread within a launch."""
    thread = ir.Function(module, ir.FunctionType(_WORD, ()), name=_THREAD)
    builder = ir.IRBuilder(thread.append_basic_block())
    block, size, place = (
        builder.zext(builder.call(_special(module, name), ()), _WORD)
        for name in ("ctaid.x", "ntid.x", "tid.x")
    )
    builder.ret(builder.add(builder.mul(block, size), place))


def _special(module: Any, name: str) -> Any:
    """Declares the function that reads a special register."""
    return ir.Function(module, ir.FunctionType(_SHORT, ()), name=SPECIAL + name)


def _kernel(module: Any, name: str, parameters: int) -> tuple[Any, Any, Any]:
    """Starts a kernel with this number of parameters; returns its builder, the parameters (words), and the
    number of the thread."""
    kernel = ir.Function(module, ir.FunctionType(ir.VoidType(), [_WORD] * parameters), name=SYMBOL + name)
    kernel.calling_convention = "ptx_kernel"
    builder = ir.IRBuilder(kernel.append_basic_block())
    return builder, kernel.args, builder.call(module.globals[_THREAD], ())


def _number_at(builder: Any, address: Any, place: Any) -> Any:
    """The address of one element of an array of int64."""
    return builder.gep(builder.inttoptr(address, _WORD.as_pointer()), [place])


def _lowest(builder: Any, flags: Any, flag: Flag, game: Any) -> None:
    builder.atomic_rmw("min", _number_at(builder, flags, _WORD(flag)), game, "monotonic")


def _write_kernel(module: Any, name: str, kernel: DeviceKernel, function: Any) -> None:
    context = TARGET.target_context
    *given, _first, _last = function.argtypes
    size = sum(map(_size_of, given))
    builder, parameters, thread = _kernel(module, name, size + len(Extra))
    count, order, faults, flags = (parameters[size + extra] for extra in Extra)
    with builder.if_then(builder.icmp_signed("<", thread, count)):
        game = _game_of(builder, order, thread)
        refused = builder.load(_number_at(builder, flags, _WORD(Flag.REFUSED)))
        plays = builder.icmp_signed("==", refused, _WORD(NONE))
        if kernel.returns is Returns.REFUSED:  # each looks, so that the lowest game is found
            plays = ir.IntType(1)(1)
        with builder.if_then(plays):
            words = iter(parameters)
            arguments = [_argument(context, builder, each, words) for each in given]
            behind = builder.add(game, _WORD(1))
            status, result = context.call_conv.call_function(
                builder,
                context.declare_function(module, function),
                function.restype,
                function.argtypes,
                [*arguments, game, behind],
            )
            with builder.if_else(status.is_error) as (failed, went_well):
                with failed:
                    raised = builder.ptrtoint(status.excinfoptr, _WORD)
                    builder.store(raised, _number_at(builder, faults, game))
                    _lowest(builder, flags, Flag.FAULTY, game)
                with went_well:
                    _note(builder, kernel.returns, flags, game, result)
    builder.ret_void()


def _note(builder: Any, returns: Returns, flags: Any, game: Any, result: Any) -> None:
    if returns is Returns.REFUSED:
        with builder.if_then(builder.icmp_signed(">=", result, _WORD(0))):
            _lowest(builder, flags, Flag.REFUSED, game)
        return
    with builder.if_then(builder.icmp_signed("!=", result, _WORD(0))):
        builder.atomic_rmw("add", _number_at(builder, flags, _WORD(Flag.TOTAL)), result, "monotonic")


def _game_of(builder: Any, order: Any, thread: Any) -> Any:
    game = builder.alloca(_WORD)
    builder.store(thread, game)
    with builder.if_then(builder.icmp_signed("!=", order, _WORD(0))):
        builder.store(builder.load(_number_at(builder, order, thread)), game)
    return builder.load(game)


def _size_of(wanted: Any) -> int:
    """The number of words of an argument."""
    if isinstance(wanted, (types.NamedTuple, types.NamedUniTuple)):
        return sum(map(_size_of, wanted.types))
    return 1 + wanted.ndim if isinstance(wanted, types.Array) else 1


def _argument(context: Any, builder: Any, wanted: Any, words: Iterator[Any]) -> Any:
    """Reads the next argument, in the form that rules receive."""
    if isinstance(wanted, (types.NamedTuple, types.NamedUniTuple)):
        items = [_argument(context, builder, each, words) for each in wanted.types]
        return context.make_tuple(builder, wanted, items)
    if not isinstance(wanted, types.Array):
        return next(words)
    array = context.make_array(wanted)(context, builder)
    data = builder.inttoptr(next(words), array.data.type)
    shape = [next(words) for _ in range(wanted.ndim)]
    size = context.get_abi_sizeof(context.get_data_type(wanted.dtype))
    strides = [_WORD(size)]
    for length in reversed(shape[1:]):
        strides.insert(0, builder.mul(strides[0], length))
    populate_array(array, data, shape, strides, _WORD(size), None)
    return array._getvalue()


def _write_sort(module: Any) -> None:
    """Writes the kernels of ``Sort``. The order of games with the same value is arbitrary, and changes no
    game."""
    for name, parameters in ((Sort.COUNT, 5), (Sort.PLACE, 6)):
        builder, given, thread = _kernel(module, name, parameters)
        states, size, offset, bins, count = given[:5]
        with builder.if_then(builder.icmp_signed("<", thread, count)):
            address = builder.add(builder.add(states, builder.mul(thread, size)), offset)
            kind = builder.zext(builder.load(builder.inttoptr(address, _BYTE.as_pointer())), _WORD)
            place = builder.atomic_rmw("add", _number_at(builder, bins, kind), _WORD(1), "monotonic")
            if name is Sort.PLACE:
                builder.store(thread, _number_at(builder, given[5], place))
        builder.ret_void()
    builder, (bins,), thread = _kernel(module, Sort.STARTS, 1)
    with builder.if_then(builder.icmp_signed("==", thread, _WORD(0))):
        _write_starts(builder, bins)
    builder.ret_void()


def _write_starts(builder: Any, bins: Any) -> None:
    start = builder.alloca(_WORD)
    builder.store(_WORD(0), start)
    with cgutils.for_range(builder, _WORD(BINS)) as loop:
        place = _number_at(builder, bins, loop.index)
        here, before = builder.load(place), builder.load(start)
        builder.store(before, place)
        builder.store(builder.add(before, here), start)
