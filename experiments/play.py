"""Batches of games: played between two bots, and replayed to check their records."""

from __future__ import annotations

import dataclasses
import functools
import hashlib
from collections.abc import Callable, Sequence

import numpy as np

from agents import Bot, BotView
from agents.bot import choose
from wotr_env import STATE, GameRecord, Result, Ruleset, kernel
from wotr_env.actions import NUM_ACTIONS
from wotr_env.codes import Reason, Winner
from wotr_env.describe import victory_points
from wotr_env.errors import RecordError
from wotr_env.observation import observe


@dataclasses.dataclass(frozen=True)
class Batch:
    """B finished games of two bots."""

    states: np.ndarray
    """``STATE[B]``, the ends of the games."""
    lengths: np.ndarray
    """``int64[B]``, decisions per game."""
    history: np.ndarray
    """``int16[longest, B]``: the actions; game i used the first ``lengths[i]`` of its column."""


def play_batch(
    bots: tuple[Bot, Bot],
    names: tuple[str, str],
    swapped: np.ndarray,
    seeds: np.ndarray,
    ruleset: Ruleset,
    on_end: Callable[[int], object] = lambda _games: None,
) -> Batch:
    """Plays games from their seeds to their ends.

    Args:
        bots: the bots of the Free Peoples and the Shadow.
        names: of the bots, for messages.
        swapped: ``bool[B]``: where the bots change sides.
        seeds: ``uint64[B]``, of the games.
        ruleset: the edition and options played.
        on_end: called with the number of games that ended in a step.

    Raises:
        BotError: a bot answered with something other than legal actions.
    """
    num_games = len(seeds)
    states, masks = _new_games(seeds, ruleset)
    actions = np.zeros(num_games, dtype=np.int64)
    lengths = np.zeros(num_games, dtype=np.int64)
    history = []
    swaps = swapped.astype(np.int8)
    playing = np.flatnonzero(states["winner"] == Winner.NONE)
    while len(playing):
        seats = states["seat"][playing]
        owners = seats ^ swaps[playing]
        for owner, bot in enumerate(bots):
            mine = owners == owner
            games = playing[mine]
            if len(games):
                view = BotView(masks[games], seats[mine], functools.partial(_observe, states, games))
                actions[games] = choose(bot, view, names[owner])
        kernel.step(states, masks, actions)
        history.append(actions.astype(np.int16))
        lengths[playing] += 1
        still = playing[states["winner"][playing] == Winner.NONE]
        if len(still) < len(playing):
            on_end(len(playing) - len(still))
        playing = still
    return Batch(states, lengths, np.array(history, dtype=np.int16).reshape(-1, num_games))


def records_of(
    batch: Batch, names: tuple[str, str], swapped: np.ndarray, seeds: np.ndarray, ruleset: Ruleset
) -> list[GameRecord]:
    """The records of a batch, in its order; arguments as for ``play_batch``."""
    records = []
    for game, seed in enumerate(seeds):
        records.append(
            GameRecord(
                ruleset=ruleset,
                seed=int(seed),
                actions=tuple(batch.history[: batch.lengths[game], game].tolist()),
                players=names[::-1] if swapped[game] else names,
                result=_result(batch.states[game]),
                hash=_hash(batch.states, game),
            )
        )
    return records


def verify_records(records: Sequence[GameRecord]) -> None:
    """Replays many records at once, which is much faster than ``GameRecord.verify`` one by one.

    Args:
        records: all of one ruleset.

    Raises:
        RecordError: a record does not replay to its result and hash, as from ``GameRecord.verify``.
    """
    if not records:
        return
    ruleset = records[0].ruleset
    order = sorted(records, key=lambda record: len(record.actions), reverse=True)
    states, masks = _new_games(np.array([record.seed for record in order], dtype=np.uint64), ruleset)
    lengths = np.array([len(record.actions) for record in order])
    history = np.zeros((lengths[0], len(order)), dtype=np.int64)
    for game, record in enumerate(order):
        history[: lengths[game], game] = record.actions
    for number, actions in enumerate(history):
        running = int(np.searchsorted(-lengths, -number))  # the longest games come first
        legal = masks[np.arange(running), actions[:running]]
        if not legal.all():
            _refuse(order[int(np.flatnonzero(~legal)[0])])
        kernel.step(states, masks, actions, 0, running)
    for game, record in enumerate(order):
        result = None if states[game]["winner"] == Winner.NONE else _result(states[game])
        if result != record.result or _hash(states, game) != record.hash:
            _refuse(record)


def _refuse(record: GameRecord) -> None:
    record.verify()  # has the precise message
    raise RecordError(f"{record.source}: replays alone, but not together with other games")


def _observe(states: np.ndarray, games: np.ndarray) -> np.ndarray:
    """What the deciding seats of these games see."""
    waiting = states[games]
    return observe(waiting, waiting["seat"])


def _new_games(seeds: np.ndarray, ruleset: Ruleset) -> tuple[np.ndarray, np.ndarray]:
    states = np.zeros(len(seeds), dtype=STATE)
    masks = np.zeros((len(seeds), NUM_ACTIONS), dtype=np.bool_)
    kernel.new_games(states, masks, seeds, ruleset.encode(), ruleset.max_turns)
    return states, masks


def _result(state: np.record) -> Result:
    return Result(
        winner=Winner(int(state["winner"])),
        reason=Reason(int(state["reason"])),
        turn=int(state["turn"]),
        victory_points=victory_points(state),
        corruption=int(state["corruption"]),
        mordor_step=int(state["mordor_step"]),
    )


def _hash(states: np.ndarray, game: int) -> str:
    """As ``Game.hash()``."""
    return hashlib.blake2b(states[game].tobytes(), digest_size=16).hexdigest()
