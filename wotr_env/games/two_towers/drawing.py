"""Drawings of The Two Towers, made only from ``picture``: journey, open cards, cards of each player."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np

from wotr_env.core.descriptions import Form
from wotr_env.core.palette import EDGE, FAINT, GOLD, GROUND, PANEL, RAISED, TEXT
from wotr_env.core.seats import check_viewer
from wotr_env.core.shapes import Box, Disc, Drawing, Frame, Shape, Words
from wotr_env.core.spelling import counted
from wotr_env.games.two_towers.components import COLOURS, KIND_NAMES, LOCATIONS, QUALITIES
from wotr_env.games.two_towers.facts import LETTERS, card_tip, location_tip
from wotr_env.games.two_towers.picture import picture
from wotr_env.games.two_towers.ruleset import SEATS

WIDTH, HEIGHT = 1060, 840
SQUARE, UPRIGHT = 680, 390
"""The widths of the other drawings, which are as high as their players need."""

INKS = {"red": "#b5443a", "green": "#3f7f45", "blue": "#3f74b5", "yellow": "#a97a14"}
_WHITE = "#ffffff"
_GANDALF, _GANDALF_INK = "#dcdad2", "#26282a"
_CARD_EDGE = "#fbf8ef"
_BACK, _BACK_LINE = "#7a6d55", "#5a4f3c"
_TOKEN, _TOKEN_INK = "#f0cf6a", "#3a2b05"
_SYMBOL = "#4a4336"
_MARGIN = 8
_SMALLEST = 11


class _Size(NamedTuple):
    """The size of cards."""

    width: float
    height: float


_LARGE = _Size(62, 84)
_HAND = {2: _Size(68, 92), 3: _Size(58, 78), 4: _Size(46, 62), 5: _Size(40, 54)}
"""The size of cards in a hand, by the number of players."""
_PHONE, _ROW = _Size(42, 54), _Size(30, 38)


def draw(state: np.record, viewer: int | None, *, form: Form = Form.WIDE) -> Drawing:
    """Draws a position from the view of a viewer (``wotr_env.core.kind.Draw``).

    Raises:
        ValueError: there is no such viewer.
    """
    shown = picture(state, viewer)
    own = check_viewer(viewer, SEATS[: len(shown["players"])])
    return drawing_of(shown, form, own if own is not None and own >= 0 else 0)


def drawing_of(shown: dict[str, Any], form: Form = Form.WIDE, own: int = 0) -> Drawing:
    """Draws the data of ``picture``; all forms but the wide one begin with the player ``own``."""
    if form is not Form.WIDE:
        return _narrow(shown, own, SQUARE if form is Form.SQUARE else UPRIGHT)
    told = _headline(shown)
    shapes: list[Shape] = [Words(14, 18, told, 15, TEXT, bold=True)]
    shapes.append(Words(30 + 8.4 * len(told), 18, shown["unprinted"], 12, FAINT))
    for number, quality in enumerate(QUALITIES):
        x = WIDTH - 6 - 114 * (len(QUALITIES) - number)
        shapes += _symbol(quality, x, 8, _Size(18, 20), 12)
        shapes.append(Words(x + 24, 18, quality, 12, FAINT))
    width = (WIDTH - _MARGIN * (len(LOCATIONS) + 1)) / len(LOCATIONS)
    for number, location in enumerate(shown["locations"]):
        frame = Frame(_MARGIN + number * (width + _MARGIN), 36, width, 132)
        shapes += _location(shown, number, location, frame)
    shapes += _display(shown, Frame(_MARGIN, 176, WIDTH - 2 * _MARGIN, 118), _LARGE)
    number = len(shown["players"])
    width = (WIDTH - _MARGIN * (number + 1)) / number
    for seat in range(number):
        frame = Frame(_MARGIN + seat * (width + _MARGIN), 302, width, HEIGHT - 302 - _MARGIN)
        shapes += _player(shown, seat, frame)
    return Drawing(WIDTH, HEIGHT, GROUND, f"{told}: {shown['words']}", tuple(shapes))


def _headline(shown: dict[str, Any]) -> str:
    return f"Turn {shown['turn']}, {shown['place']}"


def _narrow(shown: dict[str, Any], own: int, width: int) -> Drawing:
    """A narrow drawing: journey, open cards and the own hand first; then all rows, and the known cards of
    other hands."""
    shapes: list[Shape] = []
    across, tall = (len(LOCATIONS), 84) if width == SQUARE else (3, 62)
    step = (width - 4) / across
    for number, location in enumerate(shown["locations"]):
        frame = Frame(4 + number % across * step, 4 + number // across * 66, step - 4, tall)
        shapes += _location(shown, number, location, frame)
    top = 4.0 + len(LOCATIONS) // across * (tall + 4)
    shapes += _display(shown, Frame(4, top, width - 8, 78), _PHONE)
    top += 82
    seats = range(len(shown["players"]))
    for seat in (own, *(other for other in seats if other != own)):
        made = list(_strip(shown, seat, Frame(4, top, width - 8, 0), seat == own))
        shapes += made
        top = max(box.y + box.height for box in made if isinstance(box, Box)) + 4
    if shown["unprinted"]:
        shapes.append(Words(width / 2, top + 7, shown["unprinted"], _SMALLEST, FAINT, "middle"))
        top += 16
    return Drawing(width, round(top), GROUND, f"{_headline(shown)}: {shown['words']}", tuple(shapes))


def _symbol(quality: str, x: float, y: float, size: _Size, letter: float, tip: str = "") -> Iterator[Shape]:
    yield Box(x, y, size.width, size.height, _SYMBOL, "", 4, tip=tip)
    yield Words(x + size.width / 2, y + size.height / 2, LETTERS[quality], letter, _WHITE, "middle", True)


def _location(shown: dict[str, Any], number: int, location: dict[str, Any], frame: Frame) -> Iterator[Shape]:
    """A location with its path, its qualities and its tokens."""
    x, y, width, height = frame
    roomy, here = height > 100, location["marker"] > 0
    told = location_tip(
        location["name"], location["spaces"], location["qualities"], location["tokens"], location["marker"]
    )
    yield Box(x, y, width, height, PANEL, GOLD if here else EDGE, 8, 2 if here else 1, tip=told)
    ink = GOLD if here else FAINT if _is_past(shown, number) else TEXT
    yield Words(x + 9, y + (17 if roomy else 12), location["name"], 15 if roomy else 12, ink, bold=True)
    step, radius, middle = (24, 8, y + 42) if roomy else (12, 4, y + 26)
    left = x + 19 if roomy else x + 13
    for space in range(location["spaces"] + 1):
        at = left + space * step
        if space == location["spaces"]:
            yield Box(at - radius, middle - radius, 2 * radius, 2 * radius, RAISED, FAINT, 2)
        else:
            yield Disc(at, middle, radius, RAISED, FAINT)
        if location["marker"] == space + 1:
            yield Disc(at, middle, radius - 2, GOLD)
    size, across, down = (_Size(28, 30), 34, y + 60) if roomy else (_Size(17, 21), 19, y + 36)
    for place, quality in enumerate(location["qualities"]):
        tip = f"{quality.capitalize()} is asked for at {location['name']}"
        yield from _symbol(quality, x + 9 + place * across, down, size, 16 if roomy else 13, tip)
    for place, token in enumerate(location["tokens"]):
        at, middle = (
            (x + 23 + place * 34, y + 112)
            if roomy
            else (x + width - 13 - (len(location["tokens"]) - 1 - place) * 13, y + height - 16)
        )
        yield Disc(at, middle, 13 if roomy else 7.5, _TOKEN, "#7a5c10")
        yield Words(at, middle, str(token), 14 if roomy else 11.5, _TOKEN_INK, "middle", True)


def _is_past(shown: dict[str, Any], number: int) -> bool:
    here = [place for place, location in enumerate(shown["locations"]) if location["marker"]]
    return bool(here) and number < here[0]


def _seat_of(shown: dict[str, Any]) -> int | None:
    names = [player["name"] for player in shown["players"]]
    return names.index(shown["seat"]) if shown["seat"] in names else None


def _by(verbs: tuple[str, ...], name: str, seats: Iterator[int] | range | tuple[int, ...]) -> tuple[str, ...]:
    return tuple(f"{seat}/{verb}:{name}" for seat in seats for verb in verbs)


def _display(shown: dict[str, Any], frame: Frame, size: _Size) -> Iterator[Shape]:
    """The open cards, the pile, and the number of cards put aside."""
    x, y, width, height = frame
    seats = range(len(shown["players"]))
    right = x + width - 2 * size.width - 34
    told = counted(sum(shown["display"].values()), "card")
    yield Box(*frame, PANEL, EDGE, 8, tip=f"Open cards\n{told}, face up.")
    yield Words(x + 10, y + 12, "Open", 12, FAINT)
    marks = {name: (("take:" + name,), _by(("swap",), name, seats)) for name in KIND_NAMES}
    yield from _cards(shown["display"], Frame(x + 10, y + 22, right - x - 24, height), size, marks)
    yield Words(right, y + 12, "Pile", 12, FAINT)
    tip = f"The pile: {counted(shown['pile'], 'card')}, face down"
    came = tuple(f"{seat}/take:hidden" for seat in seats)
    yield from _back(right, y + 22, size, str(shown["pile"]), ("take:hidden",), tip, came)
    aside = sum(shown["discard"].values())
    listed = ", ".join(f"{count} {name.replace('-', ' ')}" for name, count in shown["discard"].items())
    yield Words(x + width - 10, y + 12, "Put aside", 12, FAINT, "end")
    left = x + width - 10 - size.width
    yield Box(left, y + 22, *size, RAISED, EDGE, 5, tip=f"Cards put aside\n{listed or 'None yet.'}")
    yield Words(left + size.width / 2, y + 22 + size.height / 2, str(aside), 16, TEXT, "middle")


def _marks(shown: dict[str, Any], seat: int) -> dict[str, tuple[tuple[str, ...], tuple[str, ...]]]:
    """For each kind of card in a hand, the actions that choose it, and the actions that may have brought it
    there.

    A Gandalf is chosen together with the first card of its row.
    """
    decides = seat == _seat_of(shown)
    verbs = ("swap", "lay", "begin") if decides else ()
    marks = {
        name: (tuple(f"{verb}:{name}" for verb in verbs), _by(("take",), name, (seat,)))
        for name in KIND_NAMES
    }
    begun = tuple(f"begin:{name}" for name in KIND_NAMES[:-1]) if decides else ()
    marks["gandalf"] = (marks["gandalf"][0] + begun, marks["gandalf"][1])
    return marks


def _counting(player: dict[str, Any]) -> str:
    """``3 count here``: the number of cards in rows of the qualities that the location scores."""
    return f"{player['valid']} {'counts' if player['valid'] == 1 else 'count'} here"


def _head(player: dict[str, Any], x: float, y: float, width: float, size: float) -> Iterator[Shape]:
    """The title of a player; the owner of the ring has a golden ring."""
    yield Words(x + 10, y, player["title"], size, TEXT, bold=True)
    if player["ring"]:
        at = x + 24 + size * 0.62 * len(player["title"])
        tip = f"{player['title']} has the ring\nIt begins, and of equals is ahead by laying first."
        yield Box(at - 9, y - 9, 18, 18, PANEL, "", 9, tip=tip)
        yield Disc(at, y, 6, PANEL, GOLD, 3)
    yield Words(x + width - 10, y, counted(player["points"], "point"), size - 1, GOLD, "end", True)


def _player(shown: dict[str, Any], seat: int, frame: Frame) -> Iterator[Shape]:
    """The cards in front of a player; the deciding player has a golden edge."""
    player, (x, y, width, height) = shown["players"][seat], frame
    decides = seat == _seat_of(shown)
    size = _HAND[len(shown["players"])]
    yield Box(*frame, PANEL, GOLD if decides else EDGE, 8, 2 if decides else 1, tip=_player_tip(player))
    yield from _head(player, x, y + 20, width, 16)
    yield Words(x + 10, y + 44, _counting(player), 12, FAINT)
    rows = {row["colour"]: row for row in player["rows"]}
    for number, colour in enumerate(COLOURS):
        top = y + 56 + number * 62
        yield from _row(rows.get(colour), colour, seat, Frame(x + 10, top, width - 20, 58), _Size(40, 54))
    lines = max(1, min(3, int((height - 322) // (size.height + 6))))
    yield Words(x + 10, y + 314, _hand_told(player), 12, FAINT)
    frame = Frame(x + 10, y + 326, width - 20, height)
    yield from _cards(player["cards"], frame, size, _marks(shown, seat), _hidden(player), lines)


def _player_tip(player: dict[str, Any]) -> str:
    ring = "has the ring; " if player["ring"] else ""
    cards = f"{counted(player['valid'], 'card')} in rows that count here"
    return (
        f"{player['title']}\n{counted(player['points'], 'point')}; {ring}{cards}; "
        f"{counted(player['hand'], 'card')} in hand."
    )


def _hidden(player: dict[str, Any]) -> int:
    return player["hand"] - sum(player["cards"].values())


def _hand_told(player: dict[str, Any]) -> str:
    hidden = _hidden(player)
    return f"Hand {player['hand']}" + (
        f", {player['hand'] - hidden} seen" if 0 < hidden < player["hand"] else ""
    )


def _strip(shown: dict[str, Any], seat: int, place: Frame, own: bool) -> Iterator[Shape]:
    """A player in a narrow drawing: the rows beside each other, and the hand; as high as they need."""
    player, (x, y, width, _) = shown["players"][seat], place
    decides = seat == _seat_of(shown)
    size = _PHONE if own else _ROW
    beside = 4 if width > UPRIGHT else 2
    step = (width - 10) / beside
    rows = -(-len(player["rows"]) // beside) * 44
    across = int((width - 20 + 8) // (size.width + 8))
    stacks = len(player["cards"]) + (_hidden(player) > 0)
    lines = max(1, -(-stacks // across))
    height = 42 + rows + lines * (size.height + 6)
    yield Box(
        x, y, width, height, PANEL, GOLD if decides else EDGE, 8, 2 if decides else 1, tip=_player_tip(player)
    )
    yield from _head(player, x, y + 14, width, 13)
    yield Words(x + width / 2 - 5, y + 14, _counting(player), _SMALLEST, FAINT)
    for number, row in enumerate(player["rows"]):
        frame = Frame(x + 10 + number % beside * step, y + 28 + number // beside * 44, step - 10, 38)
        yield from _row(row, row["colour"], seat, frame, _ROW)
    yield Words(x + 10, y + 34 + rows, _hand_told(player), _SMALLEST, FAINT)
    frame = Frame(x + 10, y + 42 + rows, width - 20, size.height)
    yield from _cards(player["cards"], frame, size, _marks(shown, seat), _hidden(player), lines)


def _row(row: dict[str, Any] | None, colour: str, seat: int, frame: Frame, size: _Size) -> Iterator[Shape]:
    """Cards of a colour, the Gandalf first, which overlap if there is little space; or an empty place."""
    x, y, width, height = frame
    came = _by(("lay", "begin"), f"{colour}-{row['quality']}", (seat,)) if row else ()
    headed = " with Gandalf" if row and row["gandalf"] else ""
    told = f"{row['cards']} {colour} {row['quality']}{headed}" if row else f"No row of {colour} cards yet"
    yield Box(x, y, width, height, RAISED, EDGE, 6, 1, came=came, tip=told)
    yield Box(x, y, 5, height, INKS[colour], "", 3)
    if row is None:
        yield Words(x + 14, y + height / 2, colour, 12, FAINT)
        return
    cards = row["cards"] + row["gandalf"]
    left, top = x + 10, y + (height - size.height) / 2
    step = min(size.width + 4, (width - size.width - 14) / max(1, cards - 1))
    for number in range(cards):
        if number == 0 and row["gandalf"]:
            yield from _card("gandalf", left, top, size)
        else:
            yield from _card(f"{colour}-{row['quality']}", left + number * step, top, size)


def _cards(
    counts: dict[str, int],
    frame: Frame,
    size: _Size,
    marks: dict[str, tuple[tuple[str, ...], tuple[str, ...]]],
    hidden: int = 0,
    lines: int = 1,
) -> Iterator[Shape]:
    """One card for each kind, with its number, and one card for all hidden cards.

    Args:
        counts: the number of cards of each kind.
        frame: the area of the cards; they overlap if there is little space.
        size: the size of a card.
        marks: for each kind, the actions that choose it, and the actions that may have brought it there.
        hidden: the number of unknown cards.
        lines: the maximal number of lines.
    """
    stacks = len(counts) + (hidden > 0)
    across = max(int((frame.width + 8) // (size.width + 8)), -(-stacks // lines), 2)
    step = min(size.width + 8, (frame.width - size.width) / (across - 1))
    for number, (name, count) in enumerate([*counts.items(), ("", hidden)][:stacks]):
        left, top = frame.x + number % across * step, frame.y + number // across * (size.height + 6)
        if not name:
            told = f"{counted(hidden, 'card')} that only the holder sees"
            yield from _back(left, top, size, str(hidden), (), told)
            continue
        yield from _card(name, left, top, size, *marks[name], card_tip(name, count))
        if count > 1:
            at, middle = left + size.width - 10, top + size.height - 10
            yield Disc(at, middle, 9, PANEL, FAINT)
            yield Words(at, middle, str(count), 12, TEXT, "middle", True)


def _card(
    name: str,
    x: float,
    y: float,
    size: _Size,
    actions: tuple[str, ...] = (),
    came: tuple[str, ...] = (),
    tip: str = "",
) -> Iterator[Shape]:
    """A card with the letter of its quality. Its colour is shown in a corner, as a letter on a small card."""
    if name == "gandalf":
        fill, ink, letter, corner = _GANDALF, _GANDALF_INK, "G", ""
    else:
        colour, quality = name.split("-")
        fill, ink, letter, corner = INKS[colour], _WHITE, LETTERS[quality], colour
    if actions:  # the mark of what can be chosen is seen around a pale edge, whatever the colour of the card
        yield Box(x, y, *size, _CARD_EDGE, EDGE, 5, 1, actions, came, tip)
        yield Box(x + 3, y + 3, size.width - 6, size.height - 6, fill, "", 3)
    else:
        yield Box(x, y, *size, fill, GROUND, 5, 1, actions, came, tip)
    down = 0.5 if size.height > 60 or not corner else 0.6
    yield Words(x + size.width / 2, y + size.height * down, letter, size.height * 0.4, ink, "middle", True)
    if corner:
        yield Words(x + 5, y + 10, corner if size.width > 50 else corner[0], _SMALLEST, ink)


def _back(
    x: float,
    y: float,
    size: _Size,
    number: str,
    actions: tuple[str, ...] = (),
    tip: str = "",
    came: tuple[str, ...] = (),
) -> Iterator[Shape]:
    yield Box(x, y, *size, _BACK, _BACK_LINE, 5, 1, actions, came, tip)
    yield Words(x + size.width / 2, y + size.height / 2, number, 16, _WHITE, "middle")


assert len(set(LETTERS.values())) == len(QUALITIES)
