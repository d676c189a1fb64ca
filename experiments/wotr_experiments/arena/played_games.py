"""Plays batches of the schedule, and makes the games to store, each with a verified record."""

from __future__ import annotations

import contextlib
import dataclasses
import functools
import time
from collections.abc import Callable, Collection, Mapping, Sequence
from typing import Any

import numpy as np

from wotr_agents import Bot, make_bot
from wotr_env import GameRecord
from wotr_env.core.seats import Seat
from wotr_env.play.games import game_kind
from wotr_env.play.replaying import verify_records
from wotr_experiments.arena.openings import states_of
from wotr_experiments.arena.play import (
    Forfeit,
    ForfeitKind,
    PlayedBatch,
    first_view,
    play_batch,
    records_of,
    warm_up,
)
from wotr_experiments.arena.schedule import Batch, Tournament, bot_seed, game_seed, opening, seated
from wotr_experiments.arena.thinking_times import ThinkingTime
from wotr_experiments.arena.watchdog import BotCall, PendingCall
from wotr_experiments.errors import CommandError, one_line
from wotr_experiments.isolation.bots import Bots, identity_of
from wotr_experiments.luck.measure import GameLuck, measure

LUCK_DIGITS = 6
STOPPED = "stopped"
"""The reason of a game that was stopped at ``MOST_DECISIONS`` and counts as a draw."""


GameOfLuck = tuple[tuple[float, ...], ...]
"""The gain of each team by luck, by source and team (``GameLuck.by_source``)."""


def rounded_luck(luck: GameLuck) -> GameOfLuck:
    """The luck of a game as it is stored: rounded to a millionth."""
    return tuple(tuple(each) for each in luck.by_source.round(LUCK_DIGITS).tolist())


@dataclasses.dataclass(frozen=True, slots=True)
class PlayedGame:
    """A game of a tournament: the columns of the table, and the record."""

    pairing: int
    number: int
    """The number of the game in its pairing."""
    players: tuple[int, ...]
    """Indices in ``Tournament.bots``, by seat."""
    seed: int
    winner: int
    """The winning team, or ``GameKind.draw``."""
    winners: tuple[int, ...]
    """The seats that won, alone or together (``GameKind.winners``); after a forfeit, all seats of the other
    teams."""
    reason: str
    """The name of an ``End`` of the game, ``forfeit``, or ``STOPPED``."""
    forfeit: str
    """A ``ForfeitKind``, or empty."""
    quitter: int | None
    """The seat that forfeited."""
    message: str
    """The message of the forfeit."""
    columns: Mapping[str, int]
    """The values of ``GameKind.columns``, in order; for a forfeited game, at the time of the forfeit."""
    decisions: int
    record: str
    """The JSON of a ``GameRecord``, without a result if the game was forfeited; empty if not loaded."""
    thinking: tuple[ThinkingTime, ...] = dataclasses.field(default=(), compare=False)
    """The thinking time of each seat: its share of the bot's time for the batch; empty in a stored game."""
    luck: GameOfLuck | None = dataclasses.field(default=None, compare=False)
    """The luck of the game; None if it was not measured."""
    measuring: ThinkingTime = dataclasses.field(default=ThinkingTime(), compare=False)
    """The time of the measurement of luck: the game's share of its batch; empty in a stored game."""

    @property
    def forfeited_by(self) -> int | None:
        """The index of the bot that forfeited the game."""
        return None if self.quitter is None else self.players[self.quitter]

    @property
    def fingerprint(self) -> tuple[Any, ...]:
        """The seed, the result and the length, which tell the game from others with the same players."""
        return (self.seed, self.winner, self.winners, self.reason, self.decisions, *self.columns.values())

    def of_teams(self, seats: Sequence[Seat]) -> list[set[int]]:
        """The indices of the bots of each team."""
        by_team: list[set[int]] = [set() for _ in range(1 + max(seat.team for seat in seats))]
        for place, seat in zip(self.players, seats, strict=True):
            by_team[seat.team].add(place)
        return by_team

    def score(self, team: int) -> float:
        """The score of a team in a game of two teams: 1, 0.5 or 0."""
        return float(self.winner == team) if self.winner in (0, 1) else 0.5

    def has_won(self, team: int, seats: Sequence[Seat]) -> bool:
        """Whether a team has won, alone or with others."""
        return any(seats[winner].team == team for winner in self.winners)

    def shares(self, seats: Sequence[Seat]) -> list[float]:
        """The share of each team: winning teams share the game; if no team has won, all teams do."""
        teams = 1 + max(seat.team for seat in seats)
        won = {seats[winner].team for winner in self.winners}
        return [float(team in won) / len(won) if won else 1 / teams for team in range(teams)]


