"""Elven Rings: owning and spending them (R5.7.3, R5.7.4). Their uses are in other modules."""

from __future__ import annotations

from wotr_env.games.war_of_the_ring.codes import Side
from wotr_env.games.war_of_the_ring.kernels import kernel


@kernel
def ring_ready(state, side):
    """Whether a side has a Ring and has used none this turn (R5.7.4)."""
    return state.rings[side] > 0 and state.ring_used[side] == 0


@kernel
def spend_ring(state, side):
    """Spends a Ring, which passes to the Shadow, or leaves the game (R5.7.3)."""
    state.ring_used[side] = 1
    state.rings[side] -= 1
    if side == Side.FREE_PEOPLES:
        state.rings[Side.SHADOW] += 1
