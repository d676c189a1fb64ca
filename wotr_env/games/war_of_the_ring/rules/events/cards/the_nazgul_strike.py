"""The Nazgul Strike! (sh-char-11): a Character card on the table, or a Hunt roll."""

from __future__ import annotations

from wotr_env.games.war_of_the_ring.actions import Block
from wotr_env.games.war_of_the_ring.codes import CardZone, Decision, Side, Verb
from wotr_env.games.war_of_the_ring.data.event_programs import Op
from wotr_env.games.war_of_the_ring.kernels import kernel
from wotr_env.games.war_of_the_ring.rules.choice import Asked, Choice
from wotr_env.games.war_of_the_ring.rules.events.frame import next_op
from wotr_env.games.war_of_the_ring.rules.events.operation import Operation, always
from wotr_env.games.war_of_the_ring.rules.hunt.hunt import start_hunt_roll
from wotr_env.games.war_of_the_ring.rules.stack import ask
from wotr_env.games.war_of_the_ring.rules.table.play import mark_character_cards_on_table


@kernel
def run_strike(state):
    ask(state, Side.SHADOW, Decision.EVENT_OPTION)


@kernel
def legal_strike(state, mask):
    """D44: a table card, a Hunt roll, or neither."""
    mark_character_cards_on_table(state, mask)
    mask[Block.VERB + Verb.HUNT_ROLL] = True
    mask[Block.VERB + Verb.DECLINE] = True


@kernel
def apply_strike(state, action):
    next_op(state)
    if action == Block.VERB + Verb.HUNT_ROLL:
        start_hunt_roll(state)
    elif action != Block.VERB + Verb.DECLINE:
        state.card_zone[action - Block.CARD] = CardZone.DISCARD


OPERATIONS = {
    Op.STRIKE: Operation(
        always,
        run_strike,
        {
            Decision.EVENT_OPTION: Choice(
                "D44",
                Asked.SHADOW,
                legal_strike,
                apply_strike,
                "whether {card} costs a card on the table or makes a Hunt roll, or nothing",
                "discard {} from the table",
            )
        },
    )
}
