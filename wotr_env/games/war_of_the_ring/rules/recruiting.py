"""Reinforcements by Muster (R7.4) and the recruiting Voice of Saruman (R14.13)."""

from __future__ import annotations

from wotr_env.compiler.codes import Codes
from wotr_env.games.war_of_the_ring.actions import Block
from wotr_env.games.war_of_the_ring.codes import Decision, Figure, Frame, Nation, Settlement, Side, Verb
from wotr_env.games.war_of_the_ring.components import NATION_SIDE, REGION_NATION, SETTLEMENT
from wotr_env.games.war_of_the_ring.kernels import kernel
from wotr_env.games.war_of_the_ring.rules.armies import (
    END_NATION,
    FIRST_NATION,
    at_war,
    controller,
    recruit_figure,
    reinforcements_of,
    settle_after_choice,
    stacking_room,
)
from wotr_env.games.war_of_the_ring.rules.characters import voice_works
from wotr_env.games.war_of_the_ring.rules.figures import figure_action, kind_of_figure, nation_of_figure
from wotr_env.games.war_of_the_ring.rules.places import is_noted, note_place
from wotr_env.games.war_of_the_ring.rules.regions import first_region, settlements_of, without_first
from wotr_env.games.war_of_the_ring.rules.seats import controls_nation, deciding_side
from wotr_env.games.war_of_the_ring.rules.spent import is_barred, spend_nations
from wotr_env.games.war_of_the_ring.rules.stack import ask, ask_again, get, pop, push, put
from wotr_env.games.war_of_the_ring.state import NUM_NATIONS

NOWHERE = -1


@kernel
def can_recruit_at(state, nation, figure, region):
    """Whether a Muster may place the figure in the region (R7.4.4, R7.4.5, R7.4.8, R7.13.3, R7.17.3)."""
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
    """Whether the figure is available, its nation is At War, and some place other than ``taken`` is legal
    (R7.4).

    Also R7.4.9, and whether the nation belongs to the player and the last action does not bar it (R13.5.1,
    R13.7.3).
    """
    if not at_war(state, nation) or reinforcements_of(state, nation, figure) == 0:
        return False
    if not controls_nation(state, NATION_SIDE[nation], nation) or is_barred(state, nation):
        return False
    low, high = settlements_of(nation)
    while low | high != 0:
        region = first_region(low, high)
        if region != taken and can_recruit_at(state, nation, figure, region):
            return True
        low, high = without_first(low, high)
    return False


@kernel
def can_muster(state, side):
    for nation in range(FIRST_NATION[side], END_NATION[side]):
        for figure in range(Figure.LEADER + 1):
            if can_recruit(state, nation, figure, NOWHERE):
                return True
    return False


# --- One Muster. ---


class RecruitFrame(Codes):
    """Slots of the frame ``RECRUIT``."""

    PLACED = 2  # figures
    FIRST_PLACE = 3  # where the first figure was placed, or NOWHERE
    FIGURE = 4  # to place, as its number in the block ``FIGURE``
    KIND = 5  # of Muster


MUSTER = 0
VOICE = 1  # one Isengard Regular in each usable Isengard Settlement

BOTH_PLACED = 2


@kernel
def start_muster(state):
    push(state, Frame.RECRUIT)
    put(state, RecruitFrame.FIRST_PLACE, NOWHERE)


@kernel
def figures_placed(state):
    """The number of figures that this Muster has placed."""
    return get(state, RecruitFrame.PLACED)


@kernel
def first_place(state):
    """The region in which this Muster has placed its first figure, or ``NOWHERE``."""
    return get(state, RecruitFrame.FIRST_PLACE)


@kernel
def _figure_to_place(state):
    """The recruited figure, as the action that points at it."""
    return Block.FIGURE + get(state, RecruitFrame.FIGURE)


@kernel
def _is_voice(state):
    return get(state, RecruitFrame.KIND) == VOICE


@kernel
def resume_recruit(state):
    """Asks for the first or second figure, or ends the Muster (R7.4.1)."""
    if _is_voice(state):
        _resume_voice(state)
        return
    placed = figures_placed(state)
    one_more = placed == 1 and kind_of_figure(_figure_to_place(state)) != Figure.ELITE
    if placed == 0 or (one_more and _second_possible(state)):
        ask(state, int(state.acting), Decision.RECRUIT_FIGURE)
    else:
        pop(state)


