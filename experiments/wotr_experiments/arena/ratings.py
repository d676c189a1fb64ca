"""Ratings in Elo of every bot in each seat, or for each team, with bootstrap intervals.

The model is that of R. A. Bradley and M. E. Terry (Biometrika 39, 1952) with a term for the team, like the
home field in A. Agresti, Categorical Data Analysis, on paired comparisons: team 0, played by bot i, beats
team 1, played by bot j, with odds exp(advantage + teams[0][i] - teams[1][j]). If several bots play a team,
the strength of the team is the sum of the ratings of its bots in their seats (T.-K. Huang, C.-J. Lin and R.
Weng, "Ranking Individuals by Group Comparisons", 2008). With more than two teams, the winning chance of each
is proportional to the exponential of its strength (R. D. Luce, Individual Choice Behavior, 1959). The model
is a logistic regression, fitted by Newton's method. Joint winners share the win; in a draw, all teams share
it. The intervals are percentiles of a bootstrap (B. Efron and R. Tibshirani, An Introduction to the
Bootstrap, 1993, chapter 13). If all resamples are equal, for example after draws alone, percentiles would
show no uncertainty. Then the interval is that of the normal distribution with the curvature of the fit (D.
MacKay, Information Theory, Inference, and Learning Algorithms, 2003, chapter 27).

Two weak assumptions keep ratings finite if a bot has won all games, and determine separate ratings for the
teams of two bots that have only played each other: ratings have a normal prior with a deviation of
``PRIOR_ELO``, and there is one additional round of draws.
"""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Mapping, Sequence

import numpy as np

ELO = 400 / math.log(10)
"""Elo points that correspond to odds of e to 1."""
PRIOR_ELO = 1_000.0
BOOTSTRAPS = 1_000
_MOST_WEIGHTS = 2**20
"""Maximal number of resampling weights in memory."""
_PERCENTILES = (2.5, 97.5)
_NEWTON_STEPS = 30
_ENOUGH = 1e-9
"""A Newton step smaller than this, in nats, ends the fit."""
_ALIKE = 1e-3
"""Elo range below which resamples are considered equal."""
_LARGEST_STEP = 2.0
"""Maximal Newton step in nats; longer steps overshoot if a bot won nearly all games."""


@dataclasses.dataclass(frozen=True)
class Estimate:
    """A number with its 95% interval, in Elo."""

    value: float
    low: float
    high: float


@dataclasses.dataclass(frozen=True)
class Ratings:
    """Ratings of n bots, in the order of the tournament; the mean over the bots is 0 in each seat."""

    seats: list[list[Estimate]]
    """Ratings of the bots in each seat; a team whose seats are all played by one bot counts as one seat."""
    teams: list[list[Estimate]]
    """Ratings of the bots in each team: sums over the seats."""
    both: list[Estimate]
    """The mean of a bot's ratings for the teams."""
    advantages: list[Estimate]
    """Advantages between bots of rating 0: of team 0 over team 1 if there are two teams; otherwise of each
    team over the mean."""


def rate(
    bots: int, pairs: Mapping[tuple[int, int], np.ndarray], seed: int = 0, resamples: int = BOOTSTRAPS
) -> Ratings:
    """Fits the ratings and resamples whole rounds for the intervals: the pairs of games with the same index
    in all pairings. They share their seed, and their position if there is one, so they are not independent.

    Args:
        bots: n, the number of bots.
        pairs: for each pairing ``(i, j)``, ``float64[P, 2]``: the scores of team 0 (0, 0.5 or 1) in P pairs
            of games; P is the same for all pairings. In the first game of a pair, bot i plays team 0 against
            j, in the second, j against i. NaN marks a game that was not played.
        seed: seed of the resampling.
        resamples: number of resamples; with 0 the intervals are empty.
    """
    pairings = sorted(pairs)
    tables = np.array([table for i, j in pairings for table in ((i, j), (j, i))])
    scores = np.hstack([pairs[pairing] for pairing in pairings])
    scores = np.vstack([scores[~np.isnan(scores).all(axis=1)], np.full(len(tables), 0.5)])
    played = ~np.isnan(scores)
    generator = np.random.default_rng(seed)
    sums = _resampled(np.hstack([np.where(played, scores, 0.0), played]), generator, resamples)
    wins, games = sums[:, : len(tables)], sums[:, len(tables) :]
    return _ratings(bots, (0, 1), tables, wins[:, :, None], games, generator)


