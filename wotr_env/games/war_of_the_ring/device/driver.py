"""A GPU, controlled through the library of its driver: memory, code and launches.

The few functions that are needed are called with ``ctypes``. They use the context that other libraries also
use (the primary context of the device) and the default stream. So the operations of all libraries run in the
order in which they were requested.
"""

from __future__ import annotations

import ctypes
import functools
import hashlib
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from wotr_env.compiler.code_cache import say
from wotr_env.compiler.device import SYMBOL
from wotr_env.cuda.errors import CudaError
from wotr_env.games.war_of_the_ring.device import images

THREADS_PER_BLOCK = 64
"""The number of threads per block of a launch. A thread of the rules needs so many registers that a block can
have at most 256 threads."""
MOST_REGISTERS = 255
"""The maximal number of registers of a thread."""
_LIBRARIES = ("nvcuda.dll",) if sys.platform == "win32" else ("libcuda.so.1", "libcuda.so")
_MAJOR, _MINOR, _PROCESSORS = 75, 76, 16
"""Attributes of a device."""
_REGISTERS, _STACK, _CODE_THREADS = 4, 3, 0
"""Attributes of a function."""
_PTX = 1
"""The kind of code that the linker receives."""
_MAX_REGISTERS, _LOG, _LOG_SIZE = 0, 5, 6
"""Options of the linker; its words about errors go to the log, which has so many bytes."""
_LOG_BYTES = 8192
_NAME_BYTES = 256


_INT, _UINT, _SIZE, _BYTE = ctypes.c_int, ctypes.c_uint, ctypes.c_size_t, ctypes.c_ubyte
_HANDLE, _MEMORY, _TEXT, _OUT = ctypes.c_void_p, ctypes.c_uint64, ctypes.c_char_p, ctypes.c_void_p
PROTOTYPES: dict[str, tuple[Any, ...]] = {
    "cuInit": (_UINT,),
    "cuGetErrorString": (_INT, _OUT),
    "cuDriverGetVersion": (_OUT,),
    "cuDeviceGetCount": (_OUT,),
    "cuDeviceGet": (_OUT, _INT),
    "cuDeviceGetName": (_OUT, _INT, _INT),
    "cuDeviceGetAttribute": (_OUT, _INT, _INT),
    "cuDevicePrimaryCtxRetain": (_OUT, _INT),
    "cuCtxSetCurrent": (_HANDLE,),
    "cuCtxSynchronize": (),
    "cuLinkCreate_v2": (_UINT, _OUT, _OUT, _OUT),
    "cuLinkAddData_v2": (_HANDLE, _INT, _OUT, _SIZE, _TEXT, _UINT, _OUT, _OUT),
    "cuLinkComplete": (_HANDLE, _OUT, _OUT),
    "cuLinkDestroy": (_HANDLE,),
    "cuModuleLoadData": (_OUT, _OUT),
    "cuModuleGetFunction": (_OUT, _HANDLE, _TEXT),
    "cuFuncGetAttribute": (_OUT, _INT, _HANDLE),
    "cuMemAlloc_v2": (_OUT, _SIZE),
    "cuMemFree_v2": (_MEMORY,),
    "cuMemcpyHtoD_v2": (_MEMORY, _OUT, _SIZE),
    "cuMemcpyDtoH_v2": (_OUT, _MEMORY, _SIZE),
    "cuMemcpyDtoD_v2": (_MEMORY, _MEMORY, _SIZE),
    "cuMemsetD8_v2": (_MEMORY, _BYTE, _SIZE),
    "cuLaunchKernel": (_HANDLE, *(_UINT,) * 7, _HANDLE, _OUT, _OUT),
}
"""The functions of the driver that are called, with the types of their arguments; they return 0 after
success."""


class KernelFacts(NamedTuple):
    """The driver's information about a kernel."""

    registers: int
    """The number of registers of a thread."""
    stack: int
    """The size of the local memory of a thread in bytes."""
    most_threads: int
    """The maximal number of threads of a block."""


