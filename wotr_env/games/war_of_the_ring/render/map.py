"""The drawn map. The parts that never change are drawn once; figures are placed where they hide least."""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

from PIL import Image, ImageDraw

from wotr_env.games.war_of_the_ring.codes import SIDE_IDS, Settlement
from wotr_env.games.war_of_the_ring.components import (
    CHARACTER_SIDE,
    FORTIFICATION,
    NEIGHBOURS,
    NUM_REGIONS,
    REGION_IDS,
    REGION_NAMES,
    REGION_NATION,
    REGION_XY,
    SETTLEMENT,
)
from wotr_env.games.war_of_the_ring.picture import CHARACTER_IDS, NATION_IDS
from wotr_env.games.war_of_the_ring.render import sprites as sprites
from wotr_env.games.war_of_the_ring.render import style as style
from wotr_env.games.war_of_the_ring.state import NUM_LEADER_NATIONS

SCALE = 1.08
WIDTH, HEIGHT = (round(length * SCALE) for length in style.MAP_SIZE)

_FINE = 3
LABEL_SIZE = 9.5
_LABEL_WIDTH = 62
_FELLOWSHIP_SIZE = 22
_GAP = 1
_ROW_WIDTH = 60
NEUTRAL_COLOUR = "#8d8a7c"

Box = tuple[float, float, float, float]

POINTS = [(float(x) * SCALE, float(y) * SCALE) for x, y in REGION_XY]
REGION_NUMBERS = {name: number for number, name in enumerate(REGION_IDS)}
_SIDE_OF = {name: SIDE_IDS[CHARACTER_SIDE[who]] for who, name in enumerate(CHARACTER_IDS)}


def _kind(region: int) -> str:
    """The word of the region's Settlement or Fortification; empty if it has none."""
    if FORTIFICATION[region]:
        return "fortification"
    kind = Settlement(int(SETTLEMENT[region]))
    return "" if kind == Settlement.NONE else kind.name.lower()


KINDS = tuple(_kind(region) for region in range(NUM_REGIONS))


def _reach(region: int) -> float:
    return SCALE * style.SETTLEMENT_RADIUS.get(KINDS[region], style.REGION_RADIUS)


def _overlap(one: Box, other: Box) -> float:
    wide = min(one[2], other[2]) - max(one[0], other[0])
    high = min(one[3], other[3]) - max(one[1], other[1])
    return wide * high if wide > 0 and high > 0 else 0.0


def _outside(box: Box) -> float:
    """The fraction of a box that would be outside the map."""
    return (box[2] - box[0]) * (box[3] - box[1]) - _overlap(box, (2, 2, WIDTH - 2, HEIGHT - 2))


@functools.cache
def _symbol_boxes() -> tuple[Box, ...]:
    boxes = []
    for region, (x, y) in enumerate(POINTS):
        reach = _reach(region) + 1
        boxes.append((x - reach, y - reach, x + reach, y + reach))
    return tuple(boxes)


@functools.cache
def _near(region: int) -> tuple[int, ...]:
    reach = 130.0
    x, y = POINTS[region]
    return tuple(
        other
        for other, (a, b) in enumerate(POINTS)
        if other != region and abs(a - x) < reach and abs(b - y) < reach
    )


@functools.cache
def labels() -> tuple[tuple[str, Box], ...]:
    """The name of each region in lines, and its box: near the symbol, in a place where it covers little
    else."""
    words = ["\n".join(sprites.wrap(name, LABEL_SIZE, _LABEL_WIDTH)) for name in REGION_NAMES]
    measure = ImageDraw.Draw(Image.new("L", (1, 1)))
    sizes = []
    for lines in words:
        box = measure.multiline_textbbox(
            (0, 0), lines, font=sprites.font(LABEL_SIZE), spacing=0, stroke_width=2
        )
        sizes.append((box[2] - box[0] - 2, box[3] - 1))
    boxes: list[Box | None] = [None] * NUM_REGIONS
    for _ in range(4):  # each round sees the labels of the round before
        for region in range(NUM_REGIONS):
            boxes[region] = min(
                _places(region, *sizes[region], above=True),
                key=lambda place: place[0] + _label_cost(place[1], region, boxes),
            )[1]
    return tuple((lines, box) for lines, box in zip(words, boxes, strict=True) if box is not None)


