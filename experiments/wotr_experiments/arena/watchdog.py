"""A bot in the arena's process that does not answer, as another thread or process sees it.

It is asked with an alarm in hand, which ends what is written in Python. What holds up alarms too, or plays
where there are none, is left to who watches: a worker process is ended, a thread is left behind, and its
games are played again without the question that was not answered. Where nobody else plays, the process ends.
"""

from __future__ import annotations

import contextlib
import os
import sys
import threading
import time
from collections.abc import Callable, Collection, Iterator, MutableSequence, Sequence
from typing import NamedTuple

LOOK_AGAIN = 0.5
"""Seconds between two looks at those who are asked."""
GRACE = 10.0
"""Seconds after which an alarm has done nothing."""


class Question(NamedTuple):
    """What a bot is asked in a batch."""

    player: int
    """The place of the bot among those that play."""
    number: int
    """From 1; 0 is what it is asked before, for nothing."""


class Asking:
    """The question that a bot has not answered yet.

    Args:
        patience: seconds for which it may think about so many games at once; 0: for ever.
        shared: ``shared_numbers`` of them, where another process watches.
        clock: seconds, the same in all processes.

    Attributes:
        clock: by which those who are asked are timed.
        names: of the bots, by their places among those that play.
        numbers: of the games in their pairing, by their places in the batch.
        unanswered: what bots of this process never answered when these games were played before.
    """

    shared_numbers = 3

    def __init__(
        self,
        patience: Callable[[int], float] = lambda _games: 0.0,
        shared: MutableSequence[float] | None = None,
        *,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self.patience = patience
        self.clock = clock
        self.names: Sequence[str] = ()
        self.numbers: Sequence[int] = ()
        self.unanswered: Collection[Question] = ()
        self._player_number_until = [0.0] * self.shared_numbers if shared is None else shared
        self._where: Callable[[], str] = str

    @contextlib.contextmanager
    def about(self, question: Question, seconds: float, where: Callable[[], str] = str) -> Iterator[None]:
        """The bot is asked meanwhile.

        Args:
            question: what it is asked.
            seconds: in which it has to answer; 0: for ever.
            where: says which games those are.
        """
        shared = self._player_number_until
        shared[0], shared[1], self._where = question.player, question.number, where
        if seconds:
            shared[2] = self.clock() + seconds
        try:
            yield
        finally:
            shared[2] = 0.0

    @property
    def overdue(self) -> Question | None:
        """The question that is not answered although an alarm has rung; None: there is none.

        The bot may answer meanwhile and another bot be asked: the deadline, which is read before and after
        the question, is another one then.
        """
        shared = self._player_number_until
        until = shared[2]
        question = Question(int(shared[0]), int(shared[1]))
        late = until > 0 and self.clock() > until + GRACE
        return question if late and shared[2] == until else None

    def told(self, question: Question) -> str:
        """Who does not answer what, where this process asks."""
        name = self.names[question.player]
        return f"bot {name} does not answer and cannot be stopped{self._where()}"


@contextlib.contextmanager
def ended_if_hung(asking: Asking) -> Iterator[None]:
    """Ends this process in one line, with exit code 2, if a bot holds it up; nothing else could."""
    over = threading.Event()

    def watch() -> None:
        while not over.wait(LOOK_AGAIN):
            if (question := asking.overdue) is None:
                continue
            words = asking.told(question)
            if asking.overdue == question:  # it has not answered while the words were made
                print(f"\nwotr: {words}; use --isolate foreign or all", file=sys.stderr, flush=True)
                os._exit(2)

    threading.Thread(target=watch, daemon=True).start()
    try:
        yield
    finally:
        over.set()
