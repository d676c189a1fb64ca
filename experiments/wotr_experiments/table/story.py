"""The messages of one viewer about a game, action by action; all but the latest are compressed."""

from __future__ import annotations

import zlib
from typing import NamedTuple

import msgspec

from wotr_experiments.table.messages import to_json

_CHAPTER = 32
"""Actions that are compressed together, some 1 KB of JSON each before."""
_QUICK = 1
"""Of zlib: a seventh of the size, at 50 MB a second."""


class Told(NamedTuple):
    """An action as a viewer was told of it, ready for the wire."""

    sentences: tuple[msgspec.Raw, ...]
    events: msgspec.Raw | None
    """None if there are none."""


_DECODER = msgspec.json.Decoder(list[tuple[tuple[msgspec.Raw, ...], msgspec.Raw]])
_NONE = b"null"


class Story:
    """What a viewer was told of each action, in their order."""

    def __init__(self) -> None:
        self._chapters: list[bytes] = []
        self._last: list[Told] = []

    def __len__(self) -> int:
        """Of actions told."""
        return _CHAPTER * len(self._chapters) + len(self._last)

    def add(self, told: Told) -> None:
        """Goes on with the next action."""
        self._last.append(told)
        if len(self._last) == _CHAPTER:
            self._chapters.append(zlib.compress(to_json(self._last), _QUICK))
            self._last = []

    def between(self, after: int, number: int) -> list[Told]:
        """What was told of the actions after ``after`` up to ``number``."""
        if number <= after:
            return []
        first, last = after // _CHAPTER, (number - 1) // _CHAPTER
        found = [each for chapter in range(first, last + 1) for each in self._chapter(chapter)]
        return found[after - _CHAPTER * first : number - _CHAPTER * first]

    def shorten(self, number: int) -> None:
        """Forgets what was told after so many actions."""
        if number < len(self):
            last = self._chapter(number // _CHAPTER)[: number % _CHAPTER]
            del self._chapters[number // _CHAPTER :]
            self._last = last

    def _chapter(self, chapter: int) -> list[Told]:
        if chapter == len(self._chapters):
            return self._last
        told = _DECODER.decode(zlib.decompress(self._chapters[chapter]))
        return [Told(sentences, None if bytes(events) == _NONE else events) for sentences, events in told]
