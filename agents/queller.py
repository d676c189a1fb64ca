"""A Shadow bot inspired by the Queller bot by Quitch, a solo automaton for the board game.

An independent implementation of the procedure for the first edition (``agents/policy/queller*.py``). It plays
the Shadow only; as the Free Peoples it plays as ``scripted``.
"""

from __future__ import annotations

import dataclasses

import numpy as np

from agents.bot import BotView
from agents.compiled import ensure_agents
from agents.policy.policy import NO_SCORE
from agents.policy.queller_board import Strategy
from agents.policy.queller_entry import score_queller_views
from wotr_env.actions import NUM_ACTIONS

_NOISE = 0.1
_COINS = 1024


@dataclasses.dataclass(frozen=True)
class QuellerParameters:
    """Parameters of the Queller-style bot."""

    strategy: str = "auto"
    """auto: by what is ahead, victory points or Corruption, at first by lot; military; corruption."""

    def __post_init__(self) -> None:
        if self.strategy.upper() not in Strategy.__members__:
            raise ValueError(f"strategy must be auto, military or corruption, not {self.strategy!r}")


class QuellerBot:
    """Follows the procedure; what it leaves open is decided by lot.

    Args:
        parameters: see there.
        seed: of the lots; the same seed and views give the same actions.
    """

    def __init__(self, parameters: QuellerParameters, seed: int) -> None:
        self.parameters = parameters
        self._generator = np.random.default_rng(seed)
        self._strategy = Strategy[parameters.strategy.upper()]
        self._coin = int(self._generator.integers(_COINS))
        ensure_agents()

    def act(self, view: BotView) -> np.ndarray:
        """The action of each game: ``int64[B]``."""
        scores = self._scores(view)
        scores += self._generator.random(scores.shape) * _NOISE
        return scores.argmax(axis=1)

    def explain(self, view: BotView) -> list[list[tuple[int, float]]]:
        """For each game its legal actions with their scores, the best first."""
        found = []
        for row, mask in zip(self._scores(view), view.masks, strict=True):
            order = np.argsort(-row, kind="stable")
            found.append([(int(action), float(row[action])) for action in order if mask[action]])
        return found

    def _scores(self, view: BotView) -> np.ndarray:
        scores = np.full((len(view.seats), NUM_ACTIONS), NO_SCORE)
        worlds = view.worlds(1, self._generator)[:, 0]
        score_queller_views(worlds, view.masks, scores, self._strategy, self._coin)
        return scores
