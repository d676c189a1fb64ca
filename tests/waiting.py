"""Tests wait for a state, and never for a number of seconds."""

from __future__ import annotations

import subprocess
import time
from collections.abc import Callable
from typing import TypeVar

PATIENCE = 180.0
"""Seconds after which a state does not come any more: far more than a busy machine needs for a cold start."""
_PAUSE = 0.005

_Found = TypeVar("_Found")


def eventually(
    condition: Callable[[], _Found],
    what: str,
    seconds: float = PATIENCE,
    pause: Callable[[], object] = lambda: time.sleep(_PAUSE),
) -> _Found:
    """Asks for a condition until it holds.

    Args:
        condition: called again and again.
        what: is waited for, as the error says it.
        seconds: after which the condition is given up.
        pause: between two calls.

    Returns:
        What the condition returned when it held.

    Raises:
        AssertionError: it does not hold in time.
    """
    until = time.monotonic() + seconds
    while not (found := condition()):
        assert time.monotonic() < until, f"waited {seconds:g} s in vain for {what}"
        pause()
    return found


def eventually_by(
    process: subprocess.Popen, condition: Callable[[], object], what: str, seconds: float = PATIENCE
) -> bool:
    """Asks for what a process does until it has done it, or has ended; kills one that does neither.

    Returns:
        Whether the process still runs.

    Raises:
        AssertionError: as ``eventually``.
    """
    try:
        eventually(lambda: condition() or process.poll() is not None, what, seconds)
    except AssertionError:
        process.kill()
        raise
    return process.poll() is None