def _label_cost(box: Box, region: int, boxes: list[Box | None]) -> float:
    cost = 5 * _outside(box)
    symbols = _symbol_boxes()
    for other in _near(region):
        cost += 3 * _overlap(box, symbols[other])
        label = boxes[other]
        if label is not None:
            cost += 2 * _overlap(box, label)
    return cost


def _places(region: int, width: float, height: float, above: bool) -> list[tuple[float, Box]]:
    """Possible boxes around the symbol of a region, each with a cost; a lower cost means a better place."""
    x, y = POINTS[region]
    reach = _reach(region) + 2
    side = reach + width / 2
    up, down = -reach - height / 2, reach + height / 2
    slant = width * 0.3
    first, second = (up, down) if above else (down, up)
    shifts = (
        (0, 0, first),
        (12, slant, first),
        (12, -slant, first),
        (40, side, 0),
        (40, -side, 0),
        (60, 0, second),
        (60, side, first * 0.6),
        (60, -side, first * 0.6),
        (70, slant, second),
        (70, -slant, second),
        (80, side, second * 0.6),
        (80, -side, second * 0.6),
    )
    return [
        (cost, (x + dx - width / 2, y + dy - height / 2, x + dx + width / 2, y + dy + height / 2))
        for cost, dx, dy in shifts
    ]


@functools.cache
def _ground() -> Image.Image:
    """The map without everything that can change."""
    fine = SCALE * _FINE
    image = Image.new("RGB", (WIDTH * _FINE, HEIGHT * _FINE), style.LAND_COLOUR)
    draw = ImageDraw.Draw(image)
    cells = [[(x * fine, y * fine) for x, y in cell] for cell in style.region_cells()]
    for region, cell in enumerate(cells):
        nation = int(REGION_NATION[region])
        draw.polygon(cell, style.region_colour(NATION_IDS[nation] if nation >= 0 else None))
        draw.line([*cell, cell[0]], style.BORDER_COLOUR, _FINE, joint="curve")
    for x1, y1, x2, y2 in style.region_walls():
        draw.line((x1 * fine, y1 * fine, x2 * fine, y2 * fine), style.WALL_COLOUR, round(2.6 * _FINE))
    sea = [(x * fine, y * fine) for x, y in style.SEA]
    draw.polygon(sea, style.SEA_COLOUR)
    coast = [(x * fine, y * fine) for x, y in style.COAST]
    for width, colour in ((9, style.SHALLOWS_COLOUR), (2, style.COAST_COLOUR)):
        draw.line(coast, colour, width * _FINE, joint="curve")
    _paths(draw)
    image = image.resize((WIDTH, HEIGHT), Image.Resampling.LANCZOS)
    draw = ImageDraw.Draw(image)
    for region in range(NUM_REGIONS):
        _write_label(draw, region)
    _legend(image)
    return image


def _write_label(draw: ImageDraw.ImageDraw, region: int) -> None:
    words, (left, top, right, _) = labels()[region]
    draw.multiline_text(
        ((left + right) / 2, top),
        words,
        fill=style.INK_COLOUR,
        font=sprites.font(LABEL_SIZE),
        anchor="ma",
        align="center",
        spacing=0,
        stroke_width=2,
        stroke_fill="#f6eedb",
    )


def _paths(draw: ImageDraw.ImageDraw) -> None:
    points = [(x * _FINE, y * _FINE) for x, y in POINTS]
    for region in range(NUM_REGIONS):
        for other in NEIGHBOURS[region]:
            if other > region:
                draw.line((*points[region], *points[other]), style.PATH_COLOUR, round(1.1 * _FINE))
    for region, (x, y) in enumerate(points):
        if not KINDS[region]:
            reach = style.REGION_RADIUS * SCALE * _FINE
            draw.ellipse((x - reach, y - reach, x + reach, y + reach), style.PATH_COLOUR)


