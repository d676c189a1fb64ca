"""A bot in its own package: it passes and declines only when it must, and otherwise plays at random.

pip install ./bot_package
wotr check-bot eager
wotr tournament eager random --games 20
"""

import dataclasses

import numpy as np

from wotr_agents import BotKind, BotView
from wotr_env.games.war_of_the_ring.actions import ACTION_NAMES


@dataclasses.dataclass(frozen=True)
class EagerParameters:
    shy: float = 0.0
    """Probability of ignoring the names of actions, from 0 to 1."""

    def __post_init__(self) -> None:
        if not 0 <= self.shy <= 1:
            raise ValueError(f"shy must be from 0 to 1, not {self.shy}")


class EagerBot:
    """Chooses at random among the legal actions that do not pass or decline, if there are any."""

    def __init__(self, parameters: EagerParameters, seed: int) -> None:
        self.shy = parameters.shy
        self.generator = np.random.default_rng(seed)  # the only source of chance
        refusals = ("verb:pass", "verb:decline")
        self.refusal = np.array([name in refusals for name in ACTION_NAMES])

    def act(self, view: BotView) -> np.ndarray:
        """One legal action (``int64[B]``) for each game of the view."""
        drawn = self.generator.random(view.masks.shape)  # from 0 to 1
        looks = self.generator.random(len(view.seats)) >= self.shy
        worth = drawn - (self.refusal & looks[:, None])
        return np.where(view.masks, worth, -2).argmax(axis=1)


EAGER = BotKind("eager", "passes only when it must", EagerParameters, EagerBot)
