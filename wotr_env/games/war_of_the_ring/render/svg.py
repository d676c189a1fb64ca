"""The map as SVG: the same places, symbols and colours as ``draw_map``, made of lines and letters.

Like the other pictures, it is made only from ``picture()``. If the pointer is on a region, a browser shows
the content of the region.
"""

from __future__ import annotations

import functools
import html
from collections.abc import Callable, Iterable, Iterator
from typing import Any

from wotr_env.games.war_of_the_ring.components import (
    NEIGHBOURS,
    NUM_REGIONS,
    REGION_IDS,
    REGION_NATION,
)
from wotr_env.games.war_of_the_ring.picture import NATION_IDS
from wotr_env.games.war_of_the_ring.render import sprites as sprites
from wotr_env.games.war_of_the_ring.render import style as style
from wotr_env.games.war_of_the_ring.render.map import (
    HEIGHT,
    KINDS,
    LABEL_SIZE,
    NEUTRAL_COLOUR,
    POINTS,
    REGION_NUMBERS,
    SCALE,
    WIDTH,
    labels,
    placed_pieces,
)

_LINE_HEIGHT = 11.5
_PAPER = "#f6eedb"
_RIM = "#fff8e4"
_FONT = "font-family:Inter,'Segoe UI',Roboto,Arial,sans-serif"


def svg_map(shown: dict[str, Any], words_of: Callable[[int, dict[str, Any]], str]) -> str:
    """The map of a ``picture()`` as an SVG element.

    Args:
        shown: the picture.
        words_of: a function that describes the content of a region in one line of text, from the region and
            its part of the picture; empty if there is nothing to show.
    """
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" role="img" '
        f'aria-label="The map in turn {shown["turn"]}" style="max-width:100%;height:auto;{_FONT}" '
        f'width="{WIDTH}" height="{HEIGHT}">',
        _ground(),
        *([] if shown["battle"] is None else _battle(shown["battle"])),
    ]
    for region, kind in enumerate(KINDS):
        if kind:
            parts.append(_symbol(region, kind, shown["regions"].get(REGION_IDS[region])))
    for piece, x, y in placed_pieces(shown):
        drawn = "".join(_PAINTERS[piece.sprite](*piece.given))
        parts.append(f'<g transform="translate({x:.1f} {y:.1f})">{drawn}</g>')
    for name, content in shown["regions"].items():
        if words := words_of(REGION_NUMBERS[name], content).strip():
            parts.append(_told(REGION_NUMBERS[name], " ".join(words.split())))
    return "\n".join([*parts, "</svg>"])


def _element(name: str, **attributes: Any) -> str:
    written = (
        f'{key.replace("_", "-")}="{_number(value) if isinstance(value, float) else value}"'
        for key, value in attributes.items()
    )
    return f"<{name} {' '.join(written)}/>"


def _number(value: float) -> str:
    return f"{value:.1f}".removesuffix(".0")


def _text(x: float, y: float, words: str, size: float, fill: str, **attributes: Any) -> str:
    """Text centred at a place."""
    given = {"text_anchor": "middle", "dominant_baseline": "central", **attributes}
    more = "".join(f' {key.replace("_", "-")}="{value}"' for key, value in given.items())
    place = f'x="{_number(x)}" y="{_number(y)}"'
    return f'<text {place} font-size="{size}" fill="{fill}"{more}>{html.escape(words)}</text>'


def _told(region: int, words: str) -> str:
    """The tooltip of a region."""
    cell = _points(style.region_cells()[region])
    return f'<polygon points="{cell}" fill="transparent"><title>{html.escape(words)}</title></polygon>'


def _points(line: Iterable[tuple[float, float]], scale: float = SCALE) -> str:
    return " ".join(f"{_number(x * scale)},{_number(y * scale)}" for x, y in line)


