"""The mcts bot: Monte Carlo tree search with rollouts over sampled worlds."""

from __future__ import annotations

import dataclasses
import time
from collections.abc import Callable
from typing import Literal

import numpy as np

from wotr_agents.belief.model import belief_of, hands_of, open_belief
from wotr_agents.belief.worlds import draw_worlds
from wotr_agents.ranges import check_above, check_at_least
from wotr_agents.search.games import can_search, search_game
from wotr_agents.search.search import ActionStatistics, Search
from wotr_agents.search.simulations import Rollout, SearchSettings
from wotr_env.core.batches import Threads
from wotr_env.play.bots import BotView
from wotr_env.play.games import DEFAULT_GAME

_CHUNK = 50
"""Number of simulations between checks of the clock."""
_HURRY = 2.0
"""Divisor of the remaining number of simulations, with a time limit. With 2, a search ends when the runner-up
would need three quarters of the remaining simulations to catch up."""
_FIRST_TEAM = 0
_TO_THE_END = 1_000_000
_DEFAULTS = SearchSettings()


@dataclasses.dataclass(frozen=True)
class PlainMctsParameters:
    """Parameters of the search bot in any game."""

    sims: int = 400
    """Maximal number of simulations per decision. A search ends early when its choice cannot change any
    more."""
    worlds: int = 16
    """Number of sampled worlds, over which the simulations are spread."""
    rollout: Literal["scripted", "random", "none"] = "scripted"
    """How the rollout after the tree is played."""
    depth: int = _DEFAULTS.depth
    """Length of a rollout in decisions; then the position is evaluated. 0 plays to the end of the game."""
    time: float = 0.0
    """Time limit in seconds per decision; 0 means no limit. With a limit, play depends on the machine's
    speed."""
    c: float = _DEFAULTS.selection.exploration
    """Exploration constant of PUCT."""
    temperature: float = _DEFAULTS.selection.temperature
    """Temperature of the priors, in points of the scripted policy's score."""
    threads: int = 1
    """Number of threads, for the games of a batch or for several trees of one decision."""

    def __post_init__(self) -> None:
        check_at_least(1, self, "sims", "worlds", "threads")
        check_at_least(0, self, "depth", "time")
        check_above(0, self, "c", "temperature")
        if self.rollout not in ("scripted", "random", "none"):  # from Python: a spec is checked before
            raise ValueError(f"rollout must be scripted, random or none, not {self.rollout!r}")

    @property
    def settings(self) -> SearchSettings:
        """The settings for ``Search``."""
        return SearchSettings(
            _DEFAULTS.selection._replace(exploration=self.c, temperature=self.temperature),
            Rollout[self.rollout.upper()],
            self.depth or _TO_THE_END,
        )


@dataclasses.dataclass(frozen=True)
class MctsParameters(PlainMctsParameters):
    """Parameters of the search bot in games that support beliefs."""

    belief: str = ""
    """Belief about the other side's hand from which worlds are drawn, such as ``zoo/wide``. By default all
    worlds are equally likely."""


def mcts_parameters(game: str) -> type | None:
    """The parameters of the search bot in a game; None if searches do not support the game."""
    if not can_search(game):
        return None
    return PlainMctsParameters if hands_of(game) is None else MctsParameters


class MctsBot:
    """Searches a tree for every decision, and plays the most visited action.

    Args:
        parameters: see ``MctsParameters``.
        seed: seed of worlds and simulations; without a time limit the same seed and views give the same
            actions.
        game: name of the game; searches must support it (``games.can_search``).

    Attributes:
        simulations: number of simulations so far; fewer than the maximum if searches ended early.

    Raises:
        BotError: the belief cannot be read.
    """

    def __init__(self, parameters: PlainMctsParameters, seed: int, game: str = DEFAULT_GAME) -> None:
        self.parameters = parameters
        self.simulations = 0
        self._generator = np.random.default_rng(seed)
        self._game = search_game(game)
        self._belief = open_belief(belief_of(parameters), game)
        self._pool = Threads(parameters.threads) if parameters.threads > 1 else None
        self._game.prepare()

    def act(self, view: BotView) -> np.ndarray:
        """The most visited action of each game, on ties the better one: ``int64[B]``."""
        best = [max(tried, key=lambda each: (each.visits, each.value)) for tried in self._search_all(view)]
        return np.array([each.action for each in best], dtype=np.int64)

    def explain(self, view: BotView) -> list[list[tuple[int, float]]]:
        """For each game the tried actions, most visited first, with the winning chance of the bot's side."""
        found = []
        for tried in self._search_all(view):
            ordered = sorted(tried, key=lambda each: -each.visits)
            found.append([(each.action, each.value) for each in ordered])
        return found

    def _search_all(self, view: BotView) -> list[list[ActionStatistics]]:
        """For each game: the tried actions, with values for the deciding side."""
        worlds = draw_worlds(view, self.parameters.worlds, self._generator, self._belief)
        games = len(view.seats)
        trees = 1 if games >= self.parameters.threads else self.parameters.threads
        seeds = self._generator.integers(0, 2**62, size=(games, trees), dtype=np.int64)
        tasks = [(worlds[game], int(seed)) for game in range(games) for seed in seeds[game]]
        share = -(-self.parameters.sims // trees)
        run: Callable = map if self._pool is None else self._pool.map
        searches = list(run(lambda task: self._search_one(task[0], task[1], share), tasks))
        self.simulations += sum(search.simulations for search in searches)
        found = []
        for game in range(games):
            of_game = searches[game * trees : (game + 1) * trees]
            tried = _merge([search.children() for search in of_game])
            if not self._game.several and self._game.team(worlds[game, 0]) != _FIRST_TEAM:
                tried = [each._replace(value=1.0 - each.value) for each in tried]
            found.append(tried)
        return found

    def _search_one(self, worlds: np.ndarray, seed: int, sims: int) -> Search:
        """Runs simulations until the choice cannot change any more; with a time limit, until a change is
        unlikely."""
        search = Search(self.parameters.settings, worlds, seed, self._game)
        start = time.perf_counter()
        left = sims
        while left > 0:
            search.run(min(_CHUNK, left))
            left = sims - search.simulations
            if self.parameters.time > 0:
                part = (time.perf_counter() - start) / self.parameters.time
                left = min(left, int(search.simulations * (1 / part - 1) / _HURRY))
            if search.lead() > left:
                break
        return search


def _merge(trees: list[list[ActionStatistics]]) -> list[ActionStatistics]:
    """Combines the tried actions of several trees of one decision: adds visits, averages values."""
    visits: dict[int, int] = {}
    sums: dict[int, float] = {}
    for tried in trees:
        for each in tried:
            visits[each.action] = visits.get(each.action, 0) + each.visits
            sums[each.action] = sums.get(each.action, 0.0) + each.visits * each.value
    return [ActionStatistics(action, tries, sums[action] / max(1, tries)) for action, tries in visits.items()]
