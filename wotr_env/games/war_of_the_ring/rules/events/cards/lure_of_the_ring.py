"""Lure of the Ring (sh-char-13): a random Companion; the Free Peoples may eliminate it instead of taking its
Level as Corruption."""

from __future__ import annotations

from wotr_env.games.war_of_the_ring.actions import Block
from wotr_env.games.war_of_the_ring.codes import Character, Decision, Side, Verb
from wotr_env.games.war_of_the_ring.components import CHARACTER_LEVEL
from wotr_env.games.war_of_the_ring.data.event_programs import Op
from wotr_env.games.war_of_the_ring.kernels import kernel
from wotr_env.games.war_of_the_ring.rules.choice import Asked, Choice
from wotr_env.games.war_of_the_ring.rules.events.frame import EventFrame, next_op
from wotr_env.games.war_of_the_ring.rules.events.operation import Operation, always
from wotr_env.games.war_of_the_ring.rules.fellowship import lose_companion
from wotr_env.games.war_of_the_ring.rules.hunt.damage import random_companion
from wotr_env.games.war_of_the_ring.rules.stack import ask, get, put
from wotr_env.games.war_of_the_ring.rules.victory import add_corruption


@kernel
def run_lure(state):
    """Draws a Companion and asks for the choice; if Gollum is the Guide, adds 1 Corruption."""
    if state.guide == Character.GOLLUM:
        add_corruption(state, 1)
        next_op(state)
        return
    put(state, EventFrame.LURED, random_companion(state))
    ask(state, Side.FREE_PEOPLES, Decision.EVENT_OPTION)


@kernel
def legal_lure(state, mask):
    """D45: Corruption or the Companion."""
    mask[Block.CHARACTER + get(state, EventFrame.LURED)] = True
    mask[Block.VERB + Verb.TAKE_CORRUPTION] = True


@kernel
def apply_lure(state, action):
    lured = get(state, EventFrame.LURED)
    next_op(state)
    if action == Block.VERB + Verb.TAKE_CORRUPTION:
        add_corruption(state, int(CHARACTER_LEVEL[lured]))
    else:
        lose_companion(state, lured)


OPERATIONS = {
    Op.LURE: Operation(
        always,
        run_lure,
        {
            Decision.EVENT_OPTION: Choice(
                "D45",
                Asked.FREE_PEOPLES,
                legal_lure,
                apply_lure,
                "whether {lured} is lost to {card}, or the Fellowship takes {lured_level} Corruption",
                "{} is lost",
            )
        },
    )
}
