"""Positions of a game as one line of text.

``war-of-the-ring:4-eada:all:7VjNTsMwDI7t...:f9421973`` has five parts:

=========  ===========================================================================================
game       its name
version    the version of the rules, and a hash of the layout of states
eyes       ``all``, or the number of a seat: then hidden information is replaced by a sampled world
position   the state, compressed against a new game, in letters, digits, ``-`` and ``_``
check      CRC-32 of everything before it, in hex
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

from wotr_env.core.states import layout_of

LONGEST = 20_000
"""Maximal number of characters of a position; far more than any position needs."""
_ALL = "all"
_FORM = re.compile(r"([\w-]{1,60}):(\d{1,5}-[0-9a-f]{4}):(all|\d):([\w-]+):([0-9a-f]{8})", re.ASCII)


@dataclasses.dataclass(frozen=True)
class Notation:
    """The text form of a game's positions."""

    name: str
    """The name of the game."""
    rules_version: int
    state: np.dtype
    """The dtype of a state."""
    new_game: Callable[[], np.ndarray]
    """Returns ``state[1]`` of a new game, always the same; positions are compressed against it."""

    def write(self, state: np.ndarray, seat: int | None) -> str:
        """Returns ``state[1]`` as text. The text also names the seat whose information the state contains
        (None: a complete state)."""
        coder = zlib.compressobj(9, zlib.DEFLATED, -15, 9, zlib.Z_DEFAULT_STRATEGY, self.new_game().tobytes())
        packed = coder.compress(state.tobytes()) + coder.flush()
        written = base64.urlsafe_b64encode(packed).rstrip(b"=").decode()
        line = f"{self.name}:{self.version}:{_ALL if seat is None else seat}:{written}"
        return f"{line}:{_check(line)}"

    def read(self, text: str) -> tuple[np.ndarray, int | None]:
        """Reads a text: returns its state, ``state[1]``, and the seat whose information the state contains
        (None: a complete state).

        Space around the text is ignored. The checksum, the game, the version and the size of the state are
        checked. Whether the rules allow the state, and whether the game has this seat, is not checked.

        Raises:
            ValueError: the text is not a position, is damaged, or has another game or version.
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
        """The version of the rules and a hash of the layout of states, such as ``4-eada``."""
        return f"{self.rules_version}-{hashlib.blake2b(layout_of(self.state), digest_size=2).hexdigest()}"


def viewer_seat_of(text: str) -> int | None:
    """Returns the seat whose information a position of any game contains (None: a complete position). The
    rest of the text is not checked.

    Raises:
        ValueError: the text is not a position.
    """
    return _parts_of(text)[2]


def _parts_of(text: str) -> tuple[str, str, int | None, str, str]:
    """The five parts of a position; raises ValueError if there are not five."""
    line = text.strip()
    found = _FORM.fullmatch(line) if len(line) <= LONGEST else None
    if found is None:
        raise ValueError("not a position: the form is game:version:eyes:position:check")
    name, version, eyes, written, check = found.groups()
    return name, version, None if eyes == _ALL else int(eyes), written, check


def _check(line: str) -> str:
    return f"{zlib.crc32(line.encode()):08x}"
