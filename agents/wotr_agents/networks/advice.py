"""Advice for networks: what the scripted policy thinks of the legal actions, behind the observation."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from wotr_agents.compiled import ensure_agents
from wotr_agents.networks import sparse_kernels
from wotr_agents.scripted.entry import score_views
from wotr_env.actions import NUM_ACTIONS
from wotr_env.engine.layout import OBSERVATION_SIZE
from wotr_env.vector import VectorGame

ADVISED_SIZE = OBSERVATION_SIZE + NUM_ACTIONS


def write_advice(states: np.ndarray, masks: np.ndarray, inputs: np.ndarray) -> None:
    """Writes the scripted policy's scores of the legal actions behind observations.

    Args:
        states: ``STATE[B]``, of which the other seat's hidden cards are not read.
        masks: ``bool[B, NUM_ACTIONS]``.
        inputs: ``int8[B, ADVISED_SIZE]``: behind the observation, 0 for the best action and illegal ones,
            below for others, 16 for every doubling of the distance to the best, down to -127.
    """
    scores = np.empty(masks.shape)
    score_views(states, masks, scores)
    sparse_kernels.write_advice(scores, masks, inputs[:, OBSERVATION_SIZE:])


def advised(observations: np.ndarray, states: np.ndarray, masks: np.ndarray) -> np.ndarray:
    """Observations with advice: ``int8[B, ADVISED_SIZE]``; arguments as for ``write_advice``."""
    inputs = np.empty((len(observations), ADVISED_SIZE), dtype=np.int8)
    inputs[:, :OBSERVATION_SIZE] = observations
    write_advice(states, masks, inputs)
    return inputs


class AdvisedGame:
    """A ``VectorGame`` whose observations are ``int8[N, ADVISED_SIZE]``, written in place.

    Args:
        game: with auto-reset.
    """

    def __init__(self, game: VectorGame) -> None:
        ensure_agents()
        self.game = game
        self.num_games = game.num_games
        self.states, self.masks, self.seats = game.states, game.masks, game.seats
        self.terminated, self.outcomes = game.terminated, game.outcomes
        self.observations = np.zeros((game.num_games, ADVISED_SIZE), dtype=np.int8)
        self._look()

    def step(self, actions: np.ndarray) -> AdvisedGame:
        """As ``VectorGame.step``."""
        self.game.step(actions)
        return self._look()

    def snapshot(self) -> dict[str, Any]:
        """As ``VectorGame.snapshot``."""
        return self.game.snapshot()

    def restore(self, snapshot: Mapping[str, np.ndarray]) -> AdvisedGame:
        """As ``VectorGame.restore``."""
        self.game.restore(snapshot)
        return self._look()

    def _look(self) -> AdvisedGame:
        self.observations[:, :OBSERVATION_SIZE] = self.game.observations
        write_advice(self.states, self.masks, self.observations)
        return self
