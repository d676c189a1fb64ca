"""A client connected to a table, with its queue of messages."""

from __future__ import annotations

import asyncio
import collections
import time
from collections.abc import Awaitable, Callable
from typing import Any

from wotr_experiments.table.game import Table
from wotr_experiments.table.meeting import LINES_SHOWN
from wotr_experiments.table.messages import VERSION, Refused, to_json
from wotr_experiments.table.viewers import Eyes, form_of_name

_SLICE = 0.005
"""Maximal seconds of work for one client before others get their turn."""
_MOST_QUEUED = 100
"""Maximal number of queued messages for a client; a slower client is disconnected."""


class Client:
    """A client connected to a table, as a player or as a spectator.

    Args:
        table: the table.
        eyes: the client's view, with the form of its drawings.
        after: the number of actions that the client knows; None: none, and no events are sent.
        send: a function that sends a text.
    """

    def __init__(
        self, table: Table, eyes: Eyes, after: int | None, send: Callable[[str], Awaitable[None]]
    ) -> None:
        self.table = table
        self.eyes = eyes
        self.after = table.kept(after or 0, eyes.delay)
        self.asked_hint = False
        self._events = after is not None
        self._told = False
        self._send = send
        self._waiting: collections.deque[bytes] = collections.deque()
        self._changed = True
        self._work = asyncio.Event()
        self._work.set()
        self._heard = 0
        """The number of lines of the chat that were sent or skipped."""
        self.ended: Refused | None = None
        """The reason for the end of the connection."""

    def show(self) -> None:
        """Called when the table has changed."""
        self._changed = True
        self._work.set()

    def draw_in(self, form: str) -> None:
        """Shows the table again, in a form of drawings by its name; raises Refused if there is no such
        form."""
        self.eyes = self.eyes._replace(form=form_of_name(form))
        self.show()

    def call(self) -> None:
        """Called when a person has written in the chat."""
        self._work.set()

    def end(self, why: Refused) -> None:
        """Ends the connection."""
        self.ended = why
        self._work.set()

    def tell(self, message: dict[str, Any] | bytes) -> None:
        """Queues a message after the current position."""
        if len(self._waiting) >= _MOST_QUEUED:
            self.ended = Refused("rate", "the client does not read messages fast enough")
        else:
            self._waiting.append(message if isinstance(message, bytes) else to_json(message))
        self._work.set()

    async def serve(self, here: Callable[[Table], set[int]]) -> None:
        """Sends queued messages, until the task is cancelled or the connection ends."""
        while self.ended is None:
            await self._work.wait()
            self._work.clear()
            if self.ended is not None:
                return
            if self._changed:
                self._changed = False
                await catch_up(self.table, self.eyes.view, self._shown)
                state = self.table.message(self.eyes, self.after, here(self.table), self._events, self._told)
                self.after, self._events, self._told = self._shown(), True, True
                await self._send(state.decode())
            if lines := self._new_lines():
                await self._send(to_json({"type": "chat", "v": VERSION, "lines": lines}).decode())
            while self._waiting:
                await self._send(self._waiting.popleft().decode())

    def _new_lines(self) -> list[dict[str, Any]]:
        """The lines of the chat that the client may read now and has not received; of old lines only the last
        ones."""
        meeting = self.table.meeting
        if not meeting.may_read(self.eyes, self.table.is_late(self.eyes)):
            return []
        first, self._heard = max(self._heard, len(meeting.chat) - LINES_SHOWN), len(meeting.chat)
        return meeting.chat[first:]

    def _shown(self) -> int:
        return self.table.shown(self.eyes.delay)


async def catch_up(table: Table, view: int | None, number: Callable[[], int]) -> None:
    """Prepares texts that a view lacks, and yields to other clients if that takes long."""
    until = time.monotonic() + _SLICE
    while not table.has_told(view, number()):
        if time.monotonic() > until:
            await asyncio.sleep(0)
            until = time.monotonic() + _SLICE
        else:
            table.tell_next(view)
