"""Reads the board: strengths of armies, threats, and the regions that armies should move to."""

from __future__ import annotations

import numpy as np

from wotr_agents.games.war_of_the_ring.kernels import kernel
from wotr_agents.games.war_of_the_ring.scripted.odds import ASSAULT, FIELD, MAX_HITS, NUM_KINDS, SHAPE, WALLS
from wotr_agents.games.war_of_the_ring.scripted.reading import ALL, NOTHING
from wotr_agents.games.war_of_the_ring.scripted.weights import Weight
from wotr_env.compiler.memory import FLAGS_PER_WORD, copy_bytes, unequal_flags
from wotr_env.compiler.vectors import add_highest
from wotr_env.games.war_of_the_ring.codes import Nation, Settlement, Side
from wotr_env.games.war_of_the_ring.components import (
    CHARACTER_LEADERSHIP,
    CHARACTER_SIDE,
    DISTANCE,
    FORTIFICATION,
    MAX_DICE,
    NUM_REGIONS,
    NUM_SETTLEMENTS,
    REGION_SIDE,
    SETTLEMENT,
    SETTLEMENT_INDEX,
    SETTLEMENT_REGIONS,
    VICTORY_POINTS,
)
from wotr_env.games.war_of_the_ring.options import NUM_OPTIONS
from wotr_env.games.war_of_the_ring.rules.armies import END_LEADER_NATION, END_NATION, FIRST_NATION
from wotr_env.games.war_of_the_ring.rules.characters import characters_at, leadership_of, servants
from wotr_env.games.war_of_the_ring.rules.command import leads_along, nations_to_move
from wotr_env.games.war_of_the_ring.rules.regions import first_region, regions_with_units, without_first
from wotr_env.games.war_of_the_ring.rules.seats import ALL_NATIONS, is_shared, own_characters
from wotr_env.games.war_of_the_ring.rules.victory import FREE_PEOPLES_POINTS, SHADOW_POINTS, victory_points
from wotr_env.games.war_of_the_ring.state import NUM_CHARACTERS, NUM_NATIONS, NUM_SIDES

NEVER = -50.0
"""The score of an action that is impossible now."""
THREAT_RANGE = 3

_POINTS_TO_WIN = np.array([FREE_PEOPLES_POINTS, SHADOW_POINTS])

_REACH = 1.0 / (1.0 + DISTANCE[SETTLEMENT_REGIONS])
"""The part of a Settlement's pull that reaches a region, by Settlement and region."""


def _settlements_near() -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """The Settlements that an army threatens, by its region: their number, their regions, and the part of the
    threat that counts."""
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
    """Leadership of an army without its Characters: Leaders or Nazgul, and Elites that lead with Saruman in
    play (R7.8.9, R14.13)."""
    total = 0
    if side == Side.SHADOW:
        total += int(state.leader[region, Nation.SAURON])
        leading = servants(state)
        for nation in range(Nation.ISENGARD, NUM_NATIONS):
            if leading >> nation & 1:
                total += int(state.elite[region, nation])
        return total
    for nation in range(FIRST_NATION[side], END_NATION[side]):
        total += int(state.leader[region, nation])
    return total


@kernel
def battle_kind(state, side, origin, target):
    """The kind of battle for ``win_chance``: field, walls, or an assault (R7.11, R7.14)."""
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
def _read_armies(state, board):
    for side in range(NUM_SIDES):
        for region in range(NUM_REGIONS):
            board.hits[side, region] = 0
            board.leadership[side, region] = 0
        low, high = regions_with_units(state, side)
        while low | high != 0:
            region = first_region(low, high)
            low, high = without_first(low, high)
            board.hits[side, region] = army_hits(state, side, region)
            board.leadership[side, region] = _army_leadership(state, side, region)
    for character in range(NUM_CHARACTERS):
        region = int(state.location[character])
        side = CHARACTER_SIDE[character]
        if region >= 0 and state.units[region, side] > 0:
            board.leadership[side, region] += CHARACTER_LEADERSHIP[character]


@kernel
def _own_leadership(state, side, nations, region):
    """Leadership of a player's part of an army, if the player uses the units of some nations (one bit each;
    R13.5)."""
    total = 0
    for nation in range(FIRST_NATION[side], END_LEADER_NATION[side]):
        if leads_along(state, nations, region, nation):
            total += int(state.leader[region, nation])
    leading = servants(state) & nations
    for nation in range(max(FIRST_NATION[side], Nation.ISENGARD), END_NATION[side]):
        if leading >> nation & 1:
            total += int(state.elite[region, nation])
    return total + leadership_of(characters_at(state, side, region) & own_characters(state, side))


@kernel
def read_own_army(state, side, nations, region, board):
    """Reads a player's part of an army, if the player uses the units of some nations (one bit each)."""
    if nations == ALL_NATIONS:
        board.own_units[region] = state.units[region, side]
        board.own_hits[region] = board.hits[side, region]
        board.own_leadership[region] = board.leadership[side, region]
        return
    units = 0
    hits = 0
    for nation in range(FIRST_NATION[side], END_NATION[side]):
        if nations >> nation & 1:
            units += int(state.regular[region, nation]) + int(state.elite[region, nation])
            hits += int(state.regular[region, nation]) + 2 * int(state.elite[region, nation])
    board.own_units[region] = units
    board.own_hits[region] = hits
    board.own_leadership[region] = _own_leadership(state, side, nations, region) if units > 0 else 0


