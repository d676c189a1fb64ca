"""Odds of battles between two forces (``analysis/battles.py``): published values, and the best losses."""

from __future__ import annotations

import functools
import itertools

import numpy as np
import pytest

from wotr_experiments.games.war_of_the_ring.battles import (
    Force,
    _losses,
    _rolled,
    assault_action,
    battle_to_end,
    prolonged_assault,
)


def force(regulars, elites=0, leaders=0, leading=0, captains=0):
    return Force(regulars, elites, leading, leaders, captains)


@pytest.mark.parametrize(
    ("attacker", "defender", "first", "published"),
    [
        (force(5), force(5), 5, 0.486),
        (force(8, 2, 4), force(5, 3, 2), 5, 0.771),
        (force(5), force(5), 6, 0.312),
        (force(5, 2, 2), force(3, 2, 1), 6, 0.735),
    ],
)
def test_r7_9_published_odds_of_battles_in_the_field(attacker, defender, first, published):
    """Found by others by simulation, in the field and at a Fortification."""
    assert battle_to_end(attacker, defender, first, 5) == pytest.approx(published, abs=2e-3)


def test_r7_14_2_an_assault_without_elites_lasts_one_round():
    none, one, two = (5 / 6) ** 5, 5 * (1 / 6) * (5 / 6) ** 4, 10 * (1 / 6) ** 2 * (5 / 6) ** 3
    assert assault_action(force(10), force(1)) == pytest.approx(1 - none)
    assert assault_action(force(10), force(2)) == pytest.approx(1 - none - one)
    assert assault_action(force(10), force(3)) == pytest.approx(1 - none - one - two)
    assert battle_to_end(force(10, leaders=1), force(2), 6, 6, both=True) > 0.99, "the whole siege"
    assert assault_action(force(10, leaders=1), force(2)) == pytest.approx(0.263, abs=1e-3)


def test_r7_14_3_each_elite_prolongs_an_assault_by_a_round():
    """One Elite against one Regular: a round at one die, and one more if both are alive."""
    first = 1 / 6
    alive = (5 / 6) * (2 / 3)
    assert assault_action(force(0, 1), force(1)) == pytest.approx(first + alive * first)
    assert assault_action(force(9, 1, 3), force(5)) == pytest.approx(0.110, abs=1e-3)
    by_elites = [assault_action(force(10 - elites, elites, 2), force(4)) for elites in range(5)]
    assert by_elites == sorted(by_elites) and by_elites[4] > 2 * by_elites[0]


def test_r14_0_1_a_captain_adds_a_die_as_long_as_a_unit_lives():
    assert force(2, captains=1).dice == 3 and force(5, captains=2).dice == 5
    alone, led = (battle_to_end(force(2, captains=count), force(3), 5, 5) for count in (0, 1))
    assert led > alone + 0.1


def forces(most):
    """All forces of so many units, with and without those that lead."""
    for regulars, elites, leading in itertools.product(range(most + 1), repeat=3):
        if 0 < regulars + elites + leading <= most:
            for leaders, captains in ((0, 0), (2, 0), (1, 1)):
                yield Force(regulars, elites, leading, leaders, captains)


@functools.cache
def value(attacker, defender, rounds, going_on):
    """The chance of the attacker if both sides try all losses, and the attacker all ways to prolong.

    ``rounds``: "end" or "assault".
    """
    if not defender.units:
        return 1.0 if attacker.units or rounds == "assault" else 0.0
    if not attacker.units:
        return 0.0
    if not going_on:
        return max((value(each, defender, rounds, True) for each in attacker.reduced()), default=0.0)
    rolled = _rolled(attacker, defender, 6 if rounds == "assault" else 5)
    total = 0.0
    for (hits, suffered), probability in np.ndenumerate(rolled):
        if probability and (hits or suffered or rounds == "assault"):
            total += probability * max(
                min(value(one, other, rounds, rounds == "end") for other in _losses(defender, hits))
                for one in _losses(attacker, suffered)
            )
    return total if rounds == "assault" else total / (1 - rolled[0, 0])


def test_r7_10_2_no_losses_are_better_than_those_that_the_odds_assume():
    for attacker, defender in itertools.product(forces(3), forces(2)):
        assert battle_to_end(attacker, defender, 5, 5) == pytest.approx(
            value(attacker, defender, "end", True)
        )
        best = value(attacker, defender, "assault", True)
        assert assault_action(attacker, defender) == pytest.approx(best)
        best = value(attacker, defender, "assault", False)
        assert prolonged_assault(attacker, defender) == pytest.approx(best)
