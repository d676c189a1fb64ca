"""The random bot: every legal action is equally likely."""

from __future__ import annotations

import dataclasses

import numpy as np

from wotr_env.play.bots import BotView, ranked


@dataclasses.dataclass(frozen=True)
class RandomParameters:
    """The random bot has no parameters."""


class RandomBot:
    """Plays a uniformly random legal action.

    Args:
        parameters: an object without fields.
        seed: seed of the bot's random stream; the same seed and views give the same actions.
    """

    def __init__(self, parameters: RandomParameters, seed: int) -> None:
        self.parameters = parameters
        self._generator = np.random.default_rng(seed)

    def act(self, view: BotView) -> np.ndarray:
        """One uniform choice for each game: ``int64[B]``."""
        num_games, num_actions = view.masks.shape
        legal = np.flatnonzero(view.masks)  # row by row, so each game owns one run of this list
        counts = np.count_nonzero(view.masks, axis=1)
        if num_games and not counts.all():
            raise ValueError(f"game {int(np.argmin(counts))} of the view has no legal action")
        starts = np.cumsum(counts) - counts
        chosen = (self._generator.random(num_games) * counts).astype(np.int64)
        return legal[starts + chosen] % num_actions

    def explain(self, view: BotView) -> list[list[tuple[int, float]]]:
        """For each game, the legal actions, each with the same probability."""
        counts = np.count_nonzero(view.masks, axis=1, keepdims=True)
        return ranked(view.masks / np.maximum(counts, 1), view.masks)
