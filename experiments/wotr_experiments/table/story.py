"""The messages about a game for one viewer, action by action; all but the latest are compressed."""

from __future__ import annotations

import zlib
from typing import NamedTuple

import msgspec

from wotr_experiments.table.messages import to_json

_CHAPTER = 32
"""Number of actions that are compressed together; each has about 1 KB of JSON."""
_QUICK = 1
"""Compression level of zlib: a seventh of the size, at 50 MB per second."""


class Told(NamedTuple):
    """The texts of an action for a viewer, in the format of the protocol."""

    sentences: tuple[msgspec.Raw, ...]
    events: msgspec.Raw | None
    """The events of the action; None if there are none."""


_DECODER = msgspec.json.Decoder(list[tuple[tuple[msgspec.Raw, ...], msgspec.Raw]])
_NONE = b"null"


class Story:
    """The texts of all actions for a viewer, in order."""

    def __init__(self) -> None:
        self._chapters: list[bytes] = []
        self._last: list[Told] = []

    def __len__(self) -> int:
        """The number of actions."""
        return _CHAPTER * len(self._chapters) + len(self._last)

    def add(self, told: Told) -> None:
        """Adds the next action."""
        self._last.append(told)
        if len(self._last) == _CHAPTER:
            self._chapters.append(zlib.compress(to_json(self._last), _QUICK))
            self._last = []

    def between(self, after: int, number: int) -> list[Told]:
        """The texts of the actions after ``after`` up to ``number``."""
        if number <= after:
            return []
        first, last = after // _CHAPTER, (number - 1) // _CHAPTER
        found = [each for chapter in range(first, last + 1) for each in self._chapter(chapter)]
        return found[after - _CHAPTER * first : number - _CHAPTER * first]

    def shorten(self, number: int) -> None:
        """Drops the texts of all actions after the first ``number``."""
        if number < len(self):
            last = self._chapter(number // _CHAPTER)[: number % _CHAPTER]
            del self._chapters[number // _CHAPTER :]
            self._last = last

    def _chapter(self, chapter: int) -> list[Told]:
        if chapter == len(self._chapters):
            return self._last
        told = _DECODER.decode(zlib.decompress(self._chapters[chapter]))
        return [Told(sentences, None if bytes(events) == _NONE else events) for sentences, events in told]
