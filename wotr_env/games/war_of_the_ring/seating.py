"""The seats of a game, and the armies and cards of partners, read from a state in plain Python: for words,
events, pictures.

The rules have the same functions as kernels (``rules/seats.py``, ``rules/command.py``).
"""

from __future__ import annotations

import numpy as np

from wotr_env.core.seats import Seat, Team
from wotr_env.games.war_of_the_ring.codes import Side
from wotr_env.games.war_of_the_ring.components import NUM_CARDS, NUM_REGIONS
from wotr_env.games.war_of_the_ring.options import Option
from wotr_env.games.war_of_the_ring.rules.seats import FEWEST_PLAYERS, NOBODY, PARTNER, SEAT_SIDE
from wotr_env.games.war_of_the_ring.ruleset import SEATS

TEAMS = (Team("free_peoples", "Free Peoples", "FP", "the"), Team("shadow", "Shadow", "SH", "the"))


def seats_of(state: np.void) -> tuple[Seat, ...]:
    """The seats that play, in order."""
    return SEATS[int(state["options"][Option.PLAYERS])]


def side_of(seat: int) -> Side:
    """The side of a seat."""
    return Side(int(SEAT_SIDE[seat]))


def seats_of_side(state: np.void, side: int) -> list[int]:
    """The seats of a side, with its first player first."""
    return [seat for seat, each in enumerate(seats_of(state)) if each.team == side]


def partner_of(state: np.void, seat: int) -> int | None:
    """The seat of the other player of the side; None if the side has one player."""
    partner = int(PARTNER[int(state["options"][Option.PLAYERS]) - FEWEST_PLAYERS, seat])
    return None if partner == NOBODY else partner


def is_shared(state: np.void, side: int) -> bool:
    """Whether two players share a side. The seat of the first of them has the number of the side."""
    return partner_of(state, side) is not None


def leader_of(state: np.void, side: int) -> int:
    """The seat that leads a side: its first player in odd turns, then both players alternate (R13.1.2)."""
    partner = partner_of(state, side)
    return side if partner is None or int(state["turn"]) % 2 == 1 else partner


def mixed_armies(state: np.void, side: int) -> list[int]:
    """The regions in which the partners of a side have a common army (R13.6.1)."""
    return np.flatnonzero(_bits(state["mixed"][side])[:NUM_REGIONS]).tolist()


def given_cards(state: np.void) -> list[int]:
    """Cards in a hand that are known to the partner who has given them (R13.2.3)."""
    return np.flatnonzero(_bits(state["given"])[:NUM_CARDS]).tolist()


def taken_by(state: np.void, settlement: int) -> int:
    """The seat whose army took a Settlement (by its index) for the side that controls it now (R13.8.1)."""
    side = int(state["control"][settlement])
    second = bool(_bits(state["taken_by_second"])[settlement])
    partner = partner_of(state, side)
    return partner if second and partner is not None else side


def _bits(words: np.ndarray) -> np.ndarray:
    """The bits of 32-bit words, lowest bit first: ``uint8[32 * words]``."""
    return np.unpackbits(np.ascontiguousarray(words).astype("<u4").view(np.uint8), bitorder="little")