def rate_seats(
    bots: int,
    teams: Sequence[int],
    seated: np.ndarray,
    scores: np.ndarray,
    seed: int = 0,
    resamples: int = BOOTSTRAPS,
) -> Ratings:
    """Fits a rating of every bot in every seat, and resamples whole rounds for the intervals.

    Args:
        bots: n, the number of bots.
        teams: the team of each of the S seats.
        seated: ``int64[N, G, S]``: the bots by seat in N rounds of G games each.
        scores: ``float64[N, G, T]``: the score of each team in each game; scores of a game sum to 1.
        seed: seed of the resampling.
        resamples: number of resamples; with 0 the intervals are empty.
    """
    seated = np.concatenate([seated, seated[:1]])
    scores = np.concatenate([scores, np.full((1, *scores.shape[1:]), 1 / scores.shape[2])])[:, :, :-1]
    tables, kinds = np.unique(seated.reshape(-1, len(teams)), axis=0, return_inverse=True)
    rounds = np.repeat(np.arange(len(scores)), scores.shape[1])
    won = np.zeros((len(scores), len(tables), scores.shape[2]))
    played = np.zeros(won.shape[:2])
    np.add.at(won, (rounds, kinds.reshape(-1)), scores.reshape(-1, scores.shape[2]))
    np.add.at(played, (rounds, kinds.reshape(-1)), 1.0)
    values = np.hstack([won.reshape(len(won), -1), played])
    generator = np.random.default_rng(seed)
    sums = _resampled(values, generator, resamples)
    wins, games = sums[:, : -len(tables)], sums[:, -len(tables) :]
    return _ratings(bots, teams, tables, wins.reshape(len(sums), *won.shape[1:]), games, generator)


def _ratings(
    bots: int,
    teams: Sequence[int],
    tables: np.ndarray,
    wins: np.ndarray,
    games: np.ndarray,
    generator: np.random.Generator,
) -> Ratings:
    """The ratings from R samples; the arguments are those of ``_fit``."""
    fitted, curvature = _fit(bots, teams, tables, wins, games)
    resampled = _parts(bots, teams, fitted * ELO)
    if len(fitted) == 1:
        normal = resampled
    else:
        spread = generator.multivariate_normal(fitted[0], np.linalg.inv(curvature), len(fitted))
        spread[0] = fitted[0]
        normal = _parts(bots, teams, spread * ELO)
    estimates = [_estimates(*each) for each in zip(resampled, normal, strict=True)]
    return Ratings(
        seats=estimates[2 : 2 + len(teams)],
        teams=estimates[2 + len(teams) :],
        both=estimates[0],
        advantages=estimates[1],
    )


def _parts(bots: int, teams: Sequence[int], fitted: np.ndarray) -> list[np.ndarray]:
    """Converts fitted parameters to ``both`` and ``advantages`` of ``Ratings``, then ``seats``, then
    ``teams``, in Elo.

    Args:
        bots: n, the number of bots.
        teams: the team of each of the S seats.
        fitted: ``float64[R, T - 1 + Sn]``, the result of ``_fit``.

    Returns:
        ``float64[R, n]`` each; for the advantages ``float64[R, A]``.
    """
    others = max(teams)
    seats = fitted[:, others:].reshape(len(fitted), len(teams), bots)
    means = seats.mean(axis=2)
    seats -= means[:, :, None]
    of_team = [[seat for seat, each in enumerate(teams) if each == team] for team in range(others + 1)]
    by_team = [seats[:, own].sum(axis=1) for own in of_team]
    strengths = np.stack([means[:, own].sum(axis=1) for own in of_team], axis=1)
    strengths[:, :others] += fitted[:, :others]
    advantages = strengths[:, :1] - strengths[:, 1:]
    if others > 1:
        advantages = strengths - strengths.mean(axis=1, keepdims=True)
    return [np.mean(by_team, axis=0), advantages, *(seats[:, seat] for seat in range(len(teams))), *by_team]


