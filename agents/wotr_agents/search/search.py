"""One search: the tree of a decision and the arrays that its simulations need."""

from __future__ import annotations

import dataclasses

import numpy as np

from wotr_agents.scripted.odds import battle_odds
from wotr_agents.scripted.reading import new_reading
from wotr_agents.scripted.value import NUM_FEATURES, load_coefficients
from wotr_agents.scripted.weights import DEFAULT_WEIGHTS
from wotr_agents.search.tree import (
    ACTION,
    FIRST_CHILD,
    MAX_DEPTH,
    NEXT_SIBLING,
    NO_NODE,
    VISITS,
    Rollout,
    _search,
    new_tree,
)
from wotr_env import STATE
from wotr_env.actions import NUM_ACTIONS


@dataclasses.dataclass(frozen=True)
class SearchSettings:
    """How a search goes."""

    rollout: Rollout = Rollout.SCRIPTED
    depth: int = 150
    """Decisions of a rollout before the position is valued; a large number plays to the end."""
    exploration: float = 0.2
    temperature: float = 2.0
    """Of the priors: how much better a scripted score must be to be e times as likely."""
    nodes: int = 4096
    """Of the tree at first; it grows with the simulations."""


class Search:
    """The search of one decision.

    Args:
        settings: how it goes.
        worlds: ``STATE[W]``, W >= 1, with the decision pending.
        seed: of the chance in the simulations, 0 <= seed < 2**62.
    """

    def __init__(self, settings: SearchSettings, worlds: np.ndarray, seed: int) -> None:
        self.settings = settings
        self.simulations = 0
        self._worlds = np.ascontiguousarray(worlds)
        self._seed = int(seed)
        self._links, self._values = new_tree(settings.nodes)
        self._used = 1
        self._scratch = np.zeros(1, dtype=STATE)
        self._masks = np.zeros((1, NUM_ACTIONS), dtype=np.bool_)
        self._path = np.zeros(MAX_DEPTH, dtype=np.int64)
        self._scores = np.zeros(NUM_ACTIONS)
        self._board = new_reading(DEFAULT_WEIGHTS)
        self._features = np.zeros(NUM_FEATURES)
        self._coefficients = load_coefficients()
        self._weights = DEFAULT_WEIGHTS.copy()

    def run(self, simulations: int) -> Search:
        """Adds simulations; returns the search itself."""
        self._make_room(self._used + simulations)
        settings = self.settings
        self._used = _search(
            self._worlds,
            self._scratch,
            self._masks,
            self._links,
            self._values,
            self._path,
            self._scores,
            self._board,
            self._features,
            battle_odds().reshape(-1),
            self._weights,
            self._coefficients,
            self._used,
            self.simulations,
            int(simulations),
            int(settings.rollout),
            int(settings.depth),
            float(settings.exploration),
            float(settings.temperature),
            self._seed,
        )
        self.simulations += simulations
        return self

    def children(self) -> list[tuple[int, int, float]]:
        """The actions tried at the root: action, visits and mean value for the Free Peoples."""
        found = []
        child = int(self._links[0, FIRST_CHILD])
        while child != NO_NODE:
            visits = int(self._links[child, VISITS])
            value = float(self._values[child]) / max(1, visits)
            found.append((int(self._links[child, ACTION]), visits, value))
            child = int(self._links[child, NEXT_SIBLING])
        return found

    def _make_room(self, nodes: int) -> None:
        size = len(self._links)
        if nodes <= size:
            return
        size = max(nodes, 2 * size)
        links, values = new_tree(size)
        links[: self._used] = self._links[: self._used]
        values[: self._used] = self._values[: self._used]
        self._links, self._values = links, values
