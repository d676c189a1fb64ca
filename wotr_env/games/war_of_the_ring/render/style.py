"""The style of the map: colours, symbols and cells, shared by the picture of ``render`` and the HTML replay.

Lengths are in units of ``REGION_XY``: x to the right, y down, the size of the map is ``MAP_SIZE``.
"""

from __future__ import annotations

import functools
import itertools
import math

from wotr_env.core.palette import BLUE, RED
from wotr_env.core.palette import blend as blend
from wotr_env.games.war_of_the_ring.components import NEIGHBOURS, REGION_XY

MAP_SIZE: tuple[int, int] = (1000, 700)
"""Width and height of the map."""

NATION_COLOURS: dict[str, str] = {
    "dwarves": "#8a5a33",
    "elves": "#3fa35b",
    "gondor": "#2456a6",
    "north": "#5aaed6",
    "rohan": "#1d6b46",
    "sauron": "#b3261e",
    "isengard": "#d9b310",
    "southrons": "#e07b1f",
}
"""The colour of each nation, by its lower-case name."""

NATION_INKS: dict[str, str] = dict.fromkeys(NATION_COLOURS, "#ffffff") | {
    "elves": "#04200d",
    "north": "#10222c",
    "isengard": "#2b2304",
    "southrons": "#2a1503",
}
"""The colour of text on the nation's colour."""

NATION_LETTERS: dict[str, str] = {
    "dwarves": "D",
    "elves": "E",
    "gondor": "G",
    "north": "N",
    "rohan": "R",
    "sauron": "S",
    "isengard": "I",
    "southrons": "H",
}
"""The letter of each nation, for readers without colours; H stands for the Haradrim among the Southrons and
Easterlings."""

SIDE_COLOURS: dict[str, str] = {"free_peoples": BLUE, "shadow": RED}

LAND_COLOUR = "#efe4c8"
"""The colour of a region without a nation."""
NATION_TINT = 0.34
"""The share of the nation's colour in the colour of its regions; the rest is ``LAND_COLOUR``."""
SEA_COLOUR = "#a9c4d4"
COAST_COLOUR = "#7d9fb3"
SHALLOWS_COLOUR = "#bdd3de"
"""The colour of the water along the coast, under the coast line."""
BORDER_COLOUR = "#c2b18a"
"""The colour of the line between the cells of two neighbouring regions."""
WALL_COLOUR = "#7a6440"
"""The colour of the line between two cells whose regions are not neighbours."""
PATH_COLOUR = "#8f7b55"
"""The colour of the line that connects two neighbours."""
INK_COLOUR = "#2d2516"
PANEL_COLOUR = "#f7f1e1"
FELLOWSHIP_COLOUR = "#e8c547"
SIEGE_COLOUR = "#d62828"

SETTLEMENT_SHAPES: dict[str, str] = {
    "stronghold": "square",
    "city": "diamond",
    "town": "circle",
    "fortification": "triangle",
}
"""The symbol of each kind of place; it is filled with the colour of the side in control."""

SETTLEMENT_RADIUS: dict[str, float] = {
    "stronghold": 7.0,
    "city": 7.0,
    "town": 5.0,
    "fortification": 6.0,
}
"""Half the width of each symbol."""

REGION_RADIUS = 2.5
"""The radius of the dot of a region without a Settlement."""

CHARACTER_LETTERS: dict[str, str] = {
    "gandalf-grey": "GG",
    "strider": "St",
    "boromir": "Bo",
    "legolas": "Le",
    "gimli": "Gi",
    "meriadoc": "Me",
    "peregrin": "Pe",
    "gandalf-white": "GW",
    "aragorn": "Ar",
    "gollum": "Go",
    "witch-king": "WK",
    "mouth-of-sauron": "MS",
    "saruman": "Sa",
}
"""The letters on the token of each character."""

_COAST: tuple[tuple[int, int], ...] = (
    (10, 0), (14, 40), (20, 80), (8, 110), (8, 148), (26, 170), (56, 170), (68, 180), (58, 192),
    (30, 196), (12, 218), (10, 252), (22, 282), (52, 286), (84, 272), (108, 282), (136, 280), (154, 300),
    (166, 326), (198, 336), (216, 366), (224, 402), (244, 438), (226, 470), (198, 486), (192, 516),
    (214, 542), (252, 546), (290, 532), (338, 528), (386, 530), (424, 542), (452, 566), (484, 576),
    (508, 566), (518, 540), (536, 524), (552, 544), (550, 572), (566, 594), (580, 616), (564, 634),
    (542, 642), (530, 664), (534, 690), (540, 700),
)  # fmt: skip
"""The points of the coast from the north to the south."""


