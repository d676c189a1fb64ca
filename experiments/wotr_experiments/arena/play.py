"""Plays batches of games between bots.

A bot that crashes, answers illegally, is too slow or loses its process forfeits the affected games; the other
games of the batch continue.
"""

from __future__ import annotations

import contextlib
import dataclasses
import functools
from collections.abc import Callable, Collection, Sequence
from enum import StrEnum
from typing import Any

import numpy as np

from wotr_agents import Bot, BotView
from wotr_env import GameRecord
from wotr_env.core.codes import GOING_ON
from wotr_env.core.kind import GameKind
from wotr_env.core.spelling import counted
from wotr_env.core.states import copy_states, state_hash
from wotr_env.play.bots import NoActionError, describe_invalid_answer, view_of
from wotr_env.play.history import BatchHistory, EndedGame
from wotr_experiments.arena.thinking_times import ThinkingTime
from wotr_experiments.arena.time_limits import TimeLimit, TooLateError, alarm, limits_by_place
from wotr_experiments.arena.watchdog import BotCall, PendingCall
from wotr_experiments.bot_errors import raised
from wotr_experiments.errors import one_line
from wotr_experiments.isolation.bots import (
    LONGEST_MESSAGE,
    BotRaisedError,
    InvalidAnswerError,
    IsolatedBot,
)
from wotr_experiments.isolation.process import BotProcessError, LateError
from wotr_experiments.pauses import paused

_MOST_WARMING = 120
"""Limit of the warm-up, in seconds or in time limits of a decision, whichever is longer."""


class ForfeitKind(StrEnum):
    """The kinds of forfeit."""

    ILLEGAL = "illegal"
    """The answer was not a legal action."""
    CRASH = "crash"
    """The bot raised an exception."""
    TIME_OUT = "time_out"
    """The bot exceeded the time limit, or (without a limit) did not answer at all."""
    DIED = "died"
    """The bot's process ended, or violated the protocol and was killed."""
    DISQUALIFIED = "disqualified"
    """The bot was not asked, because it had forfeited too many games in a row."""


DISQUALIFYING_FORFEITS = (ForfeitKind.CRASH, ForfeitKind.TIME_OUT, ForfeitKind.DIED)
"""The kinds of forfeit that lead to disqualification if they occur in a row."""
MAX_CONSECUTIVE_FORFEITS = 3
"""Number of such forfeits in a row that lead to disqualification."""
MOST_DECISIONS = 200_000
"""Maximal number of decisions per game; then the game is stopped as a draw. The longest of 512 random games
had 9,528."""


@dataclasses.dataclass(frozen=True)
class Forfeit:
    """A forfeit."""

    seat: int
    """The seat that forfeited."""
    kind: ForfeitKind
    message: str


@dataclasses.dataclass(frozen=True)
class PlayedBatch:
    """B games of some bots, finished or forfeited."""

    kind: GameKind
    ruleset: Any
    seeds: np.ndarray
    """``uint64[B]``"""
    seated: np.ndarray
    """``int64[B, S]``: the bot in each seat, by its index"""
    states: np.ndarray
    """``kind.state[B]``, the ends of the games."""
    end_records: np.ndarray
    """``kind.end_record[B]``"""
    lengths: np.ndarray
    """``int64[B]``, decisions per game."""
    history: np.ndarray
    """``int16[longest, B]``: the actions; game i used the first ``lengths[i]`` of its column."""
    forfeits: dict[int, Forfeit]
    """The forfeits, by index of the game in the batch."""
    stopped: frozenset[int]
    """The indices of games that were stopped at ``MOST_DECISIONS``."""
    decided: np.ndarray
    """``int64[B, S]``: decisions of each seat."""
    thinking: tuple[ThinkingTime, ...]
    """The thinking time of each bot."""
    begun: np.ndarray | None
    """``kind.state[B]``: the first states; None: new games."""


