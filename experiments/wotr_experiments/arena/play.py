"""Batches of games: played between two bots, and replayed to check their records.

A bot that crashes, answers with something illegal or takes too long forfeits the games concerned; the others
of the batch go on.
"""

from __future__ import annotations

import contextlib
import dataclasses
import functools
import hashlib
import signal
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from enum import StrEnum
from types import FrameType

import numpy as np

from wotr_agents import Bot, BotView
from wotr_env import STATE, GameRecord, Result, Ruleset
from wotr_env.actions import ACTION_NAMES, NUM_ACTIONS
from wotr_env.bots import view_of
from wotr_env.codes import Reason, Winner
from wotr_env.engine import kernel
from wotr_env.errors import RecordError
from wotr_env.words.positions import victory_points

_MOST_WARMING = 120
"""Seconds, or decisions' time if that is longer, after which a first answer is not waited for."""
_LONGEST_MESSAGE = 300
"""Characters of an exception's text that are kept."""


class ForfeitKind(StrEnum):
    """Why a bot lost a game without the rules."""

    ILLEGAL = "illegal"
    """It answered with something other than legal actions."""
    CRASH = "crash"
    """It raised an exception."""
    TIME_OUT = "time_out"
    """It took longer than the time limit."""


@dataclasses.dataclass(frozen=True)
class Forfeit:
    """How a bot lost a game without the rules."""

    seat: int
    """That lost."""
    kind: ForfeitKind
    message: str


@dataclasses.dataclass(frozen=True)
class PlayedBatch:
    """B games of two bots, finished or forfeited."""

    states: np.ndarray
    """``STATE[B]``, the ends of the games."""
    lengths: np.ndarray
    """``int64[B]``, decisions per game."""
    history: np.ndarray
    """``int16[longest, B]``: the actions; game i used the first ``lengths[i]`` of its column."""
    mordor_turns: np.ndarray
    """``int16[B]``: the turn in which the Fellowship entered Mordor, 0 if it never did."""
    forfeits: dict[int, Forfeit]
    """By place in the batch."""


def play_batch(
    bots: tuple[Bot, Bot],
    swapped: np.ndarray,
    seeds: np.ndarray,
    ruleset: Ruleset,
    time_limit: float = 0.0,
    on_end: Callable[[int], object] = lambda _games: None,
) -> PlayedBatch:
    """Plays games from their seeds to their ends.

    Args:
        bots: the bots of the Free Peoples and the Shadow.
        swapped: ``bool[B]``: where the bots change sides.
        seeds: ``uint64[B]``, of the games.
        ruleset: the edition and options played.
        time_limit: seconds per decision, the mean of those that a bot is asked at once; 0: no limit.
        on_end: called with the number of games that ended in a step.
    """
    num_games = len(seeds)
    states, masks = _new_games(seeds, ruleset)
    actions = np.zeros(num_games, dtype=np.int64)
    lengths = np.zeros(num_games, dtype=np.int64)
    mordor_turns = np.zeros(num_games, dtype=np.int16)
    forfeits: dict[int, Forfeit] = {}
    history = []
    swaps = swapped.astype(np.int8)
    playing = np.flatnonzero(states["winner"] == Winner.NONE)
    while len(playing):
        owners = states["seat"][playing] ^ swaps[playing]
        for owner, bot in enumerate(bots):
            games = playing[owners == owner]
            if len(games):
                lost = _ask(bot, states, masks, games, actions, time_limit)
                forfeits |= lost
                states["winner"][list(lost)] = Winner.DRAW  # until the end, so that the kernel lets them be
        running = playing[states["winner"][playing] == Winner.NONE]
        if len(running):
            kernel.step(states, masks, actions)
            history.append(actions.astype(np.int16))
            lengths[running] += 1
            entered = running[(states["mordor_step"][running] > 0) & (mordor_turns[running] == 0)]
            mordor_turns[entered] = states["turn"][entered]
        still = running[states["winner"][running] == Winner.NONE]
        if len(still) < len(playing):
            on_end(len(playing) - len(still))
        playing = still
    states["winner"][list(forfeits)] = Winner.NONE
    return PlayedBatch(
        states,
        lengths,
        np.array(history, dtype=np.int16).reshape(-1, num_games),
        mordor_turns,
        forfeits,
    )


def warm_up(bot: Bot, ruleset: Ruleset, time_limit: float) -> None:
    """Asks a bot once for nothing, so that what it loads or compiles does not count as thinking.

    It fails silently, and is stopped after ``_MOST_WARMING`` decisions' time or seconds, whichever is longer.
    """
    states, masks = _new_games(np.zeros(1, dtype=np.uint64), ruleset)
    seconds = _MOST_WARMING * max(1.0, time_limit)
    with contextlib.suppress(_TimeOutError, Exception, SystemExit), _alarm(seconds):
        bot.act(view_of(states, masks))


