"""Positions whose outcome is open: games that begin there tell more about who plays better.

Where one side wins nearly always, both games of a seat-swapped pair end alike and say nothing. A position of
the middle of a game whose value is near one half leaves more to the players.
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
from wotr_env.play.bots import view_of
from wotr_experiments.errors import CommandError
from wotr_experiments.luck.values import network_of, open_value

AT_ONCE = 128
"""Games that are played together."""
_MOST_BATCHES = 50
"""Without a single open position, before it is given up."""


@dataclasses.dataclass(frozen=True)
class Openness:
    """Which positions are open.

    Raises:
        CommandError: there can be none.
    """

    low: float = 0.4
    high: float = 0.6
    """The chance of the first team to win is from ``low`` to ``high``."""

    def __post_init__(self) -> None:
        if not 0 <= self.low < self.high <= 1:
            raise CommandError(
                "open positions have chances between two numbers from 0 to 1, not"
                f" {self.low:g} and {self.high:g}"
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
    """Positions as text, each of another game that a network plays against itself by its probabilities.

    Of each game one position is taken, any of those that are open and that a line of choices begins with
    (``GameKind.openings``), each equally likely.

    Args:
        kind: the game, of two teams.
        ruleset: that it is played by.
        network: spec of a network, which plays, and whose values say what is open.
        number: of the positions.
        openness: which are open.
        seed: of the games.
        on_found: told how many more are found.

    Returns:
        As ``wotr tournament --positions`` takes them.

    Raises:
        CommandError: positions of this game are not written as text, or none is open.
        BotError: as ``open_value``.
    """
    if kind.positions is None:
        raise CommandError(f"positions of {kind.title} are not written as text")
    value = open_value(network, kind)
    bot = NetBot(NetParameters(network_of(network), temperature=1.0), seed)
    rng, found, empty = np.random.default_rng(seed), [], 0
    while len(found) < number:
        states = _play(kind, ruleset, bot, value.of, openness, rng)
        some = [kind.positions.write(state, None) for state in states[: number - len(found)]]
        found += some
        on_found(len(some))
        empty = 0 if some else empty + 1
        if empty == _MOST_BATCHES:
            raise CommandError(
                f"no position of {_MOST_BATCHES * AT_ONCE:,} games has a chance between {openness.low:g} and"
                f" {openness.high:g}"
            )
    return found


def _play(
    kind: GameKind,
    ruleset: Any,
    bot: NetBot,
    value: Callable[[np.ndarray, np.ndarray, Any], np.ndarray],
    openness: Openness,
    rng: np.random.Generator,
) -> np.ndarray:
    """Plays ``AT_ONCE`` games; returns an open position of each that has any."""
    states = np.zeros(AT_ONCE, dtype=kind.state)
    masks = np.zeros((AT_ONCE, kind.actions.size), dtype=np.bool_)
    kind.kernels.start(states, masks, rng.integers(0, MAX_SEED, AT_ONCE), ruleset)
    kept, seen = copy_states(states), np.zeros(AT_ONCE, dtype=np.int64)
    while (going := np.flatnonzero(states["winner"] == GOING_ON)).size:
        some, legal = copy_states(states, going), masks[going]
        chances = value(some, legal, ruleset)[:, 0]
        for place in np.flatnonzero((chances >= openness.low) & (chances <= openness.high)):
            if kind.opens(some[place]):
                game = going[place]
                seen[game] += 1
                if rng.integers(seen[game]) == 0:
                    kept[game] = some[place]
        kind.kernels.step(some, legal, bot.act(view_of(some, legal, kind)))
        states[going], masks[going] = some, legal
    return copy_states(kept, np.flatnonzero(seen))
