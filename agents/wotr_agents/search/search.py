"""One search with rollouts: the tree of a decision and what its simulations need."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from wotr_agents.search.simulations import SearchSettings, simulate
from wotr_agents.search.tree import NO_NODE, Selection, make_room, new_scratch, new_tree


class Tried(NamedTuple):
    """An action that was tried at a root."""

    action: int
    visits: int
    value: float
    """The mean, from 0 to 1."""


class Search:
    """The search of one decision.

    Args:
        settings: how it goes.
        worlds: ``STATE[W]``, W >= 1, with the decision pending.
        seed: of the chance in the simulations, 0 <= seed < 2**62.

    Attributes:
        simulations: made so far.
    """

    def __init__(self, settings: SearchSettings, worlds: np.ndarray, seed: int) -> None:
        self.simulations = 0
        self._settings = SearchSettings(  # each number of the one type that the kernels are compiled for
            Selection(*map(float, settings.selection)), *map(int, settings[1:])
        )
        self._worlds = np.ascontiguousarray(worlds)
        self._seed = int(seed)
        self._tree = new_tree(1, settings.nodes)
        self._scratch = new_scratch()

    def run(self, simulations: int) -> Search:
        """Adds simulations; returns the search itself."""
        self._tree = make_room(self._tree, simulations)
        simulate(
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

    def children(self) -> list[Tried]:
        """The actions tried at the root, with values for the Free Peoples."""
        found = []
        nodes = self._tree.nodes
        child = int(nodes[0].first_child)
        while child != NO_NODE:
            node = nodes[child]
            visits = int(node.visits)
            found.append(Tried(int(node.action), visits, float(node.value_sum) / max(1, visits)))
            child = int(node.next_sibling)
        return found
