"""Paths of the Woses (fp-strat-11): an army of Rohan comes to the relief of Minas Tirith."""

from __future__ import annotations

from wotr_env.games.war_of_the_ring.actions import Block
from wotr_env.games.war_of_the_ring.codes import Decision, Nation, Side
from wotr_env.games.war_of_the_ring.components import (
    NEIGHBOURS,
    NUM_NEIGHBOURS,
    NUM_REGIONS,
    REGION_NATION,
    Region,
)
from wotr_env.games.war_of_the_ring.data.event_programs import Op
from wotr_env.games.war_of_the_ring.kernels import kernel
from wotr_env.games.war_of_the_ring.rules.armies import besieged, holds_stronghold
from wotr_env.games.war_of_the_ring.rules.choice import Asked, Choice
from wotr_env.games.war_of_the_ring.rules.events.carrying import (
    CarryStep,
    can_be_carried,
    carry_party,
    legal_party,
    picks_party,
)
from wotr_env.games.war_of_the_ring.rules.events.frame import EventFrame, current_step, go_to_step, next_op
from wotr_env.games.war_of_the_ring.rules.events.operation import Operation
from wotr_env.games.war_of_the_ring.rules.parties import MOVE
from wotr_env.games.war_of_the_ring.rules.stack import ask, get, put


@kernel
def _is_origin(state, region):
    """Whether a Free Peoples army is in a region of Rohan; a besieged Stronghold is allowed (fp-strat-11)."""
    if REGION_NATION[region] != Nation.ROHAN or region == Region.MINAS_TIRITH:
        return False
    for destination in range(NUM_REGIONS):
        if _is_destination(state, region, destination):
            return True
    return False


@kernel
def _is_destination(state, origin, region):
    return _is_end(state, region) and can_be_carried(state, Side.FREE_PEOPLES, origin, region)


@kernel
def _is_end(state, region):
    """Whether a region is a destination: Minas Tirith, or a region next to it if it is lost or besieged
    (fp-strat-11, RG18)."""
    city = Region.MINAS_TIRITH
    open_city = holds_stronghold(state, Side.FREE_PEOPLES, city) and not besieged(state, city)
    if open_city:
        return region == city
    for i in range(NUM_NEIGHBOURS[city]):
        if NEIGHBOURS[city, i] == region:
            return True
    return False


@kernel
def woses_can_lead(state):
    for region in range(NUM_REGIONS):
        if _is_origin(state, region):
            return True
    return False


@kernel
def run_woses(state):
    """Asks for two regions and then for the moving figures."""
    step = current_step(state)
    if step == CarryStep.ORIGIN or step == CarryStep.TARGET:
        ask(state, Side.FREE_PEOPLES, Decision.EVENT_REGION)
    elif step == CarryStep.FIGURES:
        ask(state, Side.FREE_PEOPLES, Decision.EVENT_FIGURE)
    else:
        next_op(state)


@kernel
def legal_woses_origin(state, mask):
    """D44: the army that moves."""
    for region in range(NUM_REGIONS):
        mask[Block.REGION + region] = _is_origin(state, region)


@kernel
def apply_woses_origin(state, action):
    put(state, EventFrame.PLACE, action - Block.REGION)
    go_to_step(state, CarryStep.TARGET)


@kernel
def legal_woses_destination(state, mask):
    """D44: the destination of the army."""
    for region in range(NUM_REGIONS):
        mask[Block.REGION + region] = _is_destination(state, get(state, EventFrame.PLACE), region)


@kernel
def apply_woses_destination(state, action):
    put(state, EventFrame.TARGET, action - Block.REGION)
    go_to_step(state, CarryStep.FIGURES)


@kernel
def legal_woses_figure(state, mask):
    """D44: the figures that move."""
    legal_party(state, mask, MOVE)


@kernel
def apply_woses_figure(state, action):
    if picks_party(state, action, MOVE):
        carry_party(state)


OPERATIONS = {
    Op.WOSES: Operation(
        woses_can_lead,
        run_woses,
        {
            (Decision.EVENT_REGION, CarryStep.ORIGIN): Choice(
                "D44",
                Asked.FREE_PEOPLES,
                legal_woses_origin,
                apply_woses_origin,
                "which army goes by {card}",
                "the army of {}",
            ),
            (Decision.EVENT_REGION, CarryStep.TARGET): Choice(
                "D44",
                Asked.FREE_PEOPLES,
                legal_woses_destination,
                apply_woses_destination,
                "where the army of {event_region} goes by {card}",
                "go to {}",
            ),
            Decision.EVENT_FIGURE: Choice(
                "D44",
                Asked.FREE_PEOPLES,
                legal_woses_figure,
                apply_woses_figure,
                "which figures go from {event_region} to {event_place} by {card}; picked: {chosen}",
                "take {} along",
            ),
        },
    )
}
