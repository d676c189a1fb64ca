"""Seats and sides: hands and decisions belong to seats, armies and nations to sides."""

from __future__ import annotations

from wotr_env.kernels import kernel


@kernel
def seat_of(side):
    """The seat that plays a side; of two players it has the side's number."""
    return side


@kernel
def deciding_side(state):
    """The side of the seat that decides; of two players it has the seat's number."""
    return int(state.seat)
