"""Units and fortresses on the seven regions (D6)."""

from __future__ import annotations

from wotr_env.games.duel.components import MOVES
from wotr_env.games.duel.kernels import kernel
from wotr_env.games.duel.state import supply


@kernel
def fight(state, region):
    """Removes units of both sides one for one until a side has no unit in the region (D6.2)."""
    lost = min(state.units[0, region], state.units[1, region])
    state.units[0, region] -= lost
    state.units[1, region] -= lost


@kernel
def place_units(state, side, region, count):
    """Moves units from the supply into a region together, as many as remain in the supply (D6.1, D10.1)."""
    state.units[side, region] += min(count, supply(state, side))
    fight(state, region)


@kernel
def move_unit(state, side, move):
    """Moves one unit to an adjacent region (D6.3)."""
    start = MOVES[move, 0]
    end = MOVES[move, 1]
    state.units[side, start] -= 1
    state.units[side, end] += 1
    fight(state, end)
