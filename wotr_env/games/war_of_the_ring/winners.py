"""The winners within a shared side (R13.8), computed from states; the rule itself is a kernel."""

from __future__ import annotations

import numpy as np

from wotr_env.games.war_of_the_ring.codes import Settlement, Side
from wotr_env.games.war_of_the_ring.components import (
    NUM_SETTLEMENTS,
    REGION_NATION,
    REGION_SIDE,
    SETTLEMENT,
    SETTLEMENT_REGIONS,
)
from wotr_env.games.war_of_the_ring.options import Option
from wotr_env.games.war_of_the_ring.rules.seats import (
    FEWEST_PLAYERS,
    NOBODY,
    PARTNER,
    SEAT_NATIONS,
    SEAT_SIDE,
)

_COUNTED = SETTLEMENT[SETTLEMENT_REGIONS] != Settlement.TOWN
_OWN = (SEAT_NATIONS[..., None] >> REGION_NATION[SETTLEMENT_REGIONS] & 1 == 1) & _COUNTED
"""``bool[3, 4, 36]``: the Cities and Strongholds of each seat's nations, by the number of players."""
_PRIZES = (REGION_SIDE[SETTLEMENT_REGIONS] == Side.FREE_PEOPLES) & _COUNTED
"""``bool[36]``: the Settlements that count for the players of the Shadow."""
_WORD, _BIT = np.divmod(np.arange(NUM_SETTLEMENTS), 32)


def places_won(states: np.ndarray) -> np.ndarray:
    """The number of Cities and Strongholds by which partners are compared: those taken minus those lost; for
    the Free Peoples, only those lost.

    Args:
        states: ``STATE[N]``.

    Returns:
        ``int64[N, 4]``, by seat; the number has no meaning for a seat that does not play or does not share a
            side (R13.8.1).
    """
    held = _held(states)
    won = -(_OWN[_row(states)] & ~held).sum(axis=2)
    by_second = states["taken_by_second"][:, _WORD] >> _BIT.astype(np.uint32) & 1 == 1
    for seat in np.flatnonzero(SEAT_SIDE == Side.SHADOW).tolist():
        taken = held[:, seat] & _PRIZES & (by_second == (seat != Side.SHADOW))
        won[:, seat] += taken.sum(axis=1)
    return won


def winning_seats(states: np.ndarray) -> np.ndarray:
    """The seats that win, alone or together. If two partners share the winning side, a partner wins if the
    other has not done better (R13.8.1).

    Args:
        states: ``STATE[N]``.

    Returns:
        ``bool[N, 4]``; no seat if no side has won.
    """
    won, partner = places_won(states), PARTNER[_row(states)]
    best = won >= np.take_along_axis(won, np.maximum(partner, 0), axis=1)
    plays = SEAT_NATIONS[_row(states)] > 0
    return plays & ((partner == NOBODY) | best) & (states["winner"][:, None] == SEAT_SIDE)


def winning_partners(states: np.ndarray) -> np.ndarray:
    """As ``winning_seats``, but only for shared sides: ``bool[N, 4]``; no seat if a side without partners has
    won."""
    return winning_seats(states) & (PARTNER[_row(states)] != NOBODY)


def _row(states: np.ndarray) -> np.ndarray:
    return states["options"][:, Option.PLAYERS].astype(np.int64) - FEWEST_PLAYERS


def _held(states: np.ndarray) -> np.ndarray:
    """``bool[N, 4, 36]``: the Settlements that the side of each seat controls."""
    return states["control"][:, None] == SEAT_SIDE[:, None]
