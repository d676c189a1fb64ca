"""Packs flags of many bytes into one word on a GPU, which has no vectors and no loads from unaligned
addresses.

Eight bytes are read at once, as a word of 64 bits at an aligned address. The words that contain the wanted
bytes are read at their aligned addresses and then shifted.
"""

from __future__ import annotations

import itertools
from typing import Any

from llvmlite import ir

_WORD = ir.IntType(64)
_BYTES = 8
_LOW_BITS = 0x0101010101010101
_ALL_BUT_HIGH = 0x7F7F7F7F7F7F7F7F
_FIRST_OF_PAIRS = 0x00FF00FF00FF00FF
_GATHER_BYTES = 0x0102040810204080
"""A factor for a word with one bit in each byte: the product has these bits in its highest byte, in order."""
_GATHER_PAIRS = (1 << 48) | (1 << 33) | (1 << 18) | (1 << 3)
"""A factor for a word with one bit in each pair of bytes: the product has these bits from bit 48 on."""


def flags_on_device(builder: Any, start: Any, count: int, *, equal_to: Any = None, column: Any = None) -> Any:
    """Compares bytes with 0 or with a number; returns one bit for each byte, the first byte in the lowest
    bit. A bit is set if the byte is not 0, or if it equals ``equal_to``.

    Args:
        start: the address of the first byte; memory is read only in the aligned words of 8 bytes that contain
            wanted bytes.
        count: number of bytes: 4, or a multiple of 8.
        equal_to: an int64, whose lowest byte is compared.
        column: 0 or 1 (int64). If given, the bytes are ``count`` pairs, and only this byte of each pair is
            compared.
    """
    size = count if column is None else 2 * count
    wanted = None
    if equal_to is not None:
        wanted = builder.mul(builder.and_(equal_to, _WORD(0xFF)), _WORD(_LOW_BITS))
    flags = _WORD(0)
    for place, word in enumerate(_words(builder, start, size)):
        if column is not None:
            word = builder.lshr(word, builder.shl(column, _WORD(3)))
            word = builder.and_(word, _WORD(_FIRST_OF_PAIRS))
        if wanted is not None:
            word = builder.xor(word, wanted)
        bits = _not_zero(builder, word)
        if wanted is not None:
            bits = builder.xor(bits, _WORD(_LOW_BITS))
        if column is None:
            eight = builder.lshr(builder.mul(bits, _WORD(_GATHER_BYTES)), _WORD(56))
            flags = builder.or_(flags, builder.shl(eight, _WORD(_BYTES * place)))
        else:
            four = builder.and_(builder.lshr(builder.mul(bits, _WORD(_GATHER_PAIRS)), _WORD(48)), _WORD(0xF))
            flags = builder.or_(flags, builder.shl(four, _WORD(_BYTES // 2 * place)))
    return builder.and_(flags, _WORD((1 << count) - 1)) if count < _BYTES else flags


def _not_zero(builder: Any, word: Any) -> Any:
    """Sets the lowest bit of each byte that is not 0, and clears all other bits."""
    carried = builder.add(builder.and_(word, _WORD(_ALL_BUT_HIGH)), _WORD(_ALL_BUT_HIGH))
    high = builder.lshr(builder.or_(carried, word), _WORD(7))
    return builder.and_(high, _WORD(_LOW_BITS))


def _words(builder: Any, start: Any, size: int) -> list[Any]:
    """Reads the aligned words of 8 bytes that contain ``size`` bytes from any address on, and shifts them so
    that they start at this address."""
    count = -(-size // _BYTES)
    address = builder.ptrtoint(start, _WORD)
    even = builder.and_(address, _WORD(-_BYTES))
    last = builder.and_(builder.add(address, _WORD(size - 1)), _WORD(-_BYTES))
    shift = builder.shl(builder.and_(address, _WORD(_BYTES - 1)), _WORD(3))
    places = [builder.add(even, _WORD(_BYTES * number)) for number in range(count)]
    loaded = [_load(builder, place) for place in (*places, last)]
    function_type = ir.FunctionType(_WORD, (_WORD, _WORD, _WORD))
    funnel = builder.module.declare_intrinsic("llvm.fshr", (_WORD,), function_type)
    return [builder.call(funnel, (high, low, shift)) for low, high in itertools.pairwise(loaded)]


def _load(builder: Any, address: Any) -> Any:
    return builder.load(builder.inttoptr(address, _WORD.as_pointer()), align=_BYTES)
