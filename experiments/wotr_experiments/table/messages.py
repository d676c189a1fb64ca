"""Schemas of client messages: the protocol of ``docs/table-protocol.md``, version 1."""

from __future__ import annotations

import contextlib
import re
from collections.abc import Callable, Iterator
from typing import Annotated, Any, Literal, TypeVar

import msgspec

from wotr_env.core.read_errors import reason

VERSION = 1
_Body = TypeVar("_Body", bound=msgspec.Struct)

Name = Annotated[str, msgspec.Meta(min_length=1, max_length=100)]
Spec = Annotated[str, msgspec.Meta(min_length=1, max_length=300)]
Number = Annotated[int, msgspec.Meta(ge=0, le=10**6)]
Figures = Annotated[int, msgspec.Meta(ge=0, le=100)]
Outcome = Annotated[int, msgspec.Meta(ge=0, le=127)]
Seed = (
    Annotated[int, msgspec.Meta(ge=0, le=2**63 - 1)] | Annotated[str, msgspec.Meta(pattern="^[0-9]{1,19}$")]
)
"""A seed as a number, or as its digits, because JavaScript numbers cannot hold 63 bits."""


class Refused(Exception):
    """A client's request is refused, with a one-line message.

    Args:
        code: an error code of the protocol.
        text: the message for people.
    """

    def __init__(self, code: str, text: str) -> None:
        super().__init__(text)
        self.code = code
        self.text = " ".join(text.split())

    def message(self, about: str | None = None) -> dict[str, Any]:
        """The message for the client; ``about`` is the type of the refused message, if it is known."""
        return {"type": "error", "v": VERSION, "code": self.code, "text": self.text, "about": about}


@contextlib.contextmanager
def refusing(kinds: type[Exception] | tuple[type[Exception], ...] = ValueError) -> Iterator[None]:
    """Raises an error of its block of these kinds as ``Refused`` with the same message."""
    try:
        yield
    except kinds as error:
        raise Refused("message", str(error)) from None


class Hello(msgspec.Struct, tag="hello", forbid_unknown_fields=True, frozen=True):
    """The first message: the table, and the token of the seat."""

    v: Literal[1]
    table: Name
    token: Name
    after: Number | None = None
    form: Name = "wide"


class Window(msgspec.Struct, tag="window", forbid_unknown_fields=True, frozen=True):
    """Tells that the client now needs another form of drawings, because its window has changed."""

    v: Literal[1]
    form: Name


class Act(msgspec.Struct, tag="act", forbid_unknown_fields=True, frozen=True):
    """A gesture: choices in order."""

    v: Literal[1]
    hash: Name
    actions: Annotated[list[Number], msgspec.Meta(min_length=1, max_length=64)]


class Undo(msgspec.Struct, tag="undo", forbid_unknown_fields=True, frozen=True):
    """Takes back the last gesture."""

    v: Literal[1]
    hash: Name


class ChoiceTree(msgspec.Struct, tag="choice_tree", forbid_unknown_fields=True, frozen=True):
    """Requests the choice tree of the current question."""

    v: Literal[1]
    hash: Name


class Odds(msgspec.Struct, tag="odds", forbid_unknown_fields=True, frozen=True):
    """Requests the odds of an attack by the client's side, or, without an origin, of the current battle."""

    v: Literal[1]
    hash: Name
    origin: Name | None = None
    target: Name | None = None
    figures: Annotated[dict[Name, Figures], msgspec.Meta(max_length=40)] | None = None


class Hint(msgspec.Struct, tag="hint", forbid_unknown_fields=True, frozen=True):
    """Requests a bot's hint."""

    v: Literal[1]
    hash: Name
    bot: Spec


class Look(msgspec.Struct, tag="look", forbid_unknown_fields=True, frozen=True):
    """Requests an earlier position, with the messages up to it."""

    v: Literal[1]
    number: Number
    eyes: Name | None = None
    after: Number | None = None


class Dice(msgspec.Struct, tag="dice", forbid_unknown_fields=True, frozen=True):
    """Enters random outcomes; without outcomes the computer draws them."""

    v: Literal[1]
    hash: Name
    outcomes: Annotated[list[Outcome], msgspec.Meta(min_length=1, max_length=64)] | None


class Beat(msgspec.Struct, tag="beat", forbid_unknown_fields=True, frozen=True):
    """Asks for an answer, to find out whether the connection works."""

    v: Literal[1]


class Resign(msgspec.Struct, tag="resign", forbid_unknown_fields=True, frozen=True):
    """Resigns; partners who are people must agree."""

    v: Literal[1]


class Offer(msgspec.Struct, tag="offer", forbid_unknown_fields=True, frozen=True):
    """Offers a draw."""

    v: Literal[1]


class Answer(msgspec.Struct, tag="answer", forbid_unknown_fields=True, frozen=True):
    """Accepts or refuses a proposal; a seat can only withdraw its own proposal."""

    v: Literal[1]
    proposal: Number
    agree: bool


class Call(msgspec.Struct, tag="call", forbid_unknown_fields=True, frozen=True):
    """Sets the name of the person at the seat; an empty name removes it."""

    v: Literal[1]
    name: Annotated[str, msgspec.Meta(max_length=200)]


class Say(msgspec.Struct, tag="say", forbid_unknown_fields=True, frozen=True):
    """Writes in the chat."""

    v: Literal[1]
    text: Annotated[str, msgspec.Meta(max_length=1000)]


