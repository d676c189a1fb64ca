"""Clocks that tests move, so that no answer is late because the machine was busy."""

from __future__ import annotations

import os
import time
from collections.abc import Callable
from pathlib import Path

LONG = 1000.0
"""Seconds by which a clock jumps: more than any limit of a test that has one."""


class HandClock:
    """Stands still until it is moved."""

    def __init__(self) -> None:
        self.now = 1.0

    def __call__(self) -> float:
        return self.now

    def move(self, seconds: float) -> None:
        self.now += seconds


def never() -> float:
    """The pauses of a process that a hand clock times: none."""
    return 0.0


def tick(path: str | Path) -> None:
    """Moves the clocks of ``clock_of``, by their seconds, for as long as this process lives."""
    if path:
        with open(path, "a") as file:
            file.write(f"{os.getpid()}\n")


def clock_of(path: Path, seconds: float = LONG) -> Callable[[], float]:
    """Goes on as the clock on the wall does, and is moved by each tick of a process that is there."""

    def clock() -> float:
        ticks = path.read_text().split("\n")[:-1] if path.exists() else []
        return time.monotonic() + seconds * sum(_is_there(int(each)) for each in ticks)

    return clock


def _is_there(number: int) -> bool:
    try:
        os.kill(number, 0)
    except ProcessLookupError:
        return False
    return True
