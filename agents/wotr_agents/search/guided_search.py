"""Searches guided by a network, for many games at once with batched evaluation."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from wotr_agents.networks.advice import size_with_advice, write_scores
from wotr_agents.networks.mlp import MlpWeights, new_accumulators, no_network
from wotr_agents.search.games import SearchGame, search_game
from wotr_agents.search.guided import GuidedSettings, Requests, Waiting
from wotr_agents.search.tree import Selection, make_room, new_tree
from wotr_env.core.kind import GameKind
from wotr_env.play.games import DEFAULT_GAME

Evaluate = Callable[[np.ndarray], tuple[np.ndarray, np.ndarray]]
"""A function that evaluates positions: observations ``int8[R, I]`` of the deciding seats give logits of all
actions, ``float32[R, A]``, and values for the first team, ``float32[R]`` from 0 to 1.
"""


class GuidedSearch:
    """The searches of the decisions of G games.

    The result of a game does not depend on the other games, apart from rounding by torch if the network does
    not run in kernels.

    Args:
        settings: settings of the searches.
        evaluate: evaluates positions with the network.
        worlds: ``kind.state[G, W]``, W >= 1: worlds of each game, with the decision pending.
        seeds: ``int64[G]``: seeds of the simulations, 0 <= seed < 2**62.
        advice: whether ``evaluate`` also receives the scores of the scripted policy (``networks/advice.py``).
        network: weights of a network for kernels, used instead of ``evaluate``.
        opponent: weights of the network that decides for other teams, if ``settings.versus`` says so.
        game: the game; None: the default game. Games of more than two teams need ``network``.

    Attributes:
        simulations: number of simulations per game so far.
    """

    def __init__(
        self,
        settings: GuidedSettings,
        evaluate: Evaluate,
        worlds: np.ndarray,
        seeds: np.ndarray,
        advice: bool = False,
        network: MlpWeights | None = None,
        opponent: MlpWeights | None = None,
        game: SearchGame | None = None,
    ) -> None:
        self.simulations = 0
        self._game = game or search_game(DEFAULT_GAME)
        self._kind = self._game.kind
        self._settings = GuidedSettings(  # each number of the one type that the kernels are compiled for
            Selection(*map(float, settings.selection)), int(settings.batch), int(settings.versus)
        )
        self._evaluate = evaluate
        self._advice = advice
        self._games = len(seeds)
        self._worlds = np.ascontiguousarray(worlds)
        self._seeds = np.ascontiguousarray(seeds, dtype=np.int64)
        self._network = network or no_network()
        self._opponent = opponent or no_network()
        seats, teams = self._games * self._game.seats, len(self._kind.teams) * self._game.several
        self._watched = new_accumulators(self._opponent, seats, 1)
        hidden = self._network.hidden.shape[1]
        self._tree = new_tree(self._games, self._games, self._kind.actions.size, hidden, teams)
        self._scratch = self._game.new_scratch()
        if network is None:
            self._requests = _new_requests(self._kind, self._games * settings.batch, advice)
        else:
            self._followed = new_accumulators(network, seats, settings.batch)
            self._waiting = Waiting(*(np.zeros(settings.batch, dtype=np.int64) for _ in Waiting._fields))
        self._in_kernels = network is not None
        self._simulate(0, 1)  # gets no further than the roots, and does not count

    def run(self, simulations: int) -> GuidedSearch:
        """Adds simulations to each game; returns the search itself."""
        self._tree = make_room(self._tree, self._games * simulations)
        end = self.simulations + simulations
        if self._in_kernels:
            self._simulate(self.simulations, simulations)
            self.simulations = end
        while self.simulations < end:
            more = min(self._settings.batch, end - self.simulations)
            self._simulate(self.simulations, more)
            self.simulations += more
        return self

    def visits(self) -> np.ndarray:
        """The visits of each action: ``float32[G, A]``; each row sums to the number of simulations."""
        return self._sum_by_action(self._nodes()["visits"]).astype(np.float32)

    def action_values(self, teams: np.ndarray | None = None) -> np.ndarray:
        """Returns the mean values of actions for a team of each game, from 0 to 1: ``float64[G, A]``;
        undefined for untried actions.

        Args:
            teams: ``int64[G]``; None: the first team.
        """
        chosen = np.zeros(self._games, dtype=np.int64) if teams is None else teams
        tried = np.maximum(1, self.visits())
        if self._game.several:
            nodes = self._nodes()
            rows = np.arange(len(nodes))
            own = chosen[np.clip(nodes["parent"], 0, self._games - 1)]  # those below are not asked for
            return self._sum_by_action(self._tree.values[rows, own]) / tried
        values = self._sum_by_action(self._nodes()["value_sum"]) / tried
        return np.where(chosen[:, None] == 0, values, 1.0 - values)

    def values(self) -> np.ndarray:
        """The winning chance of the first team in each game, with draws as one half: ``float64[G]``."""
        roots = self._tree.nodes[: self._games]
        sums = self._tree.values[: self._games, 0] if self._game.several else roots["value_sum"]
        return sums / np.maximum(1, roots["visits"])

    def _nodes(self) -> np.ndarray:
        return self._tree.nodes[: self._tree.used[0]]

    def _sum_by_action(self, numbers: np.ndarray) -> np.ndarray:
        """Sums numbers of the nodes over the roots' children, by game and action: ``float64[G, A]``."""
        nodes = self._nodes()
        child = (nodes["parent"] >= 0) & (nodes["parent"] < self._games)
        sums = np.zeros((self._games, self._kind.actions.size))
        np.add.at(sums, (nodes["parent"][child], nodes["action"][child]), numbers[child])
        return sums

    def _simulate(self, first: int, simulations: int) -> None:
        if self._in_kernels:
            self._game.call["search"](
                self._tree,
                self._network,
                self._followed,
                self._opponent,
                self._watched,
                self._worlds,
                self._seeds,
                self._waiting,
                self._scratch,
                self._settings,
                int(first),
                int(simulations),
            )
            return
        requests = self._requests
        count = self._game.call["descend"](
            self._tree,
            self._network,
            self._opponent,
            self._watched,
            self._worlds,
            self._seeds,
            requests,
            self._scratch,
            self._settings,
            int(first),
            int(simulations),
        )
        inputs = requests.observations[:count]
        if self._advice:
            write_scores(requests.scores[:count], requests.masks[:count], inputs)
        logits, values = self._evaluate(inputs)
        self._game.call["answer"](
            self._tree,
            requests.leaves[:count],
            np.ascontiguousarray(logits, dtype=np.float32),
            np.ascontiguousarray(values, dtype=np.float32),
        )


def _new_requests(kind: GameKind, room: int, advice: bool) -> Requests:
    """New requests; with ``advice``, including the arrays for advice."""
    advised, actions = room if advice else 0, kind.actions.size
    inputs = size_with_advice(kind) if advice else kind.layout.size
    return Requests(
        leaves=np.zeros(room, dtype=np.int64),
        observations=np.zeros((room, inputs), dtype=np.int8),
        masks=np.zeros((advised, actions), dtype=np.bool_),
        scores=np.zeros((advised, actions)),
    )
