"""The end of the game (R12)."""

from __future__ import annotations

import numpy as np

from wotr_env.compiler.memory import bit_count, equal_flags_of_few
from wotr_env.games.war_of_the_ring.codes import Reason, Settlement, Side, Winner
from wotr_env.games.war_of_the_ring.components import (
    MAX_CORRUPTION,
    NUM_SETTLEMENTS,
    REGION_NATION,
    REGION_SIDE,
    SETTLEMENT,
    SETTLEMENT_REGIONS,
    VICTORY_POINTS,
)
from wotr_env.games.war_of_the_ring.kernels import kernel
from wotr_env.games.war_of_the_ring.options import FpMilitary, Option
from wotr_env.games.war_of_the_ring.rules.seats import NOBODY, nations_of, partner_of, side_of
from wotr_env.games.war_of_the_ring.rules.sets import is_member, set_member

LAST_TURN = 2**15 - 1
"""The highest turn that the state can count."""
SHADOW_POINTS = 10
FREE_PEOPLES_POINTS = 4


@kernel
def end_game(state, winner, reason):
    state.winner = winner
    state.reason = reason


@kernel
def add_corruption(state, points):
    """Adds Corruption, or removes it by healing, never below 0; at 12 the Shadow wins (R9.2.1, R12.1)."""
    corruption = min(MAX_CORRUPTION, max(0, int(state.corruption) + points))
    state.corruption = corruption
    if corruption == MAX_CORRUPTION:
        end_game(state, Winner.SHADOW, Reason.CORRUPTION)


_STRONGHOLDS_ONLY = 2


_MOST_POINTS = 2
"""The maximal number of points of a Settlement."""


def _worth() -> np.ndarray:
    """The enemy Settlements that count 1 point and 2 points: ``int64[3, 2]``, one bit for each of the 36.

    The first axis is the side that counts, or ``_STRONGHOLDS_ONLY`` for the Free Peoples with this option.
    """
    enemies = [REGION_SIDE[SETTLEMENT_REGIONS] != side for side in Side]
    strongholds = SETTLEMENT[SETTLEMENT_REGIONS] == Settlement.STRONGHOLD
    counted = np.stack([*enemies, enemies[Side.FREE_PEOPLES] & strongholds])
    bits = 1 << np.arange(NUM_SETTLEMENTS, dtype=np.int64)
    points = VICTORY_POINTS[SETTLEMENT_REGIONS]
    worth = [(counted * (points == value)) @ bits for value in range(1, _MOST_POINTS + 1)]
    return np.stack(worth, axis=1)


_WORTH = _worth()


@kernel
def victory_points(state, side):
    """The points for enemy Settlements under the control of a side (R2.4, R12.4, R12.6)."""
    counted = side
    if side == Side.FREE_PEOPLES and state.options[Option.FP_MILITARY] == FpMilitary.STRONGHOLDS_ONLY:
        counted = _STRONGHOLDS_ONLY
    held = equal_flags_of_few(state.control, side, 32)
    return bit_count(held & _WORTH[counted, 0]) + _MOST_POINTS * bit_count(held & _WORTH[counted, 1])


@kernel
def check_military_victory(state):
    """Phase 6: checks for a military victory, first of the Shadow (R7.17.5, R12.3-R12.5)."""
    if victory_points(state, Side.SHADOW) >= SHADOW_POINTS:
        end_game(state, Winner.SHADOW, Reason.SHADOW_MILITARY)
    elif victory_points(state, Side.FREE_PEOPLES) >= FREE_PEOPLES_POINTS:
        end_game(state, Winner.FREE_PEOPLES, Reason.FREE_PEOPLES_MILITARY)


@kernel
def check_turn_limit(state):
    """Ends the game as a draw at the turn limit of an option (R12.7), and after the last turn that can be
    counted."""
    if 0 < state.max_turns <= state.turn or state.turn == LAST_TURN:
        end_game(state, Winner.DRAW, Reason.TURN_LIMIT)


# --- The winner among partners (R13.8). ---


@kernel
def note_taker(state, index, seat):
    """Records the partner whose army has taken a Settlement, by its index (R13.8.1)."""
    set_member(state.taken_by_second, index, seat != side_of(seat))


@kernel
def _is_taker(state, index, seat):
    return is_member(state.taken_by_second, index) == (seat != side_of(seat))


@kernel
def places_taken(state, seat):
    """The number of enemy Cities and Strongholds that a seat's armies have taken and its side controls
    (R13.8.1)."""
    side = side_of(seat)
    count = 0
    for index in range(NUM_SETTLEMENTS):
        region = SETTLEMENT_REGIONS[index]
        if (
            SETTLEMENT[region] != Settlement.TOWN
            and REGION_SIDE[region] != side
            and state.control[index] == side
            and _is_taker(state, index, seat)
        ):
            count += 1
    return count


@kernel
def places_lost(state, seat):
    """The number of Cities and Strongholds of the seat's nations that the enemy controls (R13.8.1)."""
    side = side_of(seat)
    count = 0
    for index in range(NUM_SETTLEMENTS):
        region = SETTLEMENT_REGIONS[index]
        if (
            SETTLEMENT[region] != Settlement.TOWN
            and nations_of(state, seat) >> REGION_NATION[region] & 1 == 1
            and state.control[index] != side
        ):
            count += 1
    return count


@kernel
def places_won(state, seat):
    """The score by which partners are compared: places taken minus places lost; for the Free Peoples, only
    places lost."""
    lost = places_lost(state, seat)
    return -lost if side_of(seat) == Side.FREE_PEOPLES else places_taken(state, seat) - lost


@kernel
def wins_alone_or_shares(state, seat):
    """Whether the seat's side has won and no partner has done better (R13.8.1)."""
    if state.winner != side_of(seat):
        return False
    partner = partner_of(state, seat)
    return partner == NOBODY or places_won(state, seat) >= places_won(state, partner)
