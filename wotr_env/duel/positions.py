"""Positions of the Duel as one line of text (``wotr_env.notation``), whole or as a seat may know them."""

from __future__ import annotations

import functools

import numpy as np

from wotr_env.duel import checks
from wotr_env.duel.actions import NUM_ACTIONS
from wotr_env.duel.kernel import KERNELS
from wotr_env.duel.ruleset import SEATS, DuelRuleset
from wotr_env.duel.state import STATE
from wotr_env.kind import check_seat
from wotr_env.notation import Notation

_NO_SEED = 0
"""Of the world that stands for all that a seat cannot tell apart."""


def notation(name: str, rules_version: int) -> Notation:
    """How positions are written, for a name and a version of the rules."""
    return Notation(name, rules_version, STATE, _new_game)


@functools.cache
def _new_game() -> np.ndarray:
    states = np.zeros(1, dtype=STATE)
    masks = np.zeros((1, NUM_ACTIONS), dtype=np.bool_)
    KERNELS.start(states, masks, np.zeros(1, dtype=np.int64), DuelRuleset())
    states.setflags(write=False)
    return states


def as_seen(state: np.record, seat: int | None) -> np.ndarray:
    """A ``STATE[1]`` that is the same for all positions that a seat cannot tell apart; None: the position.

    Raises:
        ValueError: there is no such seat.
    """
    states = np.empty(1, dtype=STATE)
    states[0] = state
    return states if seat is None else world_of(states, check_seat(seat, SEATS), _NO_SEED)


def world_of(states: np.ndarray, seat: int, seed: int) -> np.ndarray:
    """A copy of ``STATE[1]`` with what a seat does not know drawn anew from a seed."""
    worlds = states.copy()
    KERNELS.sample_worlds(worlds, np.array([seat]), np.array([seed]))
    return worlds


def check_rests(states: np.ndarray) -> None:
    """Raises ValueError if ``STATE[1]`` breaks an invariant, or neither waits for a decision nor is over."""
    checks.check(states)
    rested, masks = states.copy(), np.zeros((1, NUM_ACTIONS), dtype=np.bool_)
    KERNELS.refresh(rested, masks)
    if rested.tobytes() != states.tobytes():
        raise ValueError("the position does not rest at the decision that it names")


def ruleset_of(states: np.ndarray) -> DuelRuleset:
    """The options that ``STATE[1]`` is played by."""
    return DuelRuleset.decode(states[0]["options"])
