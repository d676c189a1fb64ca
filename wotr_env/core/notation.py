"""Positions of a game as one line of text.

``war-of-the-ring:4-eada:all:7VjNTsMwDI7t...:f9421973`` has five parts:

=========  ===========================================================================================
game       its name
version    of the rules, and a fingerprint of the layout of states
eyes       ``all``, or the number of a seat: then what it does not know is a world like any other
position   the state, compressed against a new game, in letters, digits, ``-`` and ``_``
check      CRC-32 of all before it, in hex
=========  ===========================================================================================
"""

from __future__ import annotations

import base64
import binascii
import dataclasses
import hashlib
import re
import zlib
from collections.abc import Callable

import numpy as np

LONGEST = 20_000
"""Characters of a position; far more than any has."""
_ALL = "all"
_FORM = re.compile(r"([\w-]{1,60}):(\d{1,5}-[0-9a-f]{4}):(all|\d):([\w-]+):([0-9a-f]{8})", re.ASCII)


@dataclasses.dataclass(frozen=True)
class Notation:
    """How the positions of a game are written."""

    name: str
    """Of the game."""
    rules_version: int
    state: np.dtype
    """Of the record that holds everything of a game."""
    new_game: Callable[[], np.ndarray]
    """The ``state[1]`` of a new game, the same each time: what positions are compressed against."""

    def write(self, state: np.ndarray, seat: int | None) -> str:
        """A ``state[1]`` as text, with the seat whose eyes see it; None: it is all there."""
        coder = zlib.compressobj(9, zlib.DEFLATED, -15, 9, zlib.Z_DEFAULT_STRATEGY, self.new_game().tobytes())
        packed = coder.compress(state.tobytes()) + coder.flush()
        written = base64.urlsafe_b64encode(packed).rstrip(b"=").decode()
        line = f"{self.name}:{self.version}:{_ALL if seat is None else seat}:{written}"
        return f"{line}:{_check(line)}"

    def read(self, text: str) -> tuple[np.ndarray, int | None]:
        """The ``state[1]`` of a text, and the seat whose eyes see it, None for all.

        Space around the text does not matter. The state has the right size; whether the rules allow it has
        not been checked, nor the seat.

        Raises:
            ValueError: it is no position, is damaged, or of another game or version.
        """
        if not isinstance(text, str):
            raise ValueError(f"a position is one line of text, not {text!r}")
        name, version, seat, written, check = _parts_of(text)
        if check != _check(text.strip()[: -len(check) - 1]):
            raise ValueError("the position is damaged: its checksum is wrong")
        if name != self.name:
            raise ValueError(f"it is a position of {name}, not of {self.name}")
        if version != self.version:
            raise ValueError(
                f"the position has version {version} of {name}; this package reads version {self.version}"
            )
        try:
            packed = base64.urlsafe_b64decode(written + "=" * (-len(written) % 4))
            decoder = zlib.decompressobj(-15, self.new_game().tobytes())
            data = decoder.decompress(packed, self.state.itemsize + 1)
        except (binascii.Error, zlib.error):
            raise ValueError("the position is damaged: it cannot be unpacked") from None
        if len(data) != self.state.itemsize or not decoder.eof or decoder.unused_data:
            raise ValueError("the position is damaged: its size is wrong")
        return np.frombuffer(data, dtype=self.state).copy(), seat

    @property
    def version(self) -> str:
        """Of the rules, and a fingerprint of the layout of states: ``4-eada``."""
        layout = repr((self.state.descr, self.state.itemsize)).encode()
        return f"{self.rules_version}-{hashlib.blake2b(layout, digest_size=2).hexdigest()}"


def eyes_of(text: str) -> int | None:
    """The seat whose eyes see a position of any game, None for all; nothing else of the text is checked.

    Raises:
        ValueError: it is no position.
    """
    return _parts_of(text)[2]


def _parts_of(text: str) -> tuple[str, str, int | None, str, str]:
    """The five parts of a position; ValueError if it has others."""
    line = text.strip()
    found = _FORM.fullmatch(line) if len(line) <= LONGEST else None
    if found is None:
        raise ValueError("not a position: the form is game:version:eyes:position:check")
    name, version, eyes, written, check = found.groups()
    return name, version, None if eyes == _ALL else int(eyes), written, check


def _check(line: str) -> str:
    return f"{zlib.crc32(line.encode()):08x}"
