"""Confidence intervals of evaluations."""

from __future__ import annotations

import math
from collections.abc import Mapping

from wotr_experiments.arena.sprt import elo_of
from wotr_experiments.arena.statistics import wilson

Scores = Mapping[str, Mapping[str, float]]
"""The scores of an evaluation, by anchor and team: points per game, 0 to 1; a draw is half a point."""


def score_interval(score: float, games: float) -> tuple[float, float]:
    """The 95% Wilson interval of a score (too wide if there are draws); (0, 1) if there is no score."""
    if not 0 <= score <= 1 or games < 1:
        return 0.0, 1.0
    return wilson(score * games, int(games))


def intervals_of(scores: Scores, games: int) -> dict[str, dict[str, list[float]]]:
    """The 95% intervals of scores as in the metrics, each from this number of games: low and high end."""
    return {
        anchor: {team: [round(end, 4) for end in score_interval(score, games)] for team, score in row.items()}
        for anchor, row in scores.items()
    }


def elo_above(points: float, games: int, opposing: int) -> tuple[float, list[float | None]]:
    """The Elo difference to an opponent, from points in games, rounded to a tenth.

    Args:
        points: points of the rated team; a draw is half a point.
        games: number of games, at least one.
        opposing: number of teams that play against the rated team; equal teams win 1 of ``opposing`` + 1
            games.

    Returns:
        The difference, finite because one game is added, half won; and its 95% interval, with None for an
        infinite end.
    """
    share = (points + 0.5) / (games + 1)
    even = elo_of(opposing / (opposing + 1))
    ends = [elo_of(end) + even for end in score_interval(points / games, games)]
    return round(elo_of(share) + even, 1), [round(end, 1) if math.isfinite(end) else None for end in ends]


def percent(score: float, games: float) -> str:
    """A score with its interval, such as ``52.0% (42.3% to 61.5%)``."""
    low, high = score_interval(score, games)
    return f"{score:.1%} ({low:.1%} to {high:.1%})"


def elo_words(elo: float, ends: object = None) -> str:
    """An Elo difference, with its interval if it has one, such as ``-12 (-80 to +51)``."""
    if not (isinstance(ends, list) and len(ends) == 2 and all(map(_is_end, ends))):
        return f"{elo:+.0f}"
    low, high = ends
    low, high = -math.inf if low is None else low, math.inf if high is None else high
    return f"{elo:+.0f} ({low:+.0f} to {high:+.0f})"


def _is_end(value: object) -> bool:
    return value is None or (isinstance(value, (int, float)) and math.isfinite(value))