def _rounded(line: list[tuple[float, float]]) -> list[tuple[float, float]]:
    """The line with cut corners."""
    cut = [line[0]]
    for (x1, y1), (x2, y2) in itertools.pairwise(line):
        cut.append((0.75 * x1 + 0.25 * x2, 0.75 * y1 + 0.25 * y2))
        cut.append((0.25 * x1 + 0.75 * x2, 0.25 * y1 + 0.75 * y2))
    return [*cut, line[-1]]


COAST: tuple[tuple[float, float], ...] = tuple(
    (round(x, 1), round(y, 1)) for x, y in _rounded(_rounded([(float(x), float(y)) for x, y in _COAST]))
)
"""The coast of the western sea, from the north to the south."""

SEA: tuple[tuple[float, float], ...] = ((0.0, 0.0), *COAST, (0.0, float(MAP_SIZE[1])))
"""The polygon of the western sea."""

_LAND = [(float(MAP_SIZE[0]), 0.0), *COAST, (float(MAP_SIZE[0]), float(MAP_SIZE[1]))]
_CELL_REACH = 420.0  # regions farther apart have no common border


@functools.cache
def region_cells() -> tuple[tuple[tuple[float, float], ...], ...]:
    """The polygon (cell) of each of the 105 regions: the land that is nearer to this region than to any
    other. The cells are only decoration: lines, not cells, show which regions are neighbours.
    """
    places = [(float(x), float(y)) for x, y in REGION_XY]
    return tuple(_cell(region, places) for region in range(len(places)))


def _cell(region: int, places: list[tuple[float, float]]) -> tuple[tuple[float, float], ...]:
    x, y = places[region]
    cell = list(_LAND)
    for other_x, other_y in places:
        dx, dy = other_x - x, other_y - y
        if 0 < dx * dx + dy * dy < _CELL_REACH**2:
            cell = _cut(cell, dx, dy, dx * (x + other_x) / 2 + dy * (y + other_y) / 2)
    return tuple((round(a, 1), round(b, 1)) for a, b in cell)


def _cut(cell: list[tuple[float, float]], dx: float, dy: float, limit: float) -> list[tuple[float, float]]:
    """The part of a polygon where ``x * dx + y * dy <= limit``."""
    kept = []
    for (x1, y1), (x2, y2) in zip(cell, cell[1:] + cell[:1], strict=True):
        over1, over2 = x1 * dx + y1 * dy - limit, x2 * dx + y2 * dy - limit
        if over1 <= 0:
            kept.append((x1, y1))
        if (over1 <= 0) != (over2 <= 0):
            share = over1 / (over1 - over2)
            kept.append((x1 + share * (x2 - x1), y1 + share * (y2 - y1)))
    return kept


def region_colour(nation: str | None) -> str:
    """The colour of the cell of a region of this nation, or of a region without a nation."""
    return LAND_COLOUR if nation is None else blend(NATION_COLOURS[nation], LAND_COLOUR, NATION_TINT)


@functools.cache
def region_walls() -> tuple[tuple[float, float, float, float], ...]:
    """The lines (x1, y1, x2, y2) between two adjacent cells whose regions are not neighbours: mountains,
    rivers."""
    walls = []
    places = REGION_XY.tolist()
    for region, cell in enumerate(region_cells()):
        linked = set(NEIGHBOURS[region].tolist())
        own = places[region]
        for start, end in zip(cell, cell[1:] + cell[:1], strict=True):
            middle = ((start[0] + end[0]) / 2, (start[1] + end[1]) / 2)
            other = min(
                (other for other in range(len(places)) if other != region),
                key=lambda other: math.dist(middle, places[other]),
            )
            touching = math.dist(middle, places[other]) < math.dist(middle, own) + 0.5
            if touching and other > region and other not in linked:
                walls.append((*start, *end))
    return tuple(walls)
