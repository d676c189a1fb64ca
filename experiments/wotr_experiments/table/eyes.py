"""Who looks at a table: from a seat, from beside it with a seat's eyes or everybody's, or long after."""

from __future__ import annotations

from typing import Any, NamedTuple

from wotr_env.core.codes import PUBLIC
from wotr_env.core.seats import check_viewer
from wotr_experiments.table.messages import Refused

PUBLIC_VIEW = "public"
ALL = "all"


class Link(NamedTuple):
    """What a link that is no seat's shows."""

    view: str = PUBLIC_VIEW
    """``public``, or the name of a seat whose hand is seen."""
    delay: int = 0
    """Actions by which it is behind until the game is over."""


class Eyes(NamedTuple):
    """What somebody may see of a table."""

    view: int | None
    """The seat that sees it, ``PUBLIC``, or None: all."""
    sits: bool = False
    """Whether it is the seat itself, which decides and takes back; others look on."""
    delay: int = 0
    """Actions by which it is behind until the game is over."""


def view_of_name(name: str, ruleset: Any) -> int | None:
    """The view of a name of the wire.

    Raises:
        Refused: there is no such seat.
    """
    try:
        return check_viewer(name, ruleset.seats)
    except ValueError as error:
        raise Refused("message", str(error)) from None


def name_of_view(view: int | None, ruleset: Any) -> str:
    """The inverse of ``view_of_name``."""
    return ALL if view is None else PUBLIC_VIEW if view == PUBLIC else ruleset.seats[view].name
