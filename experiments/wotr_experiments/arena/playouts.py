"""Positions from games, and playouts of choices by a bot.

The winning chance after a choice is the share of playouts won. Each playout starts in a world sampled for the
deciding seat; the n-th playout of every choice has the same world and future dice.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from wotr_agents import Bot
from wotr_env.core.codes import GOING_ON, MAX_SEED
from wotr_env.core.kind import GameKind
from wotr_env.core.states import copy_states
from wotr_env.play.bots import view_of

MOST_AT_ONCE = 8192
"""Maximal number of games of a batch; more are not faster and need more memory."""


@dataclasses.dataclass(frozen=True)
class Positions:
    """P positions, each with a pending decision."""

    states: np.ndarray
    """``kind.state[P]``"""
    masks: np.ndarray
    """``bool[P, A]``"""
    games: np.ndarray
    """``int64[P]``: the game of each position."""

    def __len__(self) -> int:
        return len(self.games)


def new_games(kind: GameKind, games: int, rules: Any, generator: np.random.Generator) -> np.ndarray:
    """New games at their first decisions: ``kind.state[games]``."""
    return kind.new_states(generator.integers(0, MAX_SEED, size=games), rules)[0]


def score_of_team(kind: GameKind, team: int | np.ndarray, winners: np.ndarray) -> np.ndarray:
    """The scores of a team (or of one team per game) from winners: 1 for a win, 0.5 for a draw, 0 for a
    loss."""
    return np.where(winners == kind.draw, 0.5, winners == team)


def play_to_end(
    kind: GameKind,
    bot: Bot,
    states: np.ndarray,
    on_step: Callable[[np.ndarray, np.ndarray, np.ndarray], object] = lambda _games, _states, _masks: None,
) -> np.ndarray:
    """Lets a bot play all seats of some games to the end.

    Args:
        kind: the game.
        bot: the bot.
        states: ``kind.state[N]``, which are not changed.
        on_step: called before each choice with the running games (``int64[R]``), their states and masks.

    Returns:
        The winners: ``int8[N]``.
    """
    winners = states["winner"].astype(np.int8)
    games = np.flatnonzero(winners == GOING_ON)
    states = copy_states(states, games)
    masks = kind.masks(states)
    while games.size:
        on_step(games, states, masks)
        kind.kernels.step(states, masks, bot.act(view_of(states, masks, kind)))
        ended = states["winner"] != GOING_ON
        if ended.any():
            winners[games[ended]] = states["winner"][ended]
            left = np.flatnonzero(~ended)
            games, states, masks = games[left], copy_states(states, left), masks[left]
    return winners


def sample_positions(
    kind: GameKind,
    bot: Bot,
    games: int,
    rules: Any,
    seed: int,
    wanted: Callable[[np.ndarray], np.ndarray],
) -> Positions:
    """One random position with a choice from each game of a bot against itself; all positions of a game are
    equally likely.

    Args:
        kind: the game.
        bot: the bot that plays all seats.
        games: number of games.
        rules: the ruleset, of type ``kind.ruleset``.
        seed: seed of the games and of the selection.
        wanted: a function from ``kind.state[N]`` to ``bool[N]``: whether each position may be selected.

    Returns:
        At most ``games`` positions.
    """
    generator = np.random.default_rng(seed)
    states = new_games(kind, games, rules, generator)
    seen = np.zeros(games, dtype=np.int64)
    taken, taken_masks = copy_states(states), np.zeros((games, kind.actions.size), dtype=np.bool_)

    def look(numbers: np.ndarray, now: np.ndarray, legal: np.ndarray) -> None:
        """Keeps the n-th selected state with probability 1 / n (reservoir sampling)."""
        rows = np.flatnonzero(wanted(now) & (legal.sum(axis=1) > 1))
        seen[numbers[rows]] += 1
        rows = rows[generator.random(rows.size) * seen[numbers[rows]] < 1.0]
        taken[numbers[rows]] = copy_states(now, rows)
        taken_masks[numbers[rows]] = legal[rows]

    play_to_end(kind, bot, states, look)
    found = np.flatnonzero(seen)
    return Positions(copy_states(taken, found), taken_masks[found], found)


def sampled_worlds(kind: GameKind, states: np.ndarray, each: int, seed: int) -> np.ndarray:
    """Returns sampled worlds of the deciding seats: ``kind.state[P, each]``."""
    seeds = np.random.default_rng(seed).integers(0, MAX_SEED, size=states.size * each, dtype=np.int64)
    return view_of(states, np.zeros((states.size, kind.actions.size), dtype=np.bool_), kind).worlds_from(
        each, seeds
    )


def after(kind: GameKind, worlds: np.ndarray, action: int) -> tuple[np.ndarray, np.ndarray]:
    """Returns worlds (``kind.state[W]``) and their masks after an action, at the next decision."""
    states = copy_states(worlds)
    masks = kind.masks(states)
    kind.kernels.step(states, masks, np.full(states.size, action, dtype=np.int64))
    return states, masks


def playout_results(
    kind: GameKind,
    bot: Bot,
    positions: Positions,
    choices: Sequence[Sequence[int]],
    playouts: int,
    rules: Any,
    seed: int,
    on_done: Callable[[int], object] = lambda _positions: None,
) -> list[np.ndarray]:
    """Results of playouts: for each position ``float64[C, playouts]``, 1 if the deciding team wins, 0.5 for a
    draw.

    Args:
        kind: the game.
        bot: the bot that plays all seats after the choice.
        positions: P positions.
        choices: for each position, C actions to try.
        playouts: number of playouts of each choice.
        rules: the ruleset, of type ``kind.ruleset``.
        seed: seed of worlds and dice.
        on_done: called with the number of newly finished positions.
    """
    teams = np.array([seat.team for seat in rules.seats])[positions.states["seat"]]
    found: list[np.ndarray] = []
    while len(found) < len(positions):
        batch = _batch(len(found), choices, playouts)
        begun = []
        for place in batch:
            state = positions.states[place : place + 1]
            (worlds,) = sampled_worlds(kind, state, playouts, seed + int(positions.games[place]))
            begun += [after(kind, worlds, action)[0] for action in choices[place]]
        winners = iter(play_to_end(kind, bot, np.concatenate(begun)).reshape(-1, playouts))
        for place in batch:
            ends = np.stack([next(winners) for _ in choices[place]])
            found.append(score_of_team(kind, teams[place], ends))
        on_done(len(batch))
    return found


def _batch(first: int, choices: Sequence[Sequence[int]], playouts: int) -> range:
    """The first positions whose playouts fit into one batch; at least one."""
    end, games = first + 1, playouts * len(choices[first])
    while end < len(choices) and games + playouts * len(choices[end]) <= MOST_AT_ONCE:
        games += playouts * len(choices[end])
        end += 1
    return range(first, end)
