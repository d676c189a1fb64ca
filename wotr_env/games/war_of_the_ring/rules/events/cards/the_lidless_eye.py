"""The Lidless Eye (sh-char-18): up to three dice become Eyes; the step counts the changed dice."""

from __future__ import annotations

from wotr_env.games.war_of_the_ring.actions import Block
from wotr_env.games.war_of_the_ring.codes import Decision, Side, Verb
from wotr_env.games.war_of_the_ring.data.event_programs import Op, columns
from wotr_env.games.war_of_the_ring.kernels import kernel
from wotr_env.games.war_of_the_ring.rules.characters import unused_dice
from wotr_env.games.war_of_the_ring.rules.choice import Asked, Choice
from wotr_env.games.war_of_the_ring.rules.events.frame import current_step, go_to_step, next_op, parameter
from wotr_env.games.war_of_the_ring.rules.events.operation import Operation
from wotr_env.games.war_of_the_ring.rules.stack import ask
from wotr_env.games.war_of_the_ring.state import NUM_FACES

(_DICE,) = columns(Op.LIDLESS_EYE, "dice")


@kernel
def some_die_can_turn(state):
    return unused_dice(state, Side.SHADOW) > 0


@kernel
def run_lidless_eye(state):
    if current_step(state) < parameter(state, _DICE) and some_die_can_turn(state):
        ask(state, Side.SHADOW, Decision.EVENT_DIE)
    else:
        next_op(state)


@kernel
def legal_die_to_turn(state, mask):
    """D44: an unused die to turn to Eye; after the first the player may stop."""
    for face in range(NUM_FACES):
        if state.dice[Side.SHADOW, face] > 0:
            mask[Block.FACE + face] = True
    if current_step(state) > 0:
        mask[Block.VERB + Verb.DONE] = True


@kernel
def apply_die_to_turn(state, action):
    if action == Block.VERB + Verb.DONE:
        next_op(state)
        return
    state.dice[Side.SHADOW, action - Block.FACE] -= 1
    state.hunt_box[Side.SHADOW] += 1
    go_to_step(state, current_step(state) + 1)


OPERATIONS = {
    Op.LIDLESS_EYE: Operation(
        some_die_can_turn,
        run_lidless_eye,
        {
            Decision.EVENT_DIE: Choice(
                "D44",
                Asked.SHADOW,
                legal_die_to_turn,
                apply_die_to_turn,
                "which die {card} turns to an Eye; {event_step} so far",
                "turn the {} die to an Eye",
            )
        },
    )
}
