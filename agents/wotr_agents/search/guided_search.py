"""Searches guided by a network: many games at once, their positions valued together."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable

import numpy as np

from wotr_agents.networks import sparse_kernels
from wotr_agents.scripted.odds import battle_odds
from wotr_agents.scripted.reading import new_reading
from wotr_agents.scripted.weights import DEFAULT_WEIGHTS
from wotr_agents.search.guided import PARENT, _descend, _store, new_trees
from wotr_agents.search.tree import ACTION, VISITS
from wotr_env import STATE
from wotr_env.actions import NUM_ACTIONS
from wotr_env.engine.layout import OBSERVATION_SIZE

Evaluate = Callable[[np.ndarray], tuple[np.ndarray, np.ndarray]]
"""What a network says of positions, given as ``int8[R, I]`` in the eyes of the deciding seats: scores of all
actions, ``float32[R, NUM_ACTIONS]`` (logits), and values for the Free Peoples, ``float32[R]`` from 0 to 1.
"""


@dataclasses.dataclass(frozen=True)
class GuidedSettings:
    """How a search goes."""

    exploration: float = 0.3
    reduction: float = 0.1
    """By how much an action not tried is worth less than the position."""
    temperature: float = 1.0
    """Of the priors."""
    uniform: float = 0.0
    """The part of the priors that is spread evenly."""
    batch: int = 16
    """Simulations of each game that wait for the network together."""


class GuidedSearch:
    """The searches of the decisions of B games.

    What is found in a game does not depend on the others, but for what the network's rounding makes of it.

    Args:
        settings: how they go.
        evaluate: asks the network.
        worlds: ``STATE[B, W]``, B, W >= 1: of each game, with the decision pending.
        seeds: ``int64[B]``, of the chance in the simulations, 0 <= seed < 2**62.
        advice: whether the network also sees what the scripted policy thinks (``networks/advice.py``).
    """

    def __init__(
        self,
        settings: GuidedSettings,
        evaluate: Evaluate,
        worlds: np.ndarray,
        seeds: np.ndarray,
        advice: bool = False,
    ) -> None:
        self.settings = settings
        self.simulations = 0
        """Made in each game."""
        self._evaluate = evaluate
        self._games = len(seeds)
        self._worlds = np.ascontiguousarray(worlds).reshape(-1)
        self._seeds = np.ascontiguousarray(seeds, dtype=np.int64)
        self._links, self._values, self._advice = new_trees(self._games, self._games)
        self._used = self._games
        self._scratch = np.zeros(1, dtype=STATE)
        self._masks = np.zeros((1, NUM_ACTIONS), dtype=np.bool_)
        self._priors = np.zeros(NUM_ACTIONS)
        self._tally = np.zeros((NUM_ACTIONS, 3))
        waiting = self._games * settings.batch
        inputs = OBSERVATION_SIZE + NUM_ACTIONS if advice else OBSERVATION_SIZE
        self._observations = np.zeros((waiting, inputs), dtype=np.int8)
        self._asked = np.zeros((waiting if advice else 0, NUM_ACTIONS), dtype=np.bool_)
        self._scripted = np.zeros(self._asked.shape)
        self._board = new_reading(DEFAULT_WEIGHTS)
        self._weights = DEFAULT_WEIGHTS.copy()
        self._leaves = np.zeros(waiting, dtype=np.int64)
        self._simulate(0, 1)  # gets no further than the roots, and does not count

    def run(self, simulations: int) -> GuidedSearch:
        """Adds simulations to each game; returns the search itself."""
        self._make_room(self._used + self._games * simulations)
        end = self.simulations + simulations
        while self.simulations < end:
            more = min(self.settings.batch, end - self.simulations)
            self._simulate(self.simulations, more)
            self.simulations += more
        return self

    def visits(self) -> np.ndarray:
        """How often each action was tried: ``float32[B, NUM_ACTIONS]``; a row adds up to the simulations."""
        return self._sum_actions(self._links[: self._used, VISITS]).astype(np.float32)

    def action_values(self) -> np.ndarray:
        """Mean values for the Free Peoples, from 0 to 1: ``float64[B, NUM_ACTIONS]``; 0 if not tried."""
        sums = self._sum_actions(self._values[: self._used])
        return sums / np.maximum(1, self.visits())

    def values(self) -> np.ndarray:
        """The chance that the Free Peoples win each game, half of draws included: ``float64[B]``."""
        return self._values[: self._games] / np.maximum(1, self._links[: self._games, VISITS])

    def _sum_actions(self, numbers: np.ndarray) -> np.ndarray:
        """Adds up numbers of nodes by the root that they are below and their action."""
        parents = self._links[: self._used, PARENT]
        below = np.flatnonzero((parents >= 0) & (parents < self._games))
        found = np.zeros((self._games, NUM_ACTIONS))
        np.add.at(found, (parents[below], self._links[below, ACTION] % NUM_ACTIONS), numbers[below])
        return found

    def _simulate(self, first: int, simulations: int) -> None:
        settings = self.settings
        self._used, positions = _descend(
            self._worlds,
            self._seeds,
            self._scratch,
            self._masks,
            self._links,
            self._values,
            self._advice,
            self._priors,
            self._tally,
            self._observations,
            self._asked,
            self._scripted,
            self._board,
            battle_odds().reshape(-1),
            self._weights,
            self._leaves,
            self._used,
            int(first),
            int(simulations),
            float(settings.exploration),
            float(settings.reduction),
            float(settings.temperature),
            float(settings.uniform),
        )
        inputs = self._observations[:positions]
        if len(self._scripted):
            sparse_kernels.write_advice(
                self._scripted[:positions], self._asked[:positions], inputs[:, OBSERVATION_SIZE:]
            )
        scores, values = self._evaluate(inputs)
        _store(
            self._links,
            self._values,
            self._advice,
            self._leaves,
            positions,
            np.ascontiguousarray(scores, dtype=np.float32),
            np.ascontiguousarray(values, dtype=np.float32),
        )

    def _make_room(self, nodes: int) -> None:
        if nodes <= len(self._links):
            return
        more = new_trees(self._games, max(nodes, 2 * len(self._links)))
        for new, old in zip(more, (self._links, self._values, self._advice), strict=True):
            new[: self._used] = old[: self._used]
        self._links, self._values, self._advice = more
