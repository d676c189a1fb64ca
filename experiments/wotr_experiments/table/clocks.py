"""Clocks of a table: the time that each seat has for decisions."""

from __future__ import annotations

import json
import time
from collections.abc import Callable
from typing import Any, NamedTuple

_START = time.time() - time.monotonic()


def steady_time() -> float:
    """Seconds since 1970, from a clock that does not follow corrections of the system time."""
    return _START + time.monotonic()


class ClockRule(NamedTuple):
    """The time of a seat, in seconds: for the game, or for each turn at the clock (the decisions until
    another seat decides)."""

    game: float = 0.0
    """Time for the whole game; 0: no such limit."""
    increment: float = 0.0
    """Time that is added whenever another seat becomes the deciding seat."""
    move: float = 0.0
    """Time for each turn at the clock; 0: no such limit."""

    @property
    def first(self) -> float:
        """The time of a seat at the start."""
        return self.game or self.move


class Clock:
    """The clock of a table.

    The clock runs for the deciding seat, from the first moment at which all people are connected.

    Args:
        rule: the time of each seat.
        seats: number of seats.
        now: a function that returns the current time in seconds.
        kept: an earlier state of the clock, from ``to_json``; empty: a new clock.
        awake: the start of the server's present run; time between ``kept`` and this start does not count.
    """

    def __init__(
        self, rule: ClockRule, seats: int, now: Callable[[], float], kept: str = "", awake: float = 0.0
    ) -> None:
        self.rule = rule
        self._now = now
        known = json.loads(kept) if kept else {"left": [rule.first] * seats, "since": None}
        self._left = [float(each) for each in known["left"]]
        if len(self._left) != seats:
            raise ValueError(f"the clock has {len(self._left)} times for {seats} seats")
        # The system clock may have been set back since: a start in the future would give a seat time.
        self._since = None if known["since"] is None else min(max(float(known["since"]), awake), now())
        self.runs: int | None = None
        """The seat whose clock is running."""

    @property
    def begun(self) -> bool:
        """Whether all people have been connected at the same time."""
        return self._since is not None

    def begin(self) -> None:
        """Starts the clock."""
        self._since = self._now()

    def wait(self) -> None:
        """Stops the clock until all people are connected again; the time since the last action is given
        back."""
        self._since = None

    def left(self, seat: int) -> float:
        """The remaining seconds of a seat; not negative."""
        used = self._now() - self._since if self._since is not None and seat == self.runs else 0.0
        return max(0.0, self._left[seat] - used)

    @property
    def fallen(self) -> int | None:
        """The seat whose time has run out."""
        seat = self.runs
        return seat if self.begun and seat is not None and self.left(seat) <= 0 else None

    def pass_on(self, seat: int | None) -> float:
        """Called when the deciding seat may have changed.

        Args:
            seat: the present deciding seat; None: there is none.

        Returns:
            The seconds since the last call.
        """
        used, before = 0.0, self.runs
        if self._since is not None:
            now = self._now()
            used, self._since = now - self._since, now
            if before is not None:
                self._left[before] = max(0.0, self._left[before] - used)
                if seat not in (before, None):
                    self._left[before] += self.rule.increment
        if self.rule.move and seat is not None and seat != before:
            self._left[seat] = self.rule.move
        self.runs = seat
        return used

    def resume(self, seat: int | None) -> None:
        """Starts the clock of a seat, with its remaining time."""
        self.runs = seat

    def copy(self) -> Clock:
        """An independent copy."""
        other = Clock(self.rule, len(self._left), self._now, self.to_json())
        other.runs = self.runs
        return other

    def to_json(self) -> str:
        """The state of the clock for the store."""
        return json.dumps({"left": self._left, "since": self._since})

    def shown(self, names: list[str]) -> dict[str, Any]:
        """The clock in the format of the protocol, by names of seats."""
        return {
            **self.rule._asdict(),
            "left": {name: round(self.left(seat), 1) for seat, name in enumerate(names)},
            "runs": None if self.runs is None or not self.begun else names[self.runs],
        }
