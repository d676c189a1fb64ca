"""The search bot: tree search guided by the policy and values of a network."""

from __future__ import annotations

import dataclasses
import time

import numpy as np

from wotr_agents.belief.model import belief_of, hands_of, open_belief
from wotr_agents.belief.worlds import draw_worlds
from wotr_agents.networks.bot import game_of_network
from wotr_agents.networks.inference import Inference, weights_in_kernels
from wotr_agents.networks.mlp import MlpWeights
from wotr_agents.networks.opening import open_network
from wotr_agents.ranges import check_above, check_at_least, check_within
from wotr_agents.search.games import can_search, search_game
from wotr_agents.search.guided import GuidedSettings, OpponentModel
from wotr_agents.search.guided_search import GuidedSearch
from wotr_agents.search.search import ActionStatistics
from wotr_agents.search.tree import Selection
from wotr_env.core.kind import GameKind
from wotr_env.play.bots import BotError, BotView
from wotr_env.play.games import DEFAULT_GAME

_TOGETHER = 64
"""Maximal number of games searched at once. They fill the network's batches; more games would only need more
memory."""
_DEFAULTS = GuidedSettings()
SCRIPTED = "scripted"
"""The name of the scripted policy as a known opponent."""


@dataclasses.dataclass(frozen=True)
class SearchParameters:
    """Parameters of the search bot."""

    net: str
    """Network: a file, a folder of ``wotr train`` (its best network is used), or ``zoo/NAME``."""
    sims: int = 200
    """Simulations per decision; with a time limit, the maximum."""
    worlds: int = 16
    """Number of sampled worlds, over which the simulations are spread."""
    time: float = 0.0
    """Time limit in seconds per decision; 0 means no limit. With a limit, play depends on the machine's
    speed."""
    c: float = _DEFAULTS.selection.exploration
    """Exploration constant of PUCT."""
    reduction: float = _DEFAULTS.selection.reduction
    """First-play urgency: how much lower the winning chance of an untried action is assumed to be than that
    of the position."""
    temperature: float = _DEFAULTS.selection.temperature
    """Temperature of the network's policy, which gives the priors."""
    uniform: float = _DEFAULTS.selection.uniform
    """Share of the priors that is spread evenly over the legal actions."""
    batch: int = _DEFAULTS.batch
    """Number of simulations whose positions the network evaluates in one batch. A smaller batch searches
    better but slower."""
    versus: str = ""
    """Known opponent: ``scripted``, or a network that plays its most likely action. It decides for the other
    side in simulations, so that the search finds the best play against it. By default both sides are
    searched."""

    def __post_init__(self) -> None:
        if not self.net:
            raise ValueError("give the file of a network, such as search:zoo/NAME")
        check_at_least(1, self, "sims", "worlds", "batch")
        check_at_least(0, self, "time", "reduction")
        check_above(0, self, "c", "temperature")
        check_within(0, 1, self, "uniform")

    @property
    def settings(self) -> GuidedSettings:
        """The settings for ``GuidedSearch``."""
        versus = (
            OpponentModel.NETWORK
            if self.versus_net
            else OpponentModel.SCRIPTED
            if self.versus
            else OpponentModel.SEARCH
        )
        return GuidedSettings(
            Selection(self.c, self.reduction, self.temperature, self.uniform), self.batch, versus
        )

    @property
    def versus_net(self) -> str:
        """The network that decides for the other side; empty without one."""
        return "" if self.versus == SCRIPTED else self.versus

    @property
    def networks(self) -> list[str]:
        """The networks that the search uses."""
        return [self.net, *([self.versus_net] if self.versus_net else [])]


@dataclasses.dataclass(frozen=True)
class BelievingSearchParameters(SearchParameters):
    """Parameters of the search bot in games that support beliefs."""

    belief: str = ""
    """Belief about the other side's hand from which worlds are drawn, such as ``zoo/wide``. By default all
    worlds are equally likely."""


