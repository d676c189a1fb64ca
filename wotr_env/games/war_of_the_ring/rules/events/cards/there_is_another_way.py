"""There Is Another Way (fp-char-10): with Gollum as the Guide, hides or moves the Fellowship."""

from __future__ import annotations

from wotr_env.games.war_of_the_ring.actions import Block
from wotr_env.games.war_of_the_ring.codes import Character, Decision, Plan, Side, Verb
from wotr_env.games.war_of_the_ring.data.event_programs import Op
from wotr_env.games.war_of_the_ring.kernels import kernel
from wotr_env.games.war_of_the_ring.rules.choice import Asked, Choice
from wotr_env.games.war_of_the_ring.rules.events.frame import next_op
from wotr_env.games.war_of_the_ring.rules.events.operation import Operation
from wotr_env.games.war_of_the_ring.rules.fellowship import hide_fellowship, move_fellowship
from wotr_env.games.war_of_the_ring.rules.stack import ask


@kernel
def gollum_guides(state):
    return state.guide == Character.GOLLUM


@kernel
def run_gollum_guides(state):
    ask(state, Side.FREE_PEOPLES, Decision.EVENT_OPTION)


@kernel
def legal_another_way(state, mask):
    """D44: hide or move, or neither."""
    mask[Block.PLAN + (Plan.HIDE_FELLOWSHIP if state.revealed == 1 else Plan.MOVE_FELLOWSHIP)] = True
    mask[Block.VERB + Verb.DECLINE] = True


@kernel
def apply_another_way(state, action):
    next_op(state)
    if action == Block.PLAN + Plan.HIDE_FELLOWSHIP:
        hide_fellowship(state)
    elif action == Block.PLAN + Plan.MOVE_FELLOWSHIP:
        move_fellowship(state, 0)


OPERATIONS = {
    Op.GOLLUM_GUIDES: Operation(
        gollum_guides,
        run_gollum_guides,
        {
            Decision.EVENT_OPTION: Choice(
                "D44",
                Asked.FREE_PEOPLES,
                legal_another_way,
                apply_another_way,
                "whether Gollum hides or moves the Fellowship by {card}",
            )
        },
    )
}
