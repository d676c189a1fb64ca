"""A sequential test of whether one bot is stronger than another, on pairs of games with exchanged sides.

The test is A. Wald's sequential probability ratio test (Annals of Mathematical Statistics 16, 1945),
generalised to hypotheses with unknown parameters by X. Li, J. Liu and Z. Ying (Sequential Analysis 33, 2014).
It is applied to the five possible scores of a pair as in fishtest, the testing framework of Stockfish: M. Van
den Bergh, "MLE for the multinomial distribution", hardy.uhasselt.be/Fishtest/support_MLE_multinomial.pdf. The
code was written from the formulas of these papers.

The games of a pair share their seed and exchange sides. So their scores are not independent, and the
advantage of the better side cancels out. Therefore a pair is one observation. A hypothesis specifies only the
mean score of a pair. It stands for the distribution over the five scores that fits the observations best
among all distributions with this mean.
"""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Sequence
from numbers import Real

from wotr_experiments.arena.statistics import Z_95
from wotr_experiments.errors import CommandError

SCORES = (0.0, 0.25, 0.5, 0.75, 1.0)
"""The possible scores of a pair, per game: both lost, ..., both won."""
MOST_ELO = 1000.0
"""Largest absolute Elo of a hypothesis. Far beyond it, an expected score is indistinguishable from 0 or 1; at
it, the distributions of ``_best_distribution`` sum to 1 within 1e-4 for a million pairs."""
LEAST_ERROR = 1e-12
"""Smallest alpha and beta; for smaller values the bounds are useless, and finally infinite."""
_FIRST_PAIRS = 8
_MOST_VARIANCE = 0.25
_ALMOST_NONE = 1e-3
"""Pseudocount of a score that has not occurred, as in fishtest, so that no score is impossible."""
_NORMALISED = 800 / math.log(10)
"""Normalised Elo of a mean score that is one standard deviation of a game above one half."""
_BISECTIONS = 60


@dataclasses.dataclass(frozen=True)
class Sprt:
    """A test of "A is stronger by ``elo1``" against "A is stronger by at most ``elo0``", in logistic Elo.

    Both numbers are from ``-MOST_ELO`` to ``MOST_ELO``.

    Raises:
        CommandError: a number is out of range.
    """

    elo0: float = 0.0
    elo1: float = 10.0
    alpha: float = 0.05
    """The probability that the test passes a bot that is stronger by ``elo0``."""
    beta: float = 0.05
    """The probability that the test fails a bot that is stronger by ``elo1``."""

    def __post_init__(self) -> None:
        for name, value in dataclasses.asdict(self).items():
            if not _is_finite(value):
                raise CommandError(f"{name} must be a finite number, not {value}")
        for name, elo in (("elo0", self.elo0), ("elo1", self.elo1)):
            if abs(elo) > MOST_ELO:
                raise CommandError(f"{name} must be from -{MOST_ELO:g} to {MOST_ELO:g}, not {elo:g}")
        if self.elo0 >= self.elo1:
            raise CommandError(f"elo0 must be less than elo1, not {self.elo0:g} and {self.elo1:g}")
        if not (0 < self.alpha < 0.5 and 0 < self.beta < 0.5):
            raise CommandError(
                f"alpha and beta must be between 0 and 0.5, not {self.alpha:g} and {self.beta:g}"
            )
        if min(self.alpha, self.beta) < LEAST_ERROR:
            raise CommandError(
                f"alpha and beta must be at least {LEAST_ERROR:g}, not {self.alpha:g} and {self.beta:g}"
            )

    @property
    def bounds(self) -> tuple[float, float]:
        """The bounds of the log-likelihood ratio: at or below the first A fails, at or above the second A
        passes."""
        return math.log(self.beta / (1 - self.alpha)), math.log((1 - self.beta) / self.alpha)

    def log_likelihood_ratio(self, counts: Sequence[float]) -> float:
        """The log-likelihood ratio of ``elo1`` to ``elo0`` for the pairs.

        Args:
            counts: number of pairs with each of the ``SCORES``.
        """
        if not sum(counts):
            return 0.0
        seen = [count or _ALMOST_NONE for count in counts]
        low, high = (_best_distribution(seen, expected_score(elo)) for elo in (self.elo0, self.elo1))
        return sum(count * math.log(b / a) for count, a, b in zip(seen, low, high, strict=True))

    def ratio_of_scores(self, pairs: int, mean: float, variance: float) -> float:
        """The log-likelihood ratio for scores that may be any numbers, such as scores adjusted for luck.

        Under each hypothesis, the scores are normally distributed around the mean of the hypothesis, with the
        variance of the scores around this mean (Van den Bergh, "GSPRT approximation"). The variance of a few
        pairs is unreliable, so ``_FIRST_PAIRS`` additional pairs with the largest spread are included.

        Args:
            pairs: number of pairs.
            mean: mean score per game.
            variance: variance of the scores.
        """
        if not pairs:
            return 0.0
        spread = (pairs * variance + _FIRST_PAIRS * _MOST_VARIANCE) / (pairs + _FIRST_PAIRS)
        low, high = (spread + (mean - expected_score(elo)) ** 2 for elo in (self.elo0, self.elo1))
        return 0.5 * pairs * math.log(low / high)

    def decide(self, ratio: float) -> bool | None:
        """Whether A passes at this log-likelihood ratio; None if more pairs are needed."""
        low, high = self.bounds
        return True if ratio >= high else False if ratio <= low else None


