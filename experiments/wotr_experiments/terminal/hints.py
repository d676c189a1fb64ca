"""A bot's values of choices for people: percentages if the values are chances, otherwise only the order."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from typing import NamedTuple

from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from wotr_agents import Bot, BotView
from wotr_agents.registry import CHANCE, PROBABILITY
from wotr_env.core.spelling import some_of
from wotr_experiments.isolation.bots import ask, explanation, meaning_of_values

_HEADS = {CHANCE: "chance to win", PROBABILITY: "how likely the bot plays it"}
_NAMED = 4
"""Maximal number of listed choices with the same value."""


class Hint(NamedTuple):
    """A bot's choice, with its values."""

    action: int
    values: list[tuple[int, float]]
    """Actions and their values, best first; empty if the bot has no ``explain``."""
    scale: str
    """The meaning of the values, in words (``BotKind.values``)."""


def hint_of(bot: Bot, view: BotView, spec: str) -> Hint:
    """The choice of a bot of ``Bots.seat`` in a view of one game, with its values.

    The bot is asked only once: its choice is the action with the highest value, so choice and values agree.

    Raises:
        BotError: the bot failed.
    """
    told = explanation(bot, view, spec)
    if told is None:
        return Hint(int(ask(bot, view, spec)[0]), [], "")
    (values,) = told
    return Hint(values[0][0], values, meaning_of_values(bot, spec))


def table(values: Sequence[tuple[str, float]], scale: str) -> RenderableType:
    """A table of choices, best first, under a heading with the meaning of the numbers; equal choices share a
    row.

    Args:
        values: choices in words with their values, best first.
        scale: the meaning of the values (``BotKind.values``).
    """
    head = _HEADS.get(scale, f"best first; {scale}; only the order counts")
    rows = Table(show_header=False, box=None, pad_edge=False)
    rank = 1
    for shown, group in itertools.groupby(values, key=lambda each: _shown(each[1], scale)):
        words = [each for each, _ in group]
        label = f"{shown:>6}" if scale in _HEADS else f"{rank:>5}."
        rows.add_row(Text(label, style="cyan"), Text(some_of(words, _NAMED, "; ")))
        rank += len(words)
    return Group(Text(f"  {head}", style="dim"), rows)


def _shown(value: float, scale: str) -> str:
    return f"{value:.1%}" if scale in _HEADS else f"{value:.3f}"
