"""Arrays in the memory of a machine."""

from __future__ import annotations

import math
import weakref
from typing import Any

import numpy as np
import numpy.typing as npt

from wotr_env.cuda import dlpack
from wotr_env.cuda.machines import Machine

_DEFAULT_STREAM = 1
"""The stream of all operations, as reported to other libraries."""


class DeviceArray:
    """A C-contiguous array in the memory of a machine.

    Other libraries can use it without a copy, on a GPU by ``__cuda_array_interface__``
    (``torch.as_tensor(array, device="cuda")``, ``cupy.asarray(array)``), and anywhere by DLPack
    (``torch.from_dlpack(array)``, ``jax.dlpack.from_dlpack(array)``). Their operations in the default stream
    and the operations here run in the order of the calls. Synchronise work in other streams.

    Args:
        machine: the machine that has the memory.
        shape: the shape of the array.
        dtype: the dtype of the elements.
        borrowed: the address of memory owned by other code; by default, memory is allocated and filled with
            zeros.
        keeper: an object that must stay alive as long as a borrowed array.
    """

    def __init__(
        self,
        machine: Machine,
        shape: tuple[int, ...],
        dtype: npt.DTypeLike,
        borrowed: int | None = None,
        keeper: Any = None,
    ) -> None:
        self.machine, self.shape, self.dtype = machine, shape, np.dtype(dtype)
        self._keeper = keeper
        if borrowed is not None:
            self.address = borrowed
            return
        size = max(1, self.nbytes)
        self.address = machine.allocate(size)
        weakref.finalize(self, machine.free, self.address)
        machine.clear(self.address, size)

    @property
    def size(self) -> int:
        """The number of elements."""
        return math.prod(self.shape)

    @property
    def nbytes(self) -> int:
        """The number of bytes."""
        return self.size * self.dtype.itemsize

    def __len__(self) -> int:
        return self.shape[0]

    def __repr__(self) -> str:
        return f"DeviceArray({self.dtype.name if self.dtype.names is None else 'record'}, {self.shape})"

    def numpy(self) -> np.ndarray:
        """A copy in host memory, after all earlier launches."""
        data = bytearray(self.machine.read(self.address, self.nbytes))
        return np.frombuffer(data, dtype=self.dtype).reshape(self.shape)

    def row(self, number: int) -> np.ndarray:
        """A copy of one of the rows."""
        size = self.nbytes // self.shape[0]
        data = bytearray(self.machine.read(self.address + number * size, size))
        return np.frombuffer(data, dtype=self.dtype).reshape(self.shape[1:])

    def write(self, values: npt.ArrayLike) -> None:
        """Copies values from host memory into the array; they are broadcast to its shape."""
        given = np.ascontiguousarray(np.broadcast_to(np.asarray(values, dtype=self.dtype), self.shape))
        self.machine.write(self.address, given)

    def copy_from(self, other: DeviceArray) -> None:
        """Copies another array of the same shape and dtype into this one.

        Raises:
            ValueError: the other array has another shape or dtype.
        """
        if other.shape != self.shape or other.dtype != self.dtype:
            raise ValueError(f"{other!r} is not like {self!r}")
        self.machine.copy(self.address, other.address, self.nbytes)

    def copy(self) -> DeviceArray:
        """A copy on the same machine."""
        made = DeviceArray(self.machine, self.shape, self.dtype)
        made.copy_from(self)
        return made

    def clear(self) -> None:
        """Makes all bytes 0."""
        self.machine.clear(self.address, self.nbytes)

    def as_bytes(self) -> DeviceArray:
        """The same memory as ``uint8[N, bytes]``, for libraries without records."""
        rows = self.shape[0]
        shape = (rows, self.nbytes // max(1, rows))
        return DeviceArray(self.machine, shape, np.uint8, self.address, keeper=self)

    @property
    def __cuda_array_interface__(self) -> dict[str, Any]:
        if not self.machine.is_cuda:
            raise AttributeError("this array is not on a GPU")
        return {
            "shape": self.shape,
            "typestr": self.dtype.str,
            "descr": self.dtype.descr,
            "data": (self.address if self.size else 0, False),
            "strides": None,
            "version": 3,
            "stream": _DEFAULT_STREAM,
        }

    def __dlpack_device__(self) -> tuple[int, int]:
        return dlpack.CUDA if self.machine.is_cuda else dlpack.CPU, self.machine.number

    def __dlpack__(self, **_wishes: Any) -> Any:
        """A DLPack capsule without a copy; the arguments are ignored.

        Raises:
            BufferError: the array contains records; use ``as_bytes``.
        """
        return dlpack.capsule(self, self.address, self.shape, self.dtype, self.__dlpack_device__())


def device_array(machine: Machine, given: Any) -> DeviceArray | None:
    """Wraps an array of another library as a ``DeviceArray``, without a copy; returns None if the array is
    not on this machine.

    Raises:
        ValueError: the array is not contiguous.
    """
    if isinstance(given, DeviceArray):
        return given if given.machine is machine else None
    found = getattr(given, "__cuda_array_interface__", None) if machine.is_cuda else None
    if found is None:
        return None
    dtype = np.dtype(found["typestr"])
    strides = found.get("strides")
    plain = tuple(
        dtype.itemsize * math.prod(found["shape"][axis + 1 :]) for axis in range(len(found["shape"]))
    )
    if strides is not None and tuple(strides) != plain:
        raise ValueError("an array on the GPU must be contiguous")
    return DeviceArray(machine, tuple(found["shape"]), dtype, found["data"][0], keeper=given)
