"""Machines for tests that have no GPU: one that this machine stands in for, and one behind a driver."""

from __future__ import annotations

import ctypes
import functools
from collections.abc import Callable
from typing import Any

import numpy as np

from wotr_env.compiler.device import SYMBOL
from wotr_env.games.war_of_the_ring.device import driver
from wotr_env.games.war_of_the_ring.device.emulation import EmulatedMachine

CAPABILITY = (9, 0)
MACHINE_CODE = b"machine code of the rules"
_ATTRIBUTES = {75: CAPABILITY[0], 76: CAPABILITY[1], 16: 132}
_NOT_FOUND = 500


@functools.cache
def emulated() -> EmulatedMachine:
    """This machine in the place of a GPU; made once, since its code is (minutes)."""
    return EmulatedMachine()


def _put(address: int, kind: Any, value: Any) -> None:
    kind.from_address(address).value = value


class Driver:
    """What the library of a driver does, on this machine: each function has the types of the real one."""

    def __init__(self, machine: EmulatedMachine) -> None:
        self.machine = machine
        self.linked: list[bytes] = []
        """The PTX that it was given."""
        self.launched: list[tuple[str, int]] = []
        """Kernels, and how many threads there were."""
        self._kernels: dict[int, str] = {}
        self._code = ctypes.create_string_buffer(MACHINE_CODE)
        for name, types in driver.PROTOTYPES.items():
            function = getattr(self, f"_{name}", None) or (lambda *_arguments: 0)
            setattr(self, name, ctypes.CFUNCTYPE(ctypes.c_int, *types)(function))

    def _cuGetErrorString(self, _code: int, out: int) -> int:
        self._words = ctypes.create_string_buffer(b"it is not there")
        _put(out, ctypes.c_void_p, ctypes.addressof(self._words))
        return 0

    def _cuDeviceGetCount(self, out: int) -> int:
        _put(out, ctypes.c_int, 1)
        return 0

    def _cuDeviceGetName(self, out: int, _size: int, _device: int) -> int:
        ctypes.memmove(out, b"stand-in\0", 9)
        return 0

    def _cuDeviceGetAttribute(self, out: int, attribute: int, _device: int) -> int:
        _put(out, ctypes.c_int, _ATTRIBUTES[attribute])
        return 0

    def _cuLinkAddData_v2(
        self, _state: Any, kind: int, data: int, size: int, _name: bytes, options: int, *_options: Any
    ) -> int:
        assert (kind, options) == (1, 0)
        self.linked.append(ctypes.string_at(data, size))
        return 0

    def _cuLinkComplete(self, _state: Any, code: int, size: int) -> int:
        _put(code, ctypes.c_void_p, ctypes.addressof(self._code))
        _put(size, ctypes.c_size_t, len(MACHINE_CODE))
        return 0

    def _cuModuleLoadData(self, out: int, code: int) -> int:
        assert ctypes.string_at(code, len(MACHINE_CODE)) == MACHINE_CODE
        return 0

    def _cuModuleGetFunction(self, out: int, _module: Any, name: bytes) -> int:
        if not name.startswith(SYMBOL.encode()):
            return _NOT_FOUND
        handle = len(self._kernels) + 1
        self._kernels[handle] = name.decode().removeprefix(SYMBOL)
        _put(out, ctypes.c_void_p, handle)
        return 0

    def _cuFuncGetAttribute(self, out: int, attribute: int, _kernel: int) -> int:
        _put(out, ctypes.c_int, 100 + attribute)
        return 0

    def _cuMemAlloc_v2(self, out: int, size: int) -> int:
        _put(out, ctypes.c_uint64, self.machine.allocate(size))
        return 0

    def _cuMemFree_v2(self, address: int) -> int:
        self.machine.free(address)
        return 0

    def _cuMemcpyHtoD_v2(self, target: int, source: int, size: int) -> int:
        ctypes.memmove(target, source, size)
        return 0

    _cuMemcpyDtoH_v2 = _cuMemcpyDtoD_v2 = _cuMemcpyHtoD_v2  # noqa: N815 (the driver's own names)

    def _cuMemsetD8_v2(self, address: int, value: int, size: int) -> int:
        ctypes.memset(address, value, size)
        return 0

    def _cuLaunchKernel(self, kernel: int, *arguments: int) -> int:
        grid, block, shared, stream, places = (
            arguments[:3],
            arguments[3:6],
            arguments[6],
            arguments[7],
            arguments[8],
        )
        assert grid[1:] == block[1:] == (1, 1) and not shared and not stream
        name, threads = self._kernels[kernel], grid[0] * block[0]
        self.launched.append((name, threads))
        count = self.machine.parameters[name]
        addresses = np.ctypeslib.as_array(ctypes.cast(places, ctypes.POINTER(ctypes.c_int64)), (count,))
        words = [ctypes.c_int64.from_address(address).value for address in addresses.tolist()]
        self.machine.launch(name, words, threads)
        return 0


Patch = Callable[[Any, str, Any], None]


def behind_a_driver(patch: Patch) -> tuple[Driver, driver.CudaMachine]:
    """A GPU whose driver is ``Driver``; ``patch`` is pytest's ``monkeypatch.setattr``."""
    library = Driver(emulated())
    patch(driver, "_library", lambda: library)
    return library, driver.CudaMachine()
