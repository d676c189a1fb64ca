"""Disqualification of bots that forfeit three games in a row by crashes, lateness or lost processes.

Games count in the order of the schedule, not of play, and a bot is disqualified from the next batch on. So
the result does not depend on the number of workers, or on stops of the run.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Iterable, Iterator, Sequence

from wotr_experiments.arena.play import DISQUALIFYING_FORFEITS, MAX_CONSECUTIVE_FORFEITS, ForfeitKind
from wotr_experiments.arena.played_games import PlayedGame
from wotr_experiments.arena.schedule import Batch, Tournament


class Referee:
    """Judges games in the order of the schedule.

    Attributes:
        out: the indices of disqualified bots, each with the pairing and the number of the decisive game.
    """

    def __init__(self, bots: int) -> None:
        self.out: dict[int, tuple[int, int]] = {}
        self._in_a_row = [0] * bots

    def add(self, games: Iterable[PlayedGame]) -> None:
        """Adds the next games."""
        for game in games:
            for place in set(game.players) - self.out.keys():
                lost = game.forfeited_by == place
                foul = lost and game.forfeit in DISQUALIFYING_FORFEITS
                self._in_a_row[place] = self._in_a_row[place] + 1 if foul else 0
                thrown_out = lost and game.forfeit == ForfeitKind.DISQUALIFIED
                if thrown_out or self._in_a_row[place] >= MAX_CONSECUTIVE_FORFEITS:
                    self.out[place] = game.pairing, game.number

    def disqualified_among(self, players: Iterable[int]) -> tuple[int, ...]:
        """The bots of a pairing that are disqualified now."""
        return tuple(sorted(self.out.keys() & set(players)))


class Schedule(Iterator[Batch]):
    """Hands out batches, and releases finished batches in the order of the schedule.

    A batch that was started before one of its bots was disqualified is handed out again.

    Args:
        tournament: the tournament.
        there: the stored games, in the order of the schedule.
        todo: the other batches, in the same order.
        on_end: called with a negative number for ended games that are played again.
        on_take: called with each batch that is handed out.
    """

    def __init__(
        self,
        tournament: Tournament,
        there: Sequence[PlayedGame],
        todo: Sequence[Batch],
        on_end: Callable[[int], object] = lambda _games: None,
        on_take: Callable[[Batch], object] = lambda _batch: None,
    ) -> None:
        self._pairings = tournament.pairings
        self._referee = Referee(len(tournament.bots))
        self._there, self._seen = there, 0
        self._todo = todo
        self._given = self._taken = 0
        self._again: list[Batch] = []
        self._waiting: dict[tuple[int, int], tuple[Batch, list[PlayedGame]]] = {}
        self._on_end, self._on_take = on_end, on_take
        if todo:
            self._look_before(todo[0])

    def __next__(self) -> Batch:
        if self._again:
            batch = self._again.pop()
        elif self._given == len(self._todo):
            raise StopIteration
        else:
            self._given += 1
            batch = self._now(self._todo[self._given - 1])
        self._on_take(batch)
        return batch

    def take(self, batch: Batch, games: list[PlayedGame]) -> Iterator[list[PlayedGame]]:
        """Adds a finished batch; returns the batches that are now final."""
        self._waiting[batch.pairing, batch.first] = batch, games
        while self._taken < len(self._todo):
            due = self._todo[self._taken]
            self._look_before(due)
            played, games = self._waiting.pop((due.pairing, due.first), (None, []))
            if played is None:
                return
            if played != (now := self._now(due)):
                self._again.append(now)
                self._on_end(-len(games))
                return
            self._taken += 1
            self._referee.add(games)
            yield games

    def _now(self, batch: Batch) -> Batch:
        """A batch in which the bots that are disqualified now are marked."""
        return dataclasses.replace(batch, out=self._referee.disqualified_among(self._pairings[batch.pairing]))

    def _look_before(self, batch: Batch) -> None:
        """Lets the referee judge the stored games before a batch."""
        while self._seen < len(self._there):
            game = self._there[self._seen]
            if (game.pairing, game.number) > (batch.pairing, batch.first):
                return
            self._referee.add([game])
            self._seen += 1
