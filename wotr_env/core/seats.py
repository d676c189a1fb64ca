"""Seats (who decides) and teams (who wins), by number and by name."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from wotr_env.core.codes import PUBLIC
from wotr_env.core.spelling import canonical_name, known_names, match_name

VIEWS: Mapping[str, int | None] = {"public": PUBLIC, "all": None, "both": None}
"""Names of viewers other than seats."""


class Seat(NamedTuple):
    """A seat: a player who decides."""

    name: str
    """The name in summaries and files, such as ``free_peoples``."""
    title: str
    """The name for people, such as ``Free Peoples``."""
    team: int


def check_seat(seat: Any, seats: Sequence[Seat]) -> int:
    """Returns the number of a seat, given by its number or its name (``wotr_env.core.spelling``).

    Raises:
        ValueError: there is no such seat.
    """
    if isinstance(seat, str):
        found = match_name(seat, [(each.name, each.title) for each in seats])
        if found is None:
            known = known_names(each.name for each in seats)
            raise ValueError(f"there is no player {seat!r}; this game has {known}")
        return found
    whole = isinstance(seat, (int, np.integer)) and not isinstance(seat, bool)
    if not whole or not 0 <= seat < len(seats):
        words = ", ".join(f"{number} ({each.title})" for number, each in enumerate(seats))
        raise ValueError(f"the seats of this game are {words}, not {seat!r}")
    return int(seat)


def check_viewer(viewer: Any, seats: Sequence[Seat]) -> int | None:
    """Returns a viewer: the number of a seat, ``PUBLIC``, or None for a viewer who sees everything.

    Args:
        viewer: one of these, the name of a seat, ``public``, or ``all`` or ``both`` for everything.
        seats: the seats of the game.

    Raises:
        ValueError: there is no such viewer.
    """
    if isinstance(viewer, str):
        word = canonical_name(viewer)
        return VIEWS[word] if word in VIEWS else check_seat(viewer, seats)
    return viewer if viewer is None or viewer == PUBLIC else check_seat(viewer, seats)


class Team(NamedTuple):
    """A team: the seats that win together."""

    name: str
    title: str
    short: str
    """A short name, such as ``FP``."""
    article: str = ""
    """``the`` if the title has this article within a sentence; otherwise empty."""

    @property
    def with_article(self) -> str:
        """The title within a sentence, such as ``the Free Peoples``."""
        return f"{self.article} {self.title}".lstrip()


def check_team(team: str, teams: Sequence[Team]) -> int:
    """Returns the number of a team, given by its name (``wotr_env.core.spelling``).

    Raises:
        ValueError: there is no such team.
    """
    found = match_name(team, [(each.name, each.title, each.short) for each in teams])
    if found is None:
        raise ValueError(f"there is no side {team!r}; this game has {known_names(t.name for t in teams)}")
    return found
