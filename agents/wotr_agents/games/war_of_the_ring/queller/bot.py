"""A Shadow bot inspired by the Queller bot by Quitch, a solo automaton for the board game.

This is an independent implementation of the procedure for the first edition. The bot follows the procedure
only for the Shadow; for the Free Peoples it plays like ``scripted``.
"""

from __future__ import annotations

import dataclasses
from typing import Literal

import numpy as np

from wotr_agents.games.war_of_the_ring.queller.entry import score_queller_views
from wotr_agents.games.war_of_the_ring.queller.reading import Strategy
from wotr_agents.games.war_of_the_ring.scripted.entry import prepare_agents
from wotr_agents.scored import ScoredBot

_NOISE = 0.1
_COINS = 1024


@dataclasses.dataclass(frozen=True)
class QuellerParameters:
    """Parameters of the Queller-style bot."""

    strategy: Literal["auto", "military", "corruption"] = "auto"
    """Plan of the Shadow: military, corruption, or auto: the plan that is ahead (victory points or
    Corruption), drawn at random at first."""

    def __post_init__(self) -> None:
        if self.strategy.upper() not in Strategy.__members__:
            raise ValueError(f"strategy must be auto, military or corruption, not {self.strategy!r}")


class QuellerBot(ScoredBot):
    """Follows the procedure of the Queller bot; chooses at random where the procedure leaves a choice open.

    Args:
        parameters: see ``QuellerParameters``.
        seed: seed of the random choices; the same seed and views give the same actions.
    """

    def __init__(self, parameters: QuellerParameters, seed: int) -> None:
        super().__init__(seed, _NOISE, prepare_agents)
        self.parameters = parameters
        self._strategy = Strategy[parameters.strategy.upper()]
        self._coin = int(self._generator.integers(_COINS))

    def _write_scores(self, worlds: np.ndarray, masks: np.ndarray, scores: np.ndarray) -> None:
        score_queller_views(worlds, masks, scores, self._strategy, self._coin)
