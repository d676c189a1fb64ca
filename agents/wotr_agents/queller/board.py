"""What the Queller-style Shadow sees on the board: values, threats, targets, and which armies are mobile.

Inspired by the Queller bot by Quitch; written independently. The reading lies in ``work`` behind the weights:
planes of 105 numbers (``Mark``), then single facts (``Fact``).
"""

from __future__ import annotations

from wotr_agents.kernels import kernel
from wotr_agents.scripted.board import WORK_SIZE, Plane, at, holds
from wotr_env.codes import Character, Settlement, Side
from wotr_env.compiler.codes import Codes
from wotr_env.components import (
    CHARACTER_LEADERSHIP,
    DISTANCE,
    FORTIFICATION,
    NEIGHBOURS,
    NUM_NEIGHBOURS,
    NUM_REGIONS,
    REGION_NATION,
    REGION_SIDE,
    SETTLEMENT,
    SETTLEMENT_REGIONS,
    Region,
)
from wotr_env.rules.armies import at_war, besieged, is_besieger, is_garrison
from wotr_env.rules.characters import captains, characters_at
from wotr_env.rules.movement import can_move_to
from wotr_env.state import NUM_FACES, NUM_FREE_PEOPLES, NUM_NATIONS


class Mark(Codes):
    """The planes of the reading. Regions are written as their number + 1, so that 0 is none."""

    VALUE = 0  # of the Shadow army in the open
    WAR_VALUE = 1  # of its units that may attack
    GARRISON = 2  # of the Shadow army as a defender where it stands
    RAIDER = 3  # value of a Free Peoples army that may threaten a Stronghold
    DEFENCE = 4  # of the Free Peoples army where it stands
    THREATENED = 5  # Shadow Stronghold: the army that threatens it
    THREAT = 6  # Free Peoples army: the Stronghold that it threatens
    RANK = 7  # of a target: 1 breaks ties first, 0 is none
    TARGET = 8  # of the Shadow army
    NEXT = 9  # its next region on the way there
    MOBILE = 10  # flag
    PREY = 11  # the undefended target to which this army is the nearest
    GUARD = 12  # units that must stay


class Fact(Codes):
    """Single numbers of the reading."""

    WANTED = 0  # strategy asked for: a Strategy, or 2 for automatic
    COIN = 1  # of the bot, 0 to 1023
    STRATEGY = 2
    RING = 3  # 0 no Elven Ring, 1 in marked steps, 2 in every step
    MAY_PASS = 4
    THREATS = 5  # how many
    PREYS = 6
    MOBILES = 7
    ATTACK = 8  # the best attack by any army; then by one with a leader
    MOVE = 10  # the best move, likewise
    DICE = 12  # usable dice by face


class Strategy(Codes):
    """What the Shadow mainly tries to win by."""

    MILITARY = 0
    CORRUPTION = 1
    AUTO = 2


NUM_MARKS = 13
MARKS_AT = WORK_SIZE
FACTS_AT = MARKS_AT + NUM_MARKS * NUM_REGIONS
QUELLER_SIZE = FACTS_AT + Fact.DICE + NUM_FACES
DICE = 5
FULL_ARMY = 10
THREAT_RANGE = 2
BLOCKED = 500.0


@kernel
def mark(work, kind, region):
    """A number of a plane."""
    return work[MARKS_AT + kind * NUM_REGIONS + region]


@kernel
def marked_region(work, kind, region):
    """The region written there, -1 if none."""
    return int(work[MARKS_AT + kind * NUM_REGIONS + region]) - 1


@kernel
def place(kind, region):
    """Where a number of a plane lies."""
    return MARKS_AT + kind * NUM_REGIONS + region


@kernel
def fact(work, kind):
    """A single number."""
    return work[FACTS_AT + kind]


@kernel
def strength(hits, units, leaders, captains_there):
    """Hit points, Combat dice, Leadership and Captains of an army."""
    dice = min(DICE, units + captains_there)
    return hits + dice + min(DICE, leaders, units) + captains_there


