"""The history of games from the view of a bot's seats.

Code that runs games between bots keeps a ``BatchHistory`` object and adds a ``GameHistory`` to each view.
Events are computed only when a bot asks for them.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np

from wotr_env.core.errors import RecordError
from wotr_env.core.kind import GameKind
from wotr_env.core.states import copy_states
from wotr_env.play.record import GameRecord

EventDict = dict[str, Any]
"""An event for JSON: its ``kind`` and fields (``GameKind.step_of``)."""
_NOBODY = -1
"""Marks a game that was not stepped, instead of a seat."""
_MOST_LEFT = 4096
"""Number of unneeded steps above which they are dropped."""


class EndedGame(NamedTuple):
    """A game that is over."""

    game: int
    """The number of the game in ``GameHistory.games``."""
    winner: int
    """The winning team, or ``GameKind.draw``."""


class GameHistory:
    """The identity and history of B games that wait for a decision, in addition to the observations.

    A ``GameHistory`` is valid as long as the view that it belongs to.

    Args:
        numbers: ``int64[2, B]``, ``games`` and ``decisions``, or a function that computes them at the first
            access.
        ended: finished games of the bot that have not been reported to it yet.
        tell: a function that returns the events of each game: all of them, or those since the seat's last
            decision.
    """

    def __init__(
        self,
        numbers: np.ndarray | Callable[[], np.ndarray],
        ended: tuple[EndedGame, ...],
        tell: Callable[[bool], list[list[EventDict]]],
    ) -> None:
        self.ended = ended
        self.tell = tell
        self._numbers = numbers

    @property
    def games(self) -> np.ndarray:
        """The number of each row's game, as the deciding seat counts games: ``int64[B]``.

        The number stays the same for a seat and a game until the game is over. Each seat has its own number
        for a game, and numbers are never reused.
        """
        return self._told()[0]

    @property
    def decisions(self) -> np.ndarray:
        """The number of decisions that the seat has made in its game: ``int64[B]``.

        If the number is the same as before, the same decision is asked again. If a number is skipped, someone
        else has made a decision in between, for example this bot before its process was restarted.
        """
        return self._told()[1]

    def events(self) -> list[list[EventDict]]:
        """The events that each seat has seen since its last decision, including the event of that decision; B
        lists, in order."""
        return self.tell(False)

    def history(self) -> list[list[EventDict]]:
        """The events that each seat has seen since the start of the game; B lists, in order."""
        return self.tell(True)

    def _told(self) -> np.ndarray:
        if callable(self._numbers):
            self._numbers = self._numbers()
        return self._numbers


Past = GameHistory
"""The name of ``GameHistory`` in 0.2."""


class BatchHistory:
    """The histories of N games that are played at the same time.

    Args:
        kind: the game.
        states: ``kind.state[N]``: the starts of the games.
        seats: S, the number of seats.
    """

    def __init__(self, kind: GameKind, states: np.ndarray, seats: int) -> None:
        self._kind = kind
        self._seats = seats
        self._serials = len(states)
        self._number = np.arange(len(states), dtype=np.int64)
        self._first = np.zeros(len(states), dtype=np.int64)
        self._dropped = 0
        self._begun = states.copy()
        self._decided = np.zeros((len(states), seats), dtype=np.int64)
        self._counted = 0
        self._told: dict[tuple[int, int, bool], _Reading] = {}
        self.actions: list[np.ndarray] = []
        """The actions of each step, ``int16[N]``."""
        self.given: Callable[[np.record, int], np.record] | None = None
        """For a single game with given outcomes: ``GameRecord.given`` of its record up to now."""
        self._deciders: list[np.ndarray] = []

    def begin(self, rows: np.ndarray, states: np.ndarray) -> None:
        """Replaces some games by new ones.

        Args:
            rows: ``int64[R]``, the rows of the games.
            states: ``kind.state[R]``, the starts of the new games.
        """
        self._count()
        self._number[rows] = self._serials + np.arange(len(rows))
        self._serials += len(rows)
        self._first[rows] = self._dropped + len(self.actions)
        self._begun[rows] = states
        self._decided[rows] = 0
        renewed = set(rows.tolist())
        self._told = {key: reading for key, reading in self._told.items() if key[0] not in renewed}
        left = int(self._first.min()) - self._dropped
        if left > _MOST_LEFT:
            del self.actions[:left], self._deciders[:left]
            self._dropped += left
            self._counted -= left

    def step(self, states: np.ndarray, actions: np.ndarray, rows: np.ndarray | None = None) -> None:
        """Records a step. Called before the step is made.

        Args:
            states: ``kind.state[N]``, the current states.
            actions: ``int64[N]``.
            rows: ``int64[R]``: the games that are stepped; None: all unfinished games.
        """
        seats = states["seat"].astype(np.int8)
        if rows is not None:
            stepped = np.full(len(seats), _NOBODY, dtype=np.int8)
            stepped[rows] = seats[rows]
            seats = stepped
        self.actions.append(actions.astype(np.int16))
        self._deciders.append(seats)

    def past(self, rows: np.ndarray, seats: np.ndarray, ended: tuple[EndedGame, ...] = ()) -> GameHistory:
        """Returns the ``GameHistory`` of a view.

        Args:
            rows: ``int64[B]``: the games.
            seats: ``int8[B]``: the deciding seats.
            ended: finished games to report.
        """

        def tell(everything: bool) -> list[list[EventDict]]:
            asked = zip(rows.tolist(), seats.tolist(), strict=True)
            return [self._reading(row, seat, everything) for row, seat in asked]

        def numbers() -> np.ndarray:
            self._count()
            return np.array([self._number[rows] * self._seats + seats, self._decided[rows, seats]])

        return GameHistory(numbers, ended, tell)

    def ended(self, rows: np.ndarray, winners: Sequence[int] | np.ndarray) -> list[EndedGame]:
        """The ``EndedGame`` entries of finished games, for a bot that plays all seats of these games.

        Args:
            rows: ``int64[R]``: the games.
            winners: for each of the N games a team or ``GameKind.draw``.
        """
        found = []
        for row in rows.tolist():
            for seat in range(self._seats):
                if (number := self.number_of(row, seat)) is not None:
                    found.append(EndedGame(number, int(winners[row])))
        return found

    def decided(self, lengths: np.ndarray) -> np.ndarray:
        """The number of decisions of each seat in the first ``lengths`` steps of each game: ``int64[N, S]``.

        Args:
            lengths: ``int64[N]``; requires that no step has been dropped.
        """
        deciders = np.array(self._deciders, dtype=np.int8).reshape(-1, len(lengths))
        counts = np.arange(len(deciders))[:, None] < lengths
        return np.array([((deciders == seat) & counts).sum(axis=0) for seat in range(self._seats)]).T

    def number_of(self, row: int, seat: int) -> int | None:
        """The number of a game for a seat, as in ``GameHistory.games``; None if the seat has not decided in
        this game."""
        self._count()
        if not self._decided[row, seat]:
            return None
        return int(self._number[row]) * self._seats + seat

    def _count(self) -> None:
        """Counts the decisions of the steps since the last count."""
        if self._counted < len(self._deciders):
            deciders = np.array(self._deciders[self._counted :])
            for seat in range(self._seats):
                self._decided[:, seat] += (deciders == seat).sum(axis=0)
            self._counted = len(self._deciders)

    def _reading(self, row: int, seat: int, everything: bool) -> list[EventDict]:
        key = row, seat, everything
        if key not in self._told:
            begun = copy_states(self._begun, np.array([row]))
            self._told[key] = _Reading(self._kind, begun, seat, int(self._first[row]), everything)
        reading = self._told[key]
        first = reading.step - self._dropped
        taken = [(int(actions[row]), int(seats[row])) for actions, seats in self._since(first)]
        return reading.read(taken, self.given)

    def _since(self, first: int) -> zip[tuple[np.ndarray, np.ndarray]]:
        return zip(self.actions[first:], self._deciders[first:], strict=True)


class SingleGameHistory:
    """The history of a single game that other code steps. Choices of this game may be taken back.

    Args:
        kind: the game.
    """

    def __init__(self, kind: GameKind) -> None:
        self._kind = kind
        self._courses: BatchHistory | None = None
        self._taken: tuple[int, ...] = ()
        self._tapes: tuple[tuple[int, tuple[int, ...]], ...] = ()
        self._states = np.zeros(1, dtype=kind.state)
        self._masks = np.zeros((1, kind.actions.size), dtype=np.bool_)

    def past(self, game: Any) -> GameHistory | None:
        """The ``GameHistory`` of a view of the game, which waits for a decision.

        Args:
            game: made by ``GameKind.game``; always the same game or a later state of this game.

        Returns:
            The ``GameHistory``; None if the start of the game is unknown.
        """
        try:
            record = GameRecord.from_game(game)
        except RecordError:
            return None
        actions, courses, known = record.actions, self._courses, self._taken
        tapes = tuple(each for each in record.tapes if each[0] < len(known))
        if courses is None or actions[: len(known)] != known or tapes != self._tapes:
            begun = record.begun()
            self._states[0] = begun.state
            courses, known = BatchHistory(self._kind, self._states, len(game.ruleset.seats)), ()
        row = np.zeros(1, dtype=np.int64)
        for number, action in enumerate(actions[len(known) :], start=len(known)):
            taken = np.array([action])
            self._states[0] = record.given(self._states[0], number)
            courses.step(self._states, taken, row)
            self._kind.kernels.step(self._states, self._masks, taken)
        courses.given = record.given
        self._courses, self._taken, self._tapes = courses, actions, record.tapes
        return courses.past(row, self._states["seat"].copy())


class _Reading:
    """The reading position of a seat in the events of a game."""

    def __init__(self, kind: GameKind, states: np.ndarray, seat: int, step: int, everything: bool) -> None:
        self._kind = kind
        self._states = states
        self._seat = seat
        self._everything = everything
        self._masks = np.zeros((1, kind.actions.size), dtype=np.bool_)
        self._events: list[EventDict] = []
        self.step = step

    def read(
        self,
        taken: list[tuple[int, int]],
        given: Callable[[np.record, int], np.record] | None,
    ) -> list[EventDict]:
        """The events so far, or those since the seat's last decision.

        Args:
            taken: the action and the deciding seat of each step since the last call; ``_NOBODY``: no step.
            given: as ``BatchHistory.given``.
        """
        first = self.step
        self.step += len(taken)
        first_new = 0
        if not self._everything:
            own = [number for number, (_, decider) in enumerate(taken) if decider == self._seat]
            if own:
                first_new, self._events = own[-1], []
        events = list(self._events)
        for number, (action, decider) in enumerate(taken):
            if decider == _NOBODY:
                continue
            if given is not None:
                self._states[0] = given(self._states[0], first + number)
            if number >= first_new:
                events += self._kind.step_of(self._states[0], action, self._seat).events
            self._kind.kernels.step(self._states, self._masks, np.array([action]))
        self._events = events
        return list(events)