def _legend(image: Image.Image) -> None:
    """Nations and symbols, on the sea."""

    def write(x: int, y: int, words: str) -> None:
        sprites.write(image, (x, y), words, 11, style.INK_COLOUR)

    left, top = 16, HEIGHT - 222
    write(left, top - 12, "Regulars, Elites, Leaders")
    for row, name in enumerate(NATION_IDS):
        chip = sprites.figures(name, 1, 1, int(row < NUM_LEADER_NATIONS))
        image.paste(chip, (left, top + 18 * row), chip)
        write(left + 50, top + 18 * row + 7, "Sauron (Nazgul)" if name == "sauron" else name.capitalize())
    for row, kind in enumerate(style.SETTLEMENT_SHAPES):
        y = top + 154 + 17 * row
        _paste(image, _symbol(kind, NEUTRAL_COLOUR, False), (left + 8, y))
        write(left + 22, y, kind.capitalize())


def draw_map(shown: dict[str, Any]) -> Image.Image:
    """The map of a ``picture()``: ``RGB``, ``WIDTH`` x ``HEIGHT`` pixels."""
    image = _ground().copy()
    regions = shown["regions"]
    if shown["battle"] is not None:
        _draw_battle(image, shown["battle"])
    for region, kind in enumerate(KINDS):
        if kind:
            _draw_symbol(image, region, kind, regions.get(REGION_IDS[region]))
    for piece, x, y in placed_pieces(shown):
        image.paste(piece.image, (round(x), round(y)), piece.image)
    return image


class Piece(NamedTuple):
    """Figures, a character's token or the Fellowship's ring."""

    sprite: Callable[..., Image.Image]
    """The function of ``sprites`` that draws the piece."""
    given: tuple[Any, ...]
    """The arguments of this function."""

    @property
    def image(self) -> Image.Image:
        """The drawn piece."""
        return self.sprite(*self.given)


def placed_pieces(shown: dict[str, Any]) -> Iterator[tuple[Piece, float, float]]:
    """The pieces on the map of a ``picture()``, each with its left and upper edge, where it hides least."""
    regions, fellowship = shown["regions"], shown["fellowship"]
    taken: list[list[Box]] = [[] for _ in range(NUM_REGIONS)]
    for region, name in enumerate(REGION_IDS):
        if name in regions and (rows := _pieces(regions[name])):
            yield from _placed(region, rows, taken)
        if fellowship["region"] == name:
            words = str(fellowship["progress"]) if fellowship["progress"] else ""
            ring = Piece(sprites.ring, (_FELLOWSHIP_SIZE, words, fellowship["revealed"]))
            yield from _placed(region, [[ring]], taken)


def _symbol(kind: str, colour: str, besieged: bool) -> Image.Image:
    shape, radius = style.SETTLEMENT_SHAPES[kind], style.SETTLEMENT_RADIUS[kind]
    return sprites.settlement(shape, radius * SCALE, colour, besieged)


def _draw_symbol(image: Image.Image, region: int, kind: str, content: dict[str, Any] | None) -> None:
    control = content["control"] if content else None
    besieged = content is not None and content["besieged"]
    colour = style.SIDE_COLOURS[control] if control else NEUTRAL_COLOUR
    _paste(image, _symbol(kind, colour, besieged), POINTS[region])


