"""The board as the Queller-style Shadow evaluates it: values, threats, targets, and mobile armies.

Inspired by the Queller bot by Quitch; written independently.
"""

from __future__ import annotations

from wotr_agents.games.war_of_the_ring.kernels import kernel
from wotr_agents.games.war_of_the_ring.queller.reading import NOWHERE, TargetRank
from wotr_agents.games.war_of_the_ring.scripted.board import holds
from wotr_env.games.war_of_the_ring.codes import Character, Settlement, Side
from wotr_env.games.war_of_the_ring.components import (
    CHARACTER_LEADERSHIP,
    DISTANCE,
    FORTIFICATION,
    MAX_DICE,
    NEIGHBOURS,
    NUM_NEIGHBOURS,
    NUM_REGIONS,
    REGION_NATION,
    REGION_SIDE,
    SETTLEMENT,
    SETTLEMENT_REGIONS,
    Region,
)
from wotr_env.games.war_of_the_ring.rules.armies import at_war, besieged, is_besieger, is_garrison
from wotr_env.games.war_of_the_ring.rules.characters import captains, characters_at
from wotr_env.games.war_of_the_ring.rules.command import nations_to_move
from wotr_env.games.war_of_the_ring.rules.movement import can_move_to
from wotr_env.games.war_of_the_ring.rules.seats import controls_character
from wotr_env.games.war_of_the_ring.state import NUM_FREE_PEOPLES, NUM_NATIONS

FULL_ARMY = 10
THREAT_RANGE = 2
BLOCKED = 500
"""The strength of an enemy that no army can pass."""

_FAR = 10000
_RANKS = len(TargetRank)


@kernel
def strength(hits, units, leaders, captains_there):
    """The strength of an army from its hit points, Combat dice, Leadership and Captains."""
    dice = min(MAX_DICE, units + captains_there)
    return hits + dice + min(MAX_DICE, leaders, units) + captains_there


@kernel
def _defended(state, side, region, hits, units, leaders, captains_there):
    """The value of an army that defends its own region."""
    if SETTLEMENT[region] == Settlement.STRONGHOLD and holds(state, side, region):
        inside = min(MAX_DICE, units)
        best = inside + min(inside, hits - units)
        return strength(best, inside, leaders, captains_there) * 3 // 2
    walls = 1 if SETTLEMENT[region] == Settlement.CITY or FORTIFICATION[region] == 1 else 0
    return strength(hits, units, leaders, captains_there) + walls


@kernel
def is_aggressive(state, queller, region, enemy):
    """Whether the Shadow army of a region is strong enough to attack an enemy of this value."""
    units = queller.board.own_units[region]
    if queller.value[region] >= enemy:
        return units > 0
    full = queller.board.own_leadership[region] >= MAX_DICE
    led = state.location[Character.WITCH_KING] == region or full
    return units >= FULL_ARMY and led


@kernel
def leaders_at(queller, region):
    """Leadership of the Shadow army of a region."""
    return queller.board.leadership[Side.SHADOW, region]


@kernel
def _read_shadow(state, queller, region):
    units = int(state.units[region, Side.SHADOW])
    hits = queller.board.hits[Side.SHADOW, region]
    leaders = leaders_at(queller, region)
    queller.garrison[region] = _defended(state, Side.SHADOW, region, hits, units, leaders, 0)
    leaders = queller.board.own_leadership[region]
    if state.location[Character.SARUMAN] == region and controls_character(
        state, Side.SHADOW, Character.SARUMAN
    ):  # he never leaves Orthanc
        leaders -= CHARACTER_LEADERSHIP[Character.SARUMAN]
    hits = queller.board.own_hits[region]
    queller.value[region] = strength(hits, queller.board.own_units[region], leaders, 0)
    used = nations_to_move(state, Side.SHADOW, region)
    units = 0
    hits = 0
    for nation in range(NUM_FREE_PEOPLES, NUM_NATIONS):
        if used >> nation & 1 and at_war(state, nation):
            elites = int(state.elite[region, nation])
            units += int(state.regular[region, nation]) + elites
            hits += int(state.regular[region, nation]) + 2 * elites
    queller.war_value[region] = strength(hits, units, leaders, 0)
    if units == 0:
        queller.war_value[region] = 0


@kernel
def _read_free_peoples(state, queller, region):
    units = int(state.units[region, Side.FREE_PEOPLES])
    hits = queller.board.hits[Side.FREE_PEOPLES, region]
    leaders = queller.board.leadership[Side.FREE_PEOPLES, region]
    captains_there = captains(characters_at(state, Side.FREE_PEOPLES, region))
    queller.defence[region] = _defended(
        state, Side.FREE_PEOPLES, region, hits, units, leaders, captains_there
    )
    if SETTLEMENT[region] == Settlement.STRONGHOLD and not is_besieger(state, Side.FREE_PEOPLES, region):
        return  # a garrison
    for nation in range(NUM_FREE_PEOPLES):
        there = int(state.regular[region, nation]) + int(state.elite[region, nation])
        if there > 0 and state.active[nation] == 1:
            queller.raider[region] = strength(hits, units, leaders, captains_there)


