"""Draws the map in the terminal: lands in the colours of ``render``, armies as strengths, some names.

A cell of the terminal is about twice as high as it is wide. Without colours, the letters of
``style.NATION_LETTERS`` distinguish the nations of armies.
"""

from __future__ import annotations

import functools
import itertools
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from rich.style import Style
from rich.text import Text

from wotr_env.games.war_of_the_ring.codes import SIDE_IDS, Settlement
from wotr_env.games.war_of_the_ring.components import (
    CHARACTER_SIDE,
    FORTIFICATION,
    NEIGHBOURS,
    REGION_IDS,
    REGION_NAMES,
    REGION_NATION,
    REGION_XY,
    SETTLEMENT,
)
from wotr_env.games.war_of_the_ring.picture import CHARACTER_IDS, NATION_IDS
from wotr_env.games.war_of_the_ring.render.style import (
    CHARACTER_LETTERS,
    FELLOWSHIP_COLOUR,
    INK_COLOUR,
    MAP_SIZE,
    NATION_LETTERS,
    SEA,
    SEA_COLOUR,
    SIDE_COLOURS,
    region_colour,
)

_ASPECT = 2.0
"""The ratio of the height of a terminal cell to its width."""
_WIDE = 110
"""The least number of columns for showing armies by kinds of figures."""
_MARKS = {Settlement.STRONGHOLD: "■", Settlement.CITY: "◆", Settlement.TOWN: "●"}
_FORT, _PLACE = "▲", "·"
_SHORT_NAME = 7
"""Number of letters of an abbreviated name."""
KEY = (
    "■ Stronghold ◆ City ● Town ▲ Fortification, in the colour of its owner; {army}; two letters: a "
    "character; (F): the Fellowship. region NAME shows a region and its surroundings."
)
_ARMY_WIDE = "G3r1e: three Regulars and an Elite of Gondor (D Dwarves, H Southrons), as they are typed"
_ARMY_SHORT = "G4+1: four units of Gondor and a Leader or Nazgul (D Dwarves, H Southrons)"


_MARGIN = 70.0
"""Margin around regions in an enlarged drawing."""
_LEAST = 320.0
"""The least width of a part of the map; its least height is half of this."""


class Window(NamedTuple):
    """A part of the map, in units of ``REGION_XY``."""

    left: float
    top: float
    right: float
    bottom: float


WHOLE = Window(0.0, 0.0, float(MAP_SIZE[0]), float(MAP_SIZE[1]))


def window_of(regions: Sequence[int]) -> Window:
    """A window around some regions, with a margin."""
    places = REGION_XY[list(regions)].astype(float)
    (left, top), (right, bottom) = places.min(axis=0), places.max(axis=0)
    across = max(_MARGIN, (_LEAST - (right - left)) / 2)
    down = max(_MARGIN, _LEAST / 2 - (bottom - top)) / 2
    return Window(left - across, top - down, right + across, bottom + down)


def surroundings(region: int) -> list[int]:
    """A region and its neighbours."""
    return [region, *(other for other in NEIGHBOURS[region].tolist() if other >= 0)]


def drawn(shown: dict[str, Any], width: int, height: int, window: Window = WHOLE) -> Text:
    """Draws a part of the map.

    Args:
        shown: a picture.
        width: number of columns, which the drawing fills.
        height: maximal number of lines; the map is compressed to fit.
        window: the part of the map.
    """
    across, down = window.right - window.left, window.bottom - window.top
    rows = max(4, min(height, round(width * down / across / _ASPECT)))
    sheet = _Sheet(_land(window, width, rows))
    places = {
        region: ((y - window.top) / down * rows, (x - window.left) / across * width)
        for region, (x, y) in enumerate(REGION_XY.tolist())
        if window.left <= x < window.right and window.top <= y < window.bottom
    }
    held = {region: sheet.mark(int(row), int(column)) for region, (row, column) in places.items()}
    wide = width >= _WIDE or len(places) < len(REGION_XY) // 3
    for region in sorted(held, key=lambda region: -_weight(shown, region)):
        row, column = held[region]
        sheet.put(row, column, *_mark(shown, region))
        tokens = _tokens(shown, region, wide)
        if wide:
            tokens = [(f" {text}" if place else text, ink) for place, (text, ink) in enumerate(tokens)]
        if tokens:
            if not sheet.label(row, column, tokens, gaps=(1, 0)):
                for token in tokens:
                    sheet.label(row, column, [token], gaps=(1, 0))
    for region in sorted(held, key=lambda region: (SETTLEMENT[region] == 0, -_weight(shown, region))):
        name = REGION_NAMES[region]
        for text in (name, name[:_SHORT_NAME].rstrip()) if len(name) > _SHORT_NAME + 1 else (name,):
            if sheet.label(*held[region], [(text, INK_COLOUR)]):
                break
    return sheet.text()


