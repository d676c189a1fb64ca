"""Batches of games with advice in the observations, to train networks with advice."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from wotr_agents.networks.advice import advice_policy, size_with_advice, write_advice
from wotr_env.core.kind import GameKind
from wotr_env.core.protocols import Games


class AdvisedGame:
    """A batch of games whose observations also contain advice: the scores of the scripted policy for the
    legal actions.

    ``observations`` is ``int8[N, size_with_advice(kind)]``; each step writes into the same array.

    Args:
        game: a batch with auto-reset.
        kind: the game.
    """

    def __init__(self, game: Games, kind: GameKind) -> None:
        advice_policy(kind).prepare()
        self.game, self.kind = game, kind
        self.num_games = game.num_games
        self.states, self.masks, self.seats = game.states, game.masks, game.seats
        self.terminated, self.end_records = game.terminated, game.end_records
        self.observations = np.zeros((game.num_games, size_with_advice(kind)), dtype=np.int8)
        self._look()

    def step(self, actions: np.ndarray) -> AdvisedGame:
        """See ``VectorGame.step``."""
        self.game.step(actions)
        return self._look()

    def snapshot(self) -> dict[str, Any]:
        """See ``VectorGame.snapshot``."""
        return self.game.snapshot()

    def restore(self, snapshot: Mapping[str, np.ndarray]) -> AdvisedGame:
        """See ``VectorGame.restore``."""
        self.game.restore(snapshot)
        return self._look()

    def _look(self) -> AdvisedGame:
        self.observations[:, : self.kind.layout.size] = self.game.observations
        write_advice(self.states, self.masks, self.observations, self.kind)
        return self
