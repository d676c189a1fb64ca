"""Exact odds of battles between two forces without Combat cards (R7.9, R7.10, R7.11, R7.14).

Both sides choose their losses optimally, so each probability is the value of a small game of chance.
"""

from __future__ import annotations

import functools
from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from wotr_agents.games.war_of_the_ring.scripted.odds import hit_distribution
from wotr_env.games.war_of_the_ring.components import MAX_DICE

NEEDED = 5
"""The lowest number with which a die hits; at walls it is one higher."""

_KEPT = 1 << 16
"""Number of pairs of forces whose probabilities are cached."""


class Force(NamedTuple):
    """An army in a battle."""

    regulars: int
    elites: int
    """Elites that are not Leaders."""
    leading: int
    """Elites that are Leaders too (R14.13)."""
    leaders: int
    """The Leadership of all other figures."""
    captains: int = 0
    """Captains of the West; each adds a die (R14.0.1)."""

    @property
    def units(self) -> int:
        return self.regulars + self.elites + self.leading

    @property
    def dice(self) -> int:
        """Number of dice rolled in a round."""
        return min(MAX_DICE, self.units + self.captains)

    @property
    def leadership(self) -> int:
        """Maximal number of misses that are rolled again."""
        return min(MAX_DICE, self.leaders + self.leading)

    def less_regular(self) -> Force:
        """A copy with one Regular removed."""
        return self._replace(regulars=self.regulars - 1)

    def less_elite(self) -> Force:
        """A copy with an Elite replaced by a Regular."""
        return self._replace(regulars=self.regulars + 1, elites=self.elites - 1)

    def less_leading(self) -> Force:
        """A copy with a leading Elite replaced by a Regular."""
        return self._replace(regulars=self.regulars + 1, leading=self.leading - 1)

    def reduced(self) -> Iterator[Force]:
        """The possible forces with one Elite replaced by a Regular."""
        if self.elites:
            yield self.less_elite()
        if self.leading:
            yield self.less_leading()

    def after_hit(self) -> Force:
        """The force after the best loss for a battle that is fought to the end (R7.10.2).

        Above five dice, Regulars are lost first. Then Elites are reduced, which keeps the dice; leading
        Elites are reduced last.
        """
        spare = self.units + self.captains > MAX_DICE
        if self.regulars and (spare or not self.elites + self.leading):
            return self.less_regular()
        return next(self.reduced())


@functools.lru_cache(_KEPT)
def _course(force: Force) -> list[Force]:
    """The force after 0, 1, 2, ... hits, until it is destroyed."""
    course = [force]
    while course[-1].units:
        course.append(course[-1].after_hit())
    return course


@functools.lru_cache(_KEPT)
def _losses(force: Force, hits: int) -> frozenset[Force]:
    """All possible forces after this number of hits (R7.10.2)."""
    if not hits or not force.units:
        return frozenset({force})
    once = [*force.reduced()] + [force.less_regular()] * (force.regulars > 0)
    return frozenset().union(*(_losses(each, hits - 1) for each in once))


@functools.cache
def hits_of(dice: int, leadership: int, needed: int) -> np.ndarray:
    """``float64[6]``: the probabilities of 0 to 5 hits in a round."""
    return hit_distribution(dice, leadership, needed)


def _rolled(attacker: Force, defender: Force, needed: int) -> np.ndarray:
    """``float64[6, 6]``: the joint probabilities of the numbers of hits of the attacker and of the defender
    in a round."""
    mine = hits_of(attacker.dice, attacker.leadership, needed)
    theirs = hits_of(defender.dice, defender.leadership, NEEDED)
    return mine[:, None] * theirs


def battle_to_end(attacker: Force, defender: Force, first: int, needed: int, both: bool = False) -> float:
    """The probability that the attacker destroys the defender, if both fight until one is destroyed.

    Args:
        attacker: a force with units.
        defender: a force with units.
        first: the lowest number with which the attacker hits in the first round.
        needed: the lowest number with which the attacker hits in later rounds.
        both: whether the attacker also succeeds if both are destroyed in the same round.
    """
    ours, theirs = _course(attacker), _course(defender)
    won = np.zeros((len(ours) + MAX_DICE, len(theirs) + MAX_DICE))  # by the hits that both have suffered
    won[: len(ours) - 1 + (both and MAX_DICE + 1), len(theirs) - 1 :] = 1.0
    chance = 0.0
    for suffered in reversed(range(len(ours) - 1)):
        for scored in reversed(range(len(theirs) - 1)):
            after = won[suffered : suffered + MAX_DICE + 1, scored : scored + MAX_DICE + 1].T
            rolled = _rolled(ours[suffered], theirs[scored], needed)
            won[suffered, scored] = (rolled * after).sum() / (1.0 - rolled[0, 0])
            if suffered == scored == 0:
                chance = float((_rolled(attacker, defender, first) * after).sum())
    return chance


@functools.lru_cache(_KEPT)
def assault_action(attacker: Force, defender: Force) -> float:
    """The probability that one action against a garrison destroys it (R7.14.2, R7.14.3).

    The action lasts one round, and one more for each Elite that the attacker replaces by a Regular. The
    attacker replaces Elites as long as he can, and chooses losses and Elites so that the probability is
    greatest. He also succeeds if both armies are destroyed in the same round.

    Args:
        attacker: a force with units.
        defender: a force with units.
    """
    left = _course(defender)
    total = 0.0
    for (hits, suffered), probability in np.ndenumerate(_rolled(attacker, defender, NEEDED + 1)):
        if hits >= len(left) - 1:
            total += probability
        elif probability:
            forces = _losses(attacker, suffered)
            total += probability * max(prolonged_assault(each, left[hits]) for each in forces)
    return float(total)


@functools.lru_cache(_KEPT)
def prolonged_assault(attacker: Force, defender: Force) -> float:
    """The same as ``assault_action``, after a round that both have survived; 0 if the attacker has no Elite
    for another round."""
    return max((assault_action(each, defender) for each in attacker.reduced()), default=0.0)
