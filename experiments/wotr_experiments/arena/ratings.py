"""Ratings in Elo of every bot in each seat, or for each team, with bootstrap intervals.

The model of R. A. Bradley and M. E. Terry (Biometrika 39, 1952) with a term for the team, as with the home
field in A. Agresti, Categorical Data Analysis, on paired comparisons: team 0, played by bot i, beats team 1,
played by bot j, with odds exp(advantage + teams[0][i] - teams[1][j]). Where the bots of a team differ, it is
as strong as the sum over its seats of the bot there (T.-K. Huang, C.-J. Lin and R. Weng, "Ranking Individuals
by Group Comparisons", 2008). It is a logistic regression, fitted by Newton's method; a draw is half a win for
each. B. Efron and R. Tibshirani, An Introduction to the Bootstrap, 1993, chapter 13, is the source of the
intervals (percentiles).

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
"""Elo points of odds of e to one."""
PRIOR_ELO = 1_000.0
BOOTSTRAPS = 1_000
_MOST_WEIGHTS = 2**20
"""Of resamples that are in memory at once."""
_PERCENTILES = (2.5, 97.5)
_NEWTON_STEPS = 30
_ENOUGH = 1e-9
"""A Newton step smaller than this, in nats, ends the fit."""
_LARGEST_STEP = 2.0
"""Of a Newton step, in nats: a longer one would overshoot where a bot won nearly all games."""


@dataclasses.dataclass(frozen=True)
class Estimate:
    """A number with its 95% interval, in Elo."""

    value: float
    low: float
    high: float


@dataclasses.dataclass(frozen=True)
class Ratings:
    """Of n bots, in the order of the tournament; the mean over the bots is 0 in each seat."""

    seats: list[list[Estimate]]
    """Of the bots in each seat; a team whose seats one bot plays is one seat here."""
    teams: tuple[list[Estimate], list[Estimate]]
    """Of the bots in all seats of team 0, and of team 1: sums over the seats."""
    both: list[Estimate]
    """The mean of a bot's two ratings."""
    advantage: Estimate
    """Of team 0 over team 1 between bots of rating 0."""


def rate(bots: int, pairs: Mapping[tuple[int, int], np.ndarray], seed: int = 0) -> Ratings:
    """Fits the ratings and resamples whole pairs, within each pairing, for the intervals.

    Args:
        bots: n.
        pairs: for each pairing ``(i, j)`` an array ``float64[P, 2]`` of scores of team 0, 0, 0.5 or 1: in the
            first game of each pair i plays it against j, in the second j against i. NaN marks a game that
            was not played.
        seed: of the resampling.
    """
    pairings = sorted(pairs)
    with_draws = [np.vstack([pairs[pairing], [0.5, 0.5]]) for pairing in pairings]
    generator = np.random.default_rng(seed)
    tables, wins, games = [], [], []
    for (first, second), scores in zip(pairings, with_draws, strict=True):
        played = ~np.isnan(scores)
        won = np.where(played, scores, 0.0)
        sums = _resampled(np.hstack([won, played.astype(np.float64)]), generator)
        tables += [(first, second), (second, first)]
        wins.append(sums[:, :2])
        games.append(sums[:, 2:])
    return _ratings(bots, (0, 1), np.array(tables), np.hstack(wins), np.hstack(games))


def rate_seats(
    bots: int, teams: Sequence[int], seated: np.ndarray, scores: np.ndarray, seed: int = 0
) -> Ratings:
    """Fits a rating of every bot in every seat, and resamples whole rounds for the intervals.

    Args:
        bots: n.
        teams: of the S seats.
        seated: ``int64[N, G, S]``: the bots of the games of N rounds, of G games each.
        scores: ``float64[N, G]``, of team 0: 0, 0.5 or 1.
        seed: of the resampling.
    """
    seated = np.concatenate([seated, seated[:1]])
    scores = np.vstack([scores, np.full((1, scores.shape[1]), 0.5)])
    tables, kinds = np.unique(seated.reshape(-1, len(teams)), axis=0, return_inverse=True)
    rounds = np.repeat(np.arange(len(scores)), scores.shape[1])
    won = np.zeros((len(scores), len(tables)))
    played = np.zeros(won.shape)
    np.add.at(won, (rounds, kinds.reshape(-1)), scores.reshape(-1))
    np.add.at(played, (rounds, kinds.reshape(-1)), 1.0)
    sums = _resampled(np.hstack([won, played]), np.random.default_rng(seed))
    return _ratings(bots, teams, tables, sums[:, : len(tables)], sums[:, len(tables) :])


