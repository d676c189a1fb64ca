"""Progress of a training run for the screen: pace, remaining time, and a curve of evaluations."""

from __future__ import annotations

import collections
import contextlib
import math
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, NamedTuple

from wotr_experiments.training.strength import score_interval

_BLOCKS = "▁▂▃▄▅▆▇█"
_LETTERS = "_.-~=+*#"
"""Characters of a curve for a terminal without block characters."""
_WIDTH = 40
"""Maximal number of evaluations in a curve."""
_RECENT = 200
"""Number of recent updates for the pace."""


class Deadline:
    """Determines when a regular task is due, so that a time limit is kept.

    Args:
        first: seconds until the task must have been done for the first time.
        every: seconds between two executions of the task.
        clock: a clock in seconds, with any zero.
    """

    def __init__(self, first: float, every: float, clock: Callable[[], float] = time.monotonic) -> None:
        self._every, self._clock = every, clock
        self._stepped = clock()
        self._limit = self._stepped + first

    def is_due(self) -> bool:
        """Called after each step: whether the limit has passed, or would pass during another step of the same
        length."""
        before, self._stepped = self._stepped, self._clock()
        return self._stepped + (self._stepped - before) > self._limit

    def done(self) -> None:
        """Notes that the task has been done now."""
        self._stepped = self._clock()
        self._limit = self._stepped + self._every


class Pace:
    """The pace of a run in decisions, including evaluations and everything else.

    Args:
        made: number of decisions of earlier sessions.
        total: number of decisions at the end of the training.
        clock: a clock in seconds, with any zero.
    """

    def __init__(self, made: int, total: int, clock: Callable[[], float] = time.monotonic) -> None:
        self._total, self._clock = total, clock
        self._began = clock()
        self._noted = collections.deque([(self._began, made)], maxlen=_RECENT + 1)

    def note(self, decisions: int) -> None:
        """Notes the number of decisions made."""
        self._noted.append((self._clock(), decisions))

    @property
    def elapsed(self) -> float:
        """Seconds of this session."""
        return self._clock() - self._began

    @property
    def speed(self) -> float | None:
        """Recent decisions per second; None before the first update."""
        (start, before), (end, after) = self._noted[0], self._noted[-1]
        return (after - before) / (end - start) if after > before and end > start else None

    @property
    def left(self) -> float | None:
        """Seconds to the end at this speed; None before the first update."""
        if self.speed is None:
            return None
        noted, made = self._noted[-1]
        return max(0.0, (self._total - made) / self.speed - (self._clock() - noted))

    def words(self) -> str:
        """Describes the pace, such as ``0:12:40 of this session, about 1:05:00 left, 12,345/s with
        evaluations``."""
        left, speed = self.left, self.speed
        elapsed = f"{time_text(self.elapsed)} of this session"
        if left is None or speed is None:
            return elapsed
        return f"{elapsed}, about {time_text(left)} left, {speed:,.0f}/s with evaluations"


def time_text(seconds: float) -> str:
    """A duration as hours, minutes and seconds, such as 1:05:09."""
    return f"{int(seconds) // 3600}:{int(seconds) // 60 % 60:02}:{int(seconds) % 60:02}"


class WinRate(NamedTuple):
    """The result of an evaluation against its last anchor."""

    share: float
    """Points per game, 0..1."""
    games: int


def win_rates(lines: Iterable[Mapping[str, Any]]) -> list[WinRate]:
    """The results of the evaluations among lines of metrics; incomplete lines are ignored."""
    found = []
    for line in lines:
        if line.get("kind") != "evaluation":
            continue
        with contextlib.suppress(KeyError, TypeError, AttributeError, ValueError, ArithmeticError):
            *_, row = line["scores"].values()
            share = math.fsum(row.values()) / len(row)
            if 0 <= share <= 1:
                found.append(WinRate(share, int(line["games"]) * len(row)))
    return found


def sparkline(values: Sequence[float], least: float, blocks: bool = True) -> str:
    """The newest values as a curve, with one character for each value.

    Args:
        values: finite values.
        least: the minimal range of the vertical axis, used if the values differ by less; above 0.
        blocks: whether the terminal supports block characters; otherwise the curve is in ASCII.
    """
    shown = values[-_WIDTH:]
    if not shown:
        return ""
    middle = (min(shown) + max(shown)) / 2
    spread = max(max(shown) - min(shown), least)
    steps = _BLOCKS if blocks else _LETTERS
    places = [(value - middle) / spread + 0.5 for value in shown]
    return "".join(steps[min(int(place * len(steps)), len(steps) - 1)] for place in places)


def curve_words(rates: Sequence[WinRate], blocks: bool = True) -> str:
    """A sparkline with words. Its vertical range is at least the newest 95% interval, so that noise looks
    small.

    Args:
        rates: the results, at least one.
        blocks: as for ``sparkline``.
    """
    shares = [rate.share for rate in rates[-_WIDTH:]]
    low, high = score_interval(*rates[-1])
    words = f"{min(shares):.0%} to {max(shares):.0%}, now {shares[-1]:.0%} ({low:.0%} to {high:.0%})"
    return f"{sparkline(shares, high - low, blocks)}  {words}"
