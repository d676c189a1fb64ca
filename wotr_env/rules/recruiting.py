"""Reinforcements by Muster (R7.4) and the recruiting Voice of Saruman (R14.13)."""

from __future__ import annotations

from wotr_env.actions import Block
from wotr_env.codes import Decision, Figure, Frame, Nation, Settlement, Side, Verb
from wotr_env.components import NATION_SIDE, NUM_REGIONS, REGION_NATION, SETTLEMENT
from wotr_env.kernels import kernel
from wotr_env.rules.armies import (
    END_NATION,
    FIELD_LIMIT,
    FIRST_NATION,
    at_war,
    controller,
    recruit_figure,
    reinforcements_of,
    stacking_room,
    trim_to_stacking,
)
from wotr_env.rules.characters import voice_works
from wotr_env.rules.stack import A, B, C, D, ask, get, pop, push, put
from wotr_env.state import NUM_NATIONS

NOWHERE = -1


@kernel
def can_recruit_at(state, nation, figure, region):
    """Whether a Muster may place the figure there (R7.4.4, R7.4.5, R7.4.8, R7.13.3, R7.17.3)."""
    side = NATION_SIDE[nation]
    if REGION_NATION[region] != nation or SETTLEMENT[region] == Settlement.NONE:
        return False
    if controller(state, region) != side or state.units[region, 1 - side] > 0:
        return False
    if figure != Figure.LEADER:
        return stacking_room(state, side, region) > 0
    if nation == Nation.SAURON:
        return SETTLEMENT[region] == Settlement.STRONGHOLD
    return state.units[region, Side.FREE_PEOPLES] > 0


@kernel
def can_recruit(state, nation, figure, taken):
    """Whether the figure is there, its nation At War, and some place other than ``taken`` is legal (R7.4).

    Also R7.4.9.
    """
    if not at_war(state, nation) or reinforcements_of(state, nation, figure) == 0:
        return False
    for region in range(NUM_REGIONS):
        if region != taken and can_recruit_at(state, nation, figure, region):
            return True
    return False


@kernel
def can_muster(state, side):
    for nation in range(FIRST_NATION[side], END_NATION[side]):
        for figure in range(Figure.LEADER + 1):
            if can_recruit(state, nation, figure, NOWHERE):
                return True
    return False


# --- One Muster. Frame: A figures placed, B place of the first, C figure, D kind of muster. ---

MUSTER = 0
VOICE = 1  # one Isengard Regular in each usable Isengard Settlement


@kernel
def start_muster(state):
    push(state, Frame.RECRUIT, 0, NOWHERE, 0, MUSTER)


@kernel
def resume_recruit(state):
    """Asks for the first or second figure, or ends the Muster (R7.4.1)."""
    if get(state, D) == VOICE:
        _resume_voice(state)
        return
    placed = get(state, A)
    if placed == 0:
        ask(state, int(state.acting), Decision.RECRUIT_FIGURE)
    elif placed == 1 and get(state, C) % 3 != Figure.ELITE and _second_possible(state):
        ask(state, int(state.acting), Decision.RECRUIT_FIGURE)
    else:
        pop(state)


@kernel
def _second_possible(state):
    for nation in range(NUM_NATIONS):
        if NATION_SIDE[nation] == state.acting and (
            can_recruit(state, nation, Figure.REGULAR, get(state, B))
            or can_recruit(state, nation, Figure.LEADER, get(state, B))
        ):
            return True
    return False


@kernel
def legal_recruit_figure(state, mask):
    """D10, R7.4.1: an Elite; or two of Regulars and Leaders, Nazgul being Sauron's (R7.4.3, R7.4.7)."""
    second = get(state, A) == 1
    for nation in range(FIRST_NATION[state.seat], END_NATION[state.seat]):
        for figure in range(Figure.LEADER + 1):
            if second and figure == Figure.ELITE:
                continue
            if can_recruit(state, nation, figure, get(state, B)):
                mask[Block.FIGURE + 3 * nation + figure] = True
    if second:
        mask[Block.VERB + Verb.DONE] = True


@kernel
def apply_recruit_figure(state, action):
    if action == Block.VERB + Verb.DONE:
        put(state, A, 2)
    else:
        put(state, C, action - Block.FIGURE)
        ask(state, int(state.seat), Decision.RECRUIT_REGION)


@kernel
def legal_recruit_region(state, mask):
    """D10, R7.4.4-R7.4.6: a Settlement of the figure's own nation, different from the first place."""
    if get(state, D) == VOICE:
        for region in range(NUM_REGIONS):
            if _voice_reaches(state, region):
                mask[Block.REGION + region] = True
        return
    nation = get(state, C) // 3
    figure = get(state, C) % 3
    for region in range(NUM_REGIONS):
        if region != get(state, B) and can_recruit_at(state, nation, figure, region):
            mask[Block.REGION + region] = True


@kernel
def apply_recruit_region(state, action):
    region = action - Block.REGION
    if get(state, D) == VOICE:
        _voice_recruits(state, region)
        return
    nation = get(state, C) // 3
    recruit_figure(state, region, nation, get(state, C) % 3)
    put(state, A, get(state, A) + 1)
    put(state, B, region)
    trim_to_stacking(state, NATION_SIDE[nation], region)


# --- The Voice of Saruman, first use (R14.13, RG38). The places served are moved_to. ---


@kernel
def _voice_reaches(state, region):
    """A usable Isengard Settlement that has not had its Regular yet (R14.13, RG38)."""
    for i in range(state.moved_count):
        if state.moved_to[i] == region:
            return False
    if state.units[region, Side.SHADOW] >= FIELD_LIMIT:
        return False
    return can_recruit_at(state, Nation.ISENGARD, Figure.REGULAR, region)


@kernel
def _places_reached(state):
    places = 0
    for region in range(NUM_REGIONS):
        if _voice_reaches(state, region):
            places += 1
    return places


@kernel
def voice_can_recruit(state):
    """R14.13 (a): at least one Regular and one usable Settlement."""
    has_regular = at_war(state, Nation.ISENGARD) and state.reinforcement_regular[Nation.ISENGARD] > 0
    return voice_works(state) and has_regular and _places_reached(state) > 0


@kernel
def start_voice(state):
    push(state, Frame.RECRUIT, 0, 0, 0, VOICE)


@kernel
def _resume_voice(state):
    """Places are asked for only if there are fewer Regulars than Settlements (R14.13, RG38)."""
    left = int(state.reinforcement_regular[Nation.ISENGARD])
    places = _places_reached(state)
    if left == 0 or places == 0:
        pop(state)
    elif left < places:
        ask(state, int(state.acting), Decision.RECRUIT_REGION)
    else:
        for region in range(NUM_REGIONS):
            if _voice_reaches(state, region):
                _voice_recruits(state, region)
                return


@kernel
def _voice_recruits(state, region):
    recruit_figure(state, region, Nation.ISENGARD, Figure.REGULAR)
    state.moved_to[state.moved_count] = region
    state.moved_count += 1
    trim_to_stacking(state, Side.SHADOW, region)