@functools.cache
def _library() -> Any:
    for name in _LIBRARIES:
        try:
            library = ctypes.CDLL(name)
        except OSError:
            continue
        for function, types in PROTOTYPES.items():
            getattr(library, function).argtypes = types
        return library
    raise CudaError("no driver of a GPU is installed")


def _call(function: str, *arguments: Any) -> None:
    library = _library()
    code = getattr(library, function)(*arguments)
    if code:
        words = ctypes.c_char_p()
        library.cuGetErrorString(code, ctypes.byref(words))
        raise CudaError(f"{function}: {(words.value or b'error %d' % code).decode()}")


def has_cuda() -> bool:
    """Whether a GPU is available."""
    count = ctypes.c_int()
    try:
        _call("cuInit", 0)
        _call("cuDeviceGetCount", ctypes.byref(count))
    except CudaError:
        return False
    return count.value > 0


class CudaMachine:
    """A GPU with the compiled rules.

    Args:
        number: the number of the GPU.
        image: a file written by ``images.write_image``. Its code is cached, so the file is needed only once.
            By default, the rules are compiled, once per version.
        threads_per_block: the number of threads per block of a launch.
        max_registers: the maximal number of registers of a thread. With fewer registers, more threads run at
            the same time, and each keeps more values in memory.

    Raises:
        CudaError: there is no such GPU, or its driver reported an error.
        ValueError: the image contains other code, or the GPU is too old.
    """

    is_cuda = True

    def __init__(
        self,
        number: int = 0,
        image: Path | None = None,
        threads_per_block: int = THREADS_PER_BLOCK,
        max_registers: int = MOST_REGISTERS,
    ) -> None:
        self.number = number
        self.threads_per_block, self.max_registers = threads_per_block, max_registers
        _call("cuInit", 0)
        count, device = ctypes.c_int(), ctypes.c_int()
        _call("cuDeviceGetCount", ctypes.byref(count))
        if not 0 <= number < count.value:
            raise CudaError(f"there is no GPU {number} here; there are {count.value}, counted from 0")
        _call("cuDeviceGet", ctypes.byref(device), number)
        self._device = device.value
        self._context = ctypes.c_void_p()
        _call("cuDevicePrimaryCtxRetain", ctypes.byref(self._context), self._device)
        self._enter()
        self.capability = self._attribute(_MAJOR), self._attribute(_MINOR)
        self.multiprocessors = self._attribute(_PROCESSORS)
        processor = images.processor_for(self.capability)
        ptx = images.cache_image(image, processor) if image else images.ptx(processor)
        self.code = self._machine_code(ptx)
        self._module = ctypes.c_void_p()
        _call("cuModuleLoadData", ctypes.byref(self._module), self.code)
        self._kernels = {kernel: self._function(kernel) for kernel in images.KERNELS}

    @property
    def name(self) -> str:
        """The name of the GPU."""
        name = ctypes.create_string_buffer(_NAME_BYTES)
        _call("cuDeviceGetName", name, _NAME_BYTES, self._device)
        return name.value.decode()

    def facts(self, kernel: str) -> KernelFacts:
        """The driver's information about a kernel."""
        self._enter()
        found = []
        for attribute in (_REGISTERS, _STACK, _CODE_THREADS):
            number = ctypes.c_int()
            _call("cuFuncGetAttribute", ctypes.byref(number), attribute, self._kernels[kernel])
            found.append(number.value)
        return KernelFacts(*found)

    def allocate(self, size: int) -> int:
        self._enter()
        address = ctypes.c_uint64()
        _call("cuMemAlloc_v2", ctypes.byref(address), size)
        return address.value

    def free(self, address: int) -> None:
        if not sys.is_finalizing():  # the driver may be gone by then, and the memory goes with the process
            self._enter()
            _call("cuMemFree_v2", address)

    def write(self, address: int, data: np.ndarray) -> None:
        if data.nbytes:
            self._enter()
            _call("cuMemcpyHtoD_v2", address, data.ctypes.data, data.nbytes)

    def read(self, address: int, size: int) -> bytes:
        if not size:
            return b""
        self._enter()
        data = ctypes.create_string_buffer(size)
        _call("cuMemcpyDtoH_v2", data, address, size)
        return data.raw

    def copy(self, target: int, source: int, size: int) -> None:
        if size:
            self._enter()
            _call("cuMemcpyDtoD_v2", target, source, size)

    def clear(self, address: int, size: int) -> None:
        if size:
            self._enter()
            _call("cuMemsetD8_v2", address, 0, size)

    def launch(self, kernel: str, words: Sequence[int], threads: int) -> None:
        if not threads:
            return
        self._enter()
        given = (ctypes.c_int64 * len(words))(*words)
        start, size = ctypes.addressof(given), ctypes.sizeof(ctypes.c_int64)
        places = (ctypes.c_void_p * len(words))(*range(start, start + size * len(words), size))
        blocks = -(-threads // self.threads_per_block)
        grid = (blocks, 1, 1, self.threads_per_block, 1, 1, 0)
        _call("cuLaunchKernel", self._kernels[kernel], *grid, None, places, None)

    def synchronize(self) -> None:
        """Waits until all requested operations are finished."""
        self._enter()
        _call("cuCtxSynchronize")

    def _enter(self) -> None:
        """Makes the context of this GPU the current context of this thread; other libraries may have set
        another one."""
        _call("cuCtxSetCurrent", self._context)

    def _attribute(self, attribute: int) -> int:
        number = ctypes.c_int()
        _call("cuDeviceGetAttribute", ctypes.byref(number), attribute, self._device)
        return number.value

    def _function(self, kernel: str) -> ctypes.c_void_p:
        function = ctypes.c_void_p()
        _call("cuModuleGetFunction", ctypes.byref(function), self._module, f"{SYMBOL}{kernel}".encode())
        return function

    def _machine_code(self, ptx: bytes) -> bytes:
        """Compiles PTX to the GPU's machine code with the driver. The result is cached for this version of
        the driver and this kind of GPU."""
        version = ctypes.c_int()
        _call("cuDriverGetVersion", ctypes.byref(version))
        digest = hashlib.sha256(ptx).hexdigest()
        where = f"{self.capability} {version.value} {self.max_registers} {digest}"
        return images.kept("cubin", where, lambda: _linked(ptx, self.max_registers))


@functools.cache
def gpu(number: int) -> CudaMachine:
    """Returns the GPU with a number and the compiled rules, always the same object.

    Raises:
        CudaError, ValueError: for the same reasons as in ``CudaMachine``.
    """
    return CudaMachine(number)


def _linked(ptx: bytes, max_registers: int) -> bytes:
    say("the driver compiles the rules for the GPU (once per version) ...")
    log = ctypes.create_string_buffer(_LOG_BYTES)
    options = (ctypes.c_int * 3)(_MAX_REGISTERS, _LOG, _LOG_SIZE)
    values = (ctypes.c_void_p * 3)(max_registers, ctypes.addressof(log), _LOG_BYTES)
    state = ctypes.c_void_p()
    _call("cuLinkCreate_v2", len(options), options, values, ctypes.byref(state))
    try:
        code, size = ctypes.c_void_p(), ctypes.c_size_t()
        try:
            _call("cuLinkAddData_v2", state, _PTX, ptx + b"\0", len(ptx) + 1, b"rules", 0, None, None)
            _call("cuLinkComplete", state, ctypes.byref(code), ctypes.byref(size))
        except CudaError as error:
            raise CudaError(f"{error}\n{log.value.decode(errors='replace')}") from None
        return ctypes.string_at(code, size.value)
    finally:
        _call("cuLinkDestroy", state)
