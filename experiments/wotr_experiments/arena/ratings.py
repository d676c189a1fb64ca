"""Ratings in Elo of every bot in each seat, or for each team, with bootstrap intervals.

The model of R. A. Bradley and M. E. Terry (Biometrika 39, 1952) with a term for the team, as with the home
field in A. Agresti, Categorical Data Analysis, on paired comparisons: team 0, played by bot i, beats team 1,
played by bot j, with odds exp(advantage + teams[0][i] - teams[1][j]). Where the bots of a team differ, it is
as strong as the sum over its seats of the bot there (T.-K. Huang, C.-J. Lin and R. Weng, "Ranking Individuals
by Group Comparisons", 2008). Of more teams each wins in proportion to the exponential of its strength (R. D.
Luce, Individual Choice Behavior, 1959). It is a logistic regression, fitted by Newton's method; who win a
game together share the win, and all do of a draw. B. Efron and R. Tibshirani, An Introduction to the
Bootstrap, 1993, chapter 13, is the source of the intervals (percentiles). Where all resamples are alike, as
after draws alone, they would claim certainty; then the interval is of the normal distribution with the
curvature of the fit (D. MacKay, Information Theory, Inference, and Learning Algorithms, 2003, chapter 27).

Two weak assumptions keep ratings finite where a bot has won all games, and tell the teams of two bots apart
that have only met each other: ratings are normal with a deviation of ``PRIOR_ELO``, and each pairing has one
more round, of draws.
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
    """Fits the ratings and resamples whole pairs, within each pairing, for the intervals.

    Args:
        bots: n.
        pairs: for each pairing ``(i, j)`` an array ``float64[P, 2]`` of scores of team 0, 0, 0.5 or 1: in the
            first game of each pair i plays it against j, in the second j against i. NaN marks a game that
            was not played.
        seed: seed of the resampling.
        resamples: number of resamples; with 0 the intervals are empty.
    """
    pairings = sorted(pairs)
    with_draws = [np.vstack([pairs[pairing], [0.5, 0.5]]) for pairing in pairings]
    generator = np.random.default_rng(seed)
    tables, wins, games = [], [], []
    for (first, second), scores in zip(pairings, with_draws, strict=True):
        played = ~np.isnan(scores)
        won = np.where(played, scores, 0.0)
        sums = _resampled(np.hstack([won, played.astype(np.float64)]), generator, resamples)
        tables += [(first, second), (second, first)]
        wins.append(sums[:, :2])
        games.append(sums[:, 2:])
    return _ratings(bots, (0, 1), np.array(tables), np.hstack(wins)[:, :, None], np.hstack(games), generator)


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
        bots: n.
        teams: of the S seats.
        seated: ``int64[N, G, S]``: the bots of the games of N rounds, of G games each.
        scores: ``float64[N, G, T]``: the part of each game that each team has won.
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
    """The ratings from R samples; arguments as for ``_fit``."""
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
    """``both`` and ``advantages`` of ``Ratings``, then the ``seats``, then the ``teams``, in Elo.

    Args:
        bots: n.
        teams: of the S seats.
        fitted: ``float64[R, T - 1 + Sn]``, as ``_fit`` gives them.

    Returns:
        ``float64[R, n]`` each, of the advantages ``float64[R, A]``.
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
        values: ``float64[P, C]``, of P pairs or rounds.
        generator: of the resampling.
        resamples: their number.

    Returns:
        ``float64[1 + resamples, C]``, first with each taken once.
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
    """The most probable ratings in nats, of R samples at once.

    Args:
        bots: n.
        teams: of the S seats.
        tables: ``int64[K, S]``, places of the bots by seat in K kinds of games.
        wins: ``float64[R, K, T - 1]``: of all teams but the last, which has the rest of the games.
        games: ``float64[R, K]``.

    Returns:
        ``float64[R, T - 1 + Sn]``: by how much each team but the last has it better than that one, then each
        bot in each seat; and the curvature of the first sample there, ``float64[T - 1 + Sn, T - 1 + Sn]``.
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
    """Of each column, from resamples, or from the normal distribution where these are alike."""
    return [_estimate(*each) for each in zip(resampled.T, normal.T, strict=True)]


def _estimate(resampled: np.ndarray, normal: np.ndarray) -> Estimate:
    value = float(resampled[0])
    if len(resampled) == 1:
        return Estimate(value, value, value)
    samples = normal if np.ptp(resampled) < _ALIKE else resampled
    low, high = np.percentile(samples[1:], _PERCENTILES)
    return Estimate(value, min(value, float(low)), max(value, float(high)))
