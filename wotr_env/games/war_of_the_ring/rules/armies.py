"""Armies, control and the counts of figures (R1.1, R2, R7.1-R7.3, R7.10).

Every figure enters and leaves the board through the functions of this module.
"""

from __future__ import annotations

from wotr_env.compiler.codes import Codes
from wotr_env.compiler.memory import equal_flags_of_few
from wotr_env.games.war_of_the_ring.actions import Block
from wotr_env.games.war_of_the_ring.codes import Decision, Figure, Frame, Nation, Settlement, Side
from wotr_env.games.war_of_the_ring.components import (
    NATION_SIDE,
    NUM_REGIONS,
    OPEN_AT_PEACE,
    SETTLEMENT,
    SETTLEMENT_INDEX,
)
from wotr_env.games.war_of_the_ring.kernels import kernel
from wotr_env.games.war_of_the_ring.options import Option, OverstackVoluntary, StackingCheck
from wotr_env.games.war_of_the_ring.rules.command import (
    commander,
    commander_in_battle,
    meet,
    nations_among,
    part_if_alone,
)
from wotr_env.games.war_of_the_ring.rules.figures import figure_action, kind_of_figure, nation_of_figure
from wotr_env.games.war_of_the_ring.rules.stack import ask_seat, get, pop, push, put
from wotr_env.games.war_of_the_ring.state import NUM_FREE_PEOPLES, NUM_LEADER_NATIONS, NUM_NATIONS

FIELD_LIMIT = 10
GARRISON_LIMIT = 5
UNLIMITED = 99

# The nations of a side are FIRST_NATION[side] to END_NATION[side] - 1, those of them that have leader figures
# FIRST_NATION[side] to END_LEADER_NATION[side] - 1.
FIRST_NATION = (0, NUM_FREE_PEOPLES)
END_NATION = (NUM_FREE_PEOPLES, NUM_NATIONS)
END_LEADER_NATION = (NUM_FREE_PEOPLES, NUM_LEADER_NATIONS)
_ALL_LEADER_NATIONS = (1 << NUM_LEADER_NATIONS) - 1


@kernel
def controller(state, region):
    """The side that controls the Settlement of a region; -1 if there is no Settlement (R2.5, R2.6,
    R7.13.5)."""
    index = SETTLEMENT_INDEX[region]
    return int(state.control[index]) if index >= 0 else -1


@kernel
def holds_stronghold(state, side, region):
    """Whether the side controls a Stronghold in the region (R2.5)."""
    return SETTLEMENT[region] == Settlement.STRONGHOLD and controller(state, region) == side


@kernel
def besieged(state, region):
    """Whether the Stronghold of the region is under siege, that is, units of both sides are in the region
    (R7.13.1).

    Also R7.5.13, R7.13.8.
    """
    return state.units[region, 0] > 0 and state.units[region, 1] > 0


@kernel
def is_garrison(state, side, region):
    """Whether the army of the side in the region is a garrison under siege (R2.11)."""
    return besieged(state, region) and controller(state, region) == side


@kernel
def is_besieger(state, side, region):
    """Whether the army of the side in the region besieges its Stronghold (R7.13.1)."""
    return besieged(state, region) and controller(state, region) != side


@kernel
def free_for_movement(state, side, region):
    """Whether no enemy unit is in the field; a garrison that the side besieges does not count (R2.7).

    Also R9.1.2, R7.3.3, R7.13.4.
    """
    return state.units[region, 1 - side] == 0 or is_besieger(state, side, region)


@kernel
def is_free(state, side, region):
    """Whether the region is free for movement and has no enemy-controlled Settlement, except one that the
    side besieges (R2.8)."""
    if is_besieger(state, side, region):
        return True
    return state.units[region, 1 - side] == 0 and controller(state, region) != 1 - side


@kernel
def at_war(state, nation):
    """Whether a nation is At War; all restrictions of peace then end immediately (R8.7)."""
    return state.steps_to_war[nation] == 0


@kernel
def nations_at_war(state):
    """The nations At War, one bit each."""
    return equal_flags_of_few(state.steps_to_war, 0, 8)


@kernel
def nations_in(state, region):
    """The nations that have units in a region, one bit each."""
    return nations_among(state.regular[region], state.elite[region])


@kernel
def leaders_in(state, region):
    """The nations that have Leaders or Nazgul in a region, one bit each."""
    return _ALL_LEADER_NATIONS & ~equal_flags_of_few(state.leader[region], 0, 4)