@kernel
def _defended(state, side, region, hits, units, leaders, captains_there):
    """The value of an army that defends the region where it stands."""
    if SETTLEMENT[region] == Settlement.STRONGHOLD and holds(state, side, region):
        inside = min(DICE, units)
        best = inside + min(inside, hits - units)
        return strength(best, inside, leaders, captains_there) * 3 // 2
    walls = 1 if SETTLEMENT[region] == Settlement.CITY or FORTIFICATION[region] == 1 else 0
    return strength(hits, units, leaders, captains_there) + walls


@kernel
def is_aggressive(state, work, region, enemy):
    """Whether the Shadow army of a region may well attack an enemy of this value."""
    units = int(state.units[region, Side.SHADOW])
    if mark(work, Mark.VALUE, region) >= enemy:
        return units > 0
    led = state.location[Character.WITCH_KING] == region or leaders_at(work, region) >= DICE
    return units >= FULL_ARMY and led


@kernel
def leaders_at(work, region):
    """Leadership of the Shadow army of a region."""
    return int(at(work, Plane.LEADERSHIP_SHADOW, region))


@kernel
def _read_shadow(state, work, region):
    units = int(state.units[region, Side.SHADOW])
    hits = int(at(work, Plane.HITS_SHADOW, region))
    leaders = leaders_at(work, region)
    work[place(Mark.GARRISON, region)] = _defended(state, Side.SHADOW, region, hits, units, leaders, 0)
    if state.location[Character.SARUMAN] == region:  # he never leaves Orthanc
        leaders -= CHARACTER_LEADERSHIP[Character.SARUMAN]
    work[place(Mark.VALUE, region)] = strength(hits, units, leaders, 0)
    units = 0
    hits = 0
    for nation in range(NUM_FREE_PEOPLES, NUM_NATIONS):
        if at_war(state, nation):
            elites = int(state.elite[region, nation])
            units += int(state.regular[region, nation]) + elites
            hits += int(state.regular[region, nation]) + 2 * elites
    work[place(Mark.WAR_VALUE, region)] = strength(hits, units, leaders, 0)
    if units == 0:
        work[place(Mark.WAR_VALUE, region)] = 0


@kernel
def _read_free_peoples(state, work, region):
    units = int(state.units[region, Side.FREE_PEOPLES])
    hits = int(at(work, Plane.HITS_FREE_PEOPLES, region))
    leaders = int(at(work, Plane.LEADERSHIP_FREE_PEOPLES, region))
    captains_there = captains(characters_at(state, Side.FREE_PEOPLES, region))
    work[place(Mark.DEFENCE, region)] = _defended(
        state, Side.FREE_PEOPLES, region, hits, units, leaders, captains_there
    )
    if SETTLEMENT[region] == Settlement.STRONGHOLD and not is_besieger(state, Side.FREE_PEOPLES, region):
        return  # a garrison
    for nation in range(NUM_FREE_PEOPLES):
        there = int(state.regular[region, nation]) + int(state.elite[region, nation])
        if there > 0 and state.active[nation] == 1:
            work[place(Mark.RAIDER, region)] = strength(hits, units, leaders, captains_there)


@kernel
def _own_stronghold(state, region):
    """A Stronghold of a Shadow nation that the Shadow still holds."""
    printed = SETTLEMENT[region] == Settlement.STRONGHOLD and REGION_SIDE[region] == Side.SHADOW
    return printed and holds(state, Side.SHADOW, region)


