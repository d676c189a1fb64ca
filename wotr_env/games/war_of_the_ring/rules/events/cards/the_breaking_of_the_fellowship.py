"""The Breaking of the Fellowship (sh-char-14): a tile whose number is used in a special way (22.8)."""

from __future__ import annotations

from wotr_env.compiler.codes import Codes
from wotr_env.games.war_of_the_ring.actions import Block
from wotr_env.games.war_of_the_ring.codes import Character, Decision, Side
from wotr_env.games.war_of_the_ring.data.event_programs import Op
from wotr_env.games.war_of_the_ring.kernels import kernel
from wotr_env.games.war_of_the_ring.rules.characters import (
    companions_in_fellowship,
    eliminate_character,
    in_fellowship,
)
from wotr_env.games.war_of_the_ring.rules.choice import Asked, Choice
from wotr_env.games.war_of_the_ring.rules.events.frame import EventFrame, current_step, go_to_step, next_op
from wotr_env.games.war_of_the_ring.rules.events.operation import Operation, always
from wotr_env.games.war_of_the_ring.rules.fellowship import appoint_guide, choose_guide
from wotr_env.games.war_of_the_ring.rules.hunt.hunt import start_breaking_tile
from wotr_env.games.war_of_the_ring.rules.politics import companions_arrive
from wotr_env.games.war_of_the_ring.rules.stack import ask, get, put
from wotr_env.games.war_of_the_ring.rules.victory import add_corruption
from wotr_env.games.war_of_the_ring.state import NUM_CHARACTERS


class BreakingStep(Codes):
    DRAW = 0
    READ = 1
    LEAVE = 2


@kernel
def run_breaking(state):
    """Separates as many Companions as the tile's number; if Gollum is the Guide, adds 1 Corruption
    instead."""
    step = current_step(state)
    if step == BreakingStep.DRAW:
        if state.guide == Character.GOLLUM:
            add_corruption(state, 1)
            next_op(state)
        else:
            go_to_step(state, BreakingStep.READ)
            start_breaking_tile(state)
    elif step == BreakingStep.READ:
        go_to_step(state, BreakingStep.LEAVE)
        put(state, EventFrame.COUNT, int(state.tile_number))
        state.tile_number = 0
    elif get(state, EventFrame.COUNT) > 0 and companions_in_fellowship(state) > 0:
        ask(state, Side.FREE_PEOPLES, Decision.EVENT_CHARACTER)
    else:
        somebody_left = get(state, EventFrame.SOMEBODY_LEFT) == 1
        next_op(state)
        if somebody_left:  # R9.3.2
            choose_guide(state)


@kernel
def legal_breaking(state, mask):
    """D45: a Companion who is separated."""
    for character in range(NUM_CHARACTERS):
        if character != Character.GOLLUM and in_fellowship(state, character):
            mask[Block.CHARACTER + character] = True


@kernel
def apply_breaking(state, action):
    """Places the Companion in the region of the figure, or eliminates it on the Mordor Track (R9.8.3,
    R11.3.1)."""
    character = action - Block.CHARACTER
    put(state, EventFrame.SOMEBODY_LEFT, 1)
    put(state, EventFrame.COUNT, get(state, EventFrame.COUNT) - 1)
    if state.mordor_step > 0:
        eliminate_character(state, character)
    else:
        state.location[character] = state.fellowship_region
        companions_arrive(state, int(state.fellowship_region), 1 << character)
    appoint_guide(state)


OPERATIONS = {
    Op.BREAKING: Operation(
        always,
        run_breaking,
        {
            Decision.EVENT_CHARACTER: Choice(
                "D45",
                Asked.FREE_PEOPLES,
                legal_breaking,
                apply_breaking,
                "who leaves the Fellowship by {card}: {event_count} to go",
                "{} leaves",
            )
        },
    )
}
