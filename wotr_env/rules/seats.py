"""Seats and sides: hands and decisions belong to seats, armies, dice and the table to sides (R13.1.3)."""

from __future__ import annotations

from wotr_env.cards.tables import constant_table
from wotr_env.codes import Side
from wotr_env.kernels import kernel

SEAT_SIDE = constant_table([Side.FREE_PEOPLES, Side.SHADOW, Side.SHADOW, Side.FREE_PEOPLES])
"""``int64[NUM_SEATS]``: the side of each seat; of two players each has the number of its side."""


@kernel
def side_of(seat):
    return SEAT_SIDE[seat]


@kernel
def seat_of(state, side):
    """The seat that decides for a side in what is under way."""
    return int(state.charge[side])


@kernel
def deciding_side(state):
    """The side of the seat that decides."""
    return side_of(int(state.seat))
