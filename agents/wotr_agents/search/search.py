"""One search with rollouts: the tree of a decision with its working memory."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from wotr_agents.search.games import SearchGame, search_game
from wotr_agents.search.simulations import SearchSettings
from wotr_agents.search.tree import Selection, make_room, new_tree
from wotr_env.play.games import DEFAULT_GAME

_ROOT = 0


class ActionStatistics(NamedTuple):
    """An action tried at a root."""

    action: int
    visits: int
    value: float
    """The mean value, from 0 to 1."""


class Search:
    """The search of one decision.

    Args:
        settings: settings of the search.
        worlds: sampled states ``[W]``, W >= 1, with the decision pending.
        seed: seed of the simulations, 0 <= seed < 2**62.
        game: the game; None: the default game.

    Attributes:
        simulations: number of simulations so far.
    """

    def __init__(
        self,
        settings: SearchSettings,
        worlds: np.ndarray,
        seed: int,
        game: SearchGame | None = None,
    ) -> None:
        self.simulations = 0
        self._settings = SearchSettings(  # each number of the one type that the kernels are compiled for
            Selection(*map(float, settings.selection)), *map(int, settings[1:])
        )
        self._worlds = np.ascontiguousarray(worlds)
        self._seed = int(seed)
        self._tree = new_tree(1, settings.nodes)
        self._game = game or search_game(DEFAULT_GAME)
        self._scratch = self._game.new_scratch()

    def run(self, simulations: int) -> Search:
        """Adds simulations; returns the search itself."""
        self._tree = make_room(self._tree, simulations)
        self._game.call["simulate"](
            self._tree,
            self._worlds,
            self._scratch,
            self._settings,
            self._seed,
            self.simulations,
            int(simulations),
        )
        self.simulations += simulations
        return self

    def children(self) -> list[ActionStatistics]:
        """The actions tried at the root, the most recently added first.

        Values are for the first team; in games of more than two teams, for the deciding team.
        """
        nodes = self._tree.nodes[: self._tree.used[0]]
        children = nodes[nodes["parent"] == _ROOT][::-1]
        visits = children["visits"]
        values = children["value_sum"] / np.maximum(1, visits)
        return list(map(ActionStatistics, children["action"].tolist(), visits.tolist(), values.tolist()))

    def lead(self) -> int:
        """The lead of the most visited action over the next one, in visits."""
        nodes = self._tree.nodes[: self._tree.used[0]]
        first, *others = sorted(nodes["visits"][nodes["parent"] == _ROOT].tolist(), reverse=True)
        return first - (others[0] if others else 0)
