"""Wisdom of Elrond (fp-strat-08): a nation is activated and advances."""

from __future__ import annotations

from wotr_env.games.war_of_the_ring.actions import Block
from wotr_env.games.war_of_the_ring.codes import Decision, Side
from wotr_env.games.war_of_the_ring.data.event_programs import Op
from wotr_env.games.war_of_the_ring.kernels import kernel
from wotr_env.games.war_of_the_ring.rules.choice import Asked, Choice
from wotr_env.games.war_of_the_ring.rules.events.frame import next_op
from wotr_env.games.war_of_the_ring.rules.events.operation import Operation
from wotr_env.games.war_of_the_ring.rules.politics import activate, advance, can_advance
from wotr_env.games.war_of_the_ring.rules.seats import controls_nation
from wotr_env.games.war_of_the_ring.rules.spent import is_barred, spend_nations
from wotr_env.games.war_of_the_ring.rules.stack import ask
from wotr_env.games.war_of_the_ring.rules.table.modifiers import is_spellbound
from wotr_env.games.war_of_the_ring.state import NUM_FREE_PEOPLES


@kernel
def _can_counsel(state, nation):
    if not controls_nation(state, Side.FREE_PEOPLES, nation) or is_barred(state, nation):
        return False
    wakes = state.active[nation] == 0 and not is_spellbound(state, nation)
    return wakes or can_advance(state, nation)


@kernel
def elrond_can_counsel(state):
    for nation in range(NUM_FREE_PEOPLES):
        if _can_counsel(state, nation):
            return True
    return False


@kernel
def run_counsel(state):
    ask(state, Side.FREE_PEOPLES, Decision.EVENT_NATION)


@kernel
def legal_counsel(state, mask):
    """D44: a Free Peoples nation of the player that would become active or advance (R13.5.1)."""
    for nation in range(NUM_FREE_PEOPLES):
        if _can_counsel(state, nation):
            mask[Block.NATION + nation] = True


@kernel
def apply_counsel(state, action):
    spend_nations(state, Side.FREE_PEOPLES, 1 << (action - Block.NATION))
    activate(state, action - Block.NATION)
    advance(state, action - Block.NATION)
    next_op(state)


OPERATIONS = {
    Op.COUNSEL: Operation(
        elrond_can_counsel,
        run_counsel,
        {
            Decision.EVENT_NATION: Choice(
                "D44",
                Asked.FREE_PEOPLES,
                legal_counsel,
                apply_counsel,
                "which nation {card} activates and advances",
                "activate and advance {}",
            )
        },
    )
}
