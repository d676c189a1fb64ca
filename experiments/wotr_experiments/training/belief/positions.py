"""Positions of games of a bot against itself: what the deciding seat sees, and what the other side holds."""

from __future__ import annotations

import dataclasses
from typing import Any

import numpy as np

from wotr_agents import Bot
from wotr_agents.games.war_of_the_ring.hands import hidden_cards
from wotr_env.core.states import copy_states
from wotr_env.games.war_of_the_ring.codes import CardZone
from wotr_env.games.war_of_the_ring.game import WAR_OF_THE_RING
from wotr_env.games.war_of_the_ring.observation import observe
from wotr_env.games.war_of_the_ring.state import CARDS_PER_DECK
from wotr_experiments.arena.playouts import new_games, play_to_end


@dataclasses.dataclass(frozen=True)
class Seen:
    """N positions with a decision, of several games of two players."""

    observations: np.ndarray
    """``int8[N, OBSERVATION_SIZE]``: of the seats that decide."""
    hidden: np.ndarray
    """``bool[2 * N, 24]``: the cards whose place the seat does not know, of the other side's Character deck
    and of its Strategy deck in turn."""
    held: np.ndarray
    """``bool[2 * N, 24]``: those in the other side's hand."""
    games: np.ndarray
    """``int64[N]``: the game of each."""
    turns: np.ndarray
    """``int64[N]``"""
    seats: np.ndarray
    """``int64[N]``: who decides."""

    def __len__(self) -> int:
        return len(self.games)

    def __getitem__(self, rows: np.ndarray) -> Seen:
        """Some of them: ``int64[M]`` or ``bool[N]``."""
        parts = {}
        for name, array in vars(self).items():
            both = array.reshape(len(self), -1, CARDS_PER_DECK) if array.dtype == np.bool_ else array
            parts[name] = both[rows].reshape(-1, *array.shape[1:])
        return Seen(**parts)


def join(parts: list[Seen]) -> Seen:
    """Positions of several batches, whose games have different numbers."""
    return Seen(
        *(np.concatenate(arrays) for arrays in zip(*(vars(part).values() for part in parts), strict=True))
    )


def watch(bot: Bot, games: int, every: int, rules: Any, seed: Any, first: int = 0) -> Seen:
    """Has a bot play all seats, and notes every n-th decision of each game.

    Decisions while a Combat card of the other side lies face down are left out: that it could be played says
    something of the hand by the rules alone.

    Args:
        bot: who plays.
        games: how many.
        every: decisions of a game between two that are noted; where it begins is drawn.
        rules: of type ``Ruleset``, for two players.
        seed: of the games and of what is noted.
        first: the number of the first game.
    """
    kind = WAR_OF_THE_RING
    generator = np.random.default_rng(seed)
    states = new_games(kind, games, rules, generator)
    phases = generator.integers(every, size=games)
    steps = 0
    parts: list[tuple[np.ndarray, ...]] = []

    def look(numbers: np.ndarray, now: np.ndarray, _legal: np.ndarray) -> None:
        nonlocal steps
        rows = np.flatnonzero((steps + phases[numbers]) % every == 0)
        steps += 1
        others = 1 - now["seat"][rows].astype(np.int64)
        rows = rows[~(now["card_zone"][rows] == (CardZone.COMMITTED + others)[:, None]).any(axis=1)]
        if rows.size:
            some = copy_states(now, rows)
            seats = some["seat"].astype(np.int64)
            cards = hidden_cards(some["card_zone"], seats)
            parts.append(
                (
                    observe(some, seats),
                    cards.hidden.reshape(-1, CARDS_PER_DECK),
                    cards.held.reshape(-1, CARDS_PER_DECK),
                    first + numbers[rows],
                    some["turn"].astype(np.int64),
                    seats,
                )
            )

    play_to_end(kind, bot, states, look)
    return join([Seen(*arrays) for arrays in parts])
