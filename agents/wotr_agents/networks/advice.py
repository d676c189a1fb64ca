"""Advice for networks: what the scripted policy thinks of the legal actions, behind the observation."""

from __future__ import annotations

import numpy as np

from wotr_agents.networks import sparse_kernels
from wotr_agents.scripted.entry import score_views
from wotr_env.actions import NUM_ACTIONS
from wotr_env.engine.layout import OBSERVATION_SIZE
from wotr_env.kind import copy_states

ADVISED_SIZE = OBSERVATION_SIZE + NUM_ACTIONS


def write_scores(scores: np.ndarray, masks: np.ndarray, inputs: np.ndarray) -> None:
    """Writes scores of the legal actions behind observations.

    Args:
        scores: ``float64[B, NUM_ACTIONS]``, the scripted policy's.
        masks: ``bool[B, NUM_ACTIONS]``.
        inputs: ``int8[B, ADVISED_SIZE]``: behind the observation, 0 for the best action and illegal ones,
            below for others, 16 for every doubling of the distance to the best, down to -127.
    """
    sparse_kernels.write_advice(scores, masks, inputs[:, OBSERVATION_SIZE:])


def write_advice(states: np.ndarray, masks: np.ndarray, inputs: np.ndarray) -> None:
    """Asks the scripted policy and writes its scores behind observations.

    Args:
        states: ``STATE[B]``, of which the other seats' hidden cards are not read.
        masks: as for ``write_scores``.
        inputs: as for ``write_scores``.
    """
    if not states.flags.writeable:  # those of a ``VectorGame``; compiled code takes arrays that it may write
        states = copy_states(states)
    scores = np.empty(masks.shape)
    score_views(states, masks, scores)
    write_scores(scores, masks, inputs)


def advised(observations: np.ndarray, states: np.ndarray, masks: np.ndarray) -> np.ndarray:
    """Observations with advice: ``int8[B, ADVISED_SIZE]``; arguments as for ``write_advice``."""
    inputs = np.empty((len(observations), ADVISED_SIZE), dtype=np.int8)
    inputs[:, :OBSERVATION_SIZE] = observations
    write_advice(states, masks, inputs)
    return inputs