def key(width: int) -> str:
    """A legend for the symbols of the whole map."""
    return KEY.format(army=_ARMY_WIDE if width >= _WIDE else _ARMY_SHORT)


def _weight(shown: dict[str, Any], region: int) -> int:
    """The importance of a region for the drawing. More important regions get space first; the region of the
    Fellowship is the most important."""
    place = shown["regions"].get(REGION_IDS[region]) or {"armies": [], "characters": []}
    ring = 100 * (shown["fellowship"]["region"] == REGION_IDS[region])
    figures = (counts for army in place["armies"] for counts in army["figures"].values())
    return ring + sum(map(sum, figures)) + 3 * len(place["characters"])


def _mark(shown: dict[str, Any], region: int) -> tuple[str, str]:
    kind = Settlement(int(SETTLEMENT[region]))
    sign = _MARKS.get(kind, _FORT if FORTIFICATION[region] else _PLACE)
    control = (shown["regions"].get(REGION_IDS[region]) or {"control": None})["control"]
    return sign, SIDE_COLOURS[control] if control else INK_COLOUR


def _tokens(shown: dict[str, Any], region: int, wide: bool) -> list[tuple[str, str]]:
    """The armies of a region, characters and the Fellowship, as texts with their colours."""
    tokens = []
    here = shown["fellowship"]
    if here["region"] == REGION_IDS[region]:
        tokens.append(("(F)" if not here["progress"] else f"(F+{here['progress']})", _RING))
    place = shown["regions"].get(REGION_IDS[region]) or {"armies": [], "characters": []}
    for army in place["armies"]:
        colour = SIDE_COLOURS[army["side"]]
        tokens += [(_army(nation, counts, wide), colour) for nation, counts in army["figures"].items()]
    for who in place["characters"]:
        side = int(CHARACTER_SIDE[CHARACTER_IDS.index(who)])
        tokens.append((CHARACTER_LETTERS[who], SIDE_COLOURS[SIDE_IDS[side]]))
    return tokens


_RING = "fellowship"
"""Stands for a colour: text on the colour of the Fellowship."""


def _army(nation: str, counts: list[int], wide: bool) -> str:
    regulars, elites, leaders = counts
    letter = NATION_LETTERS[nation]
    if not wide:
        return f"{letter}{regulars + elites or ''}{f'+{leaders}' if leaders else ''}"
    kinds = zip(counts, ("r", "e", "n" if nation == "sauron" else "l"), strict=True)
    return letter + "".join(f"{count}{kind}" for count, kind in kinds if count)


