"""The available games, by name.

Other packages add games through entry points of the group ``wotr.games``; each is a ``GameKind``:

    [project.entry-points."wotr.games"]
    mine = "my_package.game:MINE"
"""

from __future__ import annotations

import copyreg
import functools
import pickle
from collections.abc import Mapping
from typing import Any

from wotr_env.core.kind import GameKind
from wotr_env.core.spelling import did_you_mean
from wotr_env.games.duel.game import DUEL_FOR_MIDDLE_EARTH
from wotr_env.games.two_towers.game import THE_TWO_TOWERS
from wotr_env.games.war_of_the_ring.game import WAR_OF_THE_RING
from wotr_env.play.plugins import Plugins, find_plugins

ENTRY_POINTS = "wotr.games"
OWN_GAMES = {kind.name: kind for kind in (WAR_OF_THE_RING, DUEL_FOR_MIDDLE_EARTH, THE_TWO_TOWERS)}
DEFAULT_KIND = WAR_OF_THE_RING
"""The game to play if none is given."""
DEFAULT_GAME = DEFAULT_KIND.name


@functools.cache
def game_plugins() -> Plugins[GameKind]:
    """The available games, and the entry points that cannot be used."""

    def check(found: Any) -> str | None:
        return None if isinstance(found, GameKind) else f"must be a GameKind, not {found!r}"

    return find_plugins(ENTRY_POINTS, OWN_GAMES, check)


def game_kinds() -> Mapping[str, GameKind]:
    """All games by name: the games of this package, then the usable games of other packages."""
    return game_plugins().kinds


def game_kind(name: str) -> GameKind:
    """Returns the game with a name. For a game of this package, no other game is loaded.

    Raises:
        ValueError: there is no such game, or it cannot be used.
    """
    if name in OWN_GAMES:
        return OWN_GAMES[name]
    kinds, broken, _ = game_plugins()
    if name in broken and name not in kinds:
        raise ValueError(broken[name])
    if name not in kinds:
        known = ", ".join(kinds)
        raise ValueError(f"unknown game {name!r}; known: {known}{did_you_mean(name, kinds)}")
    return kinds[name]


def _pickled(kind: GameKind) -> tuple[Any, ...]:
    """A game in a pickle: its name, because it holds functions."""
    registered = OWN_GAMES.get(kind.name) or game_kinds().get(kind.name)
    if registered is not kind:
        raise pickle.PicklingError(
            f"a game is pickled as its name, and {kind.name!r} is not registered as this game; register it "
            f"as an entry point of the group {ENTRY_POINTS}"
        )
    return game_kind, (kind.name,)


copyreg.pickle(GameKind, _pickled)
