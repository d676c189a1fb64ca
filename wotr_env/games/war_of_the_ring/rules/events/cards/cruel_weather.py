"""Cruel Weather (sh-char-10): moves the Fellowship without a declaration or a tile, but not past the gates
(R9.5.8, 22.4)."""

from __future__ import annotations

from wotr_env.games.war_of_the_ring.actions import Block
from wotr_env.games.war_of_the_ring.codes import Decision, Side
from wotr_env.games.war_of_the_ring.components import FELLOWSHIP_DISTANCE, NUM_REGIONS
from wotr_env.games.war_of_the_ring.data.event_programs import Op
from wotr_env.games.war_of_the_ring.kernels import kernel
from wotr_env.games.war_of_the_ring.rules.choice import Asked, Choice
from wotr_env.games.war_of_the_ring.rules.events.frame import next_op
from wotr_env.games.war_of_the_ring.rules.events.operation import Operation, always
from wotr_env.games.war_of_the_ring.rules.stack import ask


@kernel
def run_shift(state):
    ask(state, Side.SHADOW, Decision.EVENT_REGION)


@kernel
def legal_shift(state, mask):
    """D44: a region adjacent to the Fellowship figure."""
    for region in range(NUM_REGIONS):
        if FELLOWSHIP_DISTANCE[state.fellowship_region, region] == 1:
            mask[Block.REGION + region] = True


@kernel
def apply_shift(state, action):
    state.fellowship_region = action - Block.REGION
    next_op(state)


OPERATIONS = {
    Op.SHIFT_FIGURE: Operation(
        always,
        run_shift,
        {
            Decision.EVENT_REGION: Choice(
                "D44",
                Asked.SHADOW,
                legal_shift,
                apply_shift,
                "to which region next to {fellowship} {card} drives the Fellowship",
                "drive the Fellowship to {}",
            )
        },
    )
}