class _Sheet:
    """Cells with a background, a letter, and the style of the letter.

    Args:
        land: ``str[rows, columns]``, the colours of the background.
    """

    def __init__(self, land: np.ndarray) -> None:
        self._land = land
        self._letters = np.full(land.shape, " ", dtype="<U1")
        self._ink = np.full(land.shape, "", dtype=object)

    def mark(self, row: int, column: int) -> tuple[int, int]:
        """Reserves the free cell nearest to the given one for a region; returns its row and column."""
        rows, columns = self._land.shape
        row, column = min(row, rows - 1), min(column, columns - 1)
        tries = sorted(
            ((abs(dr) * 2 + abs(dc), row + dr, column + dc) for dr in (-1, 0, 1) for dc in range(-3, 4)),
        )
        for _, other, place in tries:
            if 0 <= other < rows and 0 <= place < columns and self._letters[other, place] == " ":
                self._letters[other, place] = _PLACE
                return other, place
        return row, column

    def put(self, row: int, column: int, text: str, ink: str) -> None:
        """Writes a text, starting at a cell."""
        for place, letter in enumerate(text, start=column):
            self._letters[row, place] = letter
            self._ink[row, place] = ink

    def label(
        self, row: int, column: int, texts: Sequence[tuple[str, str]], gaps: Sequence[int] = (1,)
    ) -> bool:
        """Writes texts next to the mark in a cell: to its right, its left, or just above or below. Returns
        False if there is no room.

        Args:
            row: the row of the mark.
            column: the column of the mark.
            texts: the texts in order, with their colours.
            gaps: distances in columns to try between the texts and others; the first one with enough room is
                used.
        """
        length = sum(len(text) for text, _ in texts)
        half = column - length // 2
        beside = [(row, column + 1), (row, column - length)]
        near = [(row + down, start) for start in (half, column + 1, column - length) for down in (1, -1)]
        for gap, (line, start) in itertools.product(gaps, (*beside, *near)):
            if self._is_free(line, start, length, gap, (row, column)):
                for text, ink in texts:
                    self.put(line, start, text, ink)
                    start += len(text)
                return True
        return False

    def _is_free(self, row: int, start: int, length: int, gap: int, own: tuple[int, int]) -> bool:
        rows, columns = self._land.shape
        if not 0 <= row < rows or start < 0 or start + length > columns:
            return False
        around = range(max(0, start - gap), min(columns, start + length + gap))
        return all(self._letters[row, place] == " " or (row, place) == own for place in around)

    def text(self) -> Text:
        """All lines."""
        drawn = Text(no_wrap=True)
        for row in range(len(self._land)):
            if row:
                drawn.append("\n")
            for letter, ink, ground in zip(
                self._letters[row].tolist(), self._ink[row], self._land[row], strict=True
            ):
                drawn.append(letter, style=_style(ink, str(ground)))
        return drawn


@functools.cache
def _style(ink: str, ground: str) -> Style:
    if ink == _RING:
        return Style(color=INK_COLOUR, bgcolor=FELLOWSHIP_COLOUR, bold=True)
    return Style(color=ink or INK_COLOUR, bgcolor=ground, bold=bool(ink) and ink != INK_COLOUR)


@functools.lru_cache(maxsize=8)
def _land(window: Window, width: int, rows: int) -> np.ndarray:
    """The colours of the background: ``str[rows, width]``."""
    xs = window.left + (np.arange(width) + 0.5) * (window.right - window.left) / width
    ys = window.top + (np.arange(rows) + 0.5) * (window.bottom - window.top) / rows
    points = np.stack(np.meshgrid(xs, ys), axis=-1)
    apart = points[:, :, None, :] - REGION_XY[None, None].astype(float)
    nearest = (apart**2).sum(axis=-1).argmin(axis=-1)
    colours = np.array(
        [region_colour(NATION_IDS[nation] if nation >= 0 else None) for nation in REGION_NATION.tolist()],
        dtype=object,
    )
    land = colours[nearest]
    land[_in_sea(points)] = SEA_COLOUR
    return land


def _in_sea(points: np.ndarray) -> np.ndarray:
    """Whether points are in the sea: an odd number of edges of the sea are to their right."""
    inside = np.zeros(points.shape[:2], dtype=bool)
    corners = np.array(SEA)
    x, y = points[:, :, 0], points[:, :, 1]
    for (x1, y1), (x2, y2) in zip(corners, np.roll(corners, -1, axis=0), strict=True):
        if y1 != y2:
            crosses = (y1 > y) != (y2 > y)
            inside ^= crosses & (x < (x2 - x1) * (y - y1) / (y2 - y1) + x1)
    return inside
