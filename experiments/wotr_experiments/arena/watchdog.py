"""The watchdog for bots in the arena's own process, run by another thread or process.

A bot is called under an alarm, which interrupts Python code. If the alarm fails or is unavailable, the
watchdog acts: it kills a worker process or abandons a thread, and the games of this worker are played again
without the unanswered question. If there is no other worker, the process exits. Pauses of the watching
process do not count.
"""

from __future__ import annotations

import contextlib
import os
import sys
import threading
import time
from collections.abc import Callable, Collection, Iterator, MutableSequence, Sequence
from typing import NamedTuple

from wotr_experiments.pauses import paused

POLL_SECONDS = 0.5
"""Seconds between two checks."""
GRACE = 10.0
"""Seconds after which an alarm is considered ineffective."""


class BotCall(NamedTuple):
    """A call of a bot in a batch."""

    player: int
    """The index of the bot."""
    number: int
    """The number of the call, from 1; 0 is the warm-up."""


class PendingCall:
    """The call that a bot has not answered yet.

    Args:
        call_timeout: the limit in seconds for a number of games; 0: no limit.
        shared: an array of ``shared_numbers`` numbers, if another process watches.
        clock: a clock in seconds, the same in all processes.
        paused: the total length of the pauses of this process in seconds.

    Attributes:
        names: the names of the bots.
        numbers: the numbers of the games in their pairing.
        unanswered: calls that bots of this process did not answer in earlier attempts.
    """

    shared_numbers = 3

    def __init__(
        self,
        call_timeout: Callable[[int], float] = lambda _games: 0.0,
        shared: MutableSequence[float] | None = None,
        *,
        clock: Callable[[], float] = time.monotonic,
        paused: Callable[[], float] = paused,
    ) -> None:
        self.call_timeout = call_timeout
        self._clock, self._paused = clock, paused
        self._watched_until, self._paused_then, self._paused_last = 0.0, 0.0, paused()
        self.names: Sequence[str] = ()
        self.numbers: Sequence[int] = ()
        self.unanswered: Collection[BotCall] = ()
        self._player_number_until = [0.0] * self.shared_numbers if shared is None else shared
        self._where: Callable[[], str] = str

    @contextlib.contextmanager
    def about(self, question: BotCall, seconds: float, where: Callable[[], str] = str) -> Iterator[None]:
        """A context for the call of a bot.

        Args:
            question: the call.
            seconds: the time limit; 0: no limit.
            where: a description of the games.
        """
        shared = self._player_number_until
        shared[0], shared[1], self._where = question.player, question.number, where
        if seconds:
            shared[2] = self._clock() + seconds
        try:
            yield
        finally:
            shared[2] = 0.0

    def running_time(self) -> float:
        """The time on the clock without the pauses of this process, in seconds."""
        return self._clock() - self._paused()

    @property
    def overdue(self) -> BotCall | None:
        """The call that is still unanswered after its alarm; None if there is none.

        The bot may answer in the meantime, and another bot may be asked. So the deadline is read before and
        after the call. A pause since the last check before the call does not count.
        """
        shared = self._player_number_until
        until = shared[2]
        question = BotCall(int(shared[0]), int(shared[1]))
        now, pauses = self._clock(), self._paused()
        if until != self._watched_until:
            self._watched_until, self._paused_then = until, self._paused_last
        self._paused_last = pauses
        late = until > 0 and now - (pauses - self._paused_then) > until + GRACE
        return question if late and shared[2] == until else None

    def message(self, question: BotCall) -> str:
        """A message about the unanswered call of this process."""
        name = self.names[question.player]
        return f"bot {name} does not answer and cannot be stopped{self._where()}"


@contextlib.contextmanager
def exit_if_hung(pending_call: PendingCall) -> Iterator[None]:
    """Exits the process with a one-line message and exit code 2 if a bot blocks it."""
    over = threading.Event()

    def watch() -> None:
        while not over.wait(POLL_SECONDS):
            if (question := pending_call.overdue) is None:
                continue
            words = pending_call.message(question)
            if pending_call.overdue == question:  # it has not answered while the words were made
                print(f"\nwotr: {words}; use --isolate foreign or all", file=sys.stderr, flush=True)
                os._exit(2)

    threading.Thread(target=watch, daemon=True).start()
    with paused.watched():
        try:
            yield
        finally:
            over.set()
