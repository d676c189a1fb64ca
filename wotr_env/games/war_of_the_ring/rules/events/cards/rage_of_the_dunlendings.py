"""Rage of the Dunlendings (sh-strat-11): recruits in one place, and units of the Dunlands join them there."""

from __future__ import annotations

from wotr_env.compiler.codes import Codes
from wotr_env.games.war_of_the_ring.actions import Block
from wotr_env.games.war_of_the_ring.codes import Decision, Figure, Nation, Side, Verb
from wotr_env.games.war_of_the_ring.components import NEIGHBOURS, NUM_NEIGHBOURS, NUM_REGIONS, Region
from wotr_env.games.war_of_the_ring.data.event_programs import Op
from wotr_env.games.war_of_the_ring.kernels import kernel
from wotr_env.games.war_of_the_ring.rules.armies import (
    add_units,
    is_free,
    recruit_figure,
    settle_after_choice,
    stacking_room,
    units_of,
)
from wotr_env.games.war_of_the_ring.rules.choice import Asked, Choice
from wotr_env.games.war_of_the_ring.rules.events.frame import EventFrame, current_step, go_to_step, next_op
from wotr_env.games.war_of_the_ring.rules.events.operation import Operation
from wotr_env.games.war_of_the_ring.rules.figures import figure_action, kind_of_figure
from wotr_env.games.war_of_the_ring.rules.movement import army_enters
from wotr_env.games.war_of_the_ring.rules.stack import ask, get, put

RECRUITS = 2
MOST_TO_JOIN = 4


class DunlendingStep(Codes):
    GATHER = 0
    ORIGIN = 1
    UNIT = 2


@kernel
def _is_dunland(region):
    return region == Region.NORTH_DUNLAND or region == Region.SOUTH_DUNLAND


@kernel
def _is_near_dunland(state, region):
    """Whether a region is free and is, or is next to, North or South Dunland (R2.10, sh-strat-11)."""
    near = _is_dunland(region)
    for i in range(NUM_NEIGHBOURS[region]):
        near = near or _is_dunland(NEIGHBOURS[region, i])
    return near and is_free(state, Side.SHADOW, region) and stacking_room(state, Side.SHADOW, region) > 0


@kernel
def _isengard_units(state, region):
    return int(state.regular[region, Nation.ISENGARD]) + int(state.elite[region, Nation.ISENGARD])


@kernel
def dunlendings_can_gather(state):
    if (
        state.reinforcement_regular[Nation.ISENGARD] == 0
        and _isengard_units(state, Region.NORTH_DUNLAND) == 0
        and _isengard_units(state, Region.SOUTH_DUNLAND) == 0
    ):
        return False
    for region in range(NUM_REGIONS):
        if _is_near_dunland(state, region):
            return True
    return False


@kernel
def _can_be_joined(state):
    """Whether a unit of a Dunland may still join, within the maximum of four and the stacking limit."""
    place = get(state, EventFrame.PLACE)
    if get(state, EventFrame.COUNT) >= MOST_TO_JOIN or stacking_room(state, Side.SHADOW, place) <= 0:
        return False
    for region in range(NUM_REGIONS):
        if _can_join_from(state, region):
            return True
    return False


@kernel
def _can_join_from(state, region):
    elsewhere = region != get(state, EventFrame.PLACE)
    return elsewhere and _is_dunland(region) and _isengard_units(state, region) > 0


@kernel
def run_dunlendings(state):
    """Recruits two Regulars in one place, where up to four units of the Dunlands may join them."""
    step = current_step(state)
    if step == DunlendingStep.GATHER or (step == DunlendingStep.ORIGIN and _can_be_joined(state)):
        ask(state, Side.SHADOW, Decision.EVENT_REGION)
    elif step == DunlendingStep.UNIT:
        ask(state, Side.SHADOW, Decision.EVENT_FIGURE)
    else:
        next_op(state)


@kernel
def legal_gathering(state, mask):
    """D44: the region in which the Dunlendings gather."""
    for region in range(NUM_REGIONS):
        mask[Block.REGION + region] = _is_near_dunland(state, region)


@kernel
def apply_gathering(state, action):
    region = action - Block.REGION
    put(state, EventFrame.PLACE, region)
    go_to_step(state, DunlendingStep.ORIGIN)
    for _ in range(RECRUITS):
        room = stacking_room(state, Side.SHADOW, region) > 0
        if room and state.reinforcement_regular[Nation.ISENGARD] > 0:
            recruit_figure(state, region, Nation.ISENGARD, Figure.REGULAR)
    settle_after_choice(state, Side.SHADOW, region)


@kernel
def legal_dunland(state, mask):
    """D44: the region from which a unit joins, or done."""
    for region in range(NUM_REGIONS):
        mask[Block.REGION + region] = _can_join_from(state, region)
    mask[Block.VERB + Verb.DONE] = True


@kernel
def apply_dunland(state, action):
    if action == Block.VERB + Verb.DONE:
        next_op(state)
    else:
        put(state, EventFrame.UNIT_FROM, action - Block.REGION)
        go_to_step(state, DunlendingStep.UNIT)


@kernel
def legal_dunlending(state, mask):
    """D44: the unit that joins."""
    for figure in range(Figure.LEADER):
        if units_of(state, get(state, EventFrame.UNIT_FROM), Nation.ISENGARD, figure) > 0:
            mask[figure_action(Nation.ISENGARD, figure)] = True


@kernel
def apply_dunlending(state, action):
    figure = kind_of_figure(action)
    place = get(state, EventFrame.PLACE)
    add_units(state, get(state, EventFrame.UNIT_FROM), Nation.ISENGARD, figure, -1)
    add_units(state, place, Nation.ISENGARD, figure, 1)
    put(state, EventFrame.UNIT_FROM, 0)
    put(state, EventFrame.COUNT, get(state, EventFrame.COUNT) + 1)
    go_to_step(state, DunlendingStep.ORIGIN)
    army_enters(state, Side.SHADOW, place, 0)
    settle_after_choice(state, Side.SHADOW, place)


OPERATIONS = {
    Op.DUNLENDINGS: Operation(
        dunlendings_can_gather,
        run_dunlendings,
        {
            (Decision.EVENT_REGION, DunlendingStep.GATHER): Choice(
                "D44",
                Asked.SHADOW,
                legal_gathering,
                apply_gathering,
                "which region {card} gathers in",
                "gather in {}",
            ),
            (Decision.EVENT_REGION, DunlendingStep.ORIGIN): Choice(
                "D44",
                Asked.SHADOW,
                legal_dunland,
                apply_dunland,
                "from where another unit joins {card} in {event_region}, if any; {event_count} of 4 so far",
                "bring a unit from {}",
            ),
            Decision.EVENT_FIGURE: Choice(
                "D44",
                Asked.SHADOW,
                legal_dunlending,
                apply_dunlending,
                "which unit goes from {unit_from} to {event_region} by {card}",
                "bring {}",
            ),
        },
    )
}
