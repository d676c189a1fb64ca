"""Open positions, which both sides can still win: games from them show differences in strength more clearly.

If one side nearly always wins, the two games of a pair with exchanged sides cancel out. From a position in
the middle of a game with a value near one half, the players decide more.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from typing import Any

import numpy as np

from wotr_agents.networks.bot import NetBot, NetParameters
from wotr_env.core.codes import GOING_ON, MAX_SEED
from wotr_env.core.kind import GameKind
from wotr_env.core.states import copy_states
from wotr_experiments.errors import CommandError
from wotr_experiments.luck.values import ValueFunction, network_of, open_value

AT_ONCE = 128
"""Number of games in a batch."""
_MOST_BATCHES = 50
"""Maximal number of batches without an open position."""


@dataclasses.dataclass(frozen=True)
class Openness:
    """The criterion for open positions.

    Raises:
        CommandError: the bounds are invalid.
    """

    low: float = 0.4
    high: float = 0.6
    """The winning chance of the first team is from ``low`` to ``high``."""

    def __post_init__(self) -> None:
        if not 0 <= self.low < self.high <= 1:
            raise CommandError(
                f"the bounds of open positions must be from 0 to 1, the lower one first, not {self.low:g} "
                f"and {self.high:g}"
            )


def open_positions(
    kind: GameKind,
    ruleset: Any,
    network: str,
    number: int,
    openness: Openness,
    seed: int = 0,
    on_found: Callable[[int], object] = lambda _positions: None,
) -> list[str]:
    """Open positions (positions that both sides can still win) as text, each from a different game that a
    network plays against itself.

    The network samples its actions. Each game gives one position, chosen uniformly among its open positions
    at which a line of choices begins (``GameKind.openings``).

    Args:
        kind: the game; it has two teams.
        ruleset: ruleset of the game.
        network: spec of the network that plays and evaluates positions.
        number: number of positions.
        openness: the criterion for open positions.
        seed: seed of the games.
        on_found: called with the number of newly found positions.

    Returns:
        Positions for ``wotr tournament --positions``.

    Raises:
        CommandError: the game cannot write positions as text, or no position is open.
        BotError: an error of ``open_value``.
    """
    if kind.positions is None:
        raise CommandError(f"positions of {kind.title} cannot be written as text")
    value = open_value(network, kind)
    bot = NetBot(NetParameters(network_of(network), temperature=1.0), seed)
    rng, found, empty = np.random.default_rng(seed), [], 0
    while len(found) < number:
        states = _play(kind, ruleset, bot, value, openness, rng)
        some = [kind.positions.write(state, None) for state in states[: number - len(found)]]
        found += some
        on_found(len(some))
        empty = 0 if some else empty + 1
        if empty == _MOST_BATCHES:
            raise CommandError(
                f"no position in {_MOST_BATCHES * AT_ONCE:,} games has a winning chance from "
                f"{openness.low:g} to {openness.high:g}"
            )
    return found


def _play(
    kind: GameKind,
    ruleset: Any,
    bot: NetBot,
    value: ValueFunction,
    openness: Openness,
    rng: np.random.Generator,
) -> np.ndarray:
    """Plays ``AT_ONCE`` games; returns one open position of each game that has any."""
    states, masks = kind.new_states(rng.integers(0, MAX_SEED, AT_ONCE), ruleset)
    kept, seen = copy_states(states), np.zeros(AT_ONCE, dtype=np.int64)
    while (going := np.flatnonzero(states["winner"] == GOING_ON)).size:
        some, legal = copy_states(states, going), masks[going]
        values, policy = value.with_policy(some, legal, ruleset)
        chances = values[:, 0]
        for place in np.flatnonzero((chances >= openness.low) & (chances <= openness.high)):
            if kind.opens(some[place]):
                game = going[place]
                seen[game] += 1
                if rng.integers(seen[game]) == 0:
                    kept[game] = some[place]
        kind.kernels.step(some, legal, bot.chosen(policy))
        states[going], masks[going] = some, legal
    return copy_states(kept, np.flatnonzero(seen))
