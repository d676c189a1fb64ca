"""A game as bytes: a header, the actions so far, the state, the start, and a checksum."""

from __future__ import annotations

import hashlib
import struct
from collections.abc import Mapping
from typing import NamedTuple

import numpy as np

from wotr_env.core.kind import GameKind
from wotr_env.core.states import layout_of

_MAGIC = b"WOTRGAME"
_FORMAT = 1
_FROM_POSITION = 2
"""Format of a game that started from a position: the first state follows the current state."""
_WITH_TAPES = 3
"""Format of a game that started from a position and has given outcomes: they follow both states."""
_TAPE = struct.Struct("<IB")  # the number of actions before, the number of outcomes, which follow as bytes
_HEADER = struct.Struct("<8sHH8sqI")  # magic, format, rules version, layout, seed or -1, number of actions
_ACTION = np.dtype("<i2")
_CHECKSUM_SIZE = 16


class Saved(NamedTuple):
    """The saved parts of a game."""

    states: np.ndarray
    """``kind.state[1]``"""
    start: np.ndarray | None
    """``kind.state[1]``: the start of a game without a seed."""
    seed: int | None
    actions: list[int]
    tapes: dict[int, tuple[int, ...]] | None
    """The random outcomes that were given, also to future actions, each by the number of actions before them;
    None: the game uses its own chance."""


def write(saved: Saved, kind: GameKind) -> bytes:
    """Saves a game as bytes, for ``read``."""
    seed = -1 if saved.seed is None else saved.seed
    version, start = (_FORMAT, b"") if saved.start is None else (_FROM_POSITION, saved.start.tobytes())
    if saved.start is not None and saved.tapes is not None:
        version, start = _WITH_TAPES, start + _written(saved.tapes)
    header = _HEADER.pack(_MAGIC, version, kind.rules_version, _layout(kind), seed, len(saved.actions))
    body = header + np.array(saved.actions, dtype=_ACTION).tobytes() + saved.states.tobytes() + start
    return body + _checksum(body)


def read(data: bytes, kind: GameKind) -> Saved:
    """Reads the bytes of ``write``. The states are not checked against the rules.

    Raises:
        TypeError: the data are not bytes.
        ValueError: the data are damaged, of another game or of another version of this package.
    """
    if not isinstance(data, (bytes, bytearray, memoryview)):
        raise TypeError(f"a saved game is bytes, not {type(data).__name__}")
    data = bytes(data)
    if len(data) < _HEADER.size or not data.startswith(_MAGIC):
        raise ValueError("not a saved game: it was not written by Game.to_bytes()")
    _, version, rules, layout, seed, count = _HEADER.unpack_from(data)
    if not _FORMAT <= version <= _WITH_TAPES:
        raise ValueError(
            f"the saved game has format {version}, this package reads {_FORMAT} to {_WITH_TAPES}"
        )
    if layout != _layout(kind):
        raise ValueError("the saved game was written by a version of this package with another state layout")
    actions_end = _HEADER.size + count * _ACTION.itemsize
    states_end = actions_end + kind.state.itemsize * min(version, _FROM_POSITION)  # one state, or two
    size = states_end + _CHECKSUM_SIZE
    if len(data) < size or (len(data) > size and version != _WITH_TAPES):
        raise ValueError(f"the saved game is damaged: {len(data)} bytes instead of {size}")
    if _checksum(data[:-_CHECKSUM_SIZE]) != data[-_CHECKSUM_SIZE:]:
        raise ValueError("the saved game is damaged: its checksum is wrong")
    actions = np.frombuffer(data[_HEADER.size : actions_end], dtype=_ACTION).tolist()
    states = np.frombuffer(data[actions_end:states_end], dtype=kind.state).copy()
    # Under other rules the position still stands, but its actions need not lead to it any more.
    if rules != kind.rules_version:
        return Saved(states[:1], None, None, actions, None)
    tapes = _tapes(data[states_end:-_CHECKSUM_SIZE]) if version == _WITH_TAPES else None
    start = None if version == _FORMAT else states[1:]
    return Saved(states[:1], start, seed if seed >= 0 else None, actions, tapes)


def _written(tapes: Mapping[int, tuple[int, ...]]) -> bytes:
    return b"".join(_TAPE.pack(number, len(tape)) + bytes(tape) for number, tape in tapes.items())


def _tapes(data: bytes) -> dict[int, tuple[int, ...]]:
    """The outcomes in the bytes of ``_written``; the caller has checked the checksum."""
    tapes, place = {}, 0
    while place < len(data):
        number, length = _TAPE.unpack_from(data, place)
        place += _TAPE.size + length
        tapes[number] = tuple(data[place - length : place])
    return tapes


def _layout(kind: GameKind) -> bytes:
    return hashlib.blake2b(layout_of(kind.state), digest_size=8).digest()


def _checksum(data: bytes) -> bytes:
    return hashlib.blake2b(data, digest_size=_CHECKSUM_SIZE).digest()
