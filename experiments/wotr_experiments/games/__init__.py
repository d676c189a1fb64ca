"""Code for single games, one folder per game, and what code for all games takes from there."""

from __future__ import annotations

import pkgutil
from typing import TYPE_CHECKING

from wotr_env.core.kind import GameKind

if TYPE_CHECKING:
    from wotr_experiments.terminal.presenter import Presenter

_PRESENTERS = {
    "war-of-the-ring": "wotr_experiments.games.war_of_the_ring.terminal.presenter:WarPresenter",
}
_ANY_PRESENTER = "wotr_experiments.terminal.presenter:Presenter"


def presenter_of(kind: GameKind) -> type[Presenter]:
    """The class that shows a game in the terminal."""
    return pkgutil.resolve_name(_PRESENTERS.get(kind.name, _ANY_PRESENTER))
