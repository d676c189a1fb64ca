"""Plays tournaments of bots: batches are stored as they finish, and a stopped tournament continues.

A batch is stored as a whole. A batch that was unfinished at a stop is played again from its start. So a
tournament that was stopped any number of times ends with the same games as an undisturbed one.
"""

from __future__ import annotations

import contextlib
import dataclasses
from collections.abc import Generator, Iterable, Sequence
from pathlib import Path
from typing import Any

from wotr_experiments.arena.engines import WorkerPool
from wotr_experiments.arena.luck_store import LuckStore
from wotr_experiments.arena.played_games import PlayedGame
from wotr_experiments.arena.referee import Schedule
from wotr_experiments.arena.schedule import (
    Batch,
    Tournament,
    batches,
    check_repeats,
    game_seed,
    seated,
)
from wotr_experiments.arena.store import GAMES, Store, open_store, read_store
from wotr_experiments.arena.summary import summarise
from wotr_experiments.arena.thinking_times import ThinkingTimes
from wotr_experiments.errors import CommandError
from wotr_experiments.files import write_json
from wotr_experiments.isolation.bots import Bots, check_made, identity_of
from wotr_experiments.provenance import Session, recorded_session

SUMMARY = "summary.json"
"""The file of results in the folder of a tournament, written when all games are played."""


class TournamentObserver:
    """Observer of a tournament's progress; this base class does nothing."""

    def measured(self, games: int, missing: int) -> None:
        """Called before ``begin`` while the luck of stored games is measured: with the number of games
        measured so far, and the number of games without luck at the start."""

    def begin(self, found: list[PlayedGame]) -> None:
        """Called with the games of earlier runs."""

    def taken(self, batch: Batch) -> None:
        """Called when a batch starts."""

    def over(self, batch: Batch) -> None:
        """Called when a batch has been played; it is stored after the batches before it."""

    def ended(self, games: int) -> None:
        """Called with the number of ended games that are not stored yet."""

    def stored(self, games: list[PlayedGame]) -> None:
        """Called with games that count, and are stored if there is a folder."""


def run_tournament(
    tournament: Tournament,
    out: Path | None = None,
    crew: WorkerPool | None = None,
    watch: TournamentObserver | None = None,
) -> dict[str, Any]:
    """Plays the missing games of a tournament and summarises it.

    Args:
        tournament: the tournament.
        out: folder for games and summary; created if needed. Stored games are not played again. If the folder
            contains the same tournament with fewer games, games are added.
        crew: the workers that play; by default a process for each core.
        watch: observer of the progress.

    Returns:
        The summary, as written to ``summary.json``.

    Raises:
        CommandError: ``out`` contains another tournament, or another process is writing to it; its file is
            damaged or cannot be written; games would be repeated (``check_repeats``); or workers died
            repeatedly. Stored games are kept.
        BotError: a bot cannot be made.
        RecordError: a game does not replay.
        OSError: a file cannot be written; stored games are kept.
    """
    check_repeats(tournament)
    crew = crew or WorkerPool()
    out = out and out.absolute()  # a bot may change the folder
    watch = watch or TournamentObserver()
    with contextlib.ExitStack() as stack:
        bots = stack.enter_context(Bots(crew.isolation))
        tournament = with_stored_batch_size(with_bot_identities(tournament, bots), out)
        store = (
            None if out is None else stack.enter_context(open_store(out, tournament_definition(tournament)))
        )
        tournament = tournament.begun(store.played["secret"] if store else None)
        book = None if tournament.luck is None else LuckStore(tournament.luck, out)
        games = with_luck(load_stored_games(tournament, store), store, book, watch)
        watch.begin(games)
        todo = missing_batches(tournament, games)
        session = stack.enter_context(recorded_session(out if todo else None))
        for played in play_batches(tournament, list(games), todo, crew, store, watch, bots, book):
            games += played
            add_played_games(session, tournament, played)
        games.sort(key=lambda game: (game.pairing, game.number))
        summary = summarise(tournament, games)
        if out is not None:
            write_json(out / SUMMARY, summary)
    return summary


def with_luck(
    games: list[PlayedGame], store: Store | None, book: LuckStore | None, watch: TournamentObserver
) -> list[PlayedGame]:
    """Returns stored games; with their luck if it is measured (``LuckStore.fill``)."""
    if store is None or book is None or not games:
        return games
    return book.fill(games, store.record, watch.measured)


def add_played_games(session: Session, tournament: Tournament, played: Sequence[PlayedGame]) -> None:
    """Adds newly played games and the thinking times of their bots."""
    session.add(games=len(played), decisions=sum(game.decisions for game in played))
    add_thinking_times(session.thinking_times, tournament, played)


