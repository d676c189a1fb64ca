"""Games in which each bot keeps its side, played and stored like games of tournaments."""

from __future__ import annotations

import concurrent.futures.process
import contextlib
import dataclasses
import os
from collections.abc import Callable, Iterator
from pathlib import Path

from wotr_env.play.games import DEFAULT_GAME
from wotr_experiments.arena.engines import WorkerPool
from wotr_experiments.arena.luck_store import LuckStore
from wotr_experiments.arena.played_games import STOPPED, PlayedGame
from wotr_experiments.arena.schedule import Tournament
from wotr_experiments.arena.store import GAMES, open_store, read_store
from wotr_experiments.arena.tournament import (
    TournamentObserver,
    add_played_games,
    load_stored_games,
    missing_batches,
    play_batches,
    with_bot_identities,
    with_luck,
)
from wotr_experiments.errors import CommandError
from wotr_experiments.games.war_of_the_ring.study.event_history import EventHistory, event_histories
from wotr_experiments.isolation.bots import Bots
from wotr_experiments.isolation.children import begin_child, process_context
from wotr_experiments.provenance import recorded_session

_TOGETHER = 64
"""Number of games whose courses are collected together."""


@dataclasses.dataclass(frozen=True)
class FixedSidesTournament(Tournament):
    """Games of War of the Ring between two bots; the first bot plays the Free Peoples in all games.

    Each game has its own seed.

    Raises:
        CommandError, BotError: an error of ``Tournament``, or the game is not War of the Ring.
    """

    def __post_init__(self) -> None:
        if self.game != DEFAULT_GAME:
            raise CommandError(f"wotr study supports only {DEFAULT_GAME}, not {self.game}")
        if self.games < 1:
            raise CommandError(f"--games must be at least 1, not {self.games}")
        super().__post_init__()

    @property
    def round(self) -> int:
        """Number of games with the same seed."""
        return 1


def play_sides(
    sides: FixedSidesTournament, out: Path, crew: WorkerPool, watch: TournamentObserver
) -> list[PlayedGame]:
    """Plays the missing games.

    Args:
        sides: the games to play.
        out: the folder of the games; created if needed. Stored games are not played again.
        crew: the workers that play.
        watch: observer of the progress.

    Returns:
        The games in order, without their records.

    Raises:
        CommandError, BotError, RecordError, OSError: an error of ``run_tournament``, or a bot forfeited a
            game.
    """
    with contextlib.ExitStack() as stack:
        bots = stack.enter_context(Bots(crew.isolation))
        known = with_bot_identities(sides, bots)
        store = stack.enter_context(open_store(out, {"kind": "study", **known.to_dict()}))
        book = None if sides.luck is None else LuckStore(sides.luck, out)
        games = with_luck(load_stored_games(known, store), store, book, watch)
        watch.begin(games)
        todo = missing_batches(known, games)
        session = stack.enter_context(recorded_session(out if todo else None))
        for played in play_batches(known, list(games), todo, crew, store, watch, bots, book):
            _check(sides, played)
            games += played
            add_played_games(session, known, played)
    _check(sides, games)
    return sorted(games, key=lambda game: game.number)


def _check(sides: FixedSidesTournament, games: list[PlayedGame]) -> None:
    """Raises CommandError if a game did not end by the rules, because a study cannot use such a game."""
    for game in games:
        if game.forfeited_by is not None:
            raise CommandError(f"bot {sides.bots[game.forfeited_by]} forfeits: {game.message}")
        if game.reason == STOPPED:
            raise CommandError(f"game {game.number + 1} was stopped after {game.decisions:,} decisions")


def read_event_histories(
    out: Path, games: int, workers: int, on_read: Callable[[int], object] = lambda _games: None
) -> list[EventHistory]:
    """The courses of the games of a folder, in order.

    Args:
        out: the folder of ``play_sides``.
        games: the number of games.
        workers: number of processes that replay the games; 1: only this process.
        on_read: called with the number of newly finished games.

    Raises:
        CommandError: the games cannot be read.
        RecordError: a game does not replay.
    """
    path = out / GAMES
    parts = [range(first, min(games, first + _TOGETHER)) for first in range(0, games, _TOGETHER)]
    courses: list[EventHistory] = []
    with _readers(min(workers, len(parts))) as reading:
        for some in reading(path, parts):
            courses += some
            on_read(len(some))
    return courses


def _read(path: Path, numbers: range) -> list[EventHistory]:
    with read_store(path) as store:
        return event_histories([store.record(0, number) for number in numbers])


_Reading = Callable[[Path, list[range]], Iterator[list[EventHistory]]]


@contextlib.contextmanager
def _readers(workers: int) -> Iterator[_Reading]:
    """A context with a function that reads parts of the games in order, in this process or in processes that
    end with the context."""
    if workers <= 1:
        yield lambda path, parts: (_read(path, part) for part in parts)
        return
    with concurrent.futures.ProcessPoolExecutor(workers, process_context(__name__), _begin) as pool:
        try:
            yield lambda path, parts: pool.map(_read, [path] * len(parts), parts)
        except concurrent.futures.process.BrokenProcessPool:
            raise CommandError(
                "a process that read games died; the same command continues from there"
            ) from None
        finally:
            pool.shutdown(wait=True, cancel_futures=True)


def _begin() -> None:
    """Initialises a process that reads games: torch uses one thread, because there is a process for each
    core."""
    begin_child()
    os.environ.setdefault("OMP_NUM_THREADS", "1")
