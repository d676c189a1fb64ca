"""Army moves over several regions by cards: whether a move can come to a legal end (R7.5.12, 22.4).

A walking army moves region by region with the same figures, and does not return to its origin. Every region
must be free for movement, legal for units at peace (R7.5.9) and have room (R7.2.1). Some cards require that
another Shadow army, which is not besieged, is in the last region.
"""

from __future__ import annotations

from wotr_env.compiler.codes import Codes
from wotr_env.games.war_of_the_ring.components import (
    NEIGHBOUR_BITS,
    NEIGHBOURS,
    NUM_NEIGHBOURS,
    REGION_NATION,
)
from wotr_env.games.war_of_the_ring.data.event_programs import Need
from wotr_env.games.war_of_the_ring.kernels import kernel
from wotr_env.games.war_of_the_ring.rules.armies import (
    END_NATION,
    FIRST_NATION,
    at_war,
    free_for_movement,
    is_garrison,
    stacking_room,
)
from wotr_env.games.war_of_the_ring.rules.events.conditions import companion_at
from wotr_env.games.war_of_the_ring.rules.regions import first_region, only, regions_with_units, without_first
from wotr_env.games.war_of_the_ring.rules.stack import STAGE, get
from wotr_env.games.war_of_the_ring.rules.table.modifiers import closed_to_armies
from wotr_env.games.war_of_the_ring.state import NUM_FREE_PEOPLES, NUM_NATIONS


class MoveFrame(Codes):
    """Slots of the frame ``MOVE_ARMIES``, which ``movement`` resumes."""

    STEPS_LEFT = STAGE  # that the army on its way may still go; 0 between armies
    MOVES_LEFT = 2
    NEED = 3  # who must go along (``Need``)
    ORIGIN = 4  # where the army sets out
    DESTINATION = 5  # the region it enters first; on its way, the region it has come to
    RANGE = 6  # regions that each army may go
    JOINING = 7  # 1 if each move must end at another army


@kernel
def is_walk(state):
    """Whether the armies of the top frame walk, that is, move over several regions or to another army."""
    return get(state, MoveFrame.RANGE) > 1 or get(state, MoveFrame.JOINING) == 1


@kernel
def chosen_at_peace(state):
    """The nations at peace among the chosen units and Leaders, one bit each."""
    bound = 0
    for nation in range(NUM_NATIONS):
        figures = int(state.chosen_regular[nation]) + int(state.chosen_elite[nation])
        if nation < NUM_FREE_PEOPLES:  # Nazgul are bound by nothing
            figures += int(state.chosen_leader[nation])
        if figures > 0 and not at_war(state, nation):
            bound |= 1 << nation
    return bound


@kernel
def _may_walk_into(state, side, region, bound):
    """Whether a region is free for movement, not closed by a card, and within the borders of the nations at
    peace (R7.5.9)."""
    nation = REGION_NATION[region]
    if nation >= 0 and bound & ~(1 << nation) != 0:
        return False
    return free_for_movement(state, side, region) and not closed_to_armies(state, side, region)


@kernel
def may_end_in(state, side, region, walkers, joining):
    """Whether a walk may end in a region; some cards require another army there besides the walking one, not
    under siege."""
    return joining == 0 or (state.units[region, side] > walkers and not is_garrison(state, side, region))


@kernel
def can_finish(state, side, origin, here, start, steps, bound, size, joining):
    """Whether a number of units may enter a region and end their walk there or within a number of further
    steps.

    The units may not return to the origin of their walk (RU50), and every region on the way must have room
    for them (R7.2.1, R7.5.8).
    """
    low, high = only(start)
    for step in range(steps + 1):
        next_low = 0
        next_high = 0
        rest_low, rest_high = low, high
        while rest_low | rest_high != 0:
            region = first_region(rest_low, rest_high)
            rest_low, rest_high = without_first(rest_low, rest_high)
            if region == origin:
                continue
            leaving = size if region == here else 0
            if stacking_room(state, side, region) + leaving < size:
                continue
            if not _may_walk_into(state, side, region, bound):
                continue
            if may_end_in(state, side, region, leaving, joining):
                return True
            next_low |= NEIGHBOUR_BITS[region, 0]
            next_high |= NEIGHBOUR_BITS[region, 1]
        if step < steps:
            low |= next_low
            high |= next_high
    return False


@kernel
def can_finish_walk(state, side, origin, start, bound, size):
    """As ``can_finish``, for a walk of the top frame that begins in its origin."""
    steps = get(state, MoveFrame.RANGE) - 1
    return can_finish(state, side, origin, origin, start, steps, bound, size, get(state, MoveFrame.JOINING))


@kernel
def may_join_walk(state, side, origin, destination, nation, units):
    """Whether figures of a nation can still join the chosen figures on their way (R7.5.9, R7.5.12)."""
    bound = chosen_at_peace(state)
    if not at_war(state, nation):
        bound |= 1 << nation
    return can_finish_walk(state, side, origin, destination, bound, units)


@kernel
def some_walk_exists(state, side, need, reach, joining):
    """Whether some army has a unit that can make a move of a card (R6.4.4)."""
    low, high = regions_with_units(state, side)
    while low | high != 0:
        origin = first_region(low, high)
        low, high = without_first(low, high)
        if is_garrison(state, side, origin):
            continue
        if need == Need.COMPANION and not companion_at(state, origin):
            continue
        for nation in range(FIRST_NATION[side], END_NATION[side]):
            if state.regular[origin, nation] + state.elite[origin, nation] == 0:
                continue
            bound = 0 if at_war(state, nation) else 1 << nation
            for i in range(NUM_NEIGHBOURS[origin]):
                start = NEIGHBOURS[origin, i]
                if can_finish(state, side, origin, origin, start, reach - 1, bound, 1, joining):
                    return True
    return False
