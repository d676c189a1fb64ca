"""Results adjusted for luck: the same expected mean with a smaller variance.

A unit is a game, or a pair of games with exchanged sides. From the score of each unit, a multiple of its luck
is subtracted, by source. The mean of luck is 0, so the expected score stays the same for any multiples that
do not depend on the unit itself. The multiples of a unit are therefore estimated from the other units
(cross-fitting).
"""

from __future__ import annotations

import dataclasses
import math
from typing import Any

import numpy as np

from wotr_experiments.arena.statistics import student_t

_FOLDS = 10
_SPREAD = 0.3
"""The prior standard deviation of the multiples around their prior mean 1."""
LEAST_UNITS = 2
"""Minimal number of units for an interval."""


@dataclasses.dataclass(frozen=True)
class Adjusted:
    """A mean score, adjusted for luck."""

    share: float | None
    """The adjusted mean, from about 0 to 1; None without units."""
    interval_95: tuple[float | None, float | None]
    """The normal 95% interval of the mean; its ends are None with fewer than two units."""
    plain: float | None
    """The mean without adjustment."""
    plain_interval_95: tuple[float | None, float | None]
    """The 95% interval of ``plain``, computed in the same way."""
    games_saved: float | None
    """The variance of the scores divided by the variance of the adjusted scores. Without adjustment, an
    equally wide interval would need this many times as many games. None if either is unknown or 0."""

    def to_dict(self) -> dict[str, Any]:
        """The fields for JSON."""
        return {name: list(each) if isinstance(each, tuple) else each for name, each in vars(self).items()}


def multiples(scores: np.ndarray, luck: np.ndarray) -> np.ndarray:
    """The regression coefficients of scores on the luck of each source: ``float64[S]``.

    The coefficients are fitted by least squares with a normal prior around 1, so with few units they stay
    close to 1.

    Args:
        scores: ``float64[N]``.
        luck: ``float64[N, S]``.
    """
    rest = scores - luck.sum(axis=1)
    noise = min(scores.var(), rest.var()) if scores.size >= LEAST_UNITS else 0.0
    if not noise:
        return np.ones(luck.shape[1])
    centred = luck - luck.mean(axis=0)
    weighed = centred.T @ centred + np.eye(luck.shape[1]) * noise / _SPREAD**2
    return 1.0 + np.linalg.solve(weighed, centred.T @ (rest - rest.mean()))


def adjusted_scores(scores: np.ndarray, luck: np.ndarray) -> np.ndarray:
    """Adjusts the scores of units (games or pairs of games) for luck: from each score, a multiple of the luck
    of its unit is subtracted. The multiples are fitted to other units.

    Args:
        scores: ``float64[N]``: the scores of independent units.
        luck: ``float64[N, S]``: the luck of each unit by source.

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
    """Returns the means of the adjusted and of the plain scores, their 95% intervals, and the variance ratio.

    The arguments are those of ``adjusted_scores``.
    """
    found = adjusted_scores(scores, luck)
    saved = None
    if scores.size >= LEAST_UNITS and scores.var() and found.var():
        saved = float(scores.var() / found.var())
    return Adjusted(*_mean(found), *_mean(scores), saved)


def _mean(scores: np.ndarray) -> tuple[float | None, tuple[float | None, float | None]]:
    """The mean of scores and its interval."""
    if not scores.size:
        return None, (None, None)
    mean = float(scores.mean())
    if scores.size < LEAST_UNITS:
        return mean, (None, None)
    spread = student_t(scores.size - 1) * float(scores.std(ddof=1)) / math.sqrt(scores.size)
    return mean, (mean - spread, mean + spread)


class SequentialAdjustment:
    """Sequential adjustment: each score is adjusted with multiples from earlier scores."""

    def __init__(self) -> None:
        self._scores: list[float] = []
        self._luck: list[np.ndarray] = []
        self._mean = self._squares = 0.0  # of the adjusted scores: the mean, the squared distances from it
        self._multiples: np.ndarray | None = None

    def add(self, score: float, luck: np.ndarray) -> None:
        """Adds the next score with its luck by source, ``float64[S]``."""
        if self._multiples is None:
            self._multiples = np.ones(luck.size)
        self._scores.append(score)
        self._luck.append(luck)
        adjusted = score - float(luck @ self._multiples)
        distance = adjusted - self._mean
        self._mean += distance / len(self._scores)
        self._squares += distance * (adjusted - self._mean)  # the method of Welford (1962)
        if (len(self._scores) & (len(self._scores) - 1)) == 0:  # at 1, 2, 4, ...: enough, and fast
            self._multiples = multiples(np.array(self._scores), np.array(self._luck))

    @property
    def moments(self) -> tuple[int, float, float]:
        """The number of scores, and the mean and the variance of the adjusted scores."""
        return len(self._scores), self._mean, self._squares / max(1, len(self._scores))