@kernel
def add_units(state, region, nation, figure, count):
    """Puts units on the board, or removes them (count < 0), and updates the sum of units (R7.1.1)."""
    if figure == Figure.REGULAR:
        state.regular[region, nation] += count
    else:
        state.elite[region, nation] += count
    state.units[region, NATION_SIDE[nation]] += count
    if count < 0:
        part_if_alone(state, NATION_SIDE[nation], region)


@kernel
def units_of(state, region, nation, figure):
    if figure == Figure.REGULAR:
        return int(state.regular[region, nation])
    return int(state.elite[region, nation])


@kernel
def reinforcements_of(state, nation, figure):
    """The number of figures in the reinforcements (R7.4.2); 0 for Leaders of nations without Leaders."""
    if figure == Figure.REGULAR:
        return int(state.reinforcement_regular[nation])
    if figure == Figure.ELITE:
        return int(state.reinforcement_elite[nation])
    return int(state.reinforcement_leader[nation]) if nation < NUM_LEADER_NATIONS else 0


@kernel
def recruit_figure(state, region, nation, figure):
    """Moves a figure from the reinforcements to a region (R7.4.2)."""
    if figure == Figure.REGULAR:
        state.reinforcement_regular[nation] -= 1
        add_units(state, region, nation, figure, 1)
    elif figure == Figure.ELITE:
        state.reinforcement_elite[nation] -= 1
        add_units(state, region, nation, figure, 1)
    else:
        state.reinforcement_leader[nation] -= 1
        state.leader[region, nation] += 1


@kernel
def disband_unit(state, region, nation, figure):
    """Returns a unit to the reinforcements of its side; the unit does not count as a casualty (R7.2.3)."""
    add_units(state, region, nation, figure, -1)
    if figure == Figure.REGULAR:
        state.reinforcement_regular[nation] += 1
    else:
        state.reinforcement_elite[nation] += 1


@kernel
def eliminate_unit(state, region, nation, figure):
    """Eliminates a unit: a Free Peoples unit leaves the game, a Shadow unit returns to the reinforcements
    (R7.3.5)."""
    if nation >= NUM_FREE_PEOPLES:
        disband_unit(state, region, nation, figure)
        return
    add_units(state, region, nation, figure, -1)
    if figure == Figure.REGULAR:
        state.casualty_regular[nation] += 1
    else:
        state.casualty_elite[nation] += 1


@kernel
def eliminate_leader(state, region, nation):
    """Eliminates a Leader, or returns a Nazgul to the reinforcements (R7.3.5)."""
    state.leader[region, nation] -= 1
    if nation == Nation.SAURON:
        state.reinforcement_leader[nation] += 1
    else:
        state.casualty_leader[nation] += 1


@kernel
def remove_lone_leaders(state, region):
    """Removes Free Peoples Leaders without a unit from the game (R7.3.4)."""
    if state.units[region, Side.FREE_PEOPLES] == 0:
        for nation in range(NUM_FREE_PEOPLES):
            while state.leader[region, nation] > 0:
                eliminate_leader(state, region, nation)


@kernel
def can_reduce(state, nation):
    """Whether a Regular is available to replace an Elite (R7.10.4, R7.10.5)."""
    if nation < NUM_FREE_PEOPLES and state.casualty_regular[nation] > 0:
        return True
    return state.reinforcement_regular[nation] > 0


@kernel
def reduce_elite(state, region, nation):
    """Replaces an Elite by a Regular: for the Free Peoples from the casualties first, then from the
    reinforcements (R7.10.4).

    Also RU25.
    """
    if nation < NUM_FREE_PEOPLES and state.casualty_regular[nation] > 0:
        state.casualty_regular[nation] -= 1
    else:
        state.reinforcement_regular[nation] -= 1
    add_units(state, region, nation, Figure.REGULAR, 1)
    eliminate_unit(state, region, nation, Figure.ELITE)


# --- Casualties (R7.10). ---


class CasualtyFrame(Codes):
    """Slots of the frame ``CASUALTIES``."""

    SIDE = 2  # whose army suffers
    REGION = 3
    HITS = 4  # left to take
    SCOPE = 5  # what the hits fall on, as flags


# Flags of the scope.
WHOLE_ARMY = 0  # no flag: an army outside a battle
ATTACKING_PART = 1
DEFENDERS = 2
LAST_UNIT_STAYS = 4  # hits that a side deals to itself (RG33)


