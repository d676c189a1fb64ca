"""DLPack: shares arrays without a copy with libraries that do not support the CUDA array interface."""

from __future__ import annotations

import ctypes
from typing import Any

import numpy as np

CPU, CUDA = 1, 2
"""Kinds of devices."""
_CODES = {"i": 0, "u": 1, "f": 2, "b": 6}
_NAME = b"dltensor"
_BITS = 8


class _Tensor(ctypes.Structure):
    pass


_DELETER = ctypes.PYFUNCTYPE(None, ctypes.POINTER(_Tensor))
_Tensor._fields_ = [
    ("data", ctypes.c_void_p),
    ("device_type", ctypes.c_int32),
    ("device_id", ctypes.c_int32),
    ("ndim", ctypes.c_int32),
    ("code", ctypes.c_uint8),
    ("bits", ctypes.c_uint8),
    ("lanes", ctypes.c_uint16),
    ("shape", ctypes.POINTER(ctypes.c_int64)),
    ("strides", ctypes.POINTER(ctypes.c_int64)),
    ("byte_offset", ctypes.c_uint64),
    ("manager", ctypes.c_void_p),
    ("deleter", _DELETER),
]
_lent: dict[int, tuple[Any, ...]] = {}
"""Objects that must stay alive as long as an exported tensor, by its address."""


@_DELETER
def _delete(tensor: Any) -> None:
    _lent.pop(ctypes.addressof(tensor.contents), None)


_DESTRUCTOR = ctypes.PYFUNCTYPE(None, ctypes.c_void_p)


@_DESTRUCTOR
def _destroy(capsule: int) -> None:
    """Destructor of a capsule. A consumed capsule has another name, and its consumer deletes the tensor."""
    if _is_valid(capsule, _NAME):
        _lent.pop(_pointer(capsule, _NAME), None)


_new = ctypes.PYFUNCTYPE(ctypes.py_object, ctypes.c_void_p, ctypes.c_char_p, _DESTRUCTOR)(
    ("PyCapsule_New", ctypes.pythonapi)
)
_is_valid = ctypes.PYFUNCTYPE(ctypes.c_int, ctypes.c_void_p, ctypes.c_char_p)(
    ("PyCapsule_IsValid", ctypes.pythonapi)
)
_pointer = ctypes.PYFUNCTYPE(ctypes.c_void_p, ctypes.c_void_p, ctypes.c_char_p)(
    ("PyCapsule_GetPointer", ctypes.pythonapi)
)


def capsule(
    keeper: Any, address: int, shape: tuple[int, ...], dtype: np.dtype, device: tuple[int, int]
) -> Any:
    """Creates a capsule for the C-contiguous memory at an address.

    Args:
        keeper: an object that must stay alive until the consumer is done.
        device: the kind and the number of the device.

    Raises:
        BufferError: DLPack does not support the dtype, such as records.
    """
    if dtype.kind not in _CODES:
        raise BufferError(f"DLPack knows no arrays of {dtype}")
    lengths = (ctypes.c_int64 * max(1, len(shape)))(*shape)
    tensor = _Tensor(
        data=address,
        device_type=device[0],
        device_id=device[1],
        ndim=len(shape),
        code=_CODES[dtype.kind],
        bits=_BITS * dtype.itemsize,
        lanes=1,
        shape=lengths,
        deleter=_delete,
    )
    place = ctypes.addressof(tensor)
    _lent[place] = (tensor, lengths, keeper)
    return _new(place, _NAME, _destroy)
