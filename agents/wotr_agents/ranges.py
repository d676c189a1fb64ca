"""Checks of the parameters of bots, for the ``__post_init__`` of their dataclasses; NaN is in no range."""

from __future__ import annotations


def check_at_least(low: float, parameters: object, *names: str) -> None:
    """Raises ValueError if a parameter is below ``low``."""
    for name in names:
        if not getattr(parameters, name) >= low:
            raise ValueError(f"{name} must be at least {low}, not {getattr(parameters, name)}")


def check_above(low: float, parameters: object, *names: str) -> None:
    """Raises ValueError if a parameter is not above ``low``."""
    for name in names:
        if not getattr(parameters, name) > low:
            raise ValueError(f"{name} must be above {low}, not {getattr(parameters, name)}")


def check_within(low: float, high: float, parameters: object, *names: str) -> None:
    """Raises ValueError if a parameter is not from ``low`` to ``high``."""
    for name in names:
        if not low <= getattr(parameters, name) <= high:
            raise ValueError(f"{name} must be from {low} to {high}, not {getattr(parameters, name)}")
