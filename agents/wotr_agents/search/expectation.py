"""The expectation bot: tries every legal action in some worlds and takes the one with the best mean value."""

from __future__ import annotations

import dataclasses

import numpy as np

from wotr_agents.compiled import ensure_agents
from wotr_agents.games.war_of_the_ring.scripted.entry import features_of, play_scripted
from wotr_agents.games.war_of_the_ring.scripted.value import load_coefficients
from wotr_agents.games.war_of_the_ring.scripted.weights import DEFAULT_WEIGHTS
from wotr_agents.ranges import check_at_least
from wotr_agents.search.games import can_search, search_game
from wotr_env.core.kind import MAX_SEED
from wotr_env.games.war_of_the_ring.actions import NUM_ACTIONS
from wotr_env.games.war_of_the_ring.codes import Side, Winner
from wotr_env.games.war_of_the_ring.engine import kernel
from wotr_env.games.war_of_the_ring.rules.seats import SEAT_SIDE
from wotr_env.games.war_of_the_ring.state import NUM_SIDES
from wotr_env.play.bots import Bot, BotView


@dataclasses.dataclass(frozen=True)
class ExpectationParameters:
    """Parameters of the expectation bot."""

    worlds: int = 8
    """Worlds in which every action is tried."""
    depth: int = 0
    """Decisions played on by the scripted policy before the position is valued."""

    def __post_init__(self) -> None:
        check_at_least(1, self, "worlds")
        check_at_least(0, self, "depth")


class ExpectationBot:
    """Plays the action after which the own side's chance to win is best on average, one decision ahead.

    Args:
        parameters: see there.
        seed: of the worlds; the same seed and views give the same actions.
    """

    def __init__(self, parameters: ExpectationParameters, seed: int) -> None:
        self.parameters = parameters
        self._generator = np.random.default_rng(seed)
        self._coefficients = load_coefficients()
        ensure_agents()

    def act(self, view: BotView) -> np.ndarray:
        """The best action of each game: ``int64[B]``."""
        return np.array([tried[0][0] for tried in self.explain(view)], dtype=np.int64)

    def explain(self, view: BotView) -> list[list[tuple[int, float]]]:
        """For each game its legal actions with the chance that the own side wins, the best first."""
        worlds = view.worlds(self.parameters.worlds, self._generator)
        found = []
        for game, mask in enumerate(view.masks):
            actions = np.flatnonzero(mask)
            chances = self._chances(worlds[game], actions, int(view.seats[game]))
            order = np.argsort(-chances, kind="stable")
            found.append([(int(actions[place]), float(chances[place])) for place in order])
        return found

    def _chances(self, worlds: np.ndarray, actions: np.ndarray, seat: int) -> np.ndarray:
        """The mean chance to win after each action: ``float64[len(actions)]``."""
        states = np.tile(worlds, actions.size)
        # Each world goes on with other dice after each action.
        seeds = self._generator.integers(0, MAX_SEED, size=states.size, dtype=np.int64)
        kernel.sample_worlds(states, np.full(states.size, seat), seeds)
        masks = np.zeros((states.size, NUM_ACTIONS), dtype=np.bool_)
        kernel.step(states, masks, np.repeat(actions, worlds.size))
        if self.parameters.depth:
            weights = np.broadcast_to(DEFAULT_WEIGHTS, (states.size, NUM_SIDES, DEFAULT_WEIGHTS.size))
            streams = seeds & 0xFFFFFFFF
            play_scripted(states, masks, weights.copy(), streams, decisions=self.parameters.depth)
        chances = 1.0 / (1.0 + np.exp(-features_of(states) @ self._coefficients))
        chances = np.where(states["winner"] == Winner.NONE, chances, states["winner"] == Winner.FREE_PEOPLES)
        chances = np.where(states["winner"] == Winner.DRAW, 0.5, chances)
        means = chances.reshape(actions.size, worlds.size).mean(axis=1)
        return means if SEAT_SIDE[seat] == Side.FREE_PEOPLES else 1.0 - means


class GameExpectationBot:
    """The same in any game that can be searched: its positions are valued by its own policy.

    Args:
        parameters: see there.
        seed: of the worlds; the same seed and views give the same actions.
        game: the name of the game.
    """

    def __init__(self, parameters: ExpectationParameters, seed: int, game: str) -> None:
        self.parameters = parameters
        self._generator = np.random.default_rng(seed)
        self._game = search_game(game)
        self._game.prepare()
        self._scratch = self._game.new_scratch()

    def act(self, view: BotView) -> np.ndarray:
        """The best action of each game: ``int64[B]``."""
        return np.array([tried[0][0] for tried in self.explain(view)], dtype=np.int64)

    def explain(self, view: BotView) -> list[list[tuple[int, float]]]:
        """For each game its legal actions with the chance that the own side wins, the best first."""
        worlds = view.worlds(self.parameters.worlds, self._generator)
        seeds = self._generator.integers(0, 2**62, size=len(view.seats), dtype=np.int64)
        found = []
        for game, mask in enumerate(view.masks):
            own = np.array(worlds[game])
            first = self._game.several or self._game.team(own[0]) == 0
            chances = {}
            for action in np.flatnonzero(mask).tolist():
                chance = self._expected(own, action, int(seeds[game]))
                chances[action] = chance if first else 1.0 - chance
            found.append(sorted(chances.items(), key=lambda tried: -tried[1]))
        return found

    def _expected(self, worlds: np.ndarray, action: int, seed: int) -> float:
        assert self._game.expect is not None
        return self._game.expect(worlds, self._scratch, action, self.parameters.depth, seed)


def expectation_bot(parameters: ExpectationParameters, seed: int, game: str) -> Bot:
    """The expectation bot of a game that can be searched."""
    if search_game(game).expect is None:
        return ExpectationBot(parameters, seed)
    return GameExpectationBot(parameters, seed, game)


def expectation_parameters(game: str) -> type | None:
    """The parameters of the expectation bot in a game; None if it cannot be searched."""
    return ExpectationParameters if can_search(game) else None
