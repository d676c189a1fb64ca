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

Z_95 = 1.959963984540054
"""The 97.5% quantile of the normal distribution."""
_FOLDS = 10
_SPREAD = 0.3
"""How far from 1 multiples are expected to be, before any unit is seen: the standard deviation."""
LEAST_UNITS = 2
"""Of a mean with an interval."""


@dataclasses.dataclass(frozen=True)
class Adjusted:
    """A mean score, adjusted for luck."""

    share: float | None
    """The adjusted mean, from about 0 to 1; None of no units."""
    interval_95: tuple[float | None, float | None]
    """By the normal distribution of the mean; without ends if there are fewer than two units."""
    plain: float | None
    """The mean without adjustment."""
    plain_interval_95: tuple[float | None, float | None]
    """In the same way."""
    games_saved: float | None
    """The variance of the scores over that of the adjusted ones: so many times the games would be needed for
    the same interval. None if either is not known, or 0."""

    def to_dict(self) -> dict[str, Any]:
        """For JSON."""
        return {name: list(each) if isinstance(each, tuple) else each for name, each in vars(self).items()}


def multiples(scores: np.ndarray, luck: np.ndarray) -> np.ndarray:
    """By how much of the luck of each source the scores go up with it: ``float64[S]``.

    Args:
        scores: ``float64[N]``.
        luck: ``float64[N, S]``.

    Least squares with a normal prior around 1, so that few units change it little.
    """
    rest = scores - luck.sum(axis=1)
    noise = min(scores.var(), rest.var()) if scores.size >= LEAST_UNITS else 0.0
    if not noise:
        return np.ones(luck.shape[1])
    centred = luck - luck.mean(axis=0)
    weighed = centred.T @ centred + np.eye(luck.shape[1]) * noise / _SPREAD**2
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
    found = adjusted_scores(scores, luck)
    saved = None
    if scores.size >= LEAST_UNITS and scores.var() and found.var():
        saved = float(scores.var() / found.var())
    return Adjusted(*_mean(found), *_mean(scores), saved)


def _mean(scores: np.ndarray) -> tuple[float | None, tuple[float | None, float | None]]:
    """The mean of units and its interval."""
    if not scores.size:
        return None, (None, None)
    mean = float(scores.mean())
    if scores.size < LEAST_UNITS:
        return mean, (None, None)
    spread = Z_95 * float(scores.std(ddof=1)) / math.sqrt(scores.size)
    return mean, (mean - spread, mean + spread)


class Following:
    """Scores that come one after the other, each adjusted by the multiples that those before it give."""

    def __init__(self) -> None:
        self._scores: list[float] = []
        self._luck: list[np.ndarray] = []
        self._adjusted: list[float] = []
        self._multiples: np.ndarray | None = None

    def add(self, score: float, luck: np.ndarray) -> None:
        """Takes the next score with its luck by source, ``float64[S]``."""
        if self._multiples is None:
            self._multiples = np.ones(luck.size)
        self._adjusted.append(score - float(luck @ self._multiples))
        self._scores.append(score)
        self._luck.append(luck)
        if (len(self._scores) & (len(self._scores) - 1)) == 0:  # at 1, 2, 4, ...: enough, and fast
            self._multiples = multiples(np.array(self._scores), np.array(self._luck))

    @property
    def moments(self) -> tuple[int, float, float]:
        """The number of scores, and the mean and the variance of the adjusted ones."""
        return len(self._adjusted), float(np.mean(self._adjusted)), float(np.var(self._adjusted))
