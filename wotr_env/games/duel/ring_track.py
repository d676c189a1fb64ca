"""The ring track: the steps of both sides and their bonuses."""

from __future__ import annotations

from wotr_env.games.duel.components import BONUS_EFFECT, BONUS_STEP, NUM_BONUSES, SUMMIT
from wotr_env.games.duel.kernels import kernel
from wotr_env.games.duel.tokens import push_both


@kernel
def advance(state, side, a):
    """Advances a side by ``a`` steps, then makes the bonuses of the reached steps the next effects, in order
    (D5.3)."""
    before = int(state.ring[side])
    after = min(SUMMIT, before + a)
    state.ring[side] = after
    for back in range(NUM_BONUSES):
        bonus = NUM_BONUSES - 1 - back
        if before < BONUS_STEP[bonus] and BONUS_STEP[bonus] <= after:
            push_both(state, BONUS_EFFECT + 2 * bonus)