def records_of(
    batch: PlayedBatch, names: tuple[str, str], swapped: np.ndarray, seeds: np.ndarray, ruleset: Ruleset
) -> list[GameRecord]:
    """The records of a batch, in its order; ``names`` of the bots, other arguments as for ``play_batch``.

    A forfeited game has no result in its record: by the rules it is not over.
    """
    records = []
    for game, seed in enumerate(seeds):
        records.append(
            GameRecord(
                ruleset=ruleset,
                seed=int(seed),
                actions=tuple(batch.history[: batch.lengths[game], game].tolist()),
                players=names[::-1] if swapped[game] else names,
                result=None if game in batch.forfeits else _result(batch.states[game]),
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


class _TimeOutError(BaseException):
    """Raised inside a bot that is out of time; no ``except Exception`` of the bot holds it up."""


@contextlib.contextmanager
def _alarm(seconds: float) -> Iterator[None]:
    """Raises ``_TimeOutError`` after so many seconds, where the operating system and the thread allow it.

    Elsewhere, and inside compiled code, a bot is only found to be late when it answers.
    """
    able = hasattr(signal, "setitimer") and threading.current_thread() is threading.main_thread()
    if not seconds or not able:
        yield
        return

    def ring(_signal: int, _frame: FrameType | None) -> None:
        raise _TimeOutError

    before = signal.signal(signal.SIGALRM, ring)
    signal.setitimer(signal.ITIMER_REAL, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


def _ask(
    bot: Bot, states: np.ndarray, masks: np.ndarray, games: np.ndarray, actions: np.ndarray, limit: float
) -> dict[int, Forfeit]:
    """Writes the bot's actions for some games; returns the games that it forfeits.

    Where all games would be lost by one exception, each is asked alone: only those that fail are lost.
    """
    view = _view(states, masks, games)
    seats = view.seats.copy()
    start = time.perf_counter()
    try:
        with _alarm(limit * len(games)):
            answer = np.asarray(bot.act(view))
        late = limit > 0 and time.perf_counter() - start > limit * len(games)
    except _TimeOutError:
        late = True
    except (Exception, SystemExit) as error:
        words = f"{type(error).__name__}: {' '.join(str(error).split())}"[:_LONGEST_MESSAGE]
        return _ask_each(bot, states, masks, games, actions, limit, ForfeitKind.CRASH, words)
    if late:
        words = f"more than {limit:g} s per decision for {len(games)} at once"
        return _lost(games, seats, ForfeitKind.TIME_OUT, words)
    if answer.shape != (len(games),) or not np.issubdtype(answer.dtype, np.integer):
        words = f"answered with {answer.dtype} of shape {answer.shape}, not with {len(games)} integers"
        return _ask_each(bot, states, masks, games, actions, limit, ForfeitKind.ILLEGAL, words)
    in_range = (answer >= 0) & (answer < NUM_ACTIONS)
    chosen = np.where(in_range, answer, 0).astype(np.int64)
    legal = in_range & masks[games, chosen]
    actions[games[legal]] = chosen[legal]
    lost = {}
    for row in np.flatnonzero(~legal).tolist():
        name = f" ({ACTION_NAMES[chosen[row]]})" if in_range[row] else ""
        words = f"illegal action {answer[row]}{name}"
        lost |= _lost(games[row : row + 1], seats[row : row + 1], ForfeitKind.ILLEGAL, words)
    return lost


def _ask_each(
    bot: Bot,
    states: np.ndarray,
    masks: np.ndarray,
    games: np.ndarray,
    actions: np.ndarray,
    limit: float,
    kind: ForfeitKind,
    words: str,
) -> dict[int, Forfeit]:
    """After the bot failed for these games together: it is asked again for each, and loses where it fails."""
    if len(games) == 1:
        return _lost(games, states["seat"][games], kind, words)
    lost = {}
    for row in range(len(games)):
        lost |= _ask(bot, states, masks, games[row : row + 1], actions, limit)
    return lost


def _lost(games: np.ndarray, seats: np.ndarray, kind: ForfeitKind, words: str) -> dict[int, Forfeit]:
    return {
        game: Forfeit(seat, kind, words) for game, seat in zip(games.tolist(), seats.tolist(), strict=True)
    }


def _view(states: np.ndarray, masks: np.ndarray, games: np.ndarray) -> BotView:
    """What the deciding seats of these games see; the games are copied only for a bot that looks at them."""

    @functools.cache
    def view() -> BotView:
        return view_of(states[games], masks[games])

    seats = states["seat"][games]
    return BotView(
        masks[games], seats, lambda: view().observations, lambda k, generator: view().worlds(k, generator)
    )


def _refuse(record: GameRecord) -> None:
    record.verify()  # has the precise message
    raise RecordError(f"{record.source}: replays alone, but not together with other games")


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
