"""Who plays in a game and how partners stand, read off a state in plain Python: for words, events, pictures.

The rules have the same as kernels (``rules/seats.py``, ``rules/command.py``, ``rules/victory.py``).
"""

from __future__ import annotations

import numpy as np

from wotr_env.codes import Settlement, Side
from wotr_env.components import (
    NUM_CARDS,
    NUM_REGIONS,
    REGION_NATION,
    REGION_SIDE,
    SETTLEMENT,
    SETTLEMENT_REGIONS,
)
from wotr_env.kind import Seat
from wotr_env.options import Option
from wotr_env.rules.seats import FEWEST_PLAYERS, NOBODY, PARTNER, SEAT_NATIONS, SEAT_SIDE
from wotr_env.ruleset import SEATS

_PLACES = SETTLEMENT[SETTLEMENT_REGIONS] != Settlement.TOWN
"""``bool[36]``: Settlements by which partners are compared: Cities and Strongholds (R13.8.1)."""


def seats_of(state: np.void) -> tuple[Seat, ...]:
    """Who plays, in the order of the seats."""
    return SEATS[int(state["options"][Option.PLAYERS])]


def _row(state: np.void) -> int:
    return int(state["options"][Option.PLAYERS]) - FEWEST_PLAYERS


def side_of(seat: int) -> Side:
    """The side of a seat."""
    return Side(int(SEAT_SIDE[seat]))


def seats_of_side(state: np.void, side: int) -> list[int]:
    """The seats of a side, its first player first."""
    return [seat for seat, each in enumerate(seats_of(state)) if each.team == side]


def partner_of(state: np.void, seat: int) -> int | None:
    """The other player of the side, if it has two."""
    partner = int(PARTNER[_row(state), seat])
    return None if partner == NOBODY else partner


def is_shared(state: np.void, side: int) -> bool:
    """Whether two players share a side; the first of them has its number."""
    return partner_of(state, side) is not None


def leader_of(state: np.void, side: int) -> int:
    """The seat that leads a side: its first player in odd turns, then in turn (R13.1.2)."""
    partner = partner_of(state, side)
    return side if partner is None or int(state["turn"]) % 2 == 1 else partner


def mixed_armies(state: np.void, side: int) -> list[int]:
    """The regions where the partners of a side have one army (R13.6.1)."""
    return np.flatnonzero(_bits(state["mixed"][side])[:NUM_REGIONS]).tolist()


def given_cards(state: np.void) -> list[int]:
    """Cards in hand of which the partner who has given them knows (R13.2.3)."""
    return np.flatnonzero(_bits(state["given"])[:NUM_CARDS]).tolist()


def taken_by(state: np.void, settlement: int) -> int:
    """The seat whose army took a Settlement, by its index, for the side that holds it now (R13.8.1)."""
    side = int(state["control"][settlement])
    second = bool(_bits(state["taken_by_second"])[settlement])
    partner = partner_of(state, side)
    return partner if second and partner is not None else side


def places_won(state: np.void, seat: int) -> int:
    """What partners are compared by: places taken less those lost, of the Free Peoples those lost alone."""
    side = side_of(seat)
    nations = SEAT_NATIONS[_row(state), seat] >> np.maximum(REGION_NATION[SETTLEMENT_REGIONS], 0) & 1
    held = state["control"] == side
    lost = int((_PLACES & (nations == 1) & (REGION_NATION[SETTLEMENT_REGIONS] >= 0) & ~held).sum())
    if side == Side.FREE_PEOPLES:
        return -lost
    second = _bits(state["taken_by_second"])[: len(held)] == (seat != side)
    return int((_PLACES & (REGION_SIDE[SETTLEMENT_REGIONS] != side) & held & second).sum()) - lost


def winners(state: np.void) -> list[int]:
    """The seats that have won: of two partners the better one, or both (R13.8.1)."""
    side = int(state["winner"])
    if side not in tuple(Side):
        return []
    seats = seats_of_side(state, side)
    best = max(places_won(state, seat) for seat in seats)
    return [seat for seat in seats if places_won(state, seat) == best]


def _bits(words: np.ndarray) -> np.ndarray:
    """The bits of 32-bit words, the lowest first: ``uint8[32 * words]``."""
    return np.unpackbits(np.ascontiguousarray(words).astype("<u4").view(np.uint8), bitorder="little")
