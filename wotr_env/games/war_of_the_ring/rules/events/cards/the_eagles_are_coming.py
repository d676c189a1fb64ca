"""The Eagles Are Coming! (fp-char-18): eliminates Nazgul; the survivors may have to move."""

from __future__ import annotations

from wotr_env.compiler.codes import Codes
from wotr_env.games.war_of_the_ring.actions import Block
from wotr_env.games.war_of_the_ring.codes import Decision, Nation, Settlement, Side
from wotr_env.games.war_of_the_ring.components import (
    MAX_DICE,
    NEIGHBOURS,
    NUM_NEIGHBOURS,
    NUM_REGIONS,
    REGION_NATION,
    SETTLEMENT,
)
from wotr_env.games.war_of_the_ring.data.event_programs import Op
from wotr_env.games.war_of_the_ring.kernels import kernel
from wotr_env.games.war_of_the_ring.rules.armies import controller, eliminate_leader
from wotr_env.games.war_of_the_ring.rules.choice import Asked, Choice
from wotr_env.games.war_of_the_ring.rules.events.conditions import companion_at
from wotr_env.games.war_of_the_ring.rules.events.figures import roll_dice
from wotr_env.games.war_of_the_ring.rules.events.frame import EventFrame, current_step, go_to_step, next_op
from wotr_env.games.war_of_the_ring.rules.events.operation import Operation
from wotr_env.games.war_of_the_ring.rules.seats import owner_of
from wotr_env.games.war_of_the_ring.rules.stack import ask, ask_seat, get, put


class EaglesStep(Codes):
    STRIKE = 0
    FLIGHT = 1


@kernel
def _may_strike(state, region):
    """Whether a Shadow army with a Nazgul is near a Free Peoples army with a Companion; the Witch-king does
    not count as a Nazgul here."""
    if state.units[region, Side.SHADOW] == 0 or state.leader[region, Nation.SAURON] == 0:
        return False
    if _friends_at(state, region):
        return True
    for i in range(NUM_NEIGHBOURS[region]):
        if _friends_at(state, NEIGHBOURS[region, i]):
            return True
    return False


@kernel
def _friends_at(state, region):
    return state.units[region, Side.FREE_PEOPLES] > 0 and companion_at(state, region)


@kernel
def _is_refuge(state, region):
    """Whether a region is a Sauron Stronghold that the Free Peoples do not control."""
    sauron = REGION_NATION[region] == Nation.SAURON and SETTLEMENT[region] == Settlement.STRONGHOLD
    return sauron and controller(state, region) == Side.SHADOW


@kernel
def _some_refuge(state):
    for region in range(NUM_REGIONS):
        if _is_refuge(state, region):
            return True
    return False


@kernel
def eagles_can_strike(state):
    for region in range(NUM_REGIONS):
        if _may_strike(state, region):
            return True
    return False


@kernel
def run_eagles(state):
    """Rolls a die per Nazgul; the survivors then flee together."""
    if current_step(state) == EaglesStep.STRIKE:
        ask(state, Side.FREE_PEOPLES, Decision.EVENT_REGION)
    elif state.leader[get(state, EventFrame.PLACE), Nation.SAURON] > 0 and _some_refuge(state):
        ask_seat(state, owner_of(state, Side.SHADOW, Nation.SAURON), Decision.EVENT_REGION)
    else:
        next_op(state)


@kernel
def legal_prey(state, mask):
    """D44: the army whose Nazgul are attacked."""
    for region in range(NUM_REGIONS):
        mask[Block.REGION + region] = _may_strike(state, region)


@kernel
def apply_prey(state, action):
    region = action - Block.REGION
    go_to_step(state, EaglesStep.FLIGHT)
    put(state, EventFrame.PLACE, region)
    dice = min(MAX_DICE, int(state.leader[region, Nation.SAURON]))
    for _ in range(roll_dice(state, dice, 5)):
        eliminate_leader(state, region, Nation.SAURON)


@kernel
def legal_refuge(state, mask):
    """D45: the region to which the Nazgul move."""
    for region in range(NUM_REGIONS):
        mask[Block.REGION + region] = _is_refuge(state, region)


@kernel
def apply_refuge(state, action):
    origin = get(state, EventFrame.PLACE)
    nazgul = state.leader[origin, Nation.SAURON]
    state.leader[origin, Nation.SAURON] = 0
    state.leader[action - Block.REGION, Nation.SAURON] += nazgul
    next_op(state)


OPERATIONS = {
    Op.EAGLES: Operation(
        eagles_can_strike,
        run_eagles,
        {
            (Decision.EVENT_REGION, EaglesStep.STRIKE): Choice(
                "D44",
                Asked.FREE_PEOPLES,
                legal_prey,
                apply_prey,
                "which army's Nazgul are struck by {card}",
                "strike the Nazgul of {}",
            ),
            (Decision.EVENT_REGION, EaglesStep.FLIGHT): Choice(
                "D45",
                Asked.SHADOW,
                legal_refuge,
                apply_refuge,
                "where the surviving Nazgul of {event_region} flee",
                "flee to {}",
            ),
        },
    )
}
