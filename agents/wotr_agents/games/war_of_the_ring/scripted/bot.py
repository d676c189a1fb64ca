"""The scripted bots: for every decision they take the action with the highest score of the scripted
policy."""

from __future__ import annotations

import dataclasses

import numpy as np

from wotr_agents.games.war_of_the_ring.scripted.entry import prepare_agents, score_views
from wotr_agents.games.war_of_the_ring.scripted.weights import DEFAULT_WEIGHTS, PLAIN_WEIGHTS
from wotr_agents.ranges import check_within
from wotr_agents.scored import ScoredBot

_WEIGHTS = {1: PLAIN_WEIGHTS, 2: DEFAULT_WEIGHTS}


@dataclasses.dataclass(frozen=True)
class ScriptedParameters:
    """Parameters of the scripted bot."""

    level: int = 2
    """Set of weights. 1: set by hand (the Fellowship hurries, the Shadow musters and marches); 2: tuned by
    self-play."""
    noise: float = 0.1
    """Size of the uniform noise added to each score, so that ties are broken at random."""

    def __post_init__(self) -> None:
        check_within(min(_WEIGHTS), max(_WEIGHTS), self, "level")
        check_within(0, 1000, self, "noise")


class ScriptedBot(ScoredBot):
    """Plays the action with the highest score.

    Args:
        parameters: see ``ScriptedParameters``.
        seed: seed of the noise; the same seed and views give the same actions.
    """

    def __init__(self, parameters: ScriptedParameters, seed: int) -> None:
        super().__init__(seed, parameters.noise, prepare_agents)
        self.parameters = parameters

    def _write_scores(self, worlds: np.ndarray, masks: np.ndarray, scores: np.ndarray) -> None:
        score_views(worlds, masks, scores, _WEIGHTS[self.parameters.level])
