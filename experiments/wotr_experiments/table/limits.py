"""Limits of one server, and a rate limiter."""

from __future__ import annotations

import dataclasses
import time
from collections.abc import Callable


@dataclasses.dataclass(frozen=True)
class Limits:
    """Limits of one server."""

    tables: int = 500
    """Maximal number of tables in memory."""
    stored: int = 100_000
    """Maximal number of tables in the file."""
    listed: int = 200
    """Maximal number of tables in one answer of the list."""
    connections: int = 1000
    connections_of_table: int = 50
    message: int = 16_384
    """Maximal size of a client's message in characters, or of a body in bytes."""
    messages_per_second: float = 20.0
    """Average rate of a connection; bursts may be twice as large."""
    tables_per_second: float = 5.0
    """Average rate of new tables; bursts may be ``tables_at_once``."""
    tables_at_once: int = 50
    hello_seconds: float = 10.0
    think_seconds: float = 120.0
    """Time limit in seconds for a bot's choices in one turn."""
    idle_seconds: float = 600.0
    """Seconds after which an unused table is removed from memory; it stays in the file."""


class Rate:
    """A rate limiter (token bucket)."""

    def __init__(
        self, per_second: float, at_once: float, clock: Callable[[], float] = time.monotonic
    ) -> None:
        self._per_second, self._most, self._clock = per_second, at_once, clock
        self._left, self._then = at_once, clock()

    def take(self) -> bool:
        """Counts one event if it is within the limit; returns whether it is."""
        now = self._clock()
        self._left = min(self._most, self._left + (now - self._then) * self._per_second)
        self._then = now
        if self._left < 1:
            return False
        self._left -= 1
        return True
