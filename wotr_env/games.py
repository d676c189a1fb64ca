"""The games that can be played, by name.

Other packages add games through entry points of the group ``wotr.games``; each is a ``GameKind``:

    [project.entry-points."wotr.games"]
    mine = "my_package.game:MINE"
"""

from __future__ import annotations

import difflib
import functools
import importlib.metadata
from collections.abc import Mapping

from wotr_env.kind import GameKind
from wotr_env.war_of_the_ring import WAR_OF_THE_RING

ENTRY_POINTS = "wotr.games"
DEFAULT_GAME = WAR_OF_THE_RING.name
"""Played where no game is named."""


@functools.cache
def game_kinds() -> Mapping[str, GameKind]:
    """Every game by name: War of the Ring, then those of other packages.

    Raises:
        ValueError: an entry point cannot be loaded, is no ``GameKind``, or takes a name that is in use.
    """
    kinds = {DEFAULT_GAME: WAR_OF_THE_RING}
    for entry in sorted(importlib.metadata.entry_points(group=ENTRY_POINTS), key=lambda entry: entry.name):
        try:
            kind = entry.load()
        except Exception as error:
            raise ValueError(
                f"entry point {entry.name} of {ENTRY_POINTS} cannot be loaded: {error}"
            ) from error
        if not isinstance(kind, GameKind):
            raise ValueError(f"entry point {entry.name} of {ENTRY_POINTS} must be a GameKind, not {kind!r}")
        if kinds.get(kind.name, kind) is not kind:
            raise ValueError(
                f"entry point {entry.name} of {ENTRY_POINTS}: there already is a game {kind.name}"
            )
        kinds[kind.name] = kind
    return kinds


def game_kind(name: str) -> GameKind:
    """The game of a name.

    Raises:
        ValueError: there is none, or as ``game_kinds``.
    """
    kinds = game_kinds()
    if name not in kinds:
        close = difflib.get_close_matches(name, kinds, n=1)
        hint = f"; did you mean {close[0]}?" if close else ""
        raise ValueError(f"unknown game {name!r}; known: {', '.join(kinds)}{hint}")
    return kinds[name]
