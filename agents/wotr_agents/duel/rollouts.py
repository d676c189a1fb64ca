"""What searches ask of the Duel's scripted policy; ``scratch`` is that of ``wotr_agents.search.games``."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from wotr_agents.duel.kernels import DUELLISTS, FLOATS
from wotr_agents.duel.policy import ROOM, choose, score_legal_actions
from wotr_agents.duel.value import value_of
from wotr_agents.duel.weights import DEFAULT_WEIGHTS
from wotr_agents.rollouts import Rollouts
from wotr_env.compiler.types import tuple_of


class Tables(NamedTuple):
    """What the policy reads and writes."""

    room: np.ndarray
    """``float64[ROOM]``"""
    weights: np.ndarray
    """``float64[NUM_WEIGHTS]``"""


def score_actions(scratch, scores):
    """Writes what the policy thinks of the legal actions; of others, anything."""
    score_legal_actions(scratch.states[0], scratch.mask, scores, scratch.tables.room, scratch.tables.weights)


def choose_action(scratch, noise, stream):
    """The action of the highest score, each raised by noise that follows from the stream."""
    tables = scratch.tables
    return choose(scratch.states[0], scratch.mask, scratch.scores, tables.room, tables.weights, noise, stream)


def value_position(scratch):
    """The chance that the Fellowship wins, while the game goes on."""
    return value_of(scratch.states[0], scratch.tables.weights)


def duel_rollouts() -> Rollouts:
    """For the policy of the Duel."""
    return Rollouts(
        DUELLISTS,
        score_actions,
        choose_action,
        value_position,
        lambda: Tables(np.zeros(ROOM), np.array(DEFAULT_WEIGHTS)),
        tuple_of(Tables, FLOATS, FLOATS),
    )
