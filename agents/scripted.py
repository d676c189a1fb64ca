"""The scripted bots: for every decision they take the action that the scripted policy scores highest."""

from __future__ import annotations

import dataclasses

import numpy as np

from agents.bot import BotView
from agents.compiled import ensure_agents
from agents.policy.entry import score_views
from agents.policy.policy import NO_SCORE
from agents.policy.weights import DEFAULT_WEIGHTS, PLAIN_WEIGHTS
from wotr_env.actions import NUM_ACTIONS

_WEIGHTS = {1: PLAIN_WEIGHTS, 2: DEFAULT_WEIGHTS}


@dataclasses.dataclass(frozen=True)
class ScriptedParameters:
    """Parameters of the scripted bot."""

    level: int = 2
    """1: a Fellowship that runs and a Shadow that musters and marches; 2: weights tuned by self-play."""
    noise: float = 0.1
    """Uniform noise of this size on every score, so that equal actions are chosen by lot."""

    def __post_init__(self) -> None:
        if self.level not in _WEIGHTS:
            raise ValueError(f"level must be 1 or 2, not {self.level}")
        if not 0 <= self.noise <= 1000:
            raise ValueError(f"noise must be from 0 to 1000, not {self.noise}")


class ScriptedBot:
    """Plays the action of the highest score.

    Args:
        parameters: see there.
        seed: of the noise; the same seed and views give the same actions.
    """

    def __init__(self, parameters: ScriptedParameters, seed: int) -> None:
        self.parameters = parameters
        self._generator = np.random.default_rng(seed)
        ensure_agents()

    def act(self, view: BotView) -> np.ndarray:
        """The best action of each game: ``int64[B]``."""
        scores = self._scores(view)
        scores += self._generator.random(scores.shape) * self.parameters.noise
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
        weights = _WEIGHTS[self.parameters.level]
        score_views(view.worlds(1, self._generator)[:, 0], view.masks, scores, weights)
        return scores
