"""How a bot values choices, for people: in percent where its values are chances, else by their order only."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from typing import NamedTuple

from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from wotr_agents import Bot, BotView
from wotr_agents.registry import CHANCE, PROBABILITY
from wotr_experiments.isolation.bots import ask, explanation, meaning_of_values

_HEADS = {CHANCE: "chance to win", PROBABILITY: "how likely the bot plays it"}
_NAMED = 4
"""Choices of one value that are named."""


class Hint(NamedTuple):
    """What a bot would do, and why."""

    action: int
    values: list[tuple[int, float]]
    """Actions and their values, best first; empty if the bot does not explain itself."""
    scale: str
    """What the values mean, in words (``BotKind.values``)."""


def hint_of(bot: Bot, view: BotView, spec: str) -> Hint:
    """What a bot of ``Bots.seat`` would do in a view of one game, and how it values the choices.

    It thinks once: what it would do is what it values most, so that the values never contradict it.

    Raises:
        BotError: it failed.
    """
    told = explanation(bot, view, spec)
    if told is None:
        return Hint(int(ask(bot, view, spec)[0]), [], "")
    (values,) = told
    return Hint(values[0][0], values, meaning_of_values(bot, spec))


def table(values: Sequence[tuple[str, float]], scale: str) -> RenderableType:
    """Choices that a bot values alike in one row, the best first, below what the numbers are.

    Args:
        values: choices in words with their values, the best first.
        scale: what the values mean (``BotKind.values``).
    """
    head = _HEADS.get(scale, f"best first; {scale}; only the order counts")
    rows = Table(show_header=False, box=None, pad_edge=False)
    rank = 1
    for shown, group in itertools.groupby(values, key=lambda each: _shown(each[1], scale)):
        words = [each for each, _ in group]
        label = f"{shown:>6}" if scale in _HEADS else f"{rank:>5}."
        rows.add_row(Text(label, style="cyan"), Text(_together(words)))
        rank += len(words)
    return Group(Text(f"  {head}", style="dim"), rows)


def _shown(value: float, scale: str) -> str:
    return f"{value:.1%}" if scale in _HEADS else f"{value:.3f}"


def _together(words: Sequence[str]) -> str:
    more = f" and {len(words) - _NAMED} more" if len(words) > _NAMED else ""
    return f"{'; '.join(words[:_NAMED])}{more}"
