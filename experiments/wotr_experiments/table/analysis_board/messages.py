"""Schemas of the requests of the analysis board (``docs/table-protocol.md``)."""

from __future__ import annotations

from typing import Annotated, Any

import msgspec

from wotr_env.core.notation import LONGEST
from wotr_experiments.table.messages import Name, Spec

MOST_ACTIONS = 10_000
"""Maximal number of actions of a line; the longest games have about 4,000."""
MOST_BYTES = 262_144
"""Maximal size of a body in bytes: a line of ``MOST_ACTIONS`` actions, or a record."""

Actions = Annotated[
    list[Annotated[int, msgspec.Meta(ge=0, le=65_535)]], msgspec.Meta(max_length=MOST_ACTIONS)
]
Place = Annotated[int, msgspec.Meta(ge=0, le=MOST_ACTIONS)]
Digits = Annotated[str, msgspec.Meta(pattern="^[0-9]{1,19}$")]
"""A seed as text, because JavaScript numbers cannot hold 63 bits."""


class Start(msgspec.Struct, forbid_unknown_fields=True, frozen=True):
    """The start of a line (a game on the analysis board, as its start and its actions): the seed of a game or
    a position as text, and possibly an edited position. The random outcomes stored in a record apply while
    the line follows the actions of the record."""

    ruleset: dict[str, Any]
    seed: Digits
    game: Name = "war-of-the-ring"
    position: dict[str, Any] | None = None
    text: Annotated[str, msgspec.Meta(max_length=LONGEST)] = ""
    played: Annotated[list[int], msgspec.Meta(max_length=MOST_ACTIONS)] = []
    """The actions of the record, if it has ``tapes``."""
    tapes: Annotated[list[tuple[int, list[int]]], msgspec.Meta(max_length=MOST_ACTIONS)] = []
    """``GameRecord.tapes``"""


class Open(msgspec.Struct, forbid_unknown_fields=True, frozen=True):
    """Requests a line from a record, as JSON or text, a position as text, or an empty game of a ruleset by
    its spec."""

    record: str | None = None
    ruleset: Annotated[str, msgspec.Meta(max_length=1000)] = ""
    seed: Digits | None = None
    game: Name = "war-of-the-ring"


class LineRequest(msgspec.Struct, forbid_unknown_fields=True, frozen=True):
    """A line."""

    start: Start
    actions: Actions


class OutlineRequest(LineRequest, frozen=True):
    """Requests an outline of the line, and the board if the page does not have it yet."""

    board: bool = False


class PositionRequest(LineRequest, frozen=True):
    """Requests the position of a line after some actions, and the texts since an earlier position."""

    number: Place
    eyes: Name | None = None
    """The name of a seat; None: all information."""
    after: Place | None = None
    """The number of actions before the texts; None: no texts."""
    form: Name = "wide"
    """The form of the drawing, if the server draws the game."""


class TextsRequest(LineRequest, frozen=True):
    """Requests the texts of the actions after a number of actions."""

    after: Place
    eyes: Name | None = None


class RecordRequest(LineRequest, frozen=True):
    """Requests a line as a record."""

    players: Annotated[list[Annotated[str, msgspec.Meta(max_length=300)]], msgspec.Meta(max_length=10)] = []


class SetupRequest(LineRequest, frozen=True):
    """Requests a position of a line as an editable position."""

    number: Place


class CheckRequest(msgspec.Struct, forbid_unknown_fields=True, frozen=True):
    """Requests a check of a start."""

    start: Start


class AdviceRequest(LineRequest, frozen=True):
    """Requests a bot's advice for positions of a line."""

    bot: Spec
    numbers: Annotated[list[Place], msgspec.Meta(min_length=1, max_length=32)]


class _Named(msgspec.Struct):
    """The part of a record that names its game."""

    game: str = "war-of-the-ring"


def game_of(asked: Open | LineRequest | CheckRequest) -> str:
    """The name of the game of a request; empty for a record that is no JSON."""
    if not isinstance(asked, Open):
        return asked.start.game
    if asked.record is None:
        return asked.game
    try:
        return msgspec.json.decode(asked.record, type=_Named).game
    except (msgspec.DecodeError, UnicodeEncodeError, RecursionError):
        return ""
