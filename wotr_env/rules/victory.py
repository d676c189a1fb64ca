"""How the game ends (R12)."""

from __future__ import annotations

from wotr_env.codes import Reason, Settlement, Side, Winner
from wotr_env.compile import kernel
from wotr_env.components import REGION_SIDE, SETTLEMENT, SETTLEMENT_REGIONS, VICTORY_POINTS
from wotr_env.ruleset import FpMilitary, Option

MAX_CORRUPTION = 12
SHADOW_POINTS = 10
FREE_PEOPLES_POINTS = 4


@kernel
def end_game(state, winner, reason):
    state.winner = winner
    state.reason = reason


@kernel
def add_corruption(state, points):
    """Corruption rises, or falls by healing, never below 0; at 12 the Shadow wins (R9.2.1, R12.1)."""
    corruption = min(MAX_CORRUPTION, max(0, int(state.corruption) + points))
    state.corruption = corruption
    if corruption == MAX_CORRUPTION:
        end_game(state, Winner.SHADOW, Reason.CORRUPTION)


@kernel
def victory_points(state, side):
    """Points of enemy Settlements under the control of a side (R2.4, R12.4, R12.6)."""
    strongholds_only = (
        side == Side.FREE_PEOPLES and state.options[Option.FP_MILITARY] == FpMilitary.STRONGHOLDS_ONLY
    )
    points = 0
    for index in range(SETTLEMENT_REGIONS.size):
        region = SETTLEMENT_REGIONS[index]
        if state.control[index] == side and REGION_SIDE[region] != side:
            if SETTLEMENT[region] == Settlement.STRONGHOLD or not strongholds_only:
                points += VICTORY_POINTS[region]
    return points


@kernel
def check_military_victory(state):
    """Phase 6, the Shadow first (R7.17.5, R12.3-R12.5)."""
    if victory_points(state, Side.SHADOW) >= SHADOW_POINTS:
        end_game(state, Winner.SHADOW, Reason.SHADOW_MILITARY)
    elif victory_points(state, Side.FREE_PEOPLES) >= FREE_PEOPLES_POINTS:
        end_game(state, Winner.FREE_PEOPLES, Reason.FREE_PEOPLES_MILITARY)


@kernel
def check_turn_limit(state):
    """By option the game is a draw after so many turns (R12.7)."""
    if 0 < state.max_turns <= state.turn:
        end_game(state, Winner.DRAW, Reason.TURN_LIMIT)
