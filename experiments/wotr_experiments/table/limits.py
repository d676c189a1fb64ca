"""What one server takes upon itself, and how much of it at a time."""

from __future__ import annotations

import dataclasses
import time
from collections.abc import Callable


@dataclasses.dataclass(frozen=True)
class Limits:
    """What one server takes upon itself."""

    tables: int = 500
    """In memory: with somebody connected, or a bot that thinks, or used a while ago."""
    stored: int = 100_000
    """In the file."""
    listed: int = 200
    """In one answer to who asks for the list."""
    connections: int = 1000
    connections_of_table: int = 50
    message: int = 16_384
    """Bytes of a message of a client, or of a body."""
    messages_per_second: float = 20.0
    """Of a connection, on average; and twice as many at once."""
    tables_per_second: float = 5.0
    """That are opened, on average; and tables_at_once at once."""
    tables_at_once: int = 50
    hello_seconds: float = 10.0
    think_seconds: float = 120.0
    """For the choices that a bot makes in a moment, or for one."""
    idle_seconds: float = 600.0
    """After which a table at which nobody is leaves the memory; it stays in the file."""


class Rate:
    """So many a second on average, and some at once (a token bucket)."""

    def __init__(
        self, per_second: float, at_once: float, clock: Callable[[], float] = time.monotonic
    ) -> None:
        self._per_second, self._most, self._clock = per_second, at_once, clock
        self._left, self._then = at_once, clock()

    def take(self) -> bool:
        """Whether one more is within the limit; it is counted if so."""
        now = self._clock()
        self._left = min(self._most, self._left + (now - self._then) * self._per_second)
        self._then = now
        if self._left < 1:
            return False
        self._left -= 1
        return True
