"""The expectation bot: tries every legal action in sampled worlds and plays the one with the best mean
value."""

from __future__ import annotations

import dataclasses

import numpy as np

from wotr_agents.policies import policy_of
from wotr_agents.ranges import check_at_least
from wotr_agents.search.games import can_search, search_game
from wotr_env.play.bots import BotView
from wotr_env.play.games import DEFAULT_GAME


@dataclasses.dataclass(frozen=True)
class ExpectationParameters:
    """Parameters of the expectation bot."""

    worlds: int = 8
    """Number of sampled worlds in which each action is tried."""
    depth: int = 0
    """Number of decisions that the scripted policy plays before the position is evaluated."""

    def __post_init__(self) -> None:
        check_at_least(1, self, "worlds")
        check_at_least(0, self, "depth")


class ExpectationBot:
    """Plays the action with the highest mean winning chance, looking one decision ahead.

    Positions are evaluated by the policy of the game.

    Args:
        parameters: see ``ExpectationParameters``.
        seed: seed of the worlds; the same seed and views give the same actions.
        game: name of the game; searches must support it.
    """

    def __init__(self, parameters: ExpectationParameters, seed: int, game: str = DEFAULT_GAME) -> None:
        self.parameters = parameters
        self._generator = np.random.default_rng(seed)
        policy = policy_of(game)
        self._chances = self._searched
        if policy is not None and policy.expected is not None:
            policy.prepare()
            self._chances = policy.expected
            return
        self._game = search_game(game)
        self._game.prepare()
        self._scratch = self._game.new_scratch()

    def act(self, view: BotView) -> np.ndarray:
        """The best action of each game: ``int64[B]``."""
        return np.array([tried[0][0] for tried in self.explain(view)], dtype=np.int64)

    def explain(self, view: BotView) -> list[list[tuple[int, float]]]:
        """For each game the legal actions with the winning chance of the bot's side, best first."""
        worlds = view.worlds(self.parameters.worlds, self._generator)
        found = []
        for game, mask in enumerate(view.masks):
            actions = np.flatnonzero(mask)
            chances = self._chances(np.array(worlds[game]), actions, self.parameters.depth, self._generator)
            order = np.argsort(-chances, kind="stable")
            found.append([(int(actions[place]), float(chances[place])) for place in order])
        return found

    def _searched(
        self, worlds: np.ndarray, actions: np.ndarray, depth: int, generator: np.random.Generator
    ) -> np.ndarray:
        """Computes ``policies.Policy.expected`` with the search of the game."""
        seed = int(generator.integers(0, 2**62))
        expect = self._game.call["expect"]
        values = np.array([expect(worlds, self._scratch, int(action), depth, seed) for action in actions])
        return values if self._game.several or self._game.team(worlds[0]) == 0 else 1.0 - values


def expectation_parameters(game: str) -> type | None:
    """The parameters of the expectation bot in a game; None if searches do not support the game."""
    return ExpectationParameters if can_search(game) else None