@kernel
def _own_stronghold(state, region):
    """Whether the Shadow still controls the Stronghold of a Shadow nation in a region."""
    printed = SETTLEMENT[region] == Settlement.STRONGHOLD and REGION_SIDE[region] == Side.SHADOW
    return printed and holds(state, Side.SHADOW, region)


@kernel
def _read_threats(state, queller):
    threats = 0
    for index in range(SETTLEMENT_REGIONS.size):
        region = SETTLEMENT_REGIONS[index]
        if not _own_stronghold(state, region):
            continue
        worst = 0
        for army in range(NUM_REGIONS):
            value = queller.raider[army]
            if value <= 0 or DISTANCE[army, region] > THREAT_RANGE:
                continue
            if value > queller.garrison[region]:
                queller.threatens[army] = 1
                queller.threatened[region] = 1
                threats += 1
            worst = max(worst, value)
        # A Stronghold counts one and a half times: a Regular is worth 3 there.
        queller.guard[region] = (worst + 2) // 3
    if _ents_may_wake(state, queller) and queller.threatened[Region.ORTHANC] == 0:
        queller.threatened[Region.ORTHANC] = 1
        threats += 1
    home = int(state.fellowship_region)
    if home >= 0 and state.mordor_step == 0 and state.hunt_box[Side.SHADOW] > 0:
        queller.guard[home] = max(1, queller.guard[home])
    queller.threats = threats


@kernel
def _ents_may_wake(state, queller):
    """Whether Saruman has few defenders, Gandalf the White is in play, and a Companion is in Fangorn."""
    if state.location[Character.SARUMAN] < 0 or state.location[Character.GANDALF_WHITE] < 0:
        return False
    weak = queller.board.hits[Side.SHADOW, Region.ORTHANC] < 4
    return weak and characters_at(state, Side.FREE_PEOPLES, Region.FANGORN) != 0


@kernel
def _read_partners_guards(state, queller):
    """Counts the units of a partner, which stay in their regions, as guards."""
    for region in range(NUM_REGIONS):
        partners = int(state.units[region, Side.SHADOW]) - queller.board.own_units[region]
        queller.guard[region] = max(0, queller.guard[region] - partners)


@kernel
def _read_ranks(state, queller):
    """Writes the rank of every target; the rank breaks ties of distance."""
    weakest = NOWHERE
    for region in range(NUM_REGIONS):
        rank = TargetRank.NONE
        nation = REGION_NATION[region]
        kind = SETTLEMENT[region]
        if kind == Settlement.STRONGHOLD and holds(state, Side.FREE_PEOPLES, region):
            if REGION_SIDE[region] == Side.SHADOW:
                rank = TargetRank.LOST_STRONGHOLD
            elif not _sieged_well(state, queller, region):
                if at_war(state, nation):
                    rank = TargetRank.STRONGHOLD_AT_WAR
                elif state.active[nation] == 1:
                    rank = TargetRank.STRONGHOLD_ACTIVE
                else:
                    rank = TargetRank.STRONGHOLD_PASSIVE
            elif weakest < 0 or queller.defence[region] < queller.defence[weakest]:
                weakest = region
        elif kind == Settlement.CITY and holds(state, Side.FREE_PEOPLES, region):
            if REGION_SIDE[region] == Side.FREE_PEOPLES and state.active[nation] == 1:
                rank = TargetRank.CITY_AT_WAR if at_war(state, nation) else TargetRank.CITY_ACTIVE
        if rank != TargetRank.LOST_STRONGHOLD and queller.threatens[region]:
            rank = TargetRank.THREAT
        queller.rank[region] = rank
    if weakest >= 0:
        queller.rank[weakest] = TargetRank.BESIEGED


@kernel
def _sieged_well(state, queller, region):
    """Whether an aggressive army besieges the region."""
    besieger = is_besieger(state, Side.SHADOW, region)
    return besieger and is_aggressive(state, queller, region, queller.defence[region])


@kernel
def enemy_at(state, queller, region):
    """The value of an enemy army that blocks the way through a region; 0 if the way is free."""
    if state.units[region, Side.FREE_PEOPLES] == 0 or is_besieger(state, Side.SHADOW, region):
        return 0
    return queller.defence[region]


