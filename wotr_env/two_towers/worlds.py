"""Worlds that a seat holds possible: what is hidden from it drawn anew (TT8)."""

from __future__ import annotations

from wotr_env.two_towers.components import NUM_KINDS
from wotr_env.two_towers.kernels import kernel, seed_chance
from wotr_env.two_towers.state import take_any, total


@kernel
def resample(state, seat, seed):
    """Deals the cards that a seat has not seen anew to hands and pile, each way equally likely (TT8.2)."""
    seed_chance(state, seed)
    pile = state.pile
    for other in range(int(state.players)):
        if other != seat:
            for kind in range(NUM_KINDS):
                pile[kind] += state.hand[other, kind] - state.known[other, kind]
    for other in range(int(state.players)):
        if other != seat:
            hidden = total(state.hand[other]) - total(state.known[other])
            for kind in range(NUM_KINDS):
                state.hand[other, kind] = state.known[other, kind]
            for _ in range(hidden):
                state.hand[other, take_any(state, pile)] += 1
