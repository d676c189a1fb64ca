"""A program: operations of ``compiler.memory`` as a GPU gets them and in Python, at odd addresses."""

from __future__ import annotations

import ctypes
from pathlib import Path

import llvmlite.binding as llvm
import numpy as np

from wotr_env.compiler.device import NONE, DeviceKernel, Flag, Returns
from wotr_env.compiler.device_code import EMULATED, MISALIGNED, host_code_of
from wotr_env.compiler.entry_points import types_of_arguments
from wotr_env.compiler.kernels import KernelSet
from wotr_env.compiler.memory import (
    bit_count,
    copy_bytes,
    equal_flags,
    equal_flags_of_few,
    flag_word,
    local_numbers,
    lowest_bit,
    pair_flags,
    prefetch_row,
)
from wotr_env.compiler.types import array_of

ROWS = 105
SET = KernelSet(Path(__file__).parent, (Path(__file__).name,))


@SET.kernel
def operations(values, pairs, found, copied, value, column, first, last):
    """Writes a row of answers for each game."""
    numbers = local_numbers(2)
    for game in range(first, last):
        prefetch_row(pairs, game)
        numbers[0] = bit_count(flag_word(values, game))
        numbers[1] = lowest_bit(flag_word(values, game) | 1 << 50)
        found[game, 0] = numbers[0]
        found[game, 1] = numbers[1]
        found[game, 2] = flag_word(values, game)
        found[game, 3] = pair_flags(pairs, column, game)
        found[game, 4] = equal_flags(values, value, game)
        found[game, 5] = equal_flags_of_few(values[:50], value, 32)
        found[game, 6] = equal_flags_of_few(values[:24], value, 16)
        found[game, 7] = equal_flags_of_few(values[:9], value, 8)
        found[game, 8] = equal_flags_of_few(values[:6], value, 4)
        if game == 1:
            copy_bytes(copied, 3, values)
    return 1


SET.argument_types |= {
    "values": array_of(np.int8),
    "pairs": array_of(np.int8, 2),
    "found": array_of(np.int64, 2),
    "copied": array_of(np.int8),
}
KERNELS = {
    "operations": DeviceKernel(operations, types_of_arguments(operations, SET.argument_types), Returns.TOTAL)
}


def main() -> None:
    """Compiles the program and plays all of it."""
    from wotr_env.compiler.lowering.device import build_device

    code = build_device(SET, KERNELS, "sm_90", lambda _done, _total: None)
    llvm.initialize_native_target()
    llvm.initialize_native_asmprinter()
    target = llvm.Target.from_default_triple().create_target_machine()
    engine = llvm.create_mcjit_compiler(llvm.parse_assembly(""), target)
    engine.add_object_file(llvm.ObjectFileRef.from_data(host_code_of(code, tuple(KERNELS))))
    engine.finalize_object()
    launch = ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.c_int64)(
        engine.get_function_address(f"{EMULATED}operations")
    )
    generator = np.random.default_rng(0)
    for offset in range(8):
        for value, column in ((0, 0), (3, 1), (-1, 0)):
            values = generator.integers(-2, 4, 300, dtype=np.int8)[offset : offset + ROWS]
            pairs = generator.integers(-1, 2, 300, dtype=np.int8)[offset : offset + 2 * ROWS].reshape(-1, 2)
            there = np.zeros((ROWS, 9), dtype=np.int64)
            here = np.zeros((ROWS, 9), dtype=np.uint64)
            copied, copied_here = (np.zeros(ROWS + 8, dtype=np.int8) for _ in range(2))
            flags, faults = np.array([NONE, NONE, 0]), np.zeros(ROWS, dtype=np.int64)
            words = [
                *(values.ctypes.data, ROWS, pairs.ctypes.data, ROWS, 2, there.ctypes.data, ROWS, 9),
                *(copied.ctypes.data, copied.size, value, column),
                *(ROWS, 0, faults.ctypes.data, flags.ctypes.data),
            ]
            launch(np.array(words).ctypes.data, ROWS)
            operations(values, pairs, here, copied_here, value, column, 0, ROWS)
            assert np.array_equal(there.view(np.uint64), here), (offset, value, column)
            assert np.array_equal(copied, copied_here) and flags[Flag.TOTAL] == ROWS
    misaligned = engine.get_global_value_address(MISALIGNED)
    assert ctypes.c_int64.from_address(misaligned).value == 0
    print("same")


if __name__ == "__main__":
    main()
