"""Value functions for the measurement of luck: they estimate the winning chance of each team."""

from __future__ import annotations

import functools
import hashlib
from typing import Any

import numpy as np

from wotr_agents.networks.advice import with_advice
from wotr_agents.networks.files import find_network, read_network, zoo_of
from wotr_agents.networks.opening import open_network
from wotr_env.core.codes import GOING_ON
from wotr_env.core.kind import GameKind
from wotr_env.core.states import copy_states
from wotr_experiments.errors import CommandError

_PREFIX = "net:"
_MOST = 2048
"""Maximal number of positions that a network evaluates at once."""


def shares_of(kind: GameKind, ruleset: Any, states: np.ndarray) -> np.ndarray:
    """The share of each team in finished games: the winners share a game equally; if there is no winner, all
    teams share it equally.

    Args:
        kind: the game.
        ruleset: ruleset of all games.
        states: ``kind.state[N]``, at their ends.

    Returns:
        ``float64[N, T]``; each row sums to 1.
    """
    by_team = np.zeros((len(states), len(kind.teams_of(ruleset))), dtype=np.bool_)
    if len(states):
        won = kind.winning_seats(states, ruleset)
        for number, seat in enumerate(ruleset.seats):
            by_team[:, seat.team] |= won[:, number]
    by_team[~by_team.any(axis=1)] = True
    return by_team / by_team.sum(axis=1, keepdims=True)


class ValueFunction:
    """Evaluates positions with a network, from the view of the deciding seat or from the views of all teams.

    Args:
        network: the name of a network, such as ``zoo/wide``, or its path.

    Attributes:
        kind: the game.

    Raises:
        BotError: there is no such network, or it cannot be used.
    """

    def __init__(self, network: str) -> None:
        self.kind = read_network(network).kind
        self._network = open_network(network)

    def of(self, states: np.ndarray, masks: np.ndarray, ruleset: Any, all_views: bool = False) -> np.ndarray:
        """Returns the winning chance of each team; a draw counts as one half.

        Args:
            states: ``kind.state[N]``; finished games get their result.
            masks: ``bool[N, A]``: the legal actions.
            ruleset: ruleset of all games.
            all_views: whether to return the mean of the values from the views of all teams, instead of the
                value from the view of the deciding seat. Then the value changes less when another team
                decides next.

        Returns:
            ``float64[N, T]``.
        """
        kind, teams = self.kind, len(self.kind.teams_of(ruleset))
        values = np.empty((len(states), teams))
        over = states["winner"] != GOING_ON
        values[over] = shares_of(kind, ruleset, copy_states(states, np.flatnonzero(over)))
        going = np.flatnonzero(~over)
        for first in range(0, going.size, _MOST):
            rows = going[first : first + _MOST]
            some = copy_states(states, rows)
            seats = some["seat"].astype(np.int64)
            values[rows] = seen = self._seen(some, seats, masks[rows])[:, :teams]
            if all_views:
                values[rows] = self._mean_of_views(some, seats, seen, ruleset)
        return values

    def with_policy(
        self, states: np.ndarray, masks: np.ndarray, ruleset: Any
    ) -> tuple[np.ndarray, np.ndarray]:
        """Returns the values of up to 4,096 positions as in ``of``, and the network's policy, from the view
        of the deciding seat.

        Args:
            states: ``kind.state[N]``; no game is finished.
            masks: ``bool[N, A]``: the legal actions.
            ruleset: ruleset of all games.

        Returns:
            The winning chance of each team, ``float64[N, T]``, and the log-probabilities of the actions,
                ``float32[N, A]``, minus infinity for illegal ones.
        """
        inputs = self._inputs(states, states["seat"].astype(np.int64), masks)
        policy, values = self._network.log_probabilities_and_values(inputs, masks)
        return values[:, : len(self.kind.teams_of(ruleset))].astype(np.float64), policy

    def _seen(self, states: np.ndarray, seats: np.ndarray, masks: np.ndarray | None) -> np.ndarray:
        """The values from the views of ``seats``, ``float64[N, T]``; without ``masks``, the network gets no
        advice."""
        return self._network.values(self._inputs(states, seats, masks))

    def _inputs(self, states: np.ndarray, seats: np.ndarray, masks: np.ndarray | None) -> np.ndarray:
        inputs = self.kind.kernels.observe(states, seats)
        if self._network.advice and masks is not None:
            inputs = with_advice(inputs, states, masks, self.kind)
        return inputs

    def _mean_of_views(
        self, states: np.ndarray, seats: np.ndarray, seen: np.ndarray, ruleset: Any
    ) -> np.ndarray:
        """The mean of the values over the teams: ``seen`` from the deciding seat, for other teams from the
        view of their first seats."""
        team_of = np.array([seat.team for seat in ruleset.seats])
        teams, total = seen.shape[1], seen.copy()
        for team in range(teams):
            others = np.flatnonzero(team_of[seats] != team)
            view = np.full(others.size, int(np.argmax(team_of == team)))
            total[others] += self._seen(copy_states(states, others), view, None)[:, :teams]
        return total / teams


def network_of(spec: str) -> str:
    """The file name of the network in a spec."""
    return spec.removeprefix(_PREFIX)


def identity_of_value(spec: str) -> str:
    """An identifier of the file of a value function: 16 hex digits that change with its contents.

    Raises:
        BotError: there is no such file.
    """
    return hashlib.blake2b(find_network(network_of(spec)).read_bytes(), digest_size=8).hexdigest()


@functools.lru_cache(maxsize=4)
def open_value(spec: str, kind: GameKind) -> ValueFunction:
    """Returns the value function of a spec.

    Args:
        spec: the spec: ``zoo/wide``, ``net:zoo/wide``, or the path of a network.
        kind: the game that the network must play.

    Raises:
        CommandError: the network plays a different game, or the game has no ``GameKind.luck``.
        BotError: an error of ``ValueFunction``.
    """
    if kind.luck is None:
        raise CommandError(f"luck cannot be measured in {kind.title}")
    value = ValueFunction(network_of(spec))
    if value.kind is not kind:
        raise CommandError(f"--luck: {spec} is a network for {value.kind.title}, not for {kind.title}")
    return value


def default_value_network(kind: GameKind, ruleset: Any) -> str | None:
    """The best network of this package for a game: a network trained with the ruleset if there is one, and
    the largest of these networks.

    Args:
        kind: the game.
        ruleset: ruleset of the game; its turn limit does not matter.

    Returns:
        The name of the network, such as ``zoo/wide``; None if there is none for this game.
    """

    def fitness(name: str) -> tuple[bool, int]:
        network = read_network(name)
        learned = network.facts["config"].get("ruleset", "")
        same = kind.limited(kind.find_ruleset(learned), 0) == kind.limited(ruleset, 0)
        return same, network.path.stat().st_size

    return max(zoo_of(kind.name), key=fitness, default=None)
