"""Costly choices of a game: their sum for each side, in one sentence."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from wotr_env.core.seats import Team

_NUMBERS = ("one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten")


class CostlyChoice(NamedTuple):
    """A choice that lost much winning chance, evaluated by a bot."""

    number: int
    """The number of actions before it."""
    team: int
    words: str
    lost: float
    """The lost winning chance, from 0 to 1."""


def costly_sentence(bot: str, choices: Sequence[CostlyChoice], teams: Sequence[Team]) -> str:
    """A sentence about the number and the total loss of the costly choices of each team.

    Args:
        bot: the bot that found them.
        choices: all costly choices that are listed.
        teams: the teams of the game.
    """
    lost = [[choice.lost for choice in choices if choice.team == number] for number in range(len(teams))]
    sides = [(team.with_article, losses) for team, losses in zip(teams, lost, strict=True) if losses]
    if not sides:
        return f"No costly choice was found by {bot}."
    (team, losses), *others = sides
    word = "choice" if len(losses) == 1 else "choices"
    words = f"{_number(len(losses))} {word} of {team} cost {_points(losses)} points of winning chance"
    rest = "".join(f", and {_number(len(each))} of {other} {_points(each)}" for other, each in others)
    return f"By {bot}, {words}{rest}."


def _number(count: int) -> str:
    """A number from 1 on: in words up to ten."""
    return _NUMBERS[count - 1] if count <= len(_NUMBERS) else str(count)


def _points(losses: Sequence[float]) -> int:
    return round(100 * sum(losses))
