"""The Ents Awake by option (fp-char-19 to 21): a further Character card (22.4, option ents_extra_card).

It is no operation of the vocabulary, for it asks what may be played, and that asks the vocabulary.
"""

from __future__ import annotations

from wotr_env.codes import Character, Decision, Face, Nation, Side
from wotr_env.components import REGION_NATION, Region
from wotr_env.data.event_programs import Op
from wotr_env.kernels import kernel
from wotr_env.rules.choice import Asked, Choice
from wotr_env.rules.events.frame import next_op
from wotr_env.rules.events.operation import Operation, never
from wotr_env.rules.events.playing import apply_event_card, legal_event_card, some_event_is_playable
from wotr_env.rules.stack import ask
from wotr_env.ruleset import Option


@kernel
def _is_allowed(state):
    """With Gandalf the White in Fangorn or Rohan (22.4)."""
    region = int(state.location[Character.GANDALF_WHITE])
    if state.options[Option.ENTS_EXTRA_CARD] == 0 or region < 0:
        return False
    return region == Region.FANGORN or REGION_NATION[region] == Nation.ROHAN


@kernel
def run_further_card(state):
    if _is_allowed(state) and some_event_is_playable(state, int(Face.CHARACTER)):
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