@kernel
def _read_own_armies(state, side, board):
    for region in range(NUM_REGIONS):
        board.own_units[region] = state.units[region, side]
        board.own_hits[region] = board.hits[side, region]
        board.own_leadership[region] = board.leadership[side, region]
    if not is_shared(state, side):
        return
    low, high = regions_with_units(state, side)
    while low | high != 0:
        region = first_region(low, high)
        low, high = without_first(low, high)
        read_own_army(state, side, nations_to_move(state, side, region), region, board)


@kernel
def _read_threats(state, side, board):
    """Reads the threat to each Settlement: the strongest enemy army near it, reduced by distance."""
    for region in range(NUM_REGIONS):
        board.threat[region] = 0.0
    own_low, own_high = regions_with_units(state, side)
    low, high = regions_with_units(state, 1 - side)
    low &= ~own_low  # where both are, one is under siege
    high &= ~own_high
    while low | high != 0:
        army = first_region(low, high)
        low, high = without_first(low, high)
        hits = board.hits[1 - side, army]
        for i in range(_NUM_NEAR[army]):
            goal = _NEAR[army, i]
            board.threat[goal] = max(board.threat[goal], hits * _SHARE[army, i])


@kernel
def _defence(state, side, region, board):
    """Strength of the defenders of a region, including its walls."""
    hits = board.hits[side, region] + min(MAX_DICE, board.leadership[side, region])
    if SETTLEMENT[region] == Settlement.STRONGHOLD:
        return hits * 1.8
    return hits * 1.3 if SETTLEMENT[region] == Settlement.CITY else hits


@kernel
def _worth(state, side, region, board):
    """Value of an army in a Settlement for a side: to take, to retake, or to hold it."""
    points = int(VICTORY_POINTS[region])
    if holds(state, side, region):
        threat = board.threat[region]
        if threat <= 0:
            return 0.0
        weakness = max(0.0, threat - 0.7 * _defence(state, side, region, board)) / (1.0 + threat)
        return (0.5 + board.weights[Weight.HOLD] * points) * (1.0 + board.nearness[1 - side]) * weakness
    worth = 0.4 + 2.0 * points * (1.0 + board.nearness[side])
    if REGION_SIDE[region] == side:
        worth *= 1.3
    return worth / (1.0 + board.weights[Weight.DEFENCE] * _defence(state, 1 - side, region, board))


@kernel
def _read_all_armies(state, side, board):
    """Fills the reading for a side, except for the pull on its armies."""
    _read_armies(state, board)
    _read_own_armies(state, side, board)
    _read_threats(state, side, board)
    for player in range(NUM_SIDES):
        board.nearness[player] = victory_points(state, player) / _POINTS_TO_WIN[player]


@kernel
def _read_pull(state, side, board):
    """Reads the pull on the armies of a side, after everything else has been read."""
    count = 0
    for index in range(SETTLEMENT_REGIONS.size):
        worth = _worth(state, side, SETTLEMENT_REGIONS[index], board)
        board.goals[count] = index
        board.worth[count] = worth
        count += worth > 0
    for region in range(NUM_REGIONS):
        board.pull[region] = 0.0
    add_highest(board.pull, _REACH, board.goals, board.worth, count)


@kernel
def _is_as_read(state, board):
    """Whether the fields of a state that a reading depends on are unchanged."""
    for first in range(0, state.units.size, FLAGS_PER_WORD):
        if unequal_flags(state.units, board.units, first) != 0:
            return False
    for first in range(0, state.elite.size, FLAGS_PER_WORD):
        if unequal_flags(state.elite, board.elite, first) != 0:
            return False
    for first in range(0, state.leader.size, FLAGS_PER_WORD):
        if unequal_flags(state.leader, board.leader, first) != 0:
            return False
    changed = 0
    for place in range(NUM_SETTLEMENTS):
        changed |= int(state.control[place]) ^ int(board.control[place])
    for place in range(NUM_CHARACTERS):
        changed |= int(state.location[place]) ^ int(board.location[place])
    for place in range(NUM_OPTIONS):
        changed |= int(state.options[place]) ^ int(board.options[place])
    return changed == 0


@kernel
def read_as_needed(state, side, extent, board):
    """Reads the board for a side up to ``extent`` (``ARMIES`` or ``ALL``), unless ``board`` already contains
    this and nothing has changed.

    If two players share a side, an earlier reading is never reused, because the reading of a player's own
    units depends on further fields of the state.
    """
    known = board.extent if board.side == side else NOTHING
    if known != NOTHING and not _is_as_read(state, board):
        known = NOTHING
    if known >= extent:
        return
    if known == NOTHING:
        _read_all_armies(state, side, board)
    if extent == ALL:
        _read_pull(state, side, board)
    board.extent = NOTHING if is_shared(state, side) else extent
    if known == NOTHING:
        board.side = side
        copy_bytes(board.units, 0, state.units)
        copy_bytes(board.elite, 0, state.elite)
        copy_bytes(board.leader, 0, state.leader)
        copy_bytes(board.control, 0, state.control)
        copy_bytes(board.location, 0, state.location)
        copy_bytes(board.options, 0, state.options)
