"""The Ents Awake with an option (fp-char-19 to 21): a further Character card (22.4, option ents_extra_card).

This operation is not part of the vocabulary, because it asks which cards may be played, and this question
uses the vocabulary. ``playing`` defines whether the operation is a reason to play the card.
"""

from __future__ import annotations

from wotr_env.games.war_of_the_ring.codes import Decision, Face, Side
from wotr_env.games.war_of_the_ring.data.event_programs import Op
from wotr_env.games.war_of_the_ring.kernels import kernel
from wotr_env.games.war_of_the_ring.rules.choice import Asked, Choice
from wotr_env.games.war_of_the_ring.rules.events.frame import next_op
from wotr_env.games.war_of_the_ring.rules.events.operation import Operation, never
from wotr_env.games.war_of_the_ring.rules.events.playing import (
    apply_event_card,
    further_card_allowed,
    legal_event_card,
    some_event_is_playable,
)
from wotr_env.games.war_of_the_ring.rules.stack import ask


@kernel
def run_further_card(state):
    if further_card_allowed(state) and some_event_is_playable(state, int(Face.CHARACTER)):
        ask(state, Side.FREE_PEOPLES, Decision.EVENT_CARD)
    else:
        next_op(state)


OPERATIONS = {
    Op.EXTRA_CARD: Operation(
        never,
        run_further_card,
        {
            Decision.EVENT_CARD: Choice(
                "D08",
                Asked.FREE_PEOPLES,
                legal_event_card,
                apply_event_card,
                "which further event card to play by {card}, if any",
                "play {}",
            )
        },
    )
}
