"""Time limits, one for all players or one for each player: the option, and the alarm that enforces them."""

from __future__ import annotations

import contextlib
import math
import signal
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from types import FrameType

from wotr_agents import BotError
from wotr_experiments.errors import CommandError

_SHORTEST = 0.001
"""Seconds of the shortest alarm; the system rounds shorter ones to no alarm."""

TimeLimit = float | Sequence[float]
"""Seconds: one number for all players, or one for each player."""


def limits_by_place(limit: TimeLimit, players: int, above: bool = False) -> tuple[float, ...]:
    """The limit of each player.

    Args:
        limit: one limit for all players, or one for each player.
        players: number of players.
        above: whether 0 is refused.

    Raises:
        CommandError: a limit is invalid, or the number of limits is wrong.
    """
    given = (limit,) * players if isinstance(limit, (int, float)) else tuple(limit)
    for each in given:
        if not _can_be(each, above):
            raise CommandError(f"a time limit must be a number of seconds {_range(above)}, not {each:g}")
    if len(given) != players:
        raise CommandError(f"{players} players need one time limit each, or one for all, not {len(given)}")
    return given


def rounded_time_limit(limit: TimeLimit, players: int, above: bool = False) -> float | tuple[float, ...]:
    """A limit in the form stored by a tournament: one number if all limits are equal. Arguments and errors
    are those of ``limits_by_place``.
    """
    limits = limits_by_place(limit, players, above)
    return limits[0] if len(set(limits)) == 1 else limits


def limit_to_json(limit: TimeLimit) -> float | list[float]:
    """The limit for JSON: a number, or a list with one for each player."""
    return limit if isinstance(limit, (int, float)) else list(limit)


def read_time_limits(
    given: Sequence[str],
    players: Sequence[str],
    named: Callable[[str], str],
    common: float,
    above: bool = False,
    limited: Callable[[str], bool] = lambda _player: True,
) -> TimeLimit:
    """Parses ``--time-limit``: ``SECONDS`` for all players, ``SPEC=SECONDS`` for the players with this spec.

    Args:
        given: the values of the option.
        players: the given specs.
        named: converts a spec to the name of the player; raises BotError or CommandError if it is wrong.
        common: the default limit.
        above: whether 0 is refused.
        limited: returns whether the player with this name can have a limit.

    Raises:
        CommandError: a value is not a number, no player has the spec, or a limit is given twice.
    """
    known = [_known(each, named) for each in players]
    own: dict[str, float] = {}
    for value in given:
        spec, equals, number = value.rpartition("=")
        name = _known(spec, named)
        option = f"--time-limit {spec}" if equals else "--time-limit"
        if equals and not (name in known and limited(name)):
            may_have_one = (each for each, name in zip(players, known, strict=True) if limited(name))
            there = ", ".join(dict.fromkeys(may_have_one)) or "none"
            raise CommandError(f"{option}: no player with a time limit has this spec; known: {there}")
        if name in own:
            raise CommandError(f"{option} is given twice")
        own[name] = _seconds(option, number, above)
    common = own.get("", common)
    return tuple(own.get(each, common) for each in known)


class TooLateError(BaseException):
    """Raised inside a bot that exceeds its time limit; an ``except Exception`` does not catch it."""


@contextlib.contextmanager
def alarm(seconds: float, clock: Callable[[], float] = time.monotonic) -> Iterator[None]:
    """A context that raises ``TooLateError`` after a number of seconds on a clock, if the system and the
    thread allow it.

    Elsewhere, inside compiled code, or if another alarm is set, lateness is detected only when the bot
    answers.
    """
    able = hasattr(signal, "setitimer") and threading.current_thread() is threading.main_thread()
    if not seconds or not able or signal.getitimer(signal.ITIMER_REAL)[0]:
        yield
        return

    until = clock() + seconds

    def ring(_signal: int, _frame: FrameType | None) -> None:
        if (left := until - clock()) <= 0:
            raise TooLateError
        signal.setitimer(signal.ITIMER_REAL, max(left, _SHORTEST))

    before = signal.signal(signal.SIGALRM, ring)
    signal.setitimer(signal.ITIMER_REAL, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


def _known(spec: str, named: Callable[[str], str]) -> str:
    with contextlib.suppress(BotError, CommandError):
        return named(spec) if spec else ""
    return spec


def _seconds(option: str, text: str, above: bool) -> float:
    with contextlib.suppress(ValueError):
        if _can_be(seconds := float(text), above):
            return seconds
    raise CommandError(f"{option} must be a number of seconds {_range(above)}, not {text or 'nothing'}")


def _can_be(seconds: float, above: bool) -> bool:
    return math.isfinite(seconds) and (seconds > 0 or (seconds == 0 and not above))


def _range(above: bool) -> str:
    return "above 0" if above else "from 0"
