"""The legal actions of any game as a numbered list, and the parsing of typed lines."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np

from wotr_env.core.kind import GameKind
from wotr_experiments.terminal.typed import has_symbols, plain, words_begin


class Choice(NamedTuple):
    """A listed legal action."""

    action: int
    label: str
    """The number of the choice in the list."""
    words: str
    name: str
    """The stable name of the action."""


def choices_of(kind: GameKind, state: np.record, legal: Sequence[int]) -> list[Choice]:
    """The legal actions of a pending decision in order of their ids, numbered from 1."""
    return [
        Choice(action, str(number), kind.words.action(state, action), kind.actions.names[action])
        for number, action in enumerate(legal, start=1)
    ]


def meant(choices: Sequence[Choice], line: str) -> list[Choice]:
    """The choices that a typed line can mean: none, one, or several if it is ambiguous.

    A choice is typed by its number, its words or name, the beginning of either, or beginnings of its words in
    order. If there is a better match, worse matches are left out.
    """
    if found := [choice for choice in choices if choice.label == line.strip()]:
        return found
    wanted = plain(line)
    if has_symbols(line) or not any(letter.isalpha() for letter in wanted):
        return []  # another number is a mistake, not the beginning of some words
    keys = [(choice, (plain(choice.words), plain(choice.name))) for choice in choices]
    fits: tuple[Callable[[str], bool], ...] = (
        lambda key: key == wanted,
        lambda key: key.startswith(wanted),
        lambda key: words_begin(wanted, key),
    )
    for fit in fits:
        if found := [choice for choice, texts in keys if any(map(fit, texts))]:
            return found
    return []