def add_thinking_times(
    thinking_times: ThinkingTimes, tournament: Tournament, games: Iterable[PlayedGame]
) -> None:
    """Adds the thinking times of games, and the time in which their luck was measured; stored games have
    none."""
    for game in games:
        if tournament.luck is not None:
            thinking_times.add(f"luck by {tournament.luck.value}", game.measuring)
        for place, thinking in zip(game.players, game.thinking, strict=False):
            thinking_times.add(tournament.bots[place], thinking)


def tournament_definition(tournament: Tournament) -> dict[str, Any]:
    """The definition of a tournament, for ``open_store``."""
    return {"kind": "tournament", **tournament.to_dict()}


def with_stored_batch_size(tournament: Tournament, out: Path | None) -> Tournament:
    """The tournament with the batch size stored in a folder, if the stored tournament has at most as many
    games and no batch size is requested: the default batch size depends on the number of games."""
    if out is None or not (out / GAMES).is_file():
        return tournament
    try:
        with read_store(out / GAMES) as store:
            found = store.played
    except CommandError:
        return tournament  # open_store says what is wrong
    usual = dataclasses.replace(tournament, batch=0).batch
    if tournament.batch != usual or not (found.get("games") or 0) <= tournament.games:
        return tournament
    try:
        return dataclasses.replace(tournament, batch=found["batch"])
    except (CommandError, KeyError, TypeError):
        return tournament


def with_bot_identities(tournament: Tournament, bots: Bots) -> Tournament:
    """Makes each bot once and stores its identity; the bots of the first batch keep their processes.

    Raises:
        BotError: a bot cannot be made.
    """
    known: dict[str, str] = {}
    first = list(dict.fromkeys(tournament.bots[place] for place in tournament.pairings[0]))
    others = [[spec] for spec in dict.fromkeys(tournament.bots) if spec not in first]
    for specs in (*others, first):
        made = bots.seat(specs, [0] * len(specs), tournament.game)
        for spec, bot in zip(specs, made, strict=True):
            check_made(spec, bot)
            known[spec] = identity_of(bot, spec, tournament.game)
    return dataclasses.replace(tournament, identities=tuple(known[spec] for spec in tournament.bots))


def load_stored_games(tournament: Tournament, store: Store | None) -> list[PlayedGame]:
    """The stored games, without their records.

    Raises:
        CommandError: a game does not belong to this tournament, or has changed since it was stored.
    """
    if store is None:
        return []
    games = store.games()
    for game in games:
        known = game.pairing < len(tournament.pairings) and game.number < tournament.games
        if known:
            expected = seated(tournament, game.pairing, game.number), game_seed(tournament, game.number)
            known = (game.players, game.seed) == expected
        if not known:
            raise CommandError(
                f"{store.path}: game {game.number} of pairing {game.pairing} does not belong to this "
                "tournament; give another --out"
            )
    return games


def missing_batches(tournament: Tournament, games: Iterable[PlayedGame]) -> list[Batch]:
    """The missing batches, in the order of the schedule.

    If the stored tournament had fewer games, its last batch may be incomplete; then the rest of this batch is
    missing. The bots of the rest have other seeds than those of a whole batch, so games of bots with random
    choices differ from those of a tournament that had all games from the start.
    """
    there = {(game.pairing, game.number) for game in games}
    missing = []
    for batch in batches(tournament):
        first = next((each for each in batch.numbers if (batch.pairing, each) not in there), None)
        if first is not None:
            missing.append(dataclasses.replace(batch, first=first, games=batch.numbers.stop - first))
    return missing


def play_batches(
    tournament: Tournament,
    found: Sequence[PlayedGame],
    todo: Sequence[Batch],
    crew: WorkerPool,
    store: Store | None,
    watch: TournamentObserver,
    bots: Bots,
    book: LuckStore | None = None,
) -> Generator[list[PlayedGame], None, None]:
    """Plays and stores batches; yields the games of each, without their records, in the order of the
    schedule.

    A finished batch is yielded after all batches before it, because a bot may be disqualified in them.
    Closing the iterator stops the workers.

    Args:
        tournament: the tournament of the batches.
        found: the stored games, in the order of the schedule.
        todo: the batches, in the same order.
        crew: the workers that play.
        store: the store for the games.
        watch: observer of the progress.
        bots: bots whose processes a single worker may take over.
        book: stores the luck of the games, if luck is measured.
    """
    schedule = Schedule(tournament, found, todo, watch.ended, watch.taken)
    with contextlib.closing(crew.play(tournament, schedule, len(todo), watch.ended, bots)) as played:
        for batch, batch_games in played:
            watch.over(batch)
            for games in schedule.take(batch, batch_games):
                if store is not None:
                    store.add(games)
                if book is not None:
                    book.add(games)
                games = [dataclasses.replace(game, record="") for game in games]
                watch.stored(games)
                yield games