@functools.cache
def _ground() -> str:
    """The map without everything that can change."""
    parts = [_element("rect", width=WIDTH, height=HEIGHT, fill=style.LAND_COLOUR)]
    for region, cell in enumerate(style.region_cells()):
        nation = int(REGION_NATION[region])
        fill = style.region_colour(NATION_IDS[nation] if nation >= 0 else None)
        parts.append(_element("polygon", points=_points(cell), fill=fill, stroke=style.BORDER_COLOUR))
    walls = " ".join(f"M{_points([(x1, y1), (x2, y2)])}" for x1, y1, x2, y2 in style.region_walls())
    parts.append(_element("path", d=walls, stroke=style.WALL_COLOUR, stroke_width=2.6))
    parts.append(_element("polygon", points=_points(style.SEA), fill=style.SEA_COLOUR))
    for width, colour in ((9, style.SHALLOWS_COLOUR), (2, style.COAST_COLOUR)):
        coast = _points(style.COAST)
        parts.append(_element("polyline", points=coast, fill="none", stroke=colour, stroke_width=width))
    paths = " ".join(
        f"M{_points([POINTS[region], POINTS[other]], 1)}"
        for region in range(NUM_REGIONS)
        for other in NEIGHBOURS[region].tolist()
        if other > region
    )
    parts.append(_element("path", d=paths, stroke=style.PATH_COLOUR, stroke_width=1.1))
    for region, (x, y) in enumerate(POINTS):
        if not KINDS[region]:
            parts.append(
                _element("circle", cx=x, cy=y, r=style.REGION_RADIUS * SCALE, fill=style.PATH_COLOUR)
            )
    parts += map(_label, range(NUM_REGIONS))
    return "\n".join(parts)


def _label(region: int) -> str:
    words, (left, top, right, _) = labels()[region]
    middle = (left + right) / 2
    lines = "".join(
        f'<tspan x="{_number(middle)}" dy="{_LINE_HEIGHT if number else 0}">{html.escape(line)}</tspan>'
        for number, line in enumerate(words.split("\n"))
    )
    return (
        f'<text x="{_number(middle)}" y="{_number(top + LABEL_SIZE)}" font-size="{LABEL_SIZE}" '
        f'text-anchor="middle" fill="{style.INK_COLOUR}" stroke="{_PAPER}" stroke-width="3" '
        f'stroke-linejoin="round" paint-order="stroke">{lines}</text>'
    )


def _symbol(region: int, kind: str, content: dict[str, Any] | None) -> str:
    """A Settlement or Fortification in the colour of the side in control; a red ring if it is besieged."""
    x, y = POINTS[region]
    shape, radius = style.SETTLEMENT_SHAPES[kind], style.SETTLEMENT_RADIUS[kind] * SCALE
    control = content["control"] if content else None
    colour = style.SIDE_COLOURS[control] if control else NEUTRAL_COLOUR
    parts = []
    if content and content["besieged"]:
        ring = {"fill": "#ffd9d0", "stroke": style.SIEGE_COLOUR, "stroke_width": 2}
        parts.append(_element("circle", cx=x, cy=y, r=radius + 4, **ring))
    for reach, fill in ((radius, style.INK_COLOUR), (radius - 1.1, _RIM), (radius - 2.4, colour)):
        parts.append(_shape(shape, x, y, reach, fill))
    return "".join(parts)


def _shape(shape: str, x: float, y: float, reach: float, fill: str) -> str:
    if shape == "circle":
        return _element("circle", cx=x, cy=y, r=reach, fill=fill)
    if shape == "square":
        return _element("rect", x=x - reach, y=y - reach, width=2.0 * reach, height=2.0 * reach, fill=fill)
    if shape == "diamond":
        far = reach * 1.25
        corners = [(x, y - far), (x + far, y), (x, y + far), (x - far, y)]
    else:
        corners = [(x, y - reach * 1.3), (x + reach * 1.2, y + reach), (x - reach * 1.2, y + reach)]
    return _element("polygon", points=_points(corners, 1), fill=fill)


