"""Runs a tournament in text with several games at once; each game is stored when it ends."""

from __future__ import annotations

import contextlib
import dataclasses
import threading
from collections.abc import Callable, Collection, Generator, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, ThreadPoolExecutor, wait
from pathlib import Path
from typing import Any

from wotr_agents.stdio.program import ProgramError
from wotr_env import GameRecord
from wotr_experiments.arena.schedule import (
    new_secret,
)
from wotr_experiments.errors import CommandError
from wotr_experiments.files import write_json, write_text
from wotr_experiments.isolation.bots import Bots, Isolation, check_made, identity_of
from wotr_experiments.language.naming import naming_of
from wotr_experiments.language.players import Conversation, NoAnswerError, TextPlayer
from wotr_experiments.language.text_env import TextEnv
from wotr_experiments.language.text_games import RECORDS, SUMMARY, TextPlayed, TextStore, open_text_store
from wotr_experiments.language.text_results import summarise
from wotr_experiments.language.text_tournament import TextTournament
from wotr_experiments.provenance import recorded_session


def run_text_tournament(
    tournament: TextTournament,
    out: Path | None = None,
    isolation: Isolation | None = None,
    workers: int = 1,
    on_game: Callable[[TextPlayed, int], object] = lambda _game, _played: None,
) -> dict[str, Any]:
    """Plays the missing games, and returns the results.

    Args:
        tournament: the tournament.
        out: a folder for the games, from which a stopped tournament is resumed; None: games are not saved.
        isolation: the settings for bots in separate processes.
        workers: number of games played at the same time, at least one.
        on_game: called with each finished game, and the number of games so far.

    Returns:
        The summary, from ``text_results.summarise``.

    Raises:
        BotError, CommandError: a player cannot be made or has changed, or the folder belongs to something
            else.
        OSError: a file cannot be written; earlier games are kept.
    """
    isolation = isolation or Isolation()
    tournament = with_players(tournament, isolation)
    with contextlib.ExitStack() as stack:
        store = None
        if out is not None:
            store = stack.enter_context(open_text_store(out, tournament.to_dict(), tournament.kind))
        if tournament.seed is None and tournament.secret is None:
            secret = store.played["secret"] if store else new_secret()
            tournament = dataclasses.replace(tournament, secret=secret)
        games = _found(tournament, store)
        there = {(game.pairing, game.number) for game in games}
        missing = [place for place in tournament.schedule if place not in there]
        session = stack.enter_context(recorded_session(out if missing else None))
        for game in stack.enter_context(contextlib.closing(_play(tournament, missing, isolation, workers))):
            if store is not None:
                store.add(game)
            games.append(game)
            session.add(games=1, decisions=sum(game.decisions))
            on_game(game, len(games))
        games.sort(key=lambda game: (game.pairing, game.number))
        summary = summarise(tournament, games)
        if out is not None:
            write_text(out / RECORDS, "".join(f"{game.record.to_json()}\n" for game in games))
            write_json(out / SUMMARY, summary)
    return summary


def with_players(tournament: TextTournament, isolation: Isolation) -> TextTournament:
    """Makes each player once, and stores its identity in the tournament.

    Raises:
        BotError, CommandError: a player cannot be made.
    """
    known = {name: _identity(name, tournament, isolation) for name in dict.fromkeys(tournament.players)}
    return dataclasses.replace(tournament, identities=tuple(known[name] for name in tournament.players))


def _identity(name: str, tournament: TextTournament, isolation: Isolation) -> str:
    player = TextPlayer.named(name, tournament.game)
    if player.command is None:
        with Bots(isolation) as bots:
            (bot,) = bots.seat([name], [0], tournament.game)
            check_made(name, bot)
            return identity_of(bot, name, tournament.game)
    limit = tournament.time_limits[tournament.players.index(name)]
    naming = naming_of(tournament.kind, tournament.renamed)
    with contextlib.closing(Conversation(player, tournament.kind, 0, limit, naming=naming)) as conversation:
        try:
            conversation.start()
        except ProgramError as error:
            raise CommandError(f"player {name} cannot be made: {error}") from None
        return player.identity(conversation.ready)


def _found(tournament: TextTournament, store: TextStore | None) -> list[TextPlayed]:
    """The stored games.

    Raises:
        CommandError: the games do not belong to the tournament, or a game occurs twice.
    """
    if store is None:
        return []
    games, left = store.games(), set(tournament.schedule)
    for game in games:
        place = game.pairing, game.number
        known = place in left
        if known:
            expected = tournament.seated(*place), tournament.game_seed(game.number)
            known = (game.players, game.record.seed) == expected
        if not known:
            where = f"game {game.number} of pairing {game.pairing}"
            raise CommandError(f"{store.out}: {where} does not belong to this tournament; give another --out")
        left.remove(place)
    return games


