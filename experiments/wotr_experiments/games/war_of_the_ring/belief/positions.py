"""Positions from games of a bot against itself: observations of the deciding seat, and the other side's
hand."""

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
    """``int8[N, OBSERVATION_SIZE]``: the observations of the deciding seats."""
    hidden: np.ndarray
    """``bool[2 * N, 24]``: the cards whose place is unknown to the seat, alternately of the other side's
    Character deck and Strategy deck."""
    held: np.ndarray
    """``bool[2 * N, 24]``: the cards in the other side's hand."""
    games: np.ndarray
    """``int64[N]``: the game of each position."""
    turns: np.ndarray
    """``int64[N]``"""
    seats: np.ndarray
    """``int64[N]``: the deciding seats."""

    def __len__(self) -> int:
        return len(self.games)

    def __getitem__(self, rows: np.ndarray) -> Seen:
        """A selection of positions: ``int64[M]`` or ``bool[N]``."""
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
    """Lets a bot play all seats, and records every n-th decision of each game.

    Decisions while a Combat card of the other side is face down are left out, because by the rules alone it
    reveals something about the hand.

    Args:
        bot: the bot.
        games: number of games.
        every: number of decisions between two recorded ones; the first is drawn at random.
        rules: the ruleset, of type ``Ruleset``, for two players.
        seed: seed of the games and of the selection.
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