@paused.watched()
def play_batch(
    kind: GameKind,
    bots: Sequence[Bot],
    seated: np.ndarray,
    seeds: np.ndarray,
    ruleset: Any,
    time_limit: TimeLimit = 0.0,
    on_end: Callable[[int], object] = lambda _games: None,
    out: Collection[int] = (),
    pending_call: PendingCall | None = None,
    begun: np.ndarray | None = None,
) -> PlayedBatch:
    """Plays games to the end, from their seeds or from positions.

    Args:
        kind: the game.
        bots: the bots.
        seated: ``int64[B, S]``: the bot in each seat of each game, by its index in ``bots``.
        seeds: ``uint64[B]``: the seeds of the games.
        ruleset: the ruleset, of type ``kind.ruleset``.
        time_limit: seconds per decision, averaged over the decisions of one call; 0: no limit. One number for
            all bots, or one for each bot.
        on_end: called with the number of games that ended in a step.
        out: the indices of disqualified bots, which forfeit without being called. A bot whose process is lost
            ``MAX_CONSECUTIVE_FORFEITS`` times without an answer in between also forfeits its remaining games.
        pending_call: tells the watchdog which bot is called, and contains the limits of the watchdog and the
            clock that times the bots. If a bot did not answer a call in an earlier attempt, it forfeits the
            games of this call.
        begun: ``kind.state[B]``: the first states, each with a pending decision. By default new games start
            from the seeds.
    """
    open_games = _OpenGames(kind, seeds, ruleset, begun)
    states, end_records = open_games.states, np.zeros(len(seeds), dtype=kind.end_record)
    lengths = np.zeros(len(seeds), dtype=np.int64)
    watched = pending_call or PendingCall()
    courses = BatchHistory(kind, states, seated.shape[1])
    players = [
        _Player(place, bot, limit, watched, courses, simulations_before=getattr(bot, "simulations", 0))
        for place, (bot, limit) in enumerate(zip(bots, limits_by_place(time_limit, len(bots)), strict=True))
    ]
    forfeits = _all_of(out, seated)
    states["winner"][list(forfeits)] = kind.draw  # until the end, so that a step lets them be
    stopped: set[int] = set()
    playing = np.flatnonzero(states["winner"] == GOING_ON)
    while len(playing):
        forfeits |= _ask_all(players, open_games, playing, seated, len(courses.actions) + 1)
        running = playing[states["winner"][playing] == GOING_ON]
        if len(courses.actions) >= MOST_DECISIONS:
            stopped.update(running.tolist())
            on_end(len(playing))
            break
        if len(running):
            courses.step(states, open_games.actions)
            kind.kernels.step(states, open_games.masks, open_games.actions)
            lengths[running] += 1
            kind.kernels.note(states, end_records, running)
        still = running[states["winner"][running] == GOING_ON]
        if len(still) < len(playing):
            _tell_ends(players, np.setdiff1d(playing, still), seated, states, forfeits, kind, ruleset)
            on_end(len(playing) - len(still))
        playing = still
    states["winner"][list(forfeits)] = GOING_ON
    kind.kernels.conclude(states, end_records)
    actions = np.array(courses.actions, dtype=np.int16).reshape(-1, len(seeds))
    decided = courses.decided(lengths)
    return PlayedBatch(
        kind=kind,
        ruleset=ruleset,
        seeds=seeds,
        seated=seated,
        states=states,
        end_records=end_records,
        lengths=lengths,
        history=actions,
        forfeits=forfeits,
        stopped=frozenset(stopped),
        decided=decided,
        begun=begun,
        thinking=tuple(player.thought(int(decided[seated == player.place].sum())) for player in players),
    )