class SearchBot:
    """Searches a tree for every decision, and plays the most visited action.

    Args:
        parameters: see ``SearchParameters``.
        seed: seed of worlds and simulations; without a time limit the same seed and views give the same
            actions.
        network: network to use instead of the file in the parameters.
        game: name of the game of ``network``.

    Attributes:
        simulations: number of simulations so far.

    Raises:
        BotError: searches do not support the game, a network or the belief cannot be read, or kernels cannot
            evaluate the network of the other side.
    """

    def __init__(
        self,
        parameters: SearchParameters,
        seed: int,
        network: Inference | None = None,
        game: str = DEFAULT_GAME,
    ) -> None:
        self._game = search_game(game if network else game_of_network(parameters.net))
        kind = self._game.kind
        self.parameters = parameters
        self.simulations = 0
        self._network = network or open_network(parameters.net)
        self._in_kernels = weights_in_kernels(self._network, kind)
        if self._in_kernels is None and self._game.several:
            raise BotError(
                f"{kind.title} has more than two teams: its search needs a network of the kind mlp"
            )
        if parameters.versus == SCRIPTED and not self._game.has_policy:
            raise BotError(f"{kind.title} has no scripted policy to search against")
        self._opponent = _known_opponent(parameters.versus_net, kind) if parameters.versus_net else None
        self._generator = np.random.default_rng(seed)
        self._belief = open_belief(belief_of(parameters), kind.name)
        self._game.prepare()

    def act(self, view: BotView) -> np.ndarray:
        """The most visited action of each game, on ties the better one: ``int64[B]``."""
        return np.array([tried[0].action for tried in self._search_all(view)], dtype=np.int64)

    def explain(self, view: BotView) -> list[list[tuple[int, float]]]:
        """For each game the tried actions, most visited first, with the winning chance of the bot's side."""
        return [[(each.action, each.value) for each in tried] for tried in self._search_all(view)]

    def _search_all(self, view: BotView) -> list[list[ActionStatistics]]:
        """For each game: the tried actions in order, with values for the deciding side."""
        worlds = draw_worlds(view, self.parameters.worlds, self._generator, self._belief)
        games = len(view.seats)
        teams = np.array([self._game.team(worlds[game, 0]) for game in range(games)], dtype=np.int64)
        seeds = self._generator.integers(0, 2**62, size=games, dtype=np.int64)
        found = []
        for first in range(0, games, _TOGETHER):
            some = slice(first, first + _TOGETHER)
            search = self._search(worlds[some], seeds[some])
            self.simulations += search.simulations * len(seeds[some])
            for visits, values in zip(search.visits(), search.action_values(teams[some]), strict=True):
                order = np.lexsort((-values, -visits))[: np.count_nonzero(visits)]
                found.append(
                    [ActionStatistics(int(each), int(visits[each]), float(values[each])) for each in order]
                )
        return found

    def _search(self, worlds: np.ndarray, seeds: np.ndarray) -> GuidedSearch:
        parameters = self.parameters
        end = time.perf_counter() + parameters.time * len(seeds)
        network = self._network
        search = GuidedSearch(
            parameters.settings,
            network.logits_and_values,
            worlds,
            seeds,
            network.advice,
            self._in_kernels,
            self._opponent,
            self._game,
        )
        if parameters.time == 0:
            return search.run(parameters.sims)
        while left := parameters.sims - search.simulations:
            search.run(min(parameters.batch, left))
            if time.perf_counter() >= end:
                break
        return search


def _known_opponent(name: str, kind: GameKind) -> MlpWeights:
    """The weights of a network that decides for the other side.

    Raises:
        BotError: the network cannot be read, or kernels of the game cannot evaluate it.
    """
    weights = weights_in_kernels(open_network(name), kind) if game_of_network(name) == kind.name else None
    if weights is None:
        raise BotError(f"versus={name} must be a network of the kind mlp for this game")
    return weights


def search_parameters(game: str) -> type | None:
    """The parameters of the bot in a game; None if searches do not support the game."""
    if not can_search(game):
        return None
    return SearchParameters if hands_of(game) is None else BelievingSearchParameters
