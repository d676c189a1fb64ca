"""Conditions of events: conditions for playing a card, and the conditions of ``if`` (section 22.1,
R6.4.1)."""

from __future__ import annotations

from wotr_env.compiler.memory import equal_flags_of_few
from wotr_env.games.war_of_the_ring.codes import Character, Location, Nation, Settlement, Side
from wotr_env.games.war_of_the_ring.components import (
    COMPANIONS,
    IS_COMPANION,
    NUM_REGIONS,
    REGION_NATION,
    REGION_SIDE,
    SETTLEMENT,
)
from wotr_env.games.war_of_the_ring.data.event_programs import Area, AttackArmy, Condition
from wotr_env.games.war_of_the_ring.kernels import kernel
from wotr_env.games.war_of_the_ring.rules.armies import at_war, holds_stronghold, is_besieger
from wotr_env.games.war_of_the_ring.rules.characters import in_play
from wotr_env.games.war_of_the_ring.rules.politics import all_at_war
from wotr_env.games.war_of_the_ring.state import NUM_CHARACTERS, NUM_FREE_PEOPLES


@kernel
def one_of(characters, character):
    return characters >> character & 1 == 1


@kernel
def leader_of_army(state, characters, area):
    """One of the characters that is with a Free Peoples army in an area; -1 if there is none."""
    for character in range(NUM_CHARACTERS):
        region = int(state.location[character])
        if not one_of(characters, character) or region < 0 or state.units[region, Side.FREE_PEOPLES] == 0:
            continue
        nation = REGION_NATION[region]
        if area == Area.GONDOR_OR_ROHAN and nation != Nation.GONDOR and nation != Nation.ROHAN:
            continue
        if area == Area.OUTSIDE_FREE_PEOPLES and REGION_SIDE[region] == Side.FREE_PEOPLES:
            continue
        return character
    return -1


@kernel
def companion_at(state, region):
    """Whether a Companion is in a region, with or without an army."""
    return equal_flags_of_few(state.location, region, 8) & COMPANIONS != 0


@kernel
def nazgul_at(state, region):
    """The number of Nazgul in a region, including the Witch-king (section 22.1)."""
    here = int(state.leader[region, Nation.SAURON])
    return here + 1 if state.location[Character.WITCH_KING] == region else here


@kernel
def has_visitor(state, nation):
    """Whether a nation is not At War and has the Fellowship figure or a Companion in one of its regions
    (22.4)."""
    if at_war(state, nation):
        return False
    figure = int(state.fellowship_region)
    if figure >= 0 and REGION_NATION[figure] == nation:
        return True
    for character in range(NUM_CHARACTERS):
        region = int(state.location[character])
        if IS_COMPANION[character] and region >= 0 and REGION_NATION[region] == nation:
            return True
    return False


@kernel
def army_holds(state, army, region):
    """Whether a Shadow army contains the Witch-king or an Isengard unit, as a card requires."""
    if army == AttackArmy.WITCH_KING:
        return state.location[Character.WITCH_KING] == region
    if army == AttackArmy.ISENGARD:
        return state.regular[region, Nation.ISENGARD] + state.elite[region, Nation.ISENGARD] > 0
    return True


@kernel
def _some_region(state, condition, army):
    """Whether a condition on some region holds: an Elven Stronghold controlled by the Shadow, or a siege with
    a certain army."""
    for region in range(NUM_REGIONS):
        if condition == Condition.BESIEGES:
            if is_besieger(state, Side.SHADOW, region) and army_holds(state, army, region):
                return True
        elif REGION_NATION[region] == Nation.ELVES and holds_stronghold(state, Side.SHADOW, region):
            return True
    return False


@kernel
def _some_character(state, condition, first, second, third, fourth):
    """Whether a condition on one of several characters holds; ``first`` is the set of characters."""
    for character in range(NUM_CHARACTERS):
        if not one_of(first, character):
            continue
        place = int(state.location[character])
        if condition == Condition.IN_FELLOWSHIP:
            if place == Location.IN_FELLOWSHIP:
                return True
        elif place >= 0:
            if condition == Condition.AT_NATION and REGION_NATION[place] == second:
                return True
            if condition == Condition.AT and (place == second or place == third or place == fourth):
                return True
    return False


@kernel
def holds(state, condition, first, second, third, fourth):
    """Whether a condition holds now; on the Mordor Track, the Fellowship figure is in no region (R11.2.1)."""
    figure = int(state.fellowship_region)
    if condition == Condition.IN_PLAY:
        return in_play(state, first)
    if condition == Condition.LEADS_ARMY:
        return leader_of_army(state, first, second) >= 0
    if condition == Condition.ARMY_AT:
        return state.units[second, first] > 0
    if condition == Condition.ACTIVE:
        return state.active[first] == 1
    if condition == Condition.AT_WAR:
        return at_war(state, first)
    if condition == Condition.ALL_SHADOW_AT_WAR:
        return all_at_war(state, Side.SHADOW)
    if condition == Condition.REVEALED:
        return state.revealed == 1
    if condition == Condition.IN_PROGRESS:
        return state.progress >= 1 and state.mordor_step == 0
    if condition == Condition.FIGURE_AT:
        return figure == first and not holds_stronghold(state, Side.SHADOW, first)
    if condition == Condition.FIGURE_CLEAR:
        return figure < 0 or REGION_SIDE[figure] != Side.FREE_PEOPLES or SETTLEMENT[figure] == Settlement.NONE
    if condition == Condition.NAZGUL_AT_FIGURE:
        return figure >= 0 and nazgul_at(state, figure) > 0
    if condition == Condition.HOLDS_ELVEN_STRONGHOLD or condition == Condition.BESIEGES:
        return _some_region(state, condition, first)
    if condition == Condition.BESIEGED:
        return is_besieger(state, Side.SHADOW, first)
    if condition == Condition.VISITED:
        for nation in range(NUM_FREE_PEOPLES):
            if has_visitor(state, nation):
                return True
        return False
    if condition == Condition.NONE:
        return True
    return _some_character(state, condition, first, second, third, fourth)