def _ratings(
    bots: int, teams: Sequence[int], tables: np.ndarray, wins: np.ndarray, games: np.ndarray
) -> Ratings:
    """The ratings from R samples; arguments as for ``_fit``."""
    fitted = _fit(bots, teams, tables, wins, games) * ELO
    seats = fitted[:, 1:].reshape(len(fitted), len(teams), bots)
    means = seats.mean(axis=2)
    seats -= means[:, :, None]
    of_team = [[seat for seat, each in enumerate(teams) if each == team] for team in (0, 1)]
    first, second = (seats[:, own].sum(axis=1) for own in of_team)
    advantage = fitted[:, 0] + means[:, of_team[0]].sum(axis=1) - means[:, of_team[1]].sum(axis=1)
    return Ratings(
        seats=[_estimates(seats[:, seat]) for seat in range(len(teams))],
        teams=(_estimates(first), _estimates(second)),
        both=_estimates((first + second) / 2),
        advantage=_estimate(advantage),
    )


def _resampled(values: np.ndarray, generator: np.random.Generator) -> np.ndarray:
    """Sums over pairs or rounds, each taken as often as it comes in a resample.

    Args:
        values: ``float64[P, C]``, of P pairs or rounds.
        generator: of the resampling.

    Returns:
        ``float64[1 + BOOTSTRAPS, C]``, first with each taken once.
    """
    pairs = len(values)
    share = np.full(pairs, 1 / pairs)
    at_once = max(1, _MOST_WEIGHTS // pairs)
    sums = [values.sum(axis=0, keepdims=True)]
    for begun in range(0, BOOTSTRAPS, at_once):
        taken = generator.multinomial(pairs, share, size=min(at_once, BOOTSTRAPS - begun))
        sums.append(taken @ values)
    return np.vstack(sums)


def _fit(
    bots: int, teams: Sequence[int], tables: np.ndarray, wins: np.ndarray, games: np.ndarray
) -> np.ndarray:
    """The most probable ratings in nats, of R samples at once.

    Args:
        bots: n.
        teams: of the S seats.
        tables: ``int64[K, S]``, places of the bots by seat in K kinds of games.
        wins: ``float64[R, K]``, of team 0; draws count half.
        games: ``float64[R, K]``.

    Returns:
        ``float64[R, 1 + Sn]``: the advantage, then each bot in each seat.
    """
    kinds = np.arange(len(tables))
    design = np.zeros((len(kinds), 1 + len(teams) * bots))
    design[:, 0] = 1
    for seat, team in enumerate(teams):
        design[kinds, 1 + seat * bots + tables[:, seat]] = -1 if team else 1
    precision = np.full(design.shape[1], (ELO / PRIOR_ELO) ** 2)
    ratings = np.zeros((len(wins), design.shape[1]))
    for _ in range(_NEWTON_STEPS):
        expected = 1 / (1 + np.exp(-ratings @ design.T))
        slope = (wins - games * expected) @ design - precision * ratings
        curvature = np.einsum(
            "rk,ki,kj->rij", games * expected * (1 - expected), design, design, optimize=True
        )
        curvature += np.diag(precision)
        step = np.linalg.solve(curvature, slope[:, :, None])[:, :, 0]
        largest = np.abs(step).max(axis=1, keepdims=True)
        ratings += step * np.minimum(1, _LARGEST_STEP / np.maximum(largest, _ENOUGH))
        if largest.max() < _ENOUGH:
            break
    return ratings


def _estimates(samples: np.ndarray) -> list[Estimate]:
    """Of each column."""
    return [_estimate(column) for column in samples.T]


def _estimate(samples: np.ndarray) -> Estimate:
    low, high = np.percentile(samples[1:], _PERCENTILES)
    value = float(samples[0])
    return Estimate(value, min(value, float(low)), max(value, float(high)))
