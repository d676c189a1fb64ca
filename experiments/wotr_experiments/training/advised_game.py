"""Games whose observations carry advice, to train networks that see it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from wotr_agents.compiled import ensure_agents
from wotr_agents.networks.advice import ADVISED_SIZE, write_advice
from wotr_env.any_game import Games
from wotr_env.engine.layout import OBSERVATION_SIZE


class AdvisedGame:
    """A ``VectorGame`` whose observations are ``int8[N, ADVISED_SIZE]``, written in place.

    Args:
        game: with auto-reset.
    """

    def __init__(self, game: Games) -> None:
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