@kernel
def _read_threats(state, work):
    threats = 0
    for index in range(SETTLEMENT_REGIONS.size):
        region = SETTLEMENT_REGIONS[index]
        if not _own_stronghold(state, region):
            continue
        worst = 0.0
        for army in range(NUM_REGIONS):
            value = mark(work, Mark.RAIDER, army)
            if value <= 0 or DISTANCE[army, region] > THREAT_RANGE:
                continue
            if value > mark(work, Mark.GARRISON, region):
                work[place(Mark.THREAT, army)] = region + 1
                threats += 1
                if value > worst:
                    work[place(Mark.THREATENED, region)] = army + 1
            worst = max(worst, value)
        # A Stronghold counts one and a half times: a Regular is worth 3 there.
        work[place(Mark.GUARD, region)] = (int(worst) + 2) // 3
    if _ents_may_wake(state, work) and mark(work, Mark.THREATENED, Region.ORTHANC) == 0:
        work[place(Mark.THREATENED, Region.ORTHANC)] = Region.FANGORN + 1
        threats += 1
    home = int(state.fellowship_region)
    if home >= 0 and state.mordor_step == 0 and state.hunt_box[Side.SHADOW] > 0:
        work[place(Mark.GUARD, home)] = max(1.0, mark(work, Mark.GUARD, home))
    work[FACTS_AT + Fact.THREATS] = threats


@kernel
def _ents_may_wake(state, work):
    """Saruman with few defenders while Gandalf the White is about and a Companion in Fangorn."""
    if state.location[Character.SARUMAN] < 0 or state.location[Character.GANDALF_WHITE] < 0:
        return False
    weak = at(work, Plane.HITS_SHADOW, Region.ORTHANC) < 4
    return weak and characters_at(state, Side.FREE_PEOPLES, Region.FANGORN) != 0


@kernel
def _read_ranks(state, work):
    """Every target with its place in the order that breaks ties of distance."""
    weakest = -1
    for region in range(NUM_REGIONS):
        rank = 0
        nation = REGION_NATION[region]
        kind = SETTLEMENT[region]
        if kind == Settlement.STRONGHOLD and holds(state, Side.FREE_PEOPLES, region):
            if REGION_SIDE[region] == Side.SHADOW:
                rank = 1
            elif not _sieged_well(state, work, region):
                rank = 3 if at_war(state, nation) else (4 if state.active[nation] == 1 else 5)
            elif weakest < 0 or mark(work, Mark.DEFENCE, region) < mark(work, Mark.DEFENCE, weakest):
                weakest = region
        elif kind == Settlement.CITY and holds(state, Side.FREE_PEOPLES, region):
            if REGION_SIDE[region] == Side.FREE_PEOPLES and state.active[nation] == 1:
                rank = 6 if at_war(state, nation) else 7
        if rank != 1 and mark(work, Mark.THREAT, region) > 0:
            rank = 2
        work[place(Mark.RANK, region)] = rank
    if weakest >= 0:
        work[place(Mark.RANK, weakest)] = 8


@kernel
def _sieged_well(state, work, region):
    """Whether an aggressive army besieges the region."""
    besieger = is_besieger(state, Side.SHADOW, region)
    return besieger and is_aggressive(state, work, region, int(mark(work, Mark.DEFENCE, region)))


@kernel
def enemy_at(state, work, region):
    """The value of the enemy who bars the way through a region, 0 if it is free."""
    if state.units[region, Side.FREE_PEOPLES] == 0 or is_besieger(state, Side.SHADOW, region):
        return 0.0
    return mark(work, Mark.DEFENCE, region)


@kernel
def toward(state, work, origin, goal, first):
    """The neighbour on a shortest way to the goal with the weakest enemy, -1 if it cannot be entered.

    With ``first`` the army of the origin must be able to walk there, or find an enemy there.
    """
    best = -1
    least = BLOCKED
    for i in range(NUM_NEIGHBOURS[origin]):
        region = NEIGHBOURS[origin, i]
        if DISTANCE[region, goal] >= DISTANCE[origin, goal]:
            continue
        enemy = enemy_at(state, work, region)
        if enemy >= least:
            continue
        if first and enemy == 0 and not can_move_to(state, Side.SHADOW, origin, region, 0):
            continue
        least = enemy
        best = region
    return best


@kernel
def way_strength(state, work, origin, goal):
    """The strongest enemy on the way to a goal, the goal included."""
    worst = 0.0
    here = origin
    while here != goal:
        here = toward(state, work, here, goal, 0)
        if here < 0:
            return BLOCKED
        worst = max(worst, enemy_at(state, work, here))
    return max(worst, mark(work, Mark.DEFENCE, goal))


