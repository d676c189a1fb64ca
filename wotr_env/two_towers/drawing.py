"""A position of The Two Towers drawn, from ``picture`` alone: journey, open cards, what lies before each."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from wotr_env.shapes import Box, Disc, Drawing, Shape, Words
from wotr_env.two_towers.components import LOCATIONS, QUALITIES
from wotr_env.two_towers.picture import picture

WIDTH, HEIGHT = 1280, 800

_GROUND, _PANEL, _EDGE = "#20241f", "#2b302a", "#454c42"
_TEXT, _FAINT, _GOLD = "#ece6d6", "#a9a892", "#e3bf63"
_COLOURS = {"red": "#b5443a", "green": "#4c8a4a", "blue": "#3f74b5", "yellow": "#c9982b"}
_GANDALF, _GANDALF_INK = "#e8e6df", "#26282a"
_QUALITIES = {"strength": "S", "wisdom": "W", "perseverance": "P", "resolution": "R"}
"""The letter of each."""
_BACK, _BACK_LINE = "#4b4437", "#786d58"
_CARD_WIDTH, _CARD_HEIGHT, _GAP = 34, 46, 14
_MARGIN = 12
_JOURNEY_TOP, _DISPLAY_TOP, _PLAYERS_TOP = 52, 242, 342


def draw(state: np.record, viewer: int | None) -> Drawing:
    """A position as a viewer may see it (``wotr_env.kind.check_viewer``).

    Raises:
        ValueError: there is no such viewer.
    """
    return drawing_of(picture(state, viewer))


def drawing_of(shown: dict[str, Any]) -> Drawing:
    """What ``picture`` tells, drawn."""
    headline = f"Turn {shown['turn']}, {shown['place']}: {shown['words']}"
    key = ", ".join(f"{letter} {name}" for name, letter in _QUALITIES.items())
    shapes: list[Shape] = [
        Box(0, 0, WIDTH, 40, "#171a16"),
        Words(16, 20, headline, 17, _TEXT),
        Words(WIDTH - 16, 20, key, 13, _FAINT, "end"),
        *_journey(shown),
        *_display(shown),
    ]
    number = len(shown["players"])
    width = (WIDTH - _MARGIN * (number + 1)) / number
    for place, player in enumerate(shown["players"]):
        shapes += _player(player, _MARGIN + place * (width + _MARGIN), width, player["name"] == shown["seat"])
    return Drawing(WIDTH, HEIGHT, _GROUND, headline, tuple(shapes))


def _journey(shown: dict[str, Any]) -> Iterator[Shape]:
    """The locations from left to right, each with its path, its qualities and its tokens."""
    width = (WIDTH - _MARGIN * (len(LOCATIONS) + 1)) / len(LOCATIONS)
    for place, location in enumerate(shown["locations"]):
        x, y = _MARGIN + place * (width + _MARGIN), _JOURNEY_TOP
        here = location["marker"] > 0
        yield Box(x, y, width, 176, _PANEL, _GOLD if here else _EDGE, 8, 2 if here else 1)
        yield Words(x + 12, y + 20, location["name"], 16, _GOLD if here else _TEXT)
        for number in range(location["spaces"] + 1):
            at_location = number == location["spaces"]
            middle = x + 20 + number * 30
            if at_location:
                yield Box(middle - 10, y + 42, 20, 20, _GROUND, _FAINT, 3)
            else:
                yield Disc(middle, y + 52, 9, _GROUND, _FAINT)
            if location["marker"] == number + 1:
                yield Disc(middle, y + 52, 6, _GOLD)
        for number, quality in enumerate(location["qualities"]):
            yield Box(x + 12 + number * 30, y + 78, 26, 32, _TEXT, "", 4)
            yield Words(x + 25 + number * 30, y + 94, _QUALITIES[quality], 16, _GROUND, "middle")
        for number, token in enumerate(location["tokens"]):
            yield Disc(x + 26 + number * 36, y + 144, 15, _GOLD)
            yield Words(x + 26 + number * 36, y + 144, str(token), 15, _GROUND, "middle")


def _display(shown: dict[str, Any]) -> Iterator[Shape]:
    """The open cards, the pile, and how many are put aside."""
    yield Box(_MARGIN, _DISPLAY_TOP, WIDTH - 2 * _MARGIN, 86, _PANEL, _EDGE, 8)
    yield Words(_MARGIN + 12, _DISPLAY_TOP + 16, "Open", 13, _FAINT)
    yield from _cards(shown["display"], _MARGIN + 12, _DISPLAY_TOP + 30, 900)
    x = WIDTH - 250
    yield Words(x, _DISPLAY_TOP + 16, "Pile", 13, _FAINT)
    yield from _back(x, _DISPLAY_TOP + 30, str(shown["pile"]))
    yield Words(x + 90, _DISPLAY_TOP + 16, "Put aside", 13, _FAINT)
    yield Words(x + 90, _DISPLAY_TOP + 52, str(sum(shown["discard"].values())), 18, _TEXT)


def _player(player: dict[str, Any], x: float, width: float, decides: bool) -> Iterator[Shape]:
    """With a golden edge who decides, with a golden ring who has the ring."""
    y = _PLAYERS_TOP
    yield Box(x, y, width, HEIGHT - y - _MARGIN, _PANEL, _GOLD if decides else _EDGE, 8, 2 if decides else 1)
    yield Words(x + 12, y + 22, player["title"], 18, _TEXT)
    yield Words(x + width - 12, y + 22, f"{player['points']} points", 16, _GOLD, "end")
    if player["ring"]:
        yield Disc(x + 108, y + 22, 7, _PANEL, _GOLD, 3)
    yield Words(x + 12, y + 48, f"{player['valid']} count here", 13, _FAINT)
    for number, row in enumerate(player["rows"]):
        yield from _row(row, x + 12, y + 66 + number * 54, width - 24)
    known = sum(player["cards"].values())
    hidden = player["hand"] - known
    told = f"Hand {player['hand']}" + (f", {known} seen" if hidden and known else "")
    yield Words(x + 12, y + 300, told, 13, _FAINT)
    yield from _cards(player["cards"], x + 12, y + 314, width - 24, hidden)


def _row(row: dict[str, Any], x: float, y: float, width: float) -> Iterator[Shape]:
    """Cards that overlap where there is little room, the Gandalf first."""
    cards = row["cards"] + row["gandalf"]
    step = min(_CARD_WIDTH + 4, (width - _CARD_WIDTH) / max(1, cards - 1))
    for number in range(cards):
        if number == 0 and row["gandalf"]:
            yield from _card("gandalf", x, y)
        else:
            yield from _card(f"{row['colour']}-{row['quality']}", x + number * step, y)


def _cards(counts: dict[str, int], x: float, y: float, width: float, hidden: int = 0) -> Iterator[Shape]:
    """A card for each kind, with their number, and one for all that are hidden; in two lines at most."""
    stacks = len(counts) + (hidden > 0)
    across = max(int((width + _GAP) // (_CARD_WIDTH + _GAP)), -(-stacks // 2), 2)
    step = min(_CARD_WIDTH + _GAP, (width - _CARD_WIDTH - 9) / (across - 1))
    for number, (name, count) in enumerate([*counts.items(), ("", hidden)][:stacks]):
        left, top = x + number % across * step, y + number // across * (_CARD_HEIGHT + 8)
        if not name:
            yield from _back(left, top, str(hidden))
            continue
        yield from _card(name, left, top)
        if count > 1:
            yield Disc(left + 7, top + _CARD_HEIGHT - 6, 8, _GROUND, _FAINT)
            yield Words(left + 7, top + _CARD_HEIGHT - 6, str(count), 11, _TEXT, "middle")


def _card(name: str, x: float, y: float) -> Iterator[Shape]:
    if name == "gandalf":
        fill, ink, letter = _GANDALF, _GANDALF_INK, "G"
    else:
        colour, quality = name.split("-")
        fill, ink, letter = _COLOURS[colour], "#ffffff", _QUALITIES[quality]
    yield Box(x, y, _CARD_WIDTH, _CARD_HEIGHT, fill, _GROUND, 5)
    yield Words(x + _CARD_WIDTH / 2, y + _CARD_HEIGHT / 2, letter, 18, ink, "middle")


def _back(x: float, y: float, number: str) -> Iterator[Shape]:
    yield Box(x, y, _CARD_WIDTH, _CARD_HEIGHT, _BACK, _BACK_LINE, 5)
    yield Words(x + _CARD_WIDTH / 2, y + _CARD_HEIGHT / 2, number, 16, _TEXT, "middle")


assert set(_QUALITIES) == set(QUALITIES)
