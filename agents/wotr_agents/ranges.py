"""Ranges of parameters. The ``__post_init__`` of the dataclasses checks them, and help texts show them.

NaN and infinity are outside every range.
"""

from __future__ import annotations

import contextvars
import dataclasses
import math
from typing import Any, NamedTuple


class Range(NamedTuple):
    """The range of a parameter."""

    low: float
    high: float = math.inf
    above: bool = False
    """Whether ``low`` itself is excluded."""

    def has(self, value: float) -> bool:
        """Whether a number is in the range."""
        return (value > self.low if self.above else value >= self.low) and value <= self.high

    def __str__(self) -> str:
        """``at least 1``, ``above 0``, ``from 1 to 2``, ``above 0 and at most 300``."""
        if self.high == math.inf:
            return f"{'above' if self.above else 'at least'} {self.low}"
        return (
            f"above {self.low} and at most {self.high}" if self.above else f"from {self.low} to {self.high}"
        )

    def to_dict(self) -> dict[str, Any]:
        """The range for JSON; ``high`` is null if there is no upper bound."""
        return {**self._asdict(), "high": None if self.high == math.inf else self.high}


def check_at_least(low: float, parameters: object, *names: str) -> None:
    """Raises ValueError if a parameter is below ``low``, or not finite."""
    _check(Range(low), parameters, names)


def check_above(low: float, parameters: object, *names: str, most: float = math.inf) -> None:
    """Raises ValueError if a parameter is not above ``low``, above ``most``, or not finite."""
    _check(Range(low, most, above=True), parameters, names)


def check_within(low: float, high: float, parameters: object, *names: str) -> None:
    """Raises ValueError if a parameter is not from ``low`` to ``high``."""
    _check(Range(low, high), parameters, names)


def ranges_of(wanted: type) -> dict[str, Range]:
    """The ranges that a dataclass checks, by parameter. The ranges are recorded while the dataclass checks
    its default values."""
    check: Any = getattr(wanted, "__post_init__", None)
    if check is None:
        return {}
    example = object.__new__(wanted)
    for field in dataclasses.fields(wanted):  # pyright: ignore[reportArgumentType] (it is a dataclass)
        required = field.default is dataclasses.MISSING
        object.__setattr__(example, field.name, "?" if required else field.default)
    found: dict[str, Range] = {}
    token = _noted.set(found)
    try:
        check(example)
    except Exception:  # it may look at what must be given, of which there is no example
        return found
    finally:
        _noted.reset(token)
    return found


_noted: contextvars.ContextVar[dict[str, Range] | None] = contextvars.ContextVar("noted", default=None)
"""The ranges recorded for ``ranges_of``."""


def _check(wanted: Range, parameters: object, names: tuple[str, ...]) -> None:
    noted = _noted.get()
    if noted is not None:
        noted.update(dict.fromkeys(names, wanted))
        return
    for name in names:
        value = getattr(parameters, name)
        if not wanted.has(value):
            raise ValueError(f"{name} must be {wanted}, not {value}")
        if value == math.inf:
            raise ValueError(f"{name} must be finite, not infinite")
