"""Results that are adjusted for luck: the same mean, with a smaller spread.

From the score of each unit (a game, or a pair of games with exchanged sides) a multiple of its luck is taken
away, by source. The mean of luck is 0, so whatever the multiples are, the mean score stays as it is, as long
as they are not chosen by the unit itself: those of a unit come from the other units (cross-fitting).
"""

from __future__ import annotations

import dataclasses
import math
from typing import Any

import numpy as np

from wotr_experiments.arena.statistics import Z_95

_FOLDS = 10
_SPREAD = 0.3
"""How far from 1 multiples are expected to be, before any unit is seen: the standard deviation."""
LEAST_UNITS = 2
"""Of a mean with an interval."""


@dataclasses.dataclass(frozen=True)
class Adjusted:
    """A mean score, adjusted for luck."""

    share: float | None
    """From about 0 to 1; None of no units."""
    interval_95: tuple[float | None, float | None]
    """By the normal distribution of the mean; without ends if there are fewer than two units."""
    games_saved: float | None
    """The variance of the scores over that of the adjusted ones: so many times the games would be needed for
    the same interval. None if either is not known, or 0."""

    def to_dict(self) -> dict[str, Any]:
        """For JSON."""
        return {**dataclasses.asdict(self), "interval_95": list(self.interval_95)}


def multiples(scores: np.ndarray, luck: np.ndarray) -> np.ndarray:
    """By how much of the luck of each source the scores go up with it: ``float64[S]``.

    Args:
        scores: ``float64[N]``.
        luck: ``float64[N, S]``.

    Least squares with a normal prior around 1, so that few units change it little.
    """
    rest = scores - luck.sum(axis=1)
    if scores.size < LEAST_UNITS or not rest.var():
        return np.ones(luck.shape[1])
    centred = luck - luck.mean(axis=0)
    weighed = centred.T @ centred + np.eye(luck.shape[1]) * rest.var() / _SPREAD**2
    return 1.0 + np.linalg.solve(weighed, centred.T @ (rest - rest.mean()))


def adjusted_scores(scores: np.ndarray, luck: np.ndarray) -> np.ndarray:
    """Scores less a multiple of the luck in them, the multiples of each unit being those of other units.

    Args:
        scores: ``float64[N]``, of units that do not depend on each other.
        luck: ``float64[N, S]``, by source.

    Returns:
        ``float64[N]``.
    """
    fold = np.arange(scores.size) % _FOLDS
    found = np.empty(scores.size)
    for each in range(min(_FOLDS, scores.size)):
        own = fold == each
        found[own] = scores[own] - luck[own] @ multiples(scores[~own], luck[~own])
    return found


def adjust(scores: np.ndarray, luck: np.ndarray) -> Adjusted:
    """The mean of adjusted scores; arguments as for ``adjusted_scores``."""
    if not scores.size:
        return Adjusted(None, (None, None), None)
    found = adjusted_scores(scores, luck)
    mean = float(found.mean())
    if scores.size < LEAST_UNITS:
        return Adjusted(mean, (None, None), None)
    spread = Z_95 * float(found.std(ddof=1)) / math.sqrt(scores.size)
    before, after = float(scores.var()), float(found.var())
    return Adjusted(mean, (mean - spread, mean + spread), before / after if before and after else None)
