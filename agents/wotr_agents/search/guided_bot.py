"""The bot that searches with a network: its trees are guided by the network's scores and values."""

from __future__ import annotations

import time

import numpy as np
import torch

from wotr_agents.compiled import ensure_agents
from wotr_agents.networks.bot import open_network
from wotr_agents.networks.models import PlayingNetwork, values_of
from wotr_agents.networks.parameters import SearchParameters
from wotr_agents.search.guided_search import Evaluate, GuidedSearch
from wotr_env.bots import BotError, BotView

_TOGETHER = 64
"""Games searched at once at most: their positions fill the network's batches, and more only take memory."""


class SearchBot:
    """Searches a tree for every decision and plays the action visited most.

    Args:
        parameters: see there.
        seed: of worlds and simulations; without a time limit the same seed and views give the same actions.
        network: used instead of the file that the parameters name.

    Attributes:
        simulations: made so far.

    Raises:
        BotError: the network cannot be read.
    """

    def __init__(
        self, parameters: SearchParameters, seed: int, network: PlayingNetwork | None = None
    ) -> None:
        self.parameters = parameters
        network = open_network(parameters.net) if network is None else network
        self._evaluate = evaluator(network)
        self._advice = network.config.advice
        self._generator = np.random.default_rng(seed)
        self.simulations = 0
        ensure_agents()

    def act(self, view: BotView) -> np.ndarray:
        """The action visited most in each game, of equals the better: ``int64[B]``."""
        return np.array([tried[0][0] for tried in self._search_all(view)], dtype=np.int64)

    def explain(self, view: BotView) -> list[list[tuple[int, float]]]:
        """For each game the actions tried, most visited first, with the chance that the own side wins."""
        return [[(action, value) for action, _, value in tried] for tried in self._search_all(view)]

    def _search_all(self, view: BotView) -> list[list[tuple[int, int, float]]]:
        """By game the actions tried, their visits and mean value for the side that decides, in order."""
        worlds = view.worlds(self.parameters.worlds, self._generator)
        games = len(view.seats)
        seeds = self._generator.integers(0, 2**62, size=games, dtype=np.int64)
        found = []
        for first in range(0, games, _TOGETHER):
            some = slice(first, first + _TOGETHER)
            search = self._search(worlds[some], seeds[some])
            self.simulations += search.simulations * len(seeds[some])
            for seat, visits, values in zip(
                view.seats[some], search.visits(), search.action_values(), strict=True
            ):
                values = values if seat == 0 else 1.0 - values
                order = np.lexsort((-values, -visits))[: np.count_nonzero(visits)]
                found.append([(int(action), int(visits[action]), float(values[action])) for action in order])
        return found

    def _search(self, worlds: np.ndarray, seeds: np.ndarray) -> GuidedSearch:
        parameters = self.parameters
        end = time.perf_counter() + parameters.time * len(seeds)
        search = GuidedSearch(parameters.settings, self._evaluate, worlds, seeds, self._advice)
        if parameters.time == 0:
            return search.run(parameters.sims)
        while left := parameters.sims - search.simulations:
            search.run(min(parameters.batch, left))
            if time.perf_counter() >= end:
                break
        return search


def evaluator(network: PlayingNetwork) -> Evaluate:
    """A network as a search asks it.

    Raises:
        BotError: when asked, if the network's weights are not finite.
    """

    def evaluate(observations: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        with torch.inference_mode():
            scores, ends = network(torch.from_numpy(observations))
            values = 0.5 + 0.5 * values_of(ends)
        if not (values.isfinite().all() and scores.isfinite().all()):
            raise BotError("the network's weights are not finite")
        return scores.numpy(), values.numpy()

    return evaluate
