"""The scripted bot of the Duel."""

from __future__ import annotations

import dataclasses

import numpy as np

from wotr_agents.duel.entry import score_views
from wotr_agents.duel.kernels import DUELLISTS
from wotr_agents.ranges import check_within
from wotr_agents.scored import ScoredBot


@dataclasses.dataclass(frozen=True)
class DuelScriptedParameters:
    """Parameters of the scripted bot in the Duel."""

    noise: float = 0.1
    """Uniform noise of this size on every score, so that equal actions are chosen by lot."""

    def __post_init__(self) -> None:
        check_within(0, 1000, self, "noise")


class DuelScriptedBot(ScoredBot):
    """Plays the action of the highest score.

    Args:
        parameters: see there.
        seed: of the noise; the same seed and views give the same actions.
    """

    def __init__(self, parameters: DuelScriptedParameters, seed: int) -> None:
        super().__init__(seed, parameters.noise, DUELLISTS.prepare)
        self.parameters = parameters

    def _write_scores(self, worlds: np.ndarray, masks: np.ndarray, scores: np.ndarray) -> None:
        score_views(worlds, masks, scores)