@kernel
def suffer_hits(state, side, region, hits, scope):
    """Starts the distribution of hits, which the owner of the army completes before anything else happens
    (R6.4.3, R7.10.1)."""
    if hits > 0:
        push(state, Frame.CASUALTIES)
        put(state, CasualtyFrame.SIDE, side)
        put(state, CasualtyFrame.REGION, region)
        put(state, CasualtyFrame.HITS, hits)
        put(state, CasualtyFrame.SCOPE, scope)


@kernel
def casualty_region(state):
    """The region of the army that takes casualties."""
    return get(state, CasualtyFrame.REGION)


@kernel
def _attackers_suffer(state):
    """Whether the hits fall on the attacking part (R7.8.4)."""
    return get(state, CasualtyFrame.SCOPE) & ATTACKING_PART != 0


@kernel
def _exposed(state, nation, figure):
    """The number of units of the army, or of the attacking part, that the hits can remove (R7.8.4)."""
    if _attackers_suffer(state):
        return (
            int(state.party_regular[nation]) if figure == Figure.REGULAR else int(state.party_elite[nation])
        )
    return units_of(state, get(state, CasualtyFrame.REGION), nation, figure)


@kernel
def _units_to_lose(state):
    """The number of units that the hits may remove, and whether an Elite may be reduced (RG33)."""
    side = get(state, CasualtyFrame.SIDE)
    units = 0
    reducible = False
    for nation in range(FIRST_NATION[side], END_NATION[side]):
        elites = _exposed(state, nation, Figure.ELITE)
        units += _exposed(state, nation, Figure.REGULAR) + elites
        reducible = reducible or (elites > 0 and can_reduce(state, nation))
    if get(state, CasualtyFrame.SCOPE) & LAST_UNIT_STAYS:
        units -= 1
    return units, reducible


@kernel
def resume_casualties(state):
    """Asks for one casualty at a time while hits and units are left; excess hits are lost (R7.10.2,
    R7.10.3)."""
    units, reducible = _units_to_lose(state)
    if get(state, CasualtyFrame.HITS) == 0 or (units <= 0 and not reducible):
        if get(state, CasualtyFrame.SCOPE) == WHOLE_ARMY:  # in a battle its round decides later (R7.10.6)
            remove_lone_leaders(state, get(state, CasualtyFrame.REGION))
        pop(state)
    else:
        ask_seat(state, _who_suffers(state), Decision.CASUALTY)


@kernel
def _who_suffers(state):
    """The seat that commands the army that is hit, in a battle or outside a battle (R13.6.2)."""
    side = get(state, CasualtyFrame.SIDE)
    if get(state, CasualtyFrame.SCOPE) == WHOLE_ARMY:
        return commander(state, side, get(state, CasualtyFrame.REGION))
    return commander_in_battle(state, side)


@kernel
def legal_casualty(state, mask):
    """D25, R7.10.2: FIGURE removes a Regular (1 hit) or Elite (2 hits), NATION reduces an Elite (1 hit)."""
    side = get(state, CasualtyFrame.SIDE)
    choices = 0
    removable = _units_to_lose(state)[0] > 0
    for nation in range(FIRST_NATION[side], END_NATION[side]):
        if removable and _exposed(state, nation, Figure.REGULAR) > 0:
            mask[figure_action(nation, Figure.REGULAR)] = True
            choices += 1
        if _exposed(state, nation, Figure.ELITE) > 0:
            if can_reduce(state, nation):
                mask[Block.NATION + nation] = True
                choices += 1
            if removable and get(state, CasualtyFrame.HITS) >= 2:
                mask[figure_action(nation, Figure.ELITE)] = True
                choices += 1
    if choices == 0:  # R7.10.5: no Regular figure is left to replace the Elite
        for nation in range(FIRST_NATION[side], END_NATION[side]):
            if _exposed(state, nation, Figure.ELITE) > 0:
                mask[figure_action(nation, Figure.ELITE)] = True


@kernel
def apply_casualty(state, action):
    """R7.10.2: takes one casualty."""
    region = get(state, CasualtyFrame.REGION)
    party = _attackers_suffer(state)
    hits = get(state, CasualtyFrame.HITS)
    if action >= Block.FIGURE:
        nation = nation_of_figure(action)
        figure = kind_of_figure(action)
        eliminate_unit(state, region, nation, figure)
        if party and figure == Figure.REGULAR:
            state.party_regular[nation] -= 1
        elif party:
            state.party_elite[nation] -= 1
        hits -= 2 if figure == Figure.ELITE else 1
    else:
        reduce_for_party(state, region, action - Block.NATION, party)
        hits -= 1
    put(state, CasualtyFrame.HITS, max(0, hits))


