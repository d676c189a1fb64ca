"""Exact odds of battles between two forces without Combat cards (R7.9, R7.10, R7.11, R7.14).

Both sides take their losses in the best way, so each number is the value of a small game of chance.
"""

from __future__ import annotations

import functools
from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from wotr_agents.games.war_of_the_ring.scripted.odds import hit_distribution
from wotr_env.games.war_of_the_ring.rules.chance import MAX_DICE

NEEDED = 5
"""A die hits with so much or more; at walls one more."""

_KEPT = 1 << 16
"""Chances of pairs of forces that are remembered."""


class Force(NamedTuple):
    """An army in a battle."""

    regulars: int
    elites: int
    """That are no Leaders."""
    leading: int
    """Elites that are Leaders too (R14.13)."""
    leaders: int
    """The Leadership of all others."""
    captains: int = 0
    """Captains of the West, each of whom adds a die (R14.0.1)."""

    @property
    def units(self) -> int:
        return self.regulars + self.elites + self.leading

    @property
    def dice(self) -> int:
        """Rolled in a round."""
        return min(MAX_DICE, self.units + self.captains)

    @property
    def leadership(self) -> int:
        """Misses that may be rolled again, at most."""
        return min(MAX_DICE, self.leaders + self.leading)

    def less_regular(self) -> Force:
        """With a Regular removed."""
        return self._replace(regulars=self.regulars - 1)

    def less_elite(self) -> Force:
        """With an Elite replaced by a Regular."""
        return self._replace(regulars=self.regulars + 1, elites=self.elites - 1)

    def less_leading(self) -> Force:
        """With an Elite that leads replaced by a Regular."""
        return self._replace(regulars=self.regulars + 1, leading=self.leading - 1)

    def reduced(self) -> Iterator[Force]:
        """What it can be with one Elite replaced by a Regular."""
        if self.elites:
            yield self.less_elite()
        if self.leading:
            yield self.less_leading()

    def after_hit(self) -> Force:
        """After the loss that leaves the most to fight to the end with (R7.10.2).

        Beyond five dice Regulars are lost first; then Elites are reduced, which keeps the dice, those that
        lead last.
        """
        spare = self.units + self.captains > MAX_DICE
        if self.regulars and (spare or not self.elites + self.leading):
            return self.less_regular()
        return next(self.reduced())


@functools.lru_cache(_KEPT)
def _course(force: Force) -> list[Force]:
    """A force after 0, 1, 2 hits, to its end."""
    course = [force]
    while course[-1].units:
        course.append(course[-1].after_hit())
    return course


@functools.lru_cache(_KEPT)
def _losses(force: Force, hits: int) -> frozenset[Force]:
    """All that a force can be after so many hits (R7.10.2)."""
    if not hits or not force.units:
        return frozenset({force})
    once = [*force.reduced()] + [force.less_regular()] * (force.regulars > 0)
    return frozenset().union(*(_losses(each, hits - 1) for each in once))


@functools.cache
def hits_of(dice: int, leadership: int, needed: int) -> np.ndarray:
    """``float64[6]``: the probability of 0 to 5 hits in a round."""
    return hit_distribution(dice, leadership, needed)


def _rolled(attacker: Force, defender: Force, needed: int) -> np.ndarray:
    """``float64[6, 6]``: the probability of the hits that the attacker and the defender score in a round."""
    mine = hits_of(attacker.dice, attacker.leadership, needed)
    theirs = hits_of(defender.dice, defender.leadership, NEEDED)
    return mine[:, None] * theirs


def battle_to_end(attacker: Force, defender: Force, first: int, needed: int, both: bool = False) -> float:
    """The probability that the attacker destroys the defender, if both fight on until one is gone.

    Args:
        attacker: with units.
        defender: with units.
        first: a die of the attacker hits with so much or more in the first round.
        needed: the same in later rounds.
        both: whether it counts if both are destroyed in one round.
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

    It lasts one round, and one more for each Elite that the attacker replaces by a Regular, as he does while
    he can. He takes his losses, and spends his Elites, so that the probability is the greatest. It counts if
    both are destroyed in one round.

    Args:
        attacker: with units.
        defender: with units.
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
    """``assault_action`` after a round that both have survived: 0 without an Elite to go on with."""
    return max((assault_action(each, defender) for each in attacker.reduced()), default=0.0)