def _ask_all(
    players: Sequence[_Player], open_games: _OpenGames, playing: np.ndarray, seated: np.ndarray, step: int
) -> dict[int, Forfeit]:
    """Asks every bot about its running games; returns the games that a bot forfeits, which end."""
    states, forfeits = open_games.states, {}
    owners = seated[playing, states["seat"][playing]]
    for owner, player in enumerate(players):
        games = playing[(owners == owner) & (states["winner"][playing] == GOING_ON)]
        if not len(games):
            continue
        player.step = step
        lost = _ask(player, open_games, games)
        if player.lost_in_a_row >= MAX_CONSECUTIVE_FORFEITS:
            left = set(playing[states["winner"][playing] == GOING_ON].tolist())
            all_lost = _all_of((owner,), seated)
            lost = {game: all_lost[game] for game in left & all_lost.keys()} | lost
        forfeits |= lost
        states["winner"][list(lost)] = open_games.kind.draw
    return forfeits


def _tell_ends(
    players: Sequence[_Player],
    games: np.ndarray,
    seated: np.ndarray,
    states: np.ndarray,
    forfeits: dict[int, Forfeit],
    kind: GameKind,
    ruleset: Any,
) -> None:
    """Reports finished games to the bots before they are asked again."""
    for game in games.tolist():
        forfeit = forfeits.get(game)
        winner = int(states["winner"][game])
        if forfeit is not None:
            winner, _ = kind.forfeit_result(forfeit.seat, ruleset)
        for seat, place in enumerate(seated[game].tolist()):
            players[place].note_end(game, seat, winner)


def _all_of(out: Collection[int], seated: np.ndarray) -> dict[int, Forfeit]:
    """The games of disqualified bots. If several of them are in the same game, the one in the first seat
    loses."""
    words = f"disqualified after {MAX_CONSECUTIVE_FORFEITS} forfeits in a row"
    lost = {}
    for game, seats in enumerate(seated.tolist()):
        seat = next((seat for seat, place in enumerate(seats) if place in out), None)
        if seat is not None:
            lost[game] = Forfeit(seat, ForfeitKind.DISQUALIFIED, words)
    return lost


def by_team(ruleset: Any, swapped: np.ndarray) -> np.ndarray:
    """Returns the index of the bot in each seat, for games in which each of two bots plays all seats of a
    team.

    Args:
        ruleset: the ruleset.
        swapped: ``bool[B]``: whether the bots exchange teams.

    Returns:
        ``int64[B, S]``, for ``play_batch``.
    """
    teams = np.array([seat.team for seat in ruleset.seats], dtype=np.int64)
    return teams ^ swapped.astype(np.int64)[:, None]


def warm_up(kind: GameKind, bot: Bot, ruleset: Any, time_limit: float) -> None:
    """Asks a bot once before the games, so that loading and compiling do not count as thinking time.

    Failures are ignored. The call is stopped after ``_MOST_WARMING`` seconds, or after ``_MOST_WARMING``
    times the time limit if this is longer.
    """
    seconds = _MOST_WARMING * max(1.0, time_limit)
    with contextlib.suppress(TooLateError, Exception, SystemExit), alarm(seconds):
        bot.act(first_view(kind, ruleset))


def first_view(kind: GameKind, ruleset: Any) -> BotView:
    """The view at the start of a game outside the tournament."""
    open_games = _OpenGames(kind, np.zeros(1, dtype=np.uint64), ruleset)
    return view_of(open_games.states, open_games.masks, kind)


def records_of(batch: PlayedBatch, names: Sequence[str], identities: Sequence[str]) -> list[GameRecord]:
    """The records of a batch in order, with the names and identities of its bots.

    The record of a forfeited game has no result, because by the rules the game is not over.
    """
    records = []
    for game, (seed, seated) in enumerate(zip(batch.seeds, batch.seated.tolist(), strict=True)):
        records.append(
            GameRecord(
                ruleset=batch.ruleset,
                seed=int(seed) if batch.begun is None else 0,
                actions=tuple(batch.history[: batch.lengths[game], game].tolist()),
                players=tuple(names[int(place)] for place in seated),
                result=batch.kind.result.of(batch.states[game]),
                hash=state_hash(batch.states[game]),
                game=batch.kind.name,
                identities=tuple(identities[int(place)] for place in seated),
                position=_position(batch, game),
            )
        )
    return records