@kernel
def _second_possible(state):
    for nation in range(NUM_NATIONS):
        if NATION_SIDE[nation] == state.acting and (
            can_recruit(state, nation, Figure.REGULAR, first_place(state))
            or can_recruit(state, nation, Figure.LEADER, first_place(state))
        ):
            return True
    return False


@kernel
def legal_recruit_figure(state, mask):
    """D10, R7.4.1: an Elite, or two figures that are Regulars or Leaders; Nazgul are Leaders of Sauron
    (R7.4.3, R7.4.7)."""
    second = figures_placed(state) == 1
    side = deciding_side(state)
    for nation in range(FIRST_NATION[side], END_NATION[side]):
        for figure in range(Figure.LEADER + 1):
            if second and figure == Figure.ELITE:
                continue
            if can_recruit(state, nation, figure, first_place(state)):
                mask[figure_action(nation, figure)] = True
    if second:
        mask[Block.VERB + Verb.DONE] = True


@kernel
def apply_recruit_figure(state, action):
    if action == Block.VERB + Verb.DONE:
        put(state, RecruitFrame.PLACED, BOTH_PLACED)
    else:
        put(state, RecruitFrame.FIGURE, action - Block.FIGURE)
        ask_again(state, Decision.RECRUIT_REGION)


@kernel
def legal_recruit_region(state, mask):
    """D10, R7.4.4-R7.4.6: a Settlement of the figure's own nation, different from the first place."""
    if _is_voice(state):
        low, high = settlements_of(Nation.ISENGARD)
        while low | high != 0:
            region = first_region(low, high)
            low, high = without_first(low, high)
            if _voice_reaches(state, region):
                mask[Block.REGION + region] = True
        return
    nation = nation_of_figure(_figure_to_place(state))
    figure = kind_of_figure(_figure_to_place(state))
    low, high = settlements_of(nation)
    while low | high != 0:
        region = first_region(low, high)
        low, high = without_first(low, high)
        if region != first_place(state) and can_recruit_at(state, nation, figure, region):
            mask[Block.REGION + region] = True


@kernel
def apply_recruit_region(state, action):
    region = action - Block.REGION
    if _is_voice(state):
        _voice_recruits(state, region)
        return
    nation = nation_of_figure(_figure_to_place(state))
    recruit_figure(state, region, nation, kind_of_figure(_figure_to_place(state)))
    put(state, RecruitFrame.PLACED, figures_placed(state) + 1)
    put(state, RecruitFrame.FIRST_PLACE, region)
    spend_nations(state, NATION_SIDE[nation], 1 << nation)
    settle_after_choice(state, NATION_SIDE[nation], region)


# --- The Voice of Saruman, first use (R14.13, RG38). It notes the places served. ---


@kernel
def _voice_reaches(state, region):
    """Whether a region is a usable Isengard Settlement that has not yet received its Regular (R14.13, RG38,
    RG64)."""
    return not is_noted(state, region) and can_recruit_at(state, Nation.ISENGARD, Figure.REGULAR, region)


@kernel
def _places_reached(state):
    places = 0
    low, high = settlements_of(Nation.ISENGARD)
    while low | high != 0:
        if _voice_reaches(state, first_region(low, high)):
            places += 1
        low, high = without_first(low, high)
    return places


@kernel
def voice_can_recruit(state):
    """R14.13 (a): whether there is at least one Regular and one usable Settlement."""
    has_regular = at_war(state, Nation.ISENGARD) and state.reinforcement_regular[Nation.ISENGARD] > 0
    return voice_works(state) and has_regular and _places_reached(state) > 0


@kernel
def start_voice(state):
    push(state, Frame.RECRUIT)
    put(state, RecruitFrame.KIND, VOICE)


@kernel
def _resume_voice(state):
    """Places a Regular in the next Settlement, or ends; asks for places only if there are fewer Regulars than
    Settlements (R14.13, RG38)."""
    left = int(state.reinforcement_regular[Nation.ISENGARD])
    places = _places_reached(state)
    if left == 0 or places == 0:
        pop(state)
    elif left < places:
        ask(state, int(state.acting), Decision.RECRUIT_REGION)
    else:
        low, high = settlements_of(Nation.ISENGARD)
        while low | high != 0:
            region = first_region(low, high)
            if _voice_reaches(state, region):
                _voice_recruits(state, region)
                return
            low, high = without_first(low, high)


@kernel
def _voice_recruits(state, region):
    recruit_figure(state, region, Nation.ISENGARD, Figure.REGULAR)
    note_place(state, region)
    settle_after_choice(state, Side.SHADOW, region)
