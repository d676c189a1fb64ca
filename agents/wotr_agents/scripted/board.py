"""Reading the board: strengths of armies, what is threatened, what is worth walking to.

``work`` holds the reading, planes of 105 numbers, one for each region; behind them the weights, and how near
the sides are to their victory points.
"""

from __future__ import annotations

import numpy as np

from wotr_agents.kernels import kernel
from wotr_agents.scripted.odds import ASSAULT, FIELD, MAX_DICE, MAX_HITS, NUM_KINDS, SHAPE, WALLS
from wotr_agents.scripted.weights import Weight
from wotr_env.codes import Character, Nation, Settlement, Side
from wotr_env.compiler.codes import Codes
from wotr_env.components import (
    CHARACTER_LEADERSHIP,
    CHARACTER_SIDE,
    DISTANCE,
    FORTIFICATION,
    NUM_REGIONS,
    REGION_SIDE,
    SETTLEMENT,
    SETTLEMENT_INDEX,
    SETTLEMENT_REGIONS,
    VICTORY_POINTS,
)
from wotr_env.rules.armies import END_NATION, FIRST_NATION, besieged
from wotr_env.rules.victory import victory_points
from wotr_env.state import NUM_CHARACTERS, NUM_SIDES


class Plane(Codes):
    """What the planes of the reading hold."""

    HITS_FREE_PEOPLES = 0  # hit points of the army
    HITS_SHADOW = 1
    LEADERSHIP_FREE_PEOPLES = 2
    LEADERSHIP_SHADOW = 3
    THREAT = 4  # of the enemy to the region: hit points, fewer with distance
    PULL = 5  # how much the deciding side wants to have an army here


NUM_PLANES = 6
WEIGHTS_AT = NUM_PLANES * NUM_REGIONS
NEARNESS_AT = WEIGHTS_AT + len(Weight)
"""Where the reading says how near each side is to the victory points it needs."""
WORK_SIZE = NEARNESS_AT + NUM_SIDES
THREAT_RANGE = 3
POINTS_TO_WIN = np.array([4, 10])

_REACH = 1.0 / (1.0 + DISTANCE[SETTLEMENT_REGIONS])
"""How much of a Settlement's pull reaches a region, by Settlement and region."""


def _settlements_near() -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """The Settlements that an army threatens, by its region: how many, which, and how much of it counts."""
    near = DISTANCE[:, SETTLEMENT_REGIONS] <= THREAT_RANGE
    counts = near.sum(axis=1)
    regions = np.zeros((NUM_REGIONS, counts.max()), dtype=np.int64)
    shares = np.zeros(regions.shape)
    for region in range(NUM_REGIONS):
        found = SETTLEMENT_REGIONS[near[region]]
        regions[region, : len(found)] = found
        shares[region, : len(found)] = 1.0 / (1.0 + 0.5 * DISTANCE[region, found])
    return counts, regions, shares


_NUM_NEAR, _NEAR, _SHARE = _settlements_near()

_STRIDES = np.cumprod((*SHAPE[1:], 1)[::-1])[::-1].copy()
_KIND, _AH, _AU, _AL, _DH, _DU, _DL = (int(stride) for stride in _STRIDES)

assert NUM_KINDS == SHAPE[0]


@kernel
def at(work, plane, region):
    """A number of the reading."""
    return work[plane * NUM_REGIONS + region]


@kernel
def weigh(work, weight):
    """A weight of the policy."""
    return work[WEIGHTS_AT + weight]


@kernel
def nearness(work, side):
    """The part of the victory points it needs that a side has."""
    return work[NEARNESS_AT + side]


@kernel
def win_chance(odds, kind, hits, units, leaders, enemy_hits, enemy_units, enemy_leaders):
    """The attacker's exact chance in a battle to the end (``odds.py``)."""
    if units <= 0 or hits <= 0:
        return 0.0
    if enemy_units <= 0 or enemy_hits <= 0:
        return 1.0
    place = (
        kind * _KIND
        + min(MAX_HITS, hits) * _AH
        + (min(MAX_DICE, units) - 1) * _AU
        + min(MAX_DICE, leaders) * _AL
        + min(MAX_HITS, enemy_hits) * _DH
        + (min(MAX_DICE, enemy_units) - 1) * _DU
        + min(MAX_DICE, enemy_leaders) * _DL
    )
    return float(odds[place])


@kernel
def army_hits(state, side, region):
    """Hit points of an army: a Regular 1, an Elite 2 (R7.10.2)."""
    hits = int(state.units[region, side])
    for nation in range(FIRST_NATION[side], END_NATION[side]):
        hits += int(state.elite[region, nation])
    return hits


