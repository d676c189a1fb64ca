"""Shares, means and counts for JSON, each with its number of games and 95% interval."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

from wotr_env.games.war_of_the_ring.codes import Side, Winner
from wotr_experiments.arena.statistics import Z_95, wilson
from wotr_experiments.arena.summary import counts, share
from wotr_experiments.games.war_of_the_ring.study.event_history import EventHistory


def mean(numbers: Iterable[float]) -> dict[str, Any]:
    """The mean of one number per game, and half of its 95% interval (normal); None if there are too few
    games."""
    values = np.array(list(numbers), dtype=np.float64)
    error = Z_95 * values.std(ddof=1) / math.sqrt(values.size) if values.size > 1 else None
    return {
        "games": values.size,
        "mean": float(values.mean()) if values.size else None,
        "error_95": None if error is None else float(error),
    }


def ratio(parts: Sequence[int], totals: Sequence[int]) -> dict[str, Any]:
    """The share of counted things among all things of a kind, such as the dice with an Eye among all dice,
    with its 95% interval. A game has several things of the kind.

    Args:
        parts: number of counted things in each game.
        totals: number of all things in each game.

    Returns:
        ``count``, ``total``, ``share`` and ``interval_95``. The interval is that of a ratio of means, because
        things in the same game are not independent. If all or none are counted, it is the Wilson interval for
        the number of games. Without any things, the share is None.
    """
    counted, all_of = np.array(parts, dtype=np.float64), np.array(totals, dtype=np.float64)
    total = all_of.sum()
    found: dict[str, Any] = {"count": int(counted.sum()), "total": int(total), "share": None}
    if not total:
        return {**found, "interval_95": [0.0, 1.0]}
    value, games = counted.sum() / total, int((all_of > 0).sum())
    if value in (0.0, 1.0) or games < 2:  # games do not differ, which tells nothing of how they might
        low, high = wilson(round(value * games), games)
    else:
        spread = np.square(counted - value * all_of).sum() * games / (games - 1)
        error = Z_95 * math.sqrt(spread) / total
        low, high = max(0.0, value - error), min(1.0, value + error)
    return {**found, "share": float(value), "interval_95": [float(low), float(high)]}


def numbers(values: Sequence[int]) -> dict[str, Any]:
    """The mean, and the share of games with each number."""
    shares = {each: share(count, len(values)) for each, count in sorted(Counter(values).items())}
    return {**mean(values), "numbers": {str(number): each for number, each in shares.items()}}


def happened(turns: Sequence[int | None]) -> dict[str, Any]:
    """The number of games in which an event happened, and statistics of the turns in which it happened.

    Args:
        turns: for each game the turn in which it happened; None: it did not happen.
    """
    found = [turn for turn in turns if turn is not None]
    return {**share(len(found), len(turns)), "turn": mean(found), "turns": counts(found)}


def won(courses: Sequence[EventHistory], side: Side) -> dict[str, Any]:
    """The share of games that a side won; a draw is not a win."""
    return share(sum(course.winner == Winner(side) for course in courses), len(courses))