@kernel
def reduce_for_party(state, region, nation, party):
    """Reduces an Elite, and also updates the attacking part if the Elite belongs to it (R7.10.4, R7.14.3)."""
    reduce_elite(state, region, nation)
    if party:
        state.party_elite[nation] -= 1
        state.party_regular[nation] += 1


# --- Stacking (R7.2). ---


class TrimFrame(Codes):
    """Slots of the frame ``TRIM``."""

    SIDE = 2
    REGION = 3
    LIMIT = 4


@kernel
def trim(state, side, region, limit):
    """Makes the owner of an army remove the units above the limit immediately (R7.2.3)."""
    if state.units[region, side] > limit:
        push(state, Frame.TRIM)
        put(state, TrimFrame.SIDE, side)
        put(state, TrimFrame.REGION, region)
        put(state, TrimFrame.LIMIT, limit)


@kernel
def trim_region(state):
    """The region of the army that is above its limit."""
    return get(state, TrimFrame.REGION)


@kernel
def trim_to_stacking(state, side, region):
    """Trims an army to 10 units, a garrison under siege to 5 (R7.2.1, R7.13.2, RU26)."""
    trim(state, side, region, GARRISON_LIMIT if is_garrison(state, side, region) else FIELD_LIMIT)


@kernel
def settle_in(state, side, region):
    """Handles units that have come by battle, retreat or card: partners may join armies, and the limit is
    applied (R7.2.3, R13.6.1)."""
    meet(state, side, region)
    trim_to_stacking(state, side, region)


@kernel
def settle_after_choice(state, side, region):
    """Handles units that have come by a move or a recruitment. With an option of the ruleset, they may exceed
    the stacking limit; excess units are removed immediately or, with another option, later (R7.2.4).

    A garrison under siege, into which only cards recruit, is trimmed immediately (RG47). Also R13.6.1.
    """
    meet(state, side, region)
    at_once = state.options[Option.STACKING_CHECK] == StackingCheck.EACH_MOVE
    if at_once or is_garrison(state, side, region):
        trim_to_stacking(state, side, region)


@kernel
def trim_after_action(state, side):
    """With an option of the ruleset, trims an army that an action has left above the stacking limit (R7.2.4);
    returns whether there is such an army. If there is none, the action is over.
    """
    if state.options[Option.STACKING_CHECK] == StackingCheck.END_OF_ACTION:
        for region in range(NUM_REGIONS):
            if state.units[region, side] > FIELD_LIMIT:
                trim_to_stacking(state, side, region)
                return True
    return False


@kernel
def stacking_room(state, side, region):
    """The number of units of the side that may still enter the field of a region; ``UNLIMITED`` with an
    option (R7.2.2)."""
    if state.options[Option.OVERSTACK_VOLUNTARY] == OverstackVoluntary.DISBAND:
        return UNLIMITED
    return FIELD_LIMIT - int(state.units[region, side])


@kernel
def resume_trim(state):
    side = get(state, TrimFrame.SIDE)
    region = get(state, TrimFrame.REGION)
    if state.units[region, side] <= get(state, TrimFrame.LIMIT):
        pop(state)
    else:
        ask_seat(state, commander(state, side, region), Decision.TRIM_ARMY)


@kernel
def legal_trim_army(state, mask):
    """D32, R7.2.3: any unit of the army may go."""
    side = get(state, TrimFrame.SIDE)
    for nation in range(FIRST_NATION[side], END_NATION[side]):
        for figure in range(Figure.LEADER):
            if units_of(state, get(state, TrimFrame.REGION), nation, figure) > 0:
                mask[figure_action(nation, figure)] = True


@kernel
def apply_trim_army(state, action):
    disband_unit(state, get(state, TrimFrame.REGION), nation_of_figure(action), kind_of_figure(action))


@kernel
def may_enter(state, nation, region):
    """R7.5.9: whether a unit may enter a region; a unit at peace enters only regions of its own nation and of
    no nation."""
    return at_war(state, nation) or OPEN_AT_PEACE[region] >> nation & 1 == 1