def play(
    tournament: Tournament,
    batch: Batch,
    on_end: Callable[[int], object] = lambda _games: None,
    bots: Bots | None = None,
    pending_call: PendingCall | None = None,
    unanswered: Collection[BotCall] = (),
) -> list[PlayedGame]:
    """Plays a batch and verifies its records.

    Args:
        tournament: the tournament of the batch.
        batch: the batch.
        on_end: called with the number of games that ended in a step.
        bots: the bots; their processes are kept for the next batch. By default new bots are made and closed.
        pending_call: reports the bot that is called in this process to the watchdog.
        unanswered: calls without an answer, as in ``PendingCall``; their bots forfeit.

    Raises:
        RecordError: a game does not replay, which would be a bug in the rules.
        CommandError: a bot has changed since the start of the tournament.
    """
    if bots is None:
        with Bots() as bots:
            return play(tournament, batch, on_end, bots, pending_call, unanswered)
    pending_call = pending_call or PendingCall(bots.isolation.call_timeout)
    kind, ruleset = tournament.kind, tournament.ruleset
    places = tournament.pairings[batch.pairing]
    names = [tournament.bots[place] for place in places]
    pending_call.names, pending_call.numbers, pending_call.unanswered = names, batch.numbers, unanswered
    limits = [tournament.time_limits[place] for place in places]
    for place, (name, limit) in enumerate(zip(names, limits, strict=True)):
        question = BotCall(place, 0)
        if limit and not bots.isolation.isolates(name) and question not in unanswered:
            with pending_call.about(question, pending_call.call_timeout(1)):
                _warm_up(name, tournament.game, ruleset, limit)
    first = functools.partial(first_view, kind, ruleset)
    warm = [first if limit else None for limit in limits]
    own = [bot_seed(tournament, batch, place) for place in places]
    players = bots.seat(names, own, kind.name, warm)
    out = [places.index(place) for place in batch.out if place in places]
    seats = np.array([seated(tournament, batch.pairing, number) for number in batch.numbers])
    owners = (seats[:, :, None] == np.array(places)).argmax(axis=2)
    seeds = np.array([game_seed(tournament, number) for number in batch.numbers], dtype=np.uint64)
    begun = None
    if tournament.positions:
        texts = [opening(tournament, number) for number in batch.numbers]
        begun = states_of(kind, texts, seeds.tolist(), ruleset)
    played = play_batch(kind, players, owners, seeds, ruleset, limits, on_end, out, pending_call, begun)
    pairs = zip(places, players, strict=True)
    identities = [_unchanged(tournament, place, player) for place, player in pairs]
    records = records_of(played, names, identities)
    luck: Sequence[GameOfLuck | None] = [None] * len(records)
    measuring = ThinkingTime()
    if tournament.luck is None:
        verify_records(records)
    else:
        start = time.perf_counter()
        luck = [rounded_luck(each) for each in measure(records, tournament.luck)]
        decisions = sum(len(record.actions) for record in records)
        measuring = ThinkingTime(decisions, time.perf_counter() - start)
    won = kind.winning_seats(played.states, ruleset)
    return [
        dataclasses.replace(
            _played_game(tournament, batch.pairing, number, played, place, won[place], records[place]),
            luck=luck[place],
            measuring=measuring.share(len(records[place].actions)),
        )
        for place, number in enumerate(batch.numbers)
    ]


def _unchanged(tournament: Tournament, place: int, player: Bot) -> str:
    """The identity of a bot, after a check that it has not changed."""
    spec = tournament.bots[place]
    before = tournament.identities[place] if tournament.identities else ""
    found = identity_of(player, spec, tournament.game) or before
    if before and found != before:
        raise CommandError(f"bot {spec} has changed since the start: it was {before} and is now {found}")
    return found


def _played_game(
    tournament: Tournament,
    pairing: int,
    number: int,
    batch: PlayedBatch,
    place: int,
    won: np.ndarray,
    record: GameRecord,
) -> PlayedGame:
    """The game at an index of a batch; ``won`` contains the winning seats of a finished game."""
    kind, end_record = batch.kind, batch.end_records[place]
    forfeit: Forfeit | None = batch.forfeits.get(place)
    if place in batch.stopped:
        winner, reason, winners = kind.draw, STOPPED, ()
    elif forfeit is None:
        winner, reason = int(end_record["winner"]), kind.reason_name(int(end_record["reason"]))
        winners = tuple(np.flatnonzero(won).tolist())
    else:
        reason = "forfeit"
        winner, winners = kind.forfeit_result(forfeit.seat, batch.ruleset)
    return PlayedGame(
        pairing=pairing,
        number=number,
        players=seated(tournament, pairing, number),
        seed=int(batch.seeds[place]),
        winner=winner,
        winners=winners,
        reason=reason,
        forfeit="" if forfeit is None else forfeit.kind.value,
        quitter=None if forfeit is None else forfeit.seat,
        message="" if forfeit is None else _told(tournament, pairing, number, batch, place, forfeit),
        columns={column.name: int(end_record[column.name]) for column in kind.columns},
        decisions=len(record.actions),
        record=record.to_json(),
        thinking=tuple(
            batch.thinking[player].share(decided)
            for player, decided in zip(
                batch.seated[place].tolist(), batch.decided[place].tolist(), strict=True
            )
        ),
    )


def _told(
    tournament: Tournament, pairing: int, number: int, batch: PlayedBatch, place: int, forfeit: Forfeit
) -> str:
    """The message of a forfeit: what happened, the bot, the game, the step and the decision."""
    bot = tournament.bots[seated(tournament, pairing, number)[forfeit.seat]]
    decision = batch.kind.words.decision(batch.states[place]).removesuffix(".")
    return one_line(
        f"{forfeit.message} (bot {bot}, game {number + 1}, step {batch.lengths[place] + 1}: {decision})"
    )


def forfeit_kinds() -> list[str]:
    """The values of ``PlayedGame.forfeit``."""
    return [kind.value for kind in ForfeitKind]


@functools.cache
def _warm_up(spec: str, game: str, ruleset: Any, time_limit: float) -> None:
    """Warms up the rules once per process."""
    with contextlib.suppress(Exception):
        warm_up(game_kind(game), make_bot(spec, 0, game), ruleset, time_limit)
