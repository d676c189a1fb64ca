"""Who decides and who wins, by number and by name."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from wotr_env.core.codes import PUBLIC
from wotr_env.core.spelling import find_spelled, known_names, spelled

VIEWS: Mapping[str, int | None] = {"public": PUBLIC, "all": None, "both": None}
"""Viewers by the words for them, besides the names of seats."""


class Seat(NamedTuple):
    """One who decides."""

    name: str
    """``free_peoples``: in summaries and files."""
    title: str
    """``Free Peoples``: for people."""
    team: int


def check_seat(seat: Any, seats: Sequence[Seat]) -> int:
    """The number of a seat as an ``int``, given by that or by its name (``wotr_env.core.spelling``).

    Raises:
        ValueError: it is none of those who play.
    """
    if isinstance(seat, str):
        found = find_spelled(seat, [(each.name, each.title) for each in seats])
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
    """Who looks: the number of a seat, ``PUBLIC``, or None for somebody who may see all.

    Args:
        viewer: one of these, the name of a seat, ``public``, or ``all`` or ``both`` for all.
        seats: who play.

    Raises:
        ValueError: it is none of those.
    """
    if isinstance(viewer, str):
        word = spelled(viewer)
        return VIEWS[word] if word in VIEWS else check_seat(viewer, seats)
    return viewer if viewer is None or viewer == PUBLIC else check_seat(viewer, seats)


class Team(NamedTuple):
    """Those who win together."""

    name: str
    title: str
    short: str
    """``FP``: where there is little room."""


def check_team(team: str, teams: Sequence[Team]) -> int:
    """The number of a team by its name (``wotr_env.core.spelling``).

    Raises:
        ValueError: there is no such team.
    """
    found = find_spelled(team, [(each.name, each.title, each.short) for each in teams])
    if found is None:
        raise ValueError(f"there is no side {team!r}; this game has {known_names(t.name for t in teams)}")
    return found