def _draw_battle(image: Image.Image, battle: dict[str, Any]) -> None:
    region = REGION_NUMBERS[battle["region"]]
    x, y = POINTS[region]
    draw = ImageDraw.Draw(image)
    for reach, colour in ((19, "#ffffff"), (18, style.SIEGE_COLOUR), (15, "#ffffff")):
        draw.ellipse((x - reach, y - reach, x + reach, y + reach), outline=colour, width=3)
    _write_label(draw, region)
    if battle["origin"] != battle["region"]:
        a, b = POINTS[REGION_NUMBERS[battle["origin"]]]
        length = max(1.0, ((a - x) ** 2 + (b - y) ** 2) ** 0.5)
        tip = (x + (a - x) * 22 / length, y + (b - y) * 22 / length)
        draw.line((a, b, *tip), style.SIEGE_COLOUR, 3)
        across = ((b - y) / length, -(a - x) / length)
        back = (x + (a - x) * 32 / length, y + (b - y) * 32 / length)
        wings = [(back[0] + turn * across[0] * 6, back[1] + turn * across[1] * 6) for turn in (1, -1)]
        draw.polygon([tip, *wings], style.SIEGE_COLOUR)


def _pieces(content: dict[str, Any]) -> list[list[Piece]]:
    """The rows of pieces in a region: the garrison first, each side with its characters."""
    rows: list[list[Piece]] = []
    for army in sorted(content["armies"], key=lambda army: not army["garrison"]):
        chips = [Piece(sprites.figures, (nation, *counts)) for nation, counts in army["figures"].items()]
        rows += _packed(chips + _tokens(content, army["side"]))
    absent = set(SIDE_IDS) - {army["side"] for army in content["armies"]}
    for side in SIDE_IDS:
        if side in absent:
            rows += _packed(_tokens(content, side))
    return rows


def _tokens(content: dict[str, Any], side: str) -> list[Piece]:
    return [Piece(sprites.token, (who, side)) for who in content["characters"] if _SIDE_OF[who] == side]


def _packed(pieces: list[Piece]) -> list[list[Piece]]:
    rows: list[list[Piece]] = []
    for piece in pieces:
        if rows and _row_width(rows[-1]) + piece.image.width <= _ROW_WIDTH:
            rows[-1].append(piece)
        else:
            rows.append([piece])
    return rows


def _row_width(row: list[Piece]) -> int:
    return sum(piece.image.width + _GAP for piece in row)


class _Place(NamedTuple):
    """A possible box of pieces around a region, with what it hides that never changes."""

    cost: float
    box: Box
    names: float
    """The area of names."""
    symbols: tuple[float, ...]
    """The areas of symbols."""
    outside: float


@functools.cache
def _free_places(region: int, width: float, height: float) -> tuple[_Place, ...]:
    symbols = [_symbol_boxes()[other] for other in _near(region)]
    names = [labels()[other][1] for other in (*_near(region), region)]
    return tuple(
        _Place(
            cost,
            box,
            sum(_overlap(box, name) for name in names),
            tuple(area for symbol in symbols if (area := _overlap(box, symbol))),
            _outside(box),
        )
        for cost, box in _places(region, width, height, above=False)
    )


def _placed(
    region: int, rows: list[list[Piece]], taken: list[list[Box]]
) -> Iterator[tuple[Piece, float, float]]:
    width = max(map(_row_width, rows))
    height = sum(max(piece.image.height for piece in row) + _GAP for row in rows)
    others = [box for other in (*_near(region), region) for box in taken[other]]

    def cost(place: _Place) -> float:
        hidden = sum([_overlap(place.box, other) for other in others])
        hidden = place.names + 2 * sum(place.symbols, start=hidden)
        return place.cost * 1.5 + hidden + 20 * place.outside

    box = min(_free_places(region, width, height), key=cost).box
    taken[region].append(box)
    y = box[1]
    for row in rows:
        x = (box[0] + box[2] - _row_width(row) + _GAP) / 2
        high = max(piece.image.height for piece in row)
        for piece in row:
            yield piece, x, y + (high - piece.image.height) / 2
            x += piece.image.width + _GAP
        y += high + _GAP


def _paste(image: Image.Image, sprite: Image.Image, middle: tuple[float, float]) -> None:
    at = (round(middle[0] - sprite.width / 2), round(middle[1] - sprite.height / 2))
    image.paste(sprite, at, sprite)
