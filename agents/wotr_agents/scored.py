"""The base class of bots that score every legal action."""

from __future__ import annotations

import abc
from collections.abc import Callable

import numpy as np

from wotr_agents.scores import NO_SCORE
from wotr_env.play.bots import BotView, ranked


class ScoredBot(abc.ABC):
    """Plays the action with the highest score; ties are broken at random.

    Args:
        seed: seed of the tie-breaking; the same seed and views give the same actions.
        noise: size of the uniform noise on every score.
        prepare: compiles the kernels that write the scores.
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
        """For each game, the legal actions with their scores, best first."""
        return ranked(self._scores(view), view.masks)

    def _scores(self, view: BotView) -> np.ndarray:
        scores = np.full(view.masks.shape, NO_SCORE)
        self._write_scores(view.worlds(1, self._generator)[:, 0], view.masks, scores)
        return scores

    @abc.abstractmethod
    def _write_scores(self, worlds: np.ndarray, masks: np.ndarray, scores: np.ndarray) -> None:
        """Scores the actions of one world for each game, in place."""