def _battle(battle: dict[str, Any]) -> Iterator[str]:
    """Rings around the place of a battle, and an arrow from the origin of the attackers."""
    x, y = POINTS[REGION_NUMBERS[battle["region"]]]
    for reach, colour in ((17.5, "#ffffff"), (16.5, style.SIEGE_COLOUR), (13.5, "#ffffff")):
        yield _element("circle", cx=x, cy=y, r=reach, fill="none", stroke=colour, stroke_width=3)
    yield _label(REGION_NUMBERS[battle["region"]])
    if battle["origin"] == battle["region"]:
        return
    a, b = POINTS[REGION_NUMBERS[battle["origin"]]]
    length = max(1.0, ((a - x) ** 2 + (b - y) ** 2) ** 0.5)
    along, across = ((a - x) / length, (b - y) / length), ((b - y) / length, -(a - x) / length)
    tip = (x + 22 * along[0], y + 22 * along[1])
    back = (x + 32 * along[0], y + 32 * along[1])
    yield _element("path", d=f"M{_points([(a, b), tip], 1)}", stroke=style.SIEGE_COLOUR, stroke_width=3)
    wings = [(back[0] + turn * across[0] * 6, back[1] + turn * across[1] * 6) for turn in (1, -1)]
    yield _element("polygon", points=_points([tip, *wings], 1), fill=style.SIEGE_COLOUR)


def _figures(nation: str, regular: int, elite: int, leader: int) -> Iterator[str]:
    colour, ink = style.NATION_COLOURS[nation], style.NATION_INKS[nation]
    dark, high, left = style.blend(colour, "#000000", 0.62), sprites.CHIP_HEIGHT, 0.0
    nazgul = nation == "sauron"
    inks = (ink, "#ffffff", "#ffffff" if nazgul else style.INK_COLOUR)
    for kind, count in enumerate((regular, elite, leader)):
        if not count:
            continue
        width = sprites.chip_width(count)
        box = {"x": left + 0.5, "y": 0.5, "width": width - 1, "height": high - 1, "rx": 2}
        if kind < 2:
            yield _element("rect", **box, fill=(colour, dark)[kind], stroke=style.INK_COLOUR)
            if kind == 1:
                inner = {"x": left + 2.0, "y": 2.0, "width": width - 4, "height": high - 4, "rx": 1}
                yield _element("rect", **inner, fill="none", stroke=style.FELLOWSHIP_COLOUR)
        else:
            fill = "#17120f" if nazgul else "#fffdf4"
            half = {"cx": left + width / 2, "cy": high / 2, "rx": width / 2 - 1, "ry": high / 2 - 1}
            yield _element("ellipse", **half, fill=fill, stroke=colour, stroke_width=1.5 if nazgul else 2)
        yield _text(left + width / 2, high / 2, str(count), 10.5, inks[kind], font_weight="600")
        left += width


def _token(character: str, side: str) -> Iterator[str]:
    middle = sprites.TOKEN_SIZE / 2
    for reach, fill in (
        (middle, style.INK_COLOUR),
        (middle - 0.8, "#ffffff"),
        (middle - 1.8, style.SIDE_COLOURS[side]),
    ):
        yield _element("circle", cx=middle, cy=middle, r=reach, fill=fill)
    yield _text(middle, middle, style.CHARACTER_LETTERS[character], 9, "#ffffff", font_weight="600")


def _ring(size: float, words: str, revealed: bool) -> Iterator[str]:
    middle, rim = size / 2, size * 0.2
    inside = "#fff3bf" if revealed else "#4b3f2a"
    rings = (
        (middle, style.INK_COLOUR),
        (middle - 1, style.FELLOWSHIP_COLOUR),
        (middle - rim, style.INK_COLOUR),
        (middle - rim - 1, inside),
    )
    for reach, fill in rings:
        yield _element("circle", cx=middle, cy=middle, r=reach, fill=fill)
    if words:
        yield _text(middle, middle, words, size * 0.5, style.INK_COLOUR if revealed else "#ffffff")


_PAINTERS: dict[Callable[..., Any], Callable[..., Iterator[str]]] = {
    sprites.figures: _figures,
    sprites.token: _token,
    sprites.ring: _ring,
}
"""The functions that draw the pieces of the map as SVG."""