def _resampled(values: np.ndarray, generator: np.random.Generator, resamples: int) -> np.ndarray:
    """Weighted sums over pairs or rounds, with the counts of each resample as weights.

    Args:
        values: ``float64[P, C]``: the values of P pairs or rounds.
        generator: source of randomness.
        resamples: number of resamples.

    Returns:
        ``float64[1 + resamples, C]``; the first row is the sum with each pair or round once.
    """
    pairs = len(values)
    share = np.full(pairs, 1 / pairs)
    at_once = max(1, _MOST_WEIGHTS // pairs)
    sums = [values.sum(axis=0, keepdims=True)]
    for begun in range(0, resamples, at_once):
        taken = generator.multinomial(pairs, share, size=min(at_once, resamples - begun))
        sums.append(taken @ values)
    return np.vstack(sums)


def _fit(
    bots: int, teams: Sequence[int], tables: np.ndarray, wins: np.ndarray, games: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """Fits the most probable ratings for R samples at once, in nats.

    Args:
        bots: n, the number of bots.
        teams: the team of each of the S seats.
        tables: ``int64[K, S]``: the bots by seat in K kinds of games.
        wins: ``float64[R, K, T - 1]``: the wins of all teams except the last one.
        games: ``float64[R, K]``: the numbers of games.

    Returns:
        ``float64[R, T - 1 + Sn]``: the advantage of each team over the last one (without the last team), then
        the rating of each bot in each seat; and the curvature of the first sample at its maximum,
        ``float64[T - 1 + Sn, T - 1 + Sn]``.
    """
    kinds, others = np.arange(len(tables)), max(teams)
    # How much stronger each team is than the last one, as a sum of ratings.
    design = np.zeros((len(kinds), others, others + len(teams) * bots))
    for seat, team in enumerate(teams):
        own, of_bot = range(others) if team == others else [team], others + seat * bots + tables[:, seat]
        for each in own:
            design[kinds, each, of_bot] = -1 if team == others else 1
    for team in range(others):
        design[:, team, team] = 1
    precision = np.full(design.shape[2], (ELO / PRIOR_ELO) ** 2)
    ratings = np.zeros((len(wins), design.shape[2]))
    curvature = np.diag(precision)[None]
    for _ in range(_NEWTON_STEPS):
        stronger = np.einsum("rp,ktp->rkt", ratings, design, optimize=True)
        best = np.maximum(0.0, stronger.max(axis=2, keepdims=True))
        odds = np.exp(stronger - best)
        expected = odds / (np.exp(-best) + odds.sum(axis=2, keepdims=True))
        missing = wins - games[:, :, None] * expected
        slope = np.einsum("rkt,ktp->rp", missing, design, optimize=True) - precision * ratings
        spread = -expected[:, :, :, None] * expected[:, :, None, :]
        spread[:, :, range(others), range(others)] += expected
        curvature = np.einsum(
            "rkst,ksi,ktj->rij", games[:, :, None, None] * spread, design, design, optimize=True
        )
        curvature += np.diag(precision)
        step = np.linalg.solve(curvature, slope[:, :, None])[:, :, 0]
        largest = np.abs(step).max(axis=1, keepdims=True)
        ratings += step * np.minimum(1, _LARGEST_STEP / np.maximum(largest, _ENOUGH))
        if largest.max() < _ENOUGH:
            break
    return ratings, curvature[0]


def _estimates(resampled: np.ndarray, normal: np.ndarray) -> list[Estimate]:
    """The estimate for each column, from resamples; if these are equal, from the normal distribution."""
    return [_estimate(*each) for each in zip(resampled.T, normal.T, strict=True)]


def _estimate(resampled: np.ndarray, normal: np.ndarray) -> Estimate:
    value = float(resampled[0])
    if len(resampled) == 1:
        return Estimate(value, value, value)
    samples = normal if np.ptp(resampled) < _ALIKE else resampled
    low, high = np.percentile(samples[1:], _PERCENTILES)
    return Estimate(value, min(value, float(low)), max(value, float(high)))