def _is_finite(value: object) -> bool:
    """Whether a value is a finite number for float arithmetic."""
    try:
        return isinstance(value, Real) and math.isfinite(value)
    except OverflowError:  # an integer beyond all floats
        return False


def expected_score(elo: float) -> float:
    """The expected score per game (0 to 1) of a player that is stronger by a number of Elo points."""
    return 1 / (1 + 10 ** (-elo / 400))


def elo_of(score: float) -> float:
    """The inverse of ``expected_score``; infinite at 0 and 1."""
    if score <= 0 or score >= 1:
        return math.copysign(math.inf, score - 0.5)
    return 0.0 if score == 0.5 else -400 * math.log10(1 / score - 1)


def elo_interval(counts: Sequence[float]) -> tuple[float, float, float]:
    """The Elo difference estimated from the pairs, and its 95% interval by the normal distribution of the
    mean.

    For the interval, half a pair with two losses and half a pair with two wins are added, so that the
    interval of a few equal pairs is not a single point. The stopping rule, which slightly favours extreme
    results, is ignored.
    """
    if not sum(counts):
        return 0.0, -math.inf, math.inf
    mean, _ = _mean_and_variance(counts)
    centre, variance = _mean_and_variance([counts[0] + 0.5, *counts[1:-1], counts[-1] + 0.5])
    spread = Z_95 * math.sqrt(variance / (sum(counts) + 1))
    low, high = min(mean, centre - spread), max(mean, centre + spread)
    return elo_of(mean), elo_of(low), elo_of(high)


def normalised_elo(counts: Sequence[float]) -> tuple[float, float, float]:
    """The normalised Elo difference estimated from the pairs, and its 95% interval.

    The normalised difference is the mean score divided by the standard deviation of a game, in units of Elo.
    So the same number of games detects the same normalised difference, regardless of how many games are drawn
    or decided by chance (M. Van den Bergh, "Normalized Elo",
    hardy.uhasselt.be/Fishtest/normalized_elo_practical.pdf). The deviation of a game is the deviation of a
    pair's mean times the square root of 2. As in ``elo_interval``, half a pair with two losses and half a
    pair with two wins are added.
    """
    if not sum(counts):
        return 0.0, -math.inf, math.inf
    mean, _ = _mean_and_variance(counts)
    centre, variance = _mean_and_variance([counts[0] + 0.5, *counts[1:-1], counts[-1] + 0.5])
    unit = _NORMALISED / math.sqrt(2 * variance)
    spread = Z_95 * math.sqrt(variance / (sum(counts) + 1))
    low, high = min(mean, centre - spread), max(mean, centre + spread)
    return unit * (mean - 0.5), unit * (low - 0.5), unit * (high - 0.5)


def _mean_and_variance(counts: Sequence[float]) -> tuple[float, float]:
    pairs = sum(counts)
    mean = sum(count * score for count, score in zip(counts, SCORES, strict=True)) / pairs
    squares = sum(count * (score - mean) ** 2 for count, score in zip(counts, SCORES, strict=True))
    return mean, squares / pairs


def _best_distribution(counts: Sequence[float], mean: float) -> list[float]:
    """The distribution over ``SCORES`` with this mean that maximises the likelihood of the counts (all > 0).

    By the method of Lagrange multipliers, its probabilities are share / (1 + x (score - mean)). Here x is the
    only root of the sum of (score - mean) share / (1 + x (score - mean)). This sum decreases monotonically
    between the two values of x at which a probability would be infinite.
    """
    total = sum(counts)
    shares = [count / total for count in counts]
    distances = [score - mean for score in SCORES]
    low, high = -1 / distances[-1], -1 / distances[0]
    for _ in range(_BISECTIONS):
        middle = (low + high) / 2
        if sum(share * d / (1 + middle * d) for share, d in zip(shares, distances, strict=True)) > 0:
            low = middle
        else:
            high = middle
    x = (low + high) / 2
    return [share / (1 + x * d) for share, d in zip(shares, distances, strict=True)]