class _StoppedError(Exception):
    """The game is no longer needed."""


class _Halt:
    """Stops games in other threads."""

    def __init__(self) -> None:
        self.wanted = False
        self._lock = threading.Lock()
        self._speaking: set[Conversation] = set()

    @contextlib.contextmanager
    def over(self, conversations: Collection[Conversation]) -> Iterator[None]:
        """A context in which ``now`` also stops the given conversations."""
        with self._lock:
            self._speaking.update(conversations)
        try:
            yield
        finally:
            with self._lock:
                self._speaking.difference_update(conversations)

    def now(self) -> None:
        """Stops all games."""
        self.wanted = True
        with self._lock:
            for conversation in self._speaking:
                conversation.halt()


def _play(
    tournament: TextTournament, places: Sequence[tuple[int, int]], isolation: Isolation, workers: int
) -> Generator[TextPlayed, None, None]:
    """Yields games as they end; an error is raised after them. Closing the iterator stops the others."""
    tournament.kind.kernels.prepare()
    halt = _Halt()
    with ThreadPoolExecutor(max_workers=workers) as pool:
        try:
            todo = {pool.submit(play_game, tournament, *place, isolation, halt) for place in places}
            while todo:
                done, todo = wait(todo, return_when=FIRST_COMPLETED)
                for future in sorted(done, key=lambda each: each.exception() is not None):
                    yield future.result()
        finally:
            halt.now()
            pool.shutdown(wait=False, cancel_futures=True)


def play_game(
    tournament: TextTournament,
    pairing: int,
    number: int,
    isolation: Isolation | None = None,
    halt: _Halt | None = None,
) -> TextPlayed:
    """Plays a game of the schedule to its end.

    Raises:
        BotError: a bot cannot be made.
    """
    places, seats = tournament.seated(pairing, number), tournament.ruleset.seats
    seeds = [tournament.player_seed(pairing, number, place) for place in tournament.pairings[pairing]]
    players = {place: TextPlayer.named(tournament.players[place], tournament.game) for place in set(places)}
    bots = {
        seat.name: players[place].name
        for seat, place in zip(seats, places, strict=True)
        if players[place].command is None
    }
    limits = tournament.time_limits
    env = TextEnv(
        tournament.ruleset,
        bots,
        tournament.allowance,
        tournament.whole,
        tournament.kind,
        isolation,
        tournament.legal_actions,
        tournament.renamed,
        tournament.board,
    )
    with contextlib.ExitStack() as stack:
        stack.callback(env.close)
        speaking = {
            place: stack.enter_context(
                contextlib.closing(
                    Conversation(player, tournament.kind, seed, limits[place], naming=env.naming)
                )
            )
            for (place, player), seed in zip(sorted(players.items()), seeds, strict=True)
            if player.command is not None
        }
        halt = halt or _Halt()
        stack.enter_context(halt.over(speaking.values()))
        texts = [seat for seat, place in enumerate(places) if place in speaking]
        env.reset(len(texts), tournament.game_seed(number), tournament.player_seed(pairing, number, -1))
        while not env.done:
            if halt.wanted:
                raise _StoppedError
            asked, prompt = env.get_observation()
            own = places[texts[asked]]
            try:
                answer = speaking[own].ask(seats[texts[asked]].name, prompt)
            except NoAnswerError as error:
                env.fail(error.failure, str(error))
                if error.forgot:
                    env.forget([each for each, seat in enumerate(texts) if places[seat] == own])
            else:
                env.step(answer)
        names = {each: tournament.players[places[seat]] for each, seat in enumerate(texts)}
        seconds = {place: conversation.seconds for place, conversation in speaking.items()}
        identities = tuple(tournament.identities[place] for place in places) if tournament.identities else ()
        record = dataclasses.replace(env.record(names), identities=identities)
        return _played(env, pairing, number, places, record, seconds)


def _played(
    env: TextEnv,
    pairing: int,
    number: int,
    places: Sequence[int],
    record: GameRecord,
    seconds: dict[int, float],
) -> TextPlayed:
    """A finished game."""
    ending, seats = env.ending, record.ruleset.seats
    assert ending is not None
    quitter, forfeit, message = env.forfeit or (None, "", "")
    by_team = {seat.team: place for seat, place in zip(seats, places, strict=True)}
    record.verify()
    return TextPlayed(
        pairing=pairing,
        number=number,
        players=tuple(places),
        winner=ending.winner,
        winners=ending.winners,
        reason=ending.reason,
        forfeit=forfeit,
        quitter=quitter,
        message=message,
        decisions=tuple(env.decided),
        counts=tuple(env.counts),
        seconds=tuple(round(seconds.get(place, 0.0), 3) for _, place in sorted(by_team.items())),
        record=record,
        answers=tuple(env.answers),
    )