@kernel
def merged_value(state, work, origin, destination):
    """The value of two Shadow armies in one."""
    units = int(state.units[origin, Side.SHADOW]) + int(state.units[destination, Side.SHADOW])
    hits = int(at(work, Plane.HITS_SHADOW, origin)) + int(at(work, Plane.HITS_SHADOW, destination))
    leaders = leaders_at(work, origin) + leaders_at(work, destination)
    return strength(hits - max(0, units - FULL_ARMY), min(FULL_ARMY, units), leaders, 0)


@kernel
def nearest_target(work, origin):
    """The nearest target of a region, ties by rank; -1 if there is none."""
    best = -1
    least = 10000
    for region in range(NUM_REGIONS):
        rank = int(mark(work, Mark.RANK, region))
        if rank > 0 and 16 * DISTANCE[origin, region] + rank < least:
            least = 16 * DISTANCE[origin, region] + rank
            best = region
    return best


@kernel
def _read_army(state, work, region):
    """The target of a Shadow army, its way, and whether it is mobile."""
    if is_garrison(state, Side.SHADOW, region):
        return
    siege = is_besieger(state, Side.SHADOW, region)
    target = region if siege else nearest_target(work, region)
    if target < 0:
        return
    work[place(Mark.TARGET, region)] = target + 1
    units = int(state.units[region, Side.SHADOW])
    step = region if siege else toward(state, work, region, target, 1)
    if step < 0 or units <= mark(work, Mark.GUARD, region):
        return
    work[place(Mark.NEXT, region)] = step + 1
    mobile = units >= FULL_ARMY or is_aggressive(
        state, work, region, int(way_strength(state, work, region, target))
    )
    if not siege and step == target and besieged(state, target) and mark(work, Mark.VALUE, target) > 0:
        wall = mark(work, Mark.DEFENCE, target)
        weak = mark(work, Mark.VALUE, target) < wall
        mobile = mobile or (weak and merged_value(state, work, region, target) >= wall)
    if mobile:
        work[place(Mark.MOBILE, region)] = 1
        work[FACTS_AT + Fact.MOBILES] += 1


@kernel
def _read_prey(state, work, goal):
    """Tells the nearest army with a free way of an undefended target."""
    best = -1
    for army in range(NUM_REGIONS):
        units = int(state.units[army, Side.SHADOW])
        if units <= mark(work, Mark.GUARD, army) or besieged(state, army):
            continue
        if best >= 0 and DISTANCE[army, goal] >= DISTANCE[best, goal]:
            continue
        if way_strength(state, work, army, goal) == 0 and toward(state, work, army, goal, 1) >= 0:
            best = army
    if best < 0:
        return
    other = marked_region(work, Mark.PREY, best)
    if other < 0 or DISTANCE[best, goal] < DISTANCE[best, other]:
        work[place(Mark.PREY, best)] = goal + 1
        work[FACTS_AT + Fact.PREYS] += 1


@kernel
def read_queller(state, work):
    """Fills the reading; that of the scripted policy must be there."""
    for slot in range(NUM_MARKS * NUM_REGIONS):
        work[MARKS_AT + slot] = 0
    work[FACTS_AT + Fact.MOBILES] = 0
    work[FACTS_AT + Fact.PREYS] = 0
    for region in range(NUM_REGIONS):
        if state.units[region, Side.SHADOW] > 0:
            _read_shadow(state, work, region)
        if state.units[region, Side.FREE_PEOPLES] > 0:
            _read_free_peoples(state, work, region)
    _read_threats(state, work)
    _read_ranks(state, work)
    for region in range(NUM_REGIONS):
        if state.units[region, Side.SHADOW] > 0:
            _read_army(state, work, region)
    for region in range(NUM_REGIONS):
        if mark(work, Mark.RANK, region) > 0 and state.units[region, Side.FREE_PEOPLES] == 0:
            _read_prey(state, work, region)
