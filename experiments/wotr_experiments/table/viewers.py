"""Views of a table: the view of a seat, of a spectator (of a seat or of the public), or of a finished
game."""

from __future__ import annotations

from typing import Any, NamedTuple

from wotr_env.core.codes import PUBLIC
from wotr_env.core.descriptions import Form
from wotr_env.core.seats import check_viewer
from wotr_experiments.table.messages import Refused, refusing

PUBLIC_VIEW = "public"
ALL = "all"


class Link(NamedTuple):
    """A spectator link."""

    view: str = PUBLIC_VIEW
    """``public``, or the name of a seat whose hand is shown."""
    delay: int = 0
    """Delay in actions until the game is over."""


class Eyes(NamedTuple):
    """The view of a client."""

    view: int | None
    """The seat, ``PUBLIC``, or None for all information."""
    sits: bool = False
    """Whether the client plays the seat; others are spectators."""
    delay: int = 0
    """Delay in actions until the game is over."""
    form: Form = Form.WIDE
    """The form of the drawings that the client gets."""


def form_of_name(name: str) -> Form:
    """Returns the form of drawings with this name in the protocol.

    Raises:
        Refused: there is no such form.
    """
    try:
        return Form(name)
    except ValueError:
        raise Refused("message", f"form is one of {', '.join(Form)}, not {name!r}") from None


def view_of_name(name: str, ruleset: Any) -> int | None:
    """Returns the view with this name in the protocol.

    Raises:
        Refused: there is no such seat.
    """
    with refusing():
        return check_viewer(name, ruleset.seats)


def name_of_view(view: int | None, ruleset: Any) -> str:
    """The inverse of ``view_of_name``."""
    return ALL if view is None else PUBLIC_VIEW if view == PUBLIC else ruleset.seats[view].name
