"""The answers of a pending decision, and the parsing of typed lines."""

from __future__ import annotations

import dataclasses
import functools
from collections.abc import Iterable, Sequence

from wotr_experiments.terminal.typed import has_symbols, plain, words_begin


@dataclasses.dataclass(frozen=True)
class Answer:
    """A legal action."""

    action: int
    label: str
    """A text that can be typed instead of the words: the number in the list, or the count itself."""
    words: str
    """The words, such as ``attack Osgiliath``."""
    names: tuple[str, ...] = ()
    """Other texts that mean the answer, such as its stable name."""
    group: str = ""
    """The heading of the answer in a long list; empty if the list has no headings."""

    @functools.cached_property
    def keys(self) -> tuple[str, ...]:
        """All texts that mean this answer, normalised."""
        keys = dict.fromkeys(plain(text) for text in (self.words, *self.names))
        return tuple(key for key in keys if not key.isdigit())  # a number is a label


@dataclasses.dataclass(frozen=True)
class Question:
    """A pending decision and its answers in the order in which they are listed."""

    text: str
    answers: tuple[Answer, ...]
    default: Answer | None = None
    """The answer for Enter; None if there is no obvious answer."""
    decision: int = 0
    """The kind of the decision, a number of the game."""
    picking: bool = False
    """Whether pieces are picked one by one."""


class TypedLine:
    """The unused part of a typed line. Here, a line answers one question; a game may read several answers
    from a line.

    Args:
        text: the line.
    """

    def __init__(self, text: str = "") -> None:
        self._text = text

    @property
    def rest(self) -> str:
        """The words that have not been matched with later questions."""
        return ""

    @property
    def pending(self) -> bool:
        """Whether the line may answer another question."""
        return False

    def whole(self, asked: Question) -> list[Answer]:
        """The answers that all words together can mean."""
        return find(asked.answers, self._text)

    def begins(self, asked: Question) -> bool:
        """Whether the beginning of the line may be an answer, and so is not a command."""
        return False

    def next(self, asked: Question) -> Answer | None:
        """Returns the next answer; None if the line is used up.

        Raises:
            LineError: the next word is not an answer, or is ambiguous.
        """
        return None

    def follow(self, forced: Sequence[Answer]) -> None:
        """Adds choices that the rules made after the latest answer because there was no alternative."""


class LineError(ValueError):
    """A word is not an answer; the message contains the word and the question."""


def find(answers: Iterable[Answer], text: str) -> list[Answer]:
    """The answers that a typed line can mean: none, one, or several if it is ambiguous.

    An answer is typed by its label, its words, or beginnings of its words in order, such as ``min tir``. Only
    the best matches are returned: exact matches, otherwise matches at the beginning, otherwise matches of
    later words.
    """
    answers = list(answers)
    if found := [answer for answer in answers if answer.label and answer.label == text.strip()]:
        return found
    wanted = plain(text)
    if has_symbols(text) or not any(letter.isalpha() for letter in wanted):
        return []  # another number is a mistake, not the beginning of some words
    for fits in (_is_key, _begins_key, _has_words):
        if found := [answer for answer in answers if fits(answer, wanted)]:
            return found
    return []


def exact(answers: Iterable[Answer], text: str) -> Answer | None:
    """The answer whose label or whole words are typed."""
    label, wanted = text.strip(), "" if has_symbols(text) else plain(text)
    return next((each for each in answers if label == each.label or _is_key(each, wanted)), None)


def _is_key(answer: Answer, wanted: str) -> bool:
    return wanted in answer.keys


def _begins_key(answer: Answer, wanted: str) -> bool:
    return any(key.startswith(wanted) for key in answer.keys)


def _has_words(answer: Answer, wanted: str) -> bool:
    return any(words_begin(wanted, key) for key in answer.keys)
