"""Code for single games, one folder per game, and what code for all games takes from there."""

from __future__ import annotations

import pkgutil
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from wotr_env.core.kind import GameKind

if TYPE_CHECKING:
    from wotr_experiments.reports.replay_stage import Stage
    from wotr_experiments.terminal.presenter import Presenter

_PRESENTERS = {
    "war-of-the-ring": "wotr_experiments.games.war_of_the_ring.terminal.presenter:WarPresenter",
}
_ANY_PRESENTER = "wotr_experiments.terminal.presenter:Presenter"
_PAGES = {"war-of-the-ring": "wotr_experiments.games.war_of_the_ring.own_page:PAGE"}
"""The places of presenters and pages, by the name of the game. They are imported when they are needed."""


class OwnPage(NamedTuple):
    """What web pages show of a game with a board of its own; other games are shown by their drawings."""

    module: str
    """The module of the page of a table."""
    board: Callable[[Any], dict[str, Any]]
    """From a ruleset, the data that a page loads once to draw the game."""
    stage: type[Stage]
    """Shows positions on a replay page."""
    odds_of: Callable[[dict[str, Any], str, str, str, Mapping[str, int] | None], dict[str, Any]]
    """The odds of an attack, as JSON data, from a picture, the attacking side, the regions of the attackers
    and of the attacked, and the number of attackers by names of actions (None: all). Raises ValueError if
    there is no such region or figure."""
    odds_under_way: Callable[[dict[str, Any]], dict[str, Any]]
    """The odds of the battle in a picture, as JSON data; raises ValueError if there is no battle."""
    marks: Callable[[], Callable[[np.record], list[str]]]
    """Makes a function for the positions of a line, one after the other: the kinds of marks of the slider for
    the changes since the position before."""
    setup_of: Callable[[np.record], dict[str, Any]]
    """A position in an editable form, as JSON data."""
    position_from: Callable[[Any, Any, int], np.record]
    """A position from its editable form, a ruleset and a seed; raises ValueError if it is impossible."""


def presenter_of(kind: GameKind) -> type[Presenter]:
    """The class that shows a game in the terminal."""
    return pkgutil.resolve_name(_PRESENTERS.get(kind.name, _ANY_PRESENTER))


def page_of(kind: GameKind) -> OwnPage | None:
    """What web pages show of a game with a board of its own; None for other games."""
    return pkgutil.resolve_name(_PAGES[kind.name]) if kind.name in _PAGES else None


def own_modules() -> tuple[str, ...]:
    """The modules of the pages of tables with a board of their own."""
    return tuple(pkgutil.resolve_name(place).module for place in _PAGES.values())
