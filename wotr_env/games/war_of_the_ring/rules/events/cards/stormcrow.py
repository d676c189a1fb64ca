"""Stormcrow (sh-strat-06): a nation steps back, and its owner chooses a figure of this nation in any region
to lose."""

from __future__ import annotations

from wotr_env.compiler.codes import Codes
from wotr_env.games.war_of_the_ring.actions import Block
from wotr_env.games.war_of_the_ring.codes import Decision, Figure, Side
from wotr_env.games.war_of_the_ring.components import NATION_SIDE, NUM_REGIONS
from wotr_env.games.war_of_the_ring.data.event_programs import Op
from wotr_env.games.war_of_the_ring.kernels import kernel
from wotr_env.games.war_of_the_ring.rules.armies import eliminate_leader, eliminate_unit, remove_lone_leaders
from wotr_env.games.war_of_the_ring.rules.choice import Asked, Choice
from wotr_env.games.war_of_the_ring.rules.events.conditions import has_visitor
from wotr_env.games.war_of_the_ring.rules.events.figures import after_hits
from wotr_env.games.war_of_the_ring.rules.events.frame import EventFrame, current_step, go_to_step, next_op
from wotr_env.games.war_of_the_ring.rules.events.operation import Operation
from wotr_env.games.war_of_the_ring.rules.figures import figure_action, kind_of_figure
from wotr_env.games.war_of_the_ring.rules.seats import owner_of
from wotr_env.games.war_of_the_ring.rules.stack import ask, ask_seat, get, put
from wotr_env.games.war_of_the_ring.state import NUM_FREE_PEOPLES

FIRST_BOX = 3  # steps from war of the first box of the political track


class StormcrowStep(Codes):
    NATION = 0
    REGION = 1
    FIGURE = 2


@kernel
def _figures_of(state, nation, region):
    figures = int(state.regular[region, nation]) + int(state.elite[region, nation])
    return figures + int(state.leader[region, nation])


@kernel
def _has_figure(state, nation):
    for region in range(NUM_REGIONS):
        if _figures_of(state, nation, region) > 0:
            return True
    return False


@kernel
def _can_step_back(state, nation):
    """Whether the card would change a visited nation: a step back, or a figure to lose (R6.4.4)."""
    return has_visitor(state, nation) and (
        state.steps_to_war[nation] < FIRST_BOX or _has_figure(state, nation)
    )


@kernel
def some_nation_can_step_back(state):
    for nation in range(NUM_FREE_PEOPLES):
        if _can_step_back(state, nation):
            return True
    return False


@kernel
def run_stormcrow(state):
    step = current_step(state)
    owner = owner_of(state, Side.FREE_PEOPLES, get(state, EventFrame.NATION))
    if step == StormcrowStep.NATION:
        ask(state, Side.SHADOW, Decision.EVENT_NATION)
    elif step == StormcrowStep.FIGURE:
        ask_seat(state, owner, Decision.EVENT_FIGURE)
    elif _has_figure(state, get(state, EventFrame.NATION)):
        ask_seat(state, owner, Decision.EVENT_REGION)
    else:
        next_op(state)


@kernel
def legal_nation_back(state, mask):
    """D44: the nation that steps back."""
    for nation in range(NUM_FREE_PEOPLES):
        if _can_step_back(state, nation):
            mask[Block.NATION + nation] = True


@kernel
def apply_nation_back(state, action):
    nation = action - Block.NATION
    put(state, EventFrame.NATION, nation)
    go_to_step(state, StormcrowStep.REGION)
    state.steps_to_war[nation] = min(FIRST_BOX, int(state.steps_to_war[nation]) + 1)


@kernel
def legal_region_of_loss(state, mask):
    """D45: the region in which a figure of the nation is lost."""
    for region in range(NUM_REGIONS):
        mask[Block.REGION + region] = _figures_of(state, get(state, EventFrame.NATION), region) > 0


@kernel
def apply_region_of_loss(state, action):
    put(state, EventFrame.TARGET, action - Block.REGION)
    go_to_step(state, StormcrowStep.FIGURE)


@kernel
def legal_figure_lost(state, mask):
    """D45: a Leader or unit of the nation."""
    nation = get(state, EventFrame.NATION)
    region = get(state, EventFrame.TARGET)
    mask[figure_action(nation, Figure.REGULAR)] = state.regular[region, nation] > 0
    mask[figure_action(nation, Figure.ELITE)] = state.elite[region, nation] > 0
    mask[figure_action(nation, Figure.LEADER)] = state.leader[region, nation] > 0


@kernel
def apply_figure_lost(state, action):
    """Removes the figure, and Leaders that are then alone (R7.3.4)."""
    nation = get(state, EventFrame.NATION)
    region = get(state, EventFrame.TARGET)
    figure = kind_of_figure(action)
    next_op(state)
    if figure == Figure.LEADER:
        eliminate_leader(state, region, nation)
    else:
        eliminate_unit(state, region, nation, figure)
        remove_lone_leaders(state, region)
        after_hits(state, NATION_SIDE[nation], region)


OPERATIONS = {
    Op.STORMCROW: Operation(
        some_nation_can_step_back,
        run_stormcrow,
        {
            Decision.EVENT_NATION: Choice(
                "D44",
                Asked.SHADOW,
                legal_nation_back,
                apply_nation_back,
                "which nation {card} sets one step back on the political track",
                "set {} back",
            ),
            Decision.EVENT_REGION: Choice(
                "D45",
                Asked.FREE_PEOPLES,
                legal_region_of_loss,
                apply_region_of_loss,
                "where {event_nation} loses a figure by {card}",
                "lose a figure in {}",
            ),
            Decision.EVENT_FIGURE: Choice(
                "D45",
                Asked.FREE_PEOPLES,
                legal_figure_lost,
                apply_figure_lost,
                "which figure of {event_nation} is lost in {event_place} by {card}",
                "lose {}",
            ),
        },
    )
}
