"""Emulates a GPU on this machine: the same code, one thread after another.

The emulation runs the code from which PTX is made, after its optimisation for the GPU. Each memory access is
checked for the alignment that a GPU requires. It is for tests only; ``VectorGame`` is many times faster.
"""

from __future__ import annotations

import ctypes
import threading
from collections.abc import Sequence

import llvmlite.binding as llvm
import numpy as np

from wotr_env.compiler.device_code import EMULATED, MISALIGNED
from wotr_env.games.war_of_the_ring.device import images

_LIKE = "sm_90"
_ALIGNMENT = 256
_LAUNCH = ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.c_int64)


class EmulatedMachine:
    """Runs the kernels of a GPU on this machine.

    Args:
        processor: the GPU for which the code is compiled.
    """

    is_cuda = False
    number = 0

    def __init__(self, processor: str = _LIKE) -> None:
        code = images.host_code(processor)
        llvm.initialize_native_target()
        llvm.initialize_native_asmprinter()
        target = llvm.Target.from_default_triple().create_target_machine()
        self._engine = llvm.create_mcjit_compiler(llvm.parse_assembly(""), target)
        self._engine.add_object_file(llvm.ObjectFileRef.from_data(code))
        self._engine.finalize_object()
        self._kernels = {
            kernel: _LAUNCH(self._engine.get_function_address(f"{EMULATED}{kernel}"))
            for kernel in images.KERNELS
        }
        self.parameters = {
            kernel: ctypes.c_int64.from_address(
                self._engine.get_global_value_address(f"{EMULATED}{kernel}.parameters")
            ).value
            for kernel in images.KERNELS
        }
        """The number of parameters of each kernel."""
        self._misaligned = self._engine.get_global_value_address(MISALIGNED)
        self._memory: dict[int, np.ndarray] = {}
        self._one_launch = threading.Lock()

    @property
    def misaligned(self) -> int:
        """The number of memory accesses so far that a GPU would have refused."""
        return ctypes.c_int64.from_address(self._misaligned).value

    def allocate(self, size: int) -> int:
        memory = np.full(size + 2 * _ALIGNMENT, 0xA5, dtype=np.uint8)
        address = -(-memory.ctypes.data // _ALIGNMENT) * _ALIGNMENT
        self._memory[address] = memory
        return address

    def free(self, address: int) -> None:
        del self._memory[address]

    def write(self, address: int, data: np.ndarray) -> None:
        ctypes.memmove(address, data.ctypes.data, data.nbytes)

    def read(self, address: int, size: int) -> bytes:
        return ctypes.string_at(address, size)

    def copy(self, target: int, source: int, size: int) -> None:
        ctypes.memmove(target, source, size)

    def clear(self, address: int, size: int) -> None:
        ctypes.memset(address, 0, size)

    def launch(self, kernel: str, words: Sequence[int], threads: int) -> None:
        if len(words) != self.parameters[kernel]:
            raise ValueError(f"{kernel} has {self.parameters[kernel]} parameters, not {len(words)}")
        given = np.array(words, dtype=np.int64)
        with self._one_launch:  # the number of the thread that runs lies in one place
            self._kernels[kernel](given.ctypes.data, threads)
