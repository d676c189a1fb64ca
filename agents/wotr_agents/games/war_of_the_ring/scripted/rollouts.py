"""The rollouts that the scripted policy provides for searches (``wotr_agents.rollouts``)."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from wotr_agents.games.war_of_the_ring.kernels import AGENTS, FLOATS, READINGS
from wotr_agents.games.war_of_the_ring.scripted.choice import choose
from wotr_agents.games.war_of_the_ring.scripted.odds import battle_odds
from wotr_agents.games.war_of_the_ring.scripted.policy import score_legal_actions
from wotr_agents.games.war_of_the_ring.scripted.reading import new_readings
from wotr_agents.games.war_of_the_ring.scripted.value import NUM_FEATURES, load_coefficients, value_of
from wotr_agents.games.war_of_the_ring.scripted.weights import DEFAULT_WEIGHTS
from wotr_agents.rollouts import Rollouts
from wotr_env.compiler.types import array_of, tuple_of
from wotr_env.games.war_of_the_ring.rules.seats import deciding_side
from wotr_env.games.war_of_the_ring.state import NUM_SIDES


class ScriptedTables(NamedTuple):
    """The arrays that the scripted policy and the value of positions read and write."""

    readings: np.ndarray
    """``READING[NUM_SIDES]``: a reading of the board for each side, with its weights."""
    features: np.ndarray
    """``float64[NUM_FEATURES]``: the features of the position that is evaluated."""
    odds: np.ndarray
    """``float32[...]``: the odds of battles, see ``battle_odds``."""
    coefficients: np.ndarray
    """``float64[NUM_FEATURES]``: the coefficients of the value."""


def score_scripted(scratch, scores):
    """Writes the scripted policy's scores of the legal actions; scores of illegal actions are undefined."""
    state = scratch.states[0]
    board = scratch.tables.readings[deciding_side(state)]
    score_legal_actions(state, scratch.mask, scores, board, scratch.tables.odds)


def choose_scripted(scratch, noise, stream):
    """The action with the highest score of the scripted policy, after noise from the stream is added to each
    score."""
    state = scratch.states[0]
    board = scratch.tables.readings[deciding_side(state)]
    return choose(state, scratch.mask, scratch.scores, board, scratch.tables.odds, noise, stream)


def value_scripted(scratch):
    """The winning chance of the Free Peoples."""
    return value_of(scratch.states[0], scratch.tables.features, scratch.tables.coefficients)


def new_tables() -> ScriptedTables:
    """New arrays for one thread."""
    return ScriptedTables(
        readings=new_readings(DEFAULT_WEIGHTS, NUM_SIDES),
        features=np.zeros(NUM_FEATURES),
        odds=battle_odds().reshape(-1),
        coefficients=load_coefficients(),
    )


def rollouts() -> Rollouts:
    """The functions of the scripted policy that searches call."""
    types = tuple_of(ScriptedTables, READINGS, FLOATS, array_of(np.float32), FLOATS)
    return Rollouts(AGENTS, score_scripted, choose_scripted, value_scripted, new_tables, types)