@kernel
def _army_leadership(state, side, region):
    """Leaders or Nazgul; Isengard's Elites lead with Saruman in play (R7.8.9, R14.13). Characters apart."""
    total = 0
    if side == Side.SHADOW:
        total += int(state.leader[region, Nation.SAURON])
        if state.location[Character.SARUMAN] >= 0:
            total += int(state.elite[region, Nation.ISENGARD])
        return total
    for nation in range(FIRST_NATION[side], END_NATION[side]):
        total += int(state.leader[region, nation])
    return total


@kernel
def battle_kind(state, side, origin, target):
    """The kind of battle for the odds: field, walls, or an assault (R7.11, R7.14)."""
    if origin == target:
        return ASSAULT if holds(state, 1 - side, target) else FIELD
    if SETTLEMENT[target] == Settlement.CITY or FORTIFICATION[target] == 1:
        return WALLS
    if SETTLEMENT[target] == Settlement.STRONGHOLD and holds(state, 1 - side, target):
        return ASSAULT  # the defender can withdraw
    return FIELD


@kernel
def holds(state, side, region):
    """Whether a side controls the Settlement of a region."""
    index = SETTLEMENT_INDEX[region]
    return index >= 0 and state.control[index] == side


@kernel
def _read_armies(state, work):
    for region in range(NUM_REGIONS):
        for side in range(2):
            hits = 0
            leaders = 0
            if state.units[region, side] > 0:
                hits = army_hits(state, side, region)
                leaders = _army_leadership(state, side, region)
            work[side * NUM_REGIONS + region] = hits
            work[(Plane.LEADERSHIP_FREE_PEOPLES + side) * NUM_REGIONS + region] = leaders
    for character in range(NUM_CHARACTERS):
        region = int(state.location[character])
        if region >= 0 and state.units[region, CHARACTER_SIDE[character]] > 0:
            plane = Plane.LEADERSHIP_FREE_PEOPLES + CHARACTER_SIDE[character]
            work[plane * NUM_REGIONS + region] += CHARACTER_LEADERSHIP[character]


@kernel
def _read_threats(state, side, work):
    """To each Settlement: the strongest enemy army near, less by distance."""
    for region in range(NUM_REGIONS):
        work[Plane.THREAT * NUM_REGIONS + region] = 0.0
    for army in range(NUM_REGIONS):
        hits = at(work, 1 - side, army)
        if hits <= 0 or besieged(state, army):
            continue
        for i in range(_NUM_NEAR[army]):
            place = Plane.THREAT * NUM_REGIONS + _NEAR[army, i]
            work[place] = max(work[place], hits * _SHARE[army, i])


@kernel
def _defence(state, side, region, work):
    """How strong the defenders of a region are, walls included."""
    hits = at(work, side, region) + min(5.0, at(work, Plane.LEADERSHIP_FREE_PEOPLES + side, region))
    if SETTLEMENT[region] == Settlement.STRONGHOLD:
        return hits * 1.8
    return hits * 1.3 if SETTLEMENT[region] == Settlement.CITY else hits


@kernel
def _worth(state, side, region, work):
    """What it is worth to have an army in a Settlement: to take it, to take it back, to hold it."""
    points = int(VICTORY_POINTS[region])
    if holds(state, side, region):
        threat = at(work, Plane.THREAT, region)
        if threat <= 0:
            return 0.0
        weakness = max(0.0, threat - 0.7 * _defence(state, side, region, work)) / (1.0 + threat)
        return (0.5 + weigh(work, Weight.HOLD) * points) * (1.0 + nearness(work, 1 - side)) * weakness
    worth = 0.4 + 2.0 * points * (1.0 + nearness(work, side))
    if REGION_SIDE[region] == side:
        worth *= 1.3
    return worth / (1.0 + weigh(work, Weight.DEFENCE) * _defence(state, 1 - side, region, work))


@kernel
def read_board(state, side, work):
    """Fills the reading for a side."""
    _read_armies(state, work)
    _read_threats(state, side, work)
    for player in range(NUM_SIDES):
        work[NEARNESS_AT + player] = victory_points(state, player) / POINTS_TO_WIN[player]
    for region in range(NUM_REGIONS):
        work[Plane.PULL * NUM_REGIONS + region] = 0.0
    for index in range(SETTLEMENT_REGIONS.size):
        goal = SETTLEMENT_REGIONS[index]
        worth = _worth(state, side, goal, work)
        if worth <= 0:
            continue
        for region in range(NUM_REGIONS):
            place = Plane.PULL * NUM_REGIONS + region
            work[place] = max(work[place], worth * _REACH[index, region])
