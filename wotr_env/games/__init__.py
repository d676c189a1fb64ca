"""The games, one folder per game."""

from __future__ import annotations

from typing import Any


def __getattr__(name: str) -> Any:
    """What was here in version 0.1, for one version more: the registry, ``wotr_env.play.games``."""
    from wotr_env.play import games

    if name.startswith("_") or not hasattr(games, name):
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(games, name)