@kernel
def toward(state, queller, origin, goal, walking):
    """Of the neighbours that are nearer to the goal, the one with the weakest enemy; ``NOWHERE`` if all of
    them are blocked.

    With ``walking``, a neighbour without an enemy counts only if the army of the origin can move there now.
    """
    best = NOWHERE
    least = BLOCKED
    for i in range(NUM_NEIGHBOURS[origin]):
        region = NEIGHBOURS[origin, i]
        if DISTANCE[region, goal] >= DISTANCE[origin, goal]:
            continue
        enemy = enemy_at(state, queller, region)
        if enemy >= least:
            continue
        if walking and enemy == 0 and not can_move_to(state, Side.SHADOW, origin, region, 0):
            continue
        least = enemy
        best = region
    return best


@kernel
def way_strength(state, queller, origin, goal):
    """The value of the strongest enemy on the way to a goal, including the goal."""
    worst = 0
    here = origin
    while here != goal:
        here = toward(state, queller, here, goal, False)
        if here < 0:
            return BLOCKED
        worst = max(worst, enemy_at(state, queller, here))
    return max(worst, queller.defence[goal])


@kernel
def merged_value(state, queller, origin, destination):
    """The value of two Shadow armies after a merge."""
    units = queller.board.own_units[origin] + int(state.units[destination, Side.SHADOW])
    hits = queller.board.own_hits[origin] + queller.board.hits[Side.SHADOW, destination]
    leaders = queller.board.own_leadership[origin] + leaders_at(queller, destination)
    return strength(hits - max(0, units - FULL_ARMY), min(FULL_ARMY, units), leaders, 0)


@kernel
def nearest_target(queller, origin):
    """The nearest target of a region, ties by rank; ``NOWHERE`` if there is none."""
    best = NOWHERE
    least = _FAR
    for region in range(NUM_REGIONS):
        rank = queller.rank[region]
        if rank != TargetRank.NONE and _RANKS * DISTANCE[origin, region] + rank < least:
            least = _RANKS * DISTANCE[origin, region] + rank
            best = region
    return best


@kernel
def _read_army(state, queller, region):
    """Writes the target of a Shadow army, its next step, and whether it is mobile."""
    if is_garrison(state, Side.SHADOW, region):
        return
    siege = is_besieger(state, Side.SHADOW, region)
    target = region if siege else nearest_target(queller, region)
    if target < 0:
        return
    queller.target[region] = target
    units = queller.board.own_units[region]
    step = region if siege else toward(state, queller, region, target, True)
    if step < 0 or units <= queller.guard[region]:
        return
    queller.next_step[region] = step
    mobile = units >= FULL_ARMY or is_aggressive(
        state, queller, region, way_strength(state, queller, region, target)
    )
    if not siege and step == target and besieged(state, target) and queller.value[target] > 0:
        wall = queller.defence[target]
        weak = queller.value[target] < wall
        mobile = mobile or (weak and merged_value(state, queller, region, target) >= wall)
    if mobile:
        queller.mobile[region] = 1
        queller.mobiles += 1


@kernel
def _read_prey(state, queller, goal):
    """Writes an undefended target as the prey of the nearest army with a free way."""
    best = NOWHERE
    for army in range(NUM_REGIONS):
        units = queller.board.own_units[army]
        if units <= queller.guard[army] or besieged(state, army):
            continue
        if best >= 0 and DISTANCE[army, goal] >= DISTANCE[best, goal]:
            continue
        if way_strength(state, queller, army, goal) == 0 and toward(state, queller, army, goal, True) >= 0:
            best = army
    if best < 0:
        return
    other = queller.prey[best]
    if other < 0 or DISTANCE[best, goal] < DISTANCE[best, other]:
        queller.prey[best] = goal
        queller.preys += 1


@kernel
def _clear(queller):
    for region in range(NUM_REGIONS):
        queller.value[region] = 0
        queller.war_value[region] = 0
        queller.garrison[region] = 0
        queller.guard[region] = 0
        queller.target[region] = NOWHERE
        queller.next_step[region] = NOWHERE
        queller.mobile[region] = 0
        queller.prey[region] = NOWHERE
        queller.defence[region] = 0
        queller.raider[region] = 0
        queller.threatens[region] = 0
        queller.threatened[region] = 0
    queller.mobiles = 0
    queller.preys = 0


@kernel
def read_queller(state, queller):
    """Fills the reading (the data computed from a position), except the fields of the walk. The reading of
    the scripted policy must be filled already."""
    _clear(queller)
    for region in range(NUM_REGIONS):
        if state.units[region, Side.SHADOW] > 0:
            _read_shadow(state, queller, region)
        if state.units[region, Side.FREE_PEOPLES] > 0:
            _read_free_peoples(state, queller, region)
    _read_threats(state, queller)
    _read_partners_guards(state, queller)
    _read_ranks(state, queller)
    for region in range(NUM_REGIONS):
        if state.units[region, Side.SHADOW] > 0:
            _read_army(state, queller, region)
    for region in range(NUM_REGIONS):
        if queller.rank[region] != TargetRank.NONE and state.units[region, Side.FREE_PEOPLES] == 0:
            _read_prey(state, queller, region)