def _position(batch: PlayedBatch, game: int) -> str:
    """The start of a game as text; empty for a new game."""
    if batch.begun is None or batch.kind.positions is None:
        return ""
    return batch.kind.positions.write(batch.begun[game], None)


class _OpenGames:
    """Games of a kind, started from seeds or states: states, masks, and chosen actions."""

    def __init__(
        self, kind: GameKind, seeds: np.ndarray, ruleset: Any, begun: np.ndarray | None = None
    ) -> None:
        self.kind = kind
        self.states, self.masks = kind.new_states(seeds, ruleset)
        self.actions = np.zeros(len(seeds), dtype=np.int64)
        if begun is not None:
            self.states[:] = begun
            kind.kernels.refresh(self.states, self.masks)

    def view(self, games: np.ndarray) -> BotView:
        """The view of the deciding seats; games are copied only if the bot uses them."""

        @functools.cache
        def view() -> BotView:
            return view_of(copy_states(self.states, games), self.masks[games], self.kind)

        seats = self.states["seat"][games]
        return BotView(
            self.masks[games],
            seats,
            lambda: view().observations,
            lambda k, seeds: view().worlds_from(k, seeds),
        )


@dataclasses.dataclass
class _Player:
    """A bot in a batch."""

    place: int
    """The index of the bot."""
    bot: Bot
    limit: float
    """Seconds per decision; 0: no limit."""
    pending_call: PendingCall
    courses: BatchHistory
    ended: list[EndedGame] = dataclasses.field(default_factory=list)
    """Finished games that have not been reported to the bot yet."""
    asked: int = 0
    """Number of calls so far, in this process."""
    simulations_before: int = 0
    """The bot's count of simulations at the start."""
    step: int = 0
    """The step of the games."""
    seconds: float = 0.0
    """The thinking time in seconds, without the time in which the bot was made."""
    lost_in_a_row: int = 0
    """Number of lost processes since the last answer."""

    def answer(self, open_games: _OpenGames, games: np.ndarray) -> np.ndarray:
        """The unchecked answer for some games; raises TooLateError if the bot is late."""
        view, call_timeout = open_games.view(games), self.pending_call.call_timeout(len(games))
        view.seconds = self.limit * len(games) or None
        view.past = self.courses.past(games, view.seats, tuple(self.ended))
        seconds = self.limit * len(games) or call_timeout
        clock = self.pending_call.running_time
        start, making = clock(), self._making
        try:
            if isinstance(self.bot, IsolatedBot):
                return self.bot.answer(view, seconds)
            self.asked += 1
            question = BotCall(self.place, self.asked)
            if question in self.pending_call.unanswered:
                raise TooLateError
            where = functools.partial(self._where, open_games, games)
            watchdog = self.pending_call.about(question, call_timeout and max(seconds, call_timeout), where)
            with watchdog, alarm(seconds, clock):
                answer = np.asarray(self.bot.act(view))
            if seconds and clock() - start > seconds:
                raise TooLateError
            return answer
        finally:
            self.seconds += clock() - start - (self._making - making)

    @property
    def _making(self) -> float:
        """The seconds so far in which an isolated bot was made; another bot is made before the games."""
        return self.bot.making if isinstance(self.bot, IsolatedBot) else 0.0

    def thought(self, decisions: int) -> ThinkingTime:
        """The thinking time, including failed calls."""
        made = getattr(self.bot, "simulations", 0) - self.simulations_before
        return ThinkingTime(decisions, self.seconds, float(made))

    def note_end(self, game: int, seat: int, winner: int) -> None:
        """Queues a report that a game is over, if the bot has decided in it in this seat."""
        number = self.courses.number_of(game, seat)
        if number is not None:
            self.ended.append(EndedGame(number, winner))

    def late(self, games: np.ndarray) -> str:
        """A message about the lateness of the bot."""
        call = f"in a call for {counted(len(games), 'decision')}"
        if self.limit:
            return f"more than {self.limit:g} s per decision {call}"
        return f"no answer in {self.pending_call.call_timeout(len(games)):g} s {call}"

    def _where(self, open_games: _OpenGames, games: np.ndarray) -> str:
        others = f" and {len(games) - 1} others" if len(games) > 1 else ""
        decision = open_games.kind.words.decision(open_games.states[int(games[0])]).removesuffix(".")
        return f" (game {self.pending_call.numbers[games[0]] + 1}{others}, step {self.step}: {decision})"


