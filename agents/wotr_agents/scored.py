"""What bots have in common that score every legal action."""

from __future__ import annotations

import abc
from collections.abc import Callable

import numpy as np

from wotr_agents.scores import NO_SCORE
from wotr_env.play.bots import BotView, ranked


class ScoredBot(abc.ABC):
    """Plays the action of the highest score, equal ones by lot.

    Args:
        seed: of the lots; the same seed and views give the same actions.
        noise: uniform noise of this size on every score.
        prepare: has the kernels compiled that write the scores.
    """

    def __init__(self, seed: int, noise: float, prepare: Callable[[], object]) -> None:
        self._generator = np.random.default_rng(seed)
        self._noise = noise
        prepare()

    def act(self, view: BotView) -> np.ndarray:
        """The best action of each game: ``int64[B]``."""
        scores = self._scores(view)
        scores += self._generator.random(scores.shape) * self._noise
        return scores.argmax(axis=1)

    def explain(self, view: BotView) -> list[list[tuple[int, float]]]:
        """For each game its legal actions with their scores, the best first."""
        return ranked(self._scores(view), view.masks)

    def _scores(self, view: BotView) -> np.ndarray:
        scores = np.full(view.masks.shape, NO_SCORE)
        self._write_scores(view.worlds(1, self._generator)[:, 0], view.masks, scores)
        return scores

    @abc.abstractmethod
    def _write_scores(self, worlds: np.ndarray, masks: np.ndarray, scores: np.ndarray) -> None:
        """Scores the actions of one world for each game, in place."""
