"""Checks of parameters, for the ``__post_init__`` of their dataclasses; NaN and infinity are in no range."""

from __future__ import annotations

import math


def check_at_least(low: float, parameters: object, *names: str) -> None:
    """Raises ValueError if a parameter is below ``low``, or not finite."""
    for name in names:
        if not getattr(parameters, name) >= low:
            raise ValueError(f"{name} must be at least {low}, not {getattr(parameters, name)}")
    _check_finite(parameters, names)


def check_above(low: float, parameters: object, *names: str) -> None:
    """Raises ValueError if a parameter is not above ``low``, or not finite."""
    for name in names:
        if not getattr(parameters, name) > low:
            raise ValueError(f"{name} must be above {low}, not {getattr(parameters, name)}")
    _check_finite(parameters, names)


def check_within(low: float, high: float, parameters: object, *names: str) -> None:
    """Raises ValueError if a parameter is not from ``low`` to ``high``."""
    for name in names:
        if not low <= getattr(parameters, name) <= high:
            raise ValueError(f"{name} must be from {low} to {high}, not {getattr(parameters, name)}")


def _check_finite(parameters: object, names: tuple[str, ...]) -> None:
    for name in names:
        if getattr(parameters, name) == math.inf:
            raise ValueError(f"{name} must be finite, not infinite")