def _ask(player: _Player, open_games: _OpenGames, games: np.ndarray) -> dict[int, Forfeit]:
    """Writes the bot's actions for some games; returns the games that the bot forfeits.

    If the call fails, the bot is asked again for each game, and forfeits only the games that fail again. A
    late call is repeated only if the bot runs in a separate process.
    """
    seats = open_games.states["seat"][games]
    try:
        answer = player.answer(open_games, games)
    except TooLateError:
        return _lost(games, seats, ForfeitKind.TIME_OUT, player.late(games))
    except LateError:
        return _ask_each(player, open_games, games, ForfeitKind.TIME_OUT, player.late(games))
    except BotProcessError as error:
        return _ask_each(player, open_games, games, ForfeitKind.DIED, str(error))
    except BotRaisedError as error:
        return _ask_each(player, open_games, games, ForfeitKind.CRASH, str(error))
    except (InvalidAnswerError, NoActionError) as error:
        return _ask_each(player, open_games, games, ForfeitKind.ILLEGAL, f"answered with {error}")
    except (Exception, SystemExit) as error:
        words = one_line(raised(error), LONGEST_MESSAGE)
        return _ask_each(player, open_games, games, ForfeitKind.CRASH, words)
    player.lost_in_a_row = 0
    player.ended.clear()
    if answer.shape != (len(games),) or not np.issubdtype(answer.dtype, np.integer):
        words = f"answered with {describe_invalid_answer(answer, len(games))}"
        return _ask_each(player, open_games, games, ForfeitKind.ILLEGAL, words)
    names = open_games.kind.actions.names
    in_range = (answer >= 0) & (answer < len(names))
    chosen = np.where(in_range, answer, 0).astype(np.int64)
    legal = in_range & open_games.masks[games, chosen]
    open_games.actions[games[legal]] = chosen[legal]
    lost = {}
    for row in np.flatnonzero(~legal).tolist():
        name = f" ({names[chosen[row]]})" if in_range[row] else ""
        words = f"illegal action {answer[row]}{name}"
        lost |= _lost(games[row : row + 1], seats[row : row + 1], ForfeitKind.ILLEGAL, words)
    return lost


def _ask_each(
    player: _Player, open_games: _OpenGames, games: np.ndarray, why: ForfeitKind, words: str
) -> dict[int, Forfeit]:
    """Asks the bot again for each game after a failure; it forfeits the games that fail.

    After ``MAX_CONSECUTIVE_FORFEITS`` lost processes the bot is disqualified and not asked any more.
    """
    if len(games) == 1:
        player.lost_in_a_row += isinstance(player.bot, IsolatedBot) and why in (
            ForfeitKind.DIED,
            ForfeitKind.TIME_OUT,
        )
        return _lost(games, open_games.states["seat"][games], why, words)
    lost = {}
    for row in range(len(games)):
        if player.lost_in_a_row < MAX_CONSECUTIVE_FORFEITS:
            lost |= _ask(player, open_games, games[row : row + 1])
    return lost


def _lost(games: np.ndarray, seats: np.ndarray, why: ForfeitKind, words: str) -> dict[int, Forfeit]:
    return {
        game: Forfeit(seat, why, words) for game, seat in zip(games.tolist(), seats.tolist(), strict=True)
    }
