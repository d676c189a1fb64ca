"""Ratings in Elo of every bot for each team, with bootstrap intervals.

The model of R. A. Bradley and M. E. Terry (Biometrika 39, 1952) with a term for the team, as with the home
field in A. Agresti, Categorical Data Analysis, on paired comparisons: team 0, played by bot i, beats team 1,
played by bot j, with odds exp(advantage + teams[0][i] - teams[1][j]). It is a logistic regression, fitted
by Newton's method; a draw is half a win for each. B. Efron and R. Tibshirani, An Introduction to the
Bootstrap, 1993, chapter 13, is the source of the intervals (percentiles).

Two weak assumptions keep ratings finite where a bot has won all games, and tell the teams of two bots apart
that have only met each other: ratings are normal with a deviation of ``PRIOR_ELO``, and each pairing has one
more pair, of two draws.
"""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Mapping

import numpy as np

ELO = 400 / math.log(10)
"""Elo points of odds of e to one."""
PRIOR_ELO = 1_000.0
BOOTSTRAPS = 1_000
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
    """Of n bots, in the order of the tournament; the mean over the bots is 0 for each team."""

    teams: tuple[list[Estimate], list[Estimate]]
    """Of the bots as team 0 and as team 1."""
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
    weights = [_resamples(len(scores), generator) for scores in with_draws]
    first_team, second_team, wins, games = [], [], [], []
    for (first, second), scores, weight in zip(pairings, with_draws, weights, strict=True):
        for column, players in enumerate(((first, second), (second, first))):
            played = ~np.isnan(scores[:, column])
            first_team.append(players[0])
            second_team.append(players[1])
            games.append(weight @ played.astype(np.float64))
            wins.append(weight @ np.where(played, scores[:, column], 0.0))
    players = np.array([first_team, second_team])
    fitted = _fit(bots, players, np.array(wins).T, np.array(games).T) * ELO
    fitted[:, 1 : bots + 1], means = _centred(fitted[:, 1 : bots + 1])
    fitted[:, bots + 1 :], others = _centred(fitted[:, bots + 1 :])
    fitted[:, 0] += means - others
    both = (fitted[:, 1 : bots + 1] + fitted[:, bots + 1 :]) / 2
    return Ratings(
        teams=(
            [_estimate(fitted[:, 1 + bot]) for bot in range(bots)],
            [_estimate(fitted[:, 1 + bots + bot]) for bot in range(bots)],
        ),
        both=[_estimate(both[:, bot]) for bot in range(bots)],
        advantage=_estimate(fitted[:, 0]),
    )


def _resamples(pairs: int, generator: np.random.Generator) -> np.ndarray:
    """How often each pair is taken: ``float64[1 + BOOTSTRAPS, pairs]``, first each once."""
    taken = generator.multinomial(pairs, np.full(pairs, 1 / pairs), size=BOOTSTRAPS)
    return np.vstack([np.ones(pairs), taken])


def _fit(bots: int, players: np.ndarray, wins: np.ndarray, games: np.ndarray) -> np.ndarray:
    """The most probable ratings in nats, of R samples at once.

    Args:
        bots: n.
        players: ``int64[2, K]``, places of the bots of either team in K kinds of games.
        wins: ``float64[R, K]``, of team 0; draws count half.
        games: ``float64[R, K]``.

    Returns:
        ``float64[R, 1 + 2n]``: the advantage, each bot as team 0, each bot as team 1.
    """
    kinds = np.arange(players.shape[1])
    design = np.zeros((len(kinds), 1 + 2 * bots))
    design[:, 0] = 1
    design[kinds, 1 + players[0]] = 1
    design[kinds, 1 + bots + players[1]] = -1
    precision = np.full(1 + 2 * bots, (ELO / PRIOR_ELO) ** 2)
    ratings = np.zeros((len(wins), 1 + 2 * bots))
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


def _centred(ratings: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    means = ratings.mean(axis=1)
    return ratings - means[:, None], means


def _estimate(samples: np.ndarray) -> Estimate:
    low, high = np.percentile(samples[1:], _PERCENTILES)
    value = float(samples[0])
    return Estimate(value, min(value, float(low)), max(value, float(high)))