class Watch(msgspec.Struct, forbid_unknown_fields=True, frozen=True):
    """A spectator link."""

    view: Name = "public"
    delay: Annotated[int, msgspec.Meta(ge=0, le=10_000)] = 0


Seconds = Annotated[float, msgspec.Meta(ge=0, le=86_400)]


class NewClock(msgspec.Struct, forbid_unknown_fields=True, frozen=True):
    """The time of each seat, in seconds; 0: no limit of this kind."""

    game: Seconds = 0.0
    increment: Seconds = 0.0
    move: Seconds = 0.0


class NewTable(msgspec.Struct, forbid_unknown_fields=True, frozen=True):
    """The body of ``POST /api/tables``."""

    seats: Annotated[dict[Name, Spec], msgspec.Meta(max_length=16)]
    ruleset: Annotated[str, msgspec.Meta(max_length=1000)] = ""
    seed: Seed | None = None
    study: bool = False
    watch: Annotated[tuple[Watch, ...], msgspec.Meta(max_length=8)] = (Watch(),)
    pace: Annotated[float, msgspec.Meta(ge=0, le=60)] = 0.0
    own_dice: bool = False
    game: Name = "war-of-the-ring"
    clock: NewClock | None = None
    chat: Literal["off", "seats", "all"] = "off"
    lobby: Annotated[tuple[Name, ...], msgspec.Meta(max_length=16)] = ()


class Again(msgspec.Struct, forbid_unknown_fields=True, frozen=True):
    """The body of ``POST /api/tables/ID/rematch``."""

    swap: bool = False


class Report(msgspec.Struct, forbid_unknown_fields=True, frozen=True):
    """The body of ``POST /api/tables/ID/report``."""

    text: Annotated[str, msgspec.Meta(min_length=1, max_length=2000)]


class Join(msgspec.Struct, forbid_unknown_fields=True, frozen=True):
    """The body of ``POST /api/tables/ID/join``."""

    seat: Name


Social = Resign | Offer | Answer | Call | Say
"""Messages that do not concern play."""
Said = Hello | Window | Act | Undo | ChoiceTree | Odds | Hint | Look | Dice | Beat | Social

_SAID = msgspec.json.Decoder(Said)
_ENCODER = msgspec.json.Encoder()


def type_of(said: Said) -> str:
    """The type of a client's message, such as ``act``."""
    return str(said.__struct_config__.tag)


def read_message(text: str) -> Said:
    """A message of a client.

    Raises:
        Refused: the message is invalid.
    """
    return _read(_SAID.decode, text, "message")


def read_json(wanted: type[_Body], body: bytes) -> _Body:
    """Reads the body of a request.

    Args:
        wanted: the expected struct, such as ``NewTable``.
        body: the body as JSON.

    Raises:
        Refused: the body is invalid.
    """
    return _read(lambda text: msgspec.json.decode(text, type=wanted), body, "request")


def to_json(value: Any) -> bytes:
    """JSON of a message, the same bytes for equal values."""
    return _ENCODER.encode(value)


def _read(decode: Callable[[str | bytes], Any], text: str | bytes, what: str) -> Any:
    try:
        return decode(text)
    except (msgspec.MsgspecError, UnicodeError, RecursionError) as error:
        words = f"the {what} does not fit docs/table-protocol.md: {_misfit(error)}"
        raise Refused("message", words) from None


_TYPES = {
    "int": "a whole number",
    "float": "a number",
    "str": "a text",
    "bool": "true or false",
    "array": "a list",
    "object": "an object",
    "null": "null",
}
_PLACE = re.compile(r" - at (`key` in )?`\$(.*)`$")
_KINDS = re.compile(r"Expected `([^`]+)`, got `([^`]+)`")
_RANGE = re.compile(r"Expected `[^`]+` (of length )?(>=|<=) ([\d.]+)")
_FIELD = re.compile(r"Object (missing required|contains unknown) field `([^`]+)`")
_VALUE = re.compile(r"Invalid (?:enum )?value (.+)")


def _misfit(error: Exception) -> str:
    """A description of an error in a message: ``actions[0] is a whole number, not a text``."""
    if isinstance(error, msgspec.ValidationError):
        said, place, path = str(error), _PLACE.search(str(error)), ""
        if place is not None:
            said, path = said[: place.start()], place[2].removeprefix(".")
        what = path or "it"
        return _in_words(said, f"a key of {what}" if place and place[1] else what, path)
    return "it is not JSON" if isinstance(error, (msgspec.DecodeError, UnicodeError)) else reason(error)


def _in_words(said: str, what: str, path: str) -> str:
    if kinds := _KINDS.match(said):
        wanted, got = (
            " or ".join(_TYPES.get(each.strip(), each.strip()) for each in kind.split("|"))
            for kind in kinds.groups()
        )
        return f"{what} is {wanted}, not {got}"
    if limits := _RANGE.match(said):
        length, sign, number = limits.groups()
        bound = "at least" if sign == ">=" else "at most"
        number = number.removesuffix(".0")
        return f"{what} has a length of {bound} {number}" if length else f"{what} is {bound} {number}"
    if field := _FIELD.match(said):
        name = f"{path}.{field[2]}" if path else field[2]
        return f"{name} is missing" if field[1].startswith("missing") else f"there is no field {name}"
    if value := _VALUE.match(said):
        return f"{what} cannot be {value[1]}"
    return f"{what} is invalid"
