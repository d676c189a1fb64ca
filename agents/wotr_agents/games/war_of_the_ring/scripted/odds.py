"""Exact odds of battles fought to the end, without Combat cards (R7.9, R7.10, R7.11).

An army is described by its hit points (a Regular 1, an Elite 2), its units and its Leadership. The owner
reduces Elites before removing units, so an army of u units and h hit points has min(u, h) units. The odds are
the solution of the Markov chain of the battle's rounds: each side rolls up to five dice and rolls as many
misses again as it has Leadership.
"""

from __future__ import annotations

import functools
import math
from typing import NamedTuple

import numpy as np

from wotr_env.games.war_of_the_ring.components import MAX_DICE

MAX_HITS = 15
"""Maximal hit points in the tables; an army with more counts as having this number."""
FIELD = 0
"""Both sides hit on 5 and 6."""
WALLS = 1
"""A City or Fortification: the attacker hits on 6 in round 1."""
ASSAULT = 2
"""A Stronghold: the attacker hits on 6 throughout."""
NUM_KINDS = 3

_HITS = MAX_HITS + 1
_LEADERS = MAX_DICE + 1
SHAPE = (NUM_KINDS, _HITS, MAX_DICE, _LEADERS, _HITS, MAX_DICE, _LEADERS)
"""Kind; hit points, units - 1 and Leadership of the attacker; the same of the defender."""


def hit_distribution(dice: int, leadership: int, needed: int) -> np.ndarray:
    """The probability of 0 to 5 hits (R7.9.5, R7.9.6).

    Args:
        dice: number of dice rolled, 0 to 5.
        leadership: maximal number of misses that are rolled again.
        needed: the lowest number that hits, 5 or 6.

    Returns:
        ``float64[6]``.
    """
    chance = (7 - needed) / 6
    found = np.zeros(MAX_DICE + 1)
    for first in range(dice + 1):
        weight = math.comb(dice, first) * chance**first * (1 - chance) ** (dice - first)
        again = min(leadership, dice - first)
        for second in range(again + 1):
            more = math.comb(again, second) * chance**second * (1 - chance) ** (again - second)
            found[first + second] += weight * more
    return found


@functools.cache
def _rolls() -> np.ndarray:
    """``float64[2, 5, 6, 6]``: hit distributions by number needed (5, 6), dice - 1 and Leadership."""
    return np.array(
        [
            [[hit_distribution(dice, leaders, needed) for leaders in range(_LEADERS)] for dice in range(1, 6)]
            for needed in (5, 6)
        ]
    )


class _Round(NamedTuple):
    """The outcomes of a round for some numbers of dice: the hits of both sides, if there are any."""

    scored: np.ndarray
    """``int64[35]``"""
    suffered: np.ndarray
    """``int64[35]``"""
    weights: np.ndarray
    """``float64[35, 5, 6, 5, 6]``: the probability of each outcome, by units - 1 and Leadership."""
    still: np.ndarray
    """``float64[5, 6, 5, 6]``: the probability of a round without hits."""


@functools.cache
def _round(own: int, enemies: int, kind: int) -> _Round:
    """The outcomes of a round in which each side rolls at most as many dice as these numbers, up to five."""
    rolls, units = _rolls(), np.arange(1, MAX_DICE + 1)
    mine = rolls[1 if kind else 0][np.minimum(units, own) - 1]  # [units, leaders, hits]
    theirs = rolls[0][np.minimum(units, enemies) - 1]
    both = np.moveaxis(mine, 2, 0)[:, None, :, :, None, None] * np.moveaxis(theirs, 2, 0)[None, :, None, None]
    still, *others = both.reshape(-1, *both.shape[2:])
    scored, suffered = np.divmod(np.arange(1, both.shape[0] ** 2), both.shape[0])
    return _Round(scored, suffered, np.array(others), still)


def _after(wins: np.ndarray, hits: int, enemies: int, kind: int) -> tuple[np.ndarray, np.ndarray]:
    """The attacker's chances after one round with ``hits`` against ``enemies`` hit points.

    Returns:
        ``float64[5, 6, 5, 6]`` each: the sum over rounds with hits, and the probability of a round without
            hits.
    """
    found = _round(min(MAX_DICE, hits), min(MAX_DICE, enemies), kind)
    left, right = np.maximum(0, hits - found.suffered), np.maximum(0, enemies - found.scored)
    return (found.weights * wins[left, :, :, right]).sum(axis=0), found.still


@functools.cache
def battle_odds() -> np.ndarray:
    """The probability that the attacker wins, ``float32`` of ``SHAPE``; if both armies are destroyed, the
    attacker loses."""
    odds = np.zeros(SHAPE)
    for kind in (FIELD, ASSAULT, WALLS):
        wins = odds[kind]
        wins[1:, :, :, 0] = 1.0
        for hits in range(1, _HITS):
            for enemies in range(1, _HITS):
                later = odds[FIELD] if kind == WALLS else wins
                total, still = _after(later, hits, enemies, kind)
                if kind == WALLS:
                    wins[hits, :, :, enemies] = total + still * odds[FIELD][hits, :, :, enemies]
                else:
                    wins[hits, :, :, enemies] = total / (1 - still)
    _round.cache_clear()  # 12 MB
    return odds.astype(np.float32)
