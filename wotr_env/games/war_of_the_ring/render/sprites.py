"""Small pictures with smooth edges, drawn once and cached: figures, tokens, symbols, dice, tiles, cards."""

from __future__ import annotations

import functools
import math
from collections.abc import Callable

from PIL import Image, ImageDraw

from wotr_env.core.raster import font
from wotr_env.core.spelling import without_accents
from wotr_env.games.war_of_the_ring.render.style import (
    CHARACTER_LETTERS,
    FELLOWSHIP_COLOUR,
    INK_COLOUR,
    NATION_COLOURS,
    NATION_INKS,
    PANEL_COLOUR,
    SIDE_COLOURS,
    blend,
)

_FINE = 4  # sprites are drawn this much larger and shrunk, for smooth edges

CHIP_HEIGHT = 14
TOKEN_SIZE = 17
DIE_SIZE = 25
TILE_SIZE = 20
CARD_WIDTH, CARD_HEIGHT = 82, 74
BACK_WIDTH = 46

FACE_LETTERS = {
    "character": "C",
    "army": "A",
    "muster": "M",
    "army_muster": "AM",
    "event": "E",
    "will": "W",
    "eye": "eye",
}
BACK_COLOURS = {"character": "#6d4a86", "strategy": "#8a6d2f"}

Painter = Callable[[ImageDraw.ImageDraw, Callable[..., list[float]]], None]


def write(
    image: Image.Image,
    place: tuple[float, float],
    words: str,
    size: float,
    colour: str,
    anchor: str = "lm",
) -> None:
    """Writes a text on an image. It is drawn larger and scaled down, because whole pixels of letters would
    close the spaces.

    Args:
        image: the image.
        place: the position of the anchor in pixels.
        words: the text, in letters of the font.
        size: the font size in pixels.
        colour: the colour of the letters.
        anchor: the anchor in Pillow's notation, such as ``lm``: the point of the text that lies at ``place``.
    """
    if words:
        ink, (left, top) = _inked(words, size, anchor)
        at = round(place[0]) + left, round(place[1]) + top
        image.paste(Image.new("RGB", ink.size, colour), at, ink)


@functools.lru_cache(maxsize=2_000)
def _inked(words: str, size: float, anchor: str) -> tuple[Image.Image, tuple[int, int]]:
    """The coverage of each pixel by letters, ``L``, and the offset of these pixels from the anchor."""
    letters = font(size * _FINE)
    box = letters.getbbox(words, anchor=anchor)
    left, top = (math.floor(low / _FINE) - 1 for low in box[:2])
    right, low = (math.ceil(high / _FINE) + 1 for high in box[2:])
    fine = Image.new("L", ((right - left) * _FINE, (low - top) * _FINE))
    ImageDraw.Draw(fine).text((-left * _FINE, -top * _FINE), words, 255, letters, anchor=anchor)
    return fine.resize((right - left, low - top), Image.Resampling.LANCZOS), (left, top)


def _draw(width: float, height: float, paint: Painter) -> Image.Image:
    """A transparent picture painted in fine coordinates: ``paint(draw, fine)``; ``fine`` scales lengths."""
    image = Image.new("RGBA", (round(width * _FINE), round(height * _FINE)), (0, 0, 0, 0))
    paint(ImageDraw.Draw(image), lambda *lengths: [length * _FINE for length in lengths])
    return image.resize((round(width), round(height)), Image.Resampling.LANCZOS)


def _write(draw: ImageDraw.ImageDraw, at: list[float], words: str, size: float, colour: str) -> None:
    x, y = at
    draw.text((x, y), words, fill=colour, font=font(size * _FINE), anchor="mm", stroke_width=0.6)


def chip_width(count: int) -> int:
    """The width of the box for this number of figures of a kind."""
    return CHIP_HEIGHT if count < 10 else CHIP_HEIGHT + 5


@functools.cache
def figures(nation: str, regular: int, elite: int, leader: int) -> Image.Image:
    """A nation in an army: Regulars in a box, Elites in a darker framed box, Leaders in a disc."""
    colour, ink = NATION_COLOURS[nation], NATION_INKS[nation]
    dark = blend(colour, "#000000", 0.62)
    parts = [(kind, count) for kind, count in enumerate((regular, elite, leader)) if count]
    widths = [chip_width(count) for _, count in parts]

    def paint(draw: ImageDraw.ImageDraw, fine: Callable[..., list[float]]) -> None:
        left = 0.0
        for (kind, count), width in zip(parts, widths, strict=True):
            box = fine(left + 0.5, 0.5, left + width - 0.5, CHIP_HEIGHT - 0.5)
            at = fine(left + width / 2, CHIP_HEIGHT / 2)
            if kind == 0:
                draw.rounded_rectangle(box, _FINE * 2, colour, INK_COLOUR, _FINE)
            elif kind == 1:
                draw.rounded_rectangle(box, _FINE * 2, dark, INK_COLOUR, _FINE)
                inner = fine(left + 1.7, 1.7, left + width - 1.7, CHIP_HEIGHT - 1.7)
                draw.rounded_rectangle(inner, _FINE, None, FELLOWSHIP_COLOUR, _FINE)
            elif nation == "sauron":
                draw.ellipse(box, "#17120f", colour, round(1.5 * _FINE))
            else:
                draw.ellipse(box, "#fffdf4", colour, 2 * _FINE)
            inks = (ink, "#ffffff", "#ffffff" if nation == "sauron" else INK_COLOUR)
            _write(draw, at, str(count), 10.5, inks[kind])
            left += width

    return _draw(sum(widths), CHIP_HEIGHT, paint)


@functools.cache
def token(character: str, side: str, guide: bool = False) -> Image.Image:
    """A disc with the letters of a character; a golden rim for the Guide."""

    def paint(draw: ImageDraw.ImageDraw, fine: Callable[..., list[float]]) -> None:
        rim = FELLOWSHIP_COLOUR if guide else "#ffffff"
        draw.ellipse(fine(0, 0, TOKEN_SIZE, TOKEN_SIZE), INK_COLOUR)
        draw.ellipse(fine(0.8, 0.8, TOKEN_SIZE - 0.8, TOKEN_SIZE - 0.8), rim)
        inside = 3.0 if guide else 1.8
        draw.ellipse(fine(inside, inside, TOKEN_SIZE - inside, TOKEN_SIZE - inside), SIDE_COLOURS[side])
        _write(draw, fine(TOKEN_SIZE / 2, TOKEN_SIZE / 2), CHARACTER_LETTERS[character], 9, "#ffffff")

    return _draw(TOKEN_SIZE, TOKEN_SIZE, paint)


@functools.cache
def settlement(shape: str, radius: float, colour: str, besieged: bool) -> Image.Image:
    """The symbol of a Settlement or Fortification; a red ring if it is besieged."""
    half = radius + 5

    def paint(draw: ImageDraw.ImageDraw, fine: Callable[..., list[float]]) -> None:
        if besieged:
            draw.ellipse(fine(0.5, 0.5, 2 * half - 0.5, 2 * half - 0.5), "#ffd9d0", "#d62828", 2 * _FINE)
        for reach, fill in ((radius, INK_COLOUR), (radius - 1.1, "#fff8e4"), (radius - 2.4, colour)):
            _shape(draw, fine, shape, half, reach, fill)

    return _draw(2 * half, 2 * half, paint)


def _shape(
    draw: ImageDraw.ImageDraw,
    fine: Callable[..., list[float]],
    shape: str,
    middle: float,
    reach: float,
    fill: str,
) -> None:
    low, high = middle - reach, middle + reach
    if shape == "circle":
        draw.ellipse(fine(low, low, high, high), fill)
    elif shape == "square":
        draw.rectangle(fine(low, low, high, high), fill)
    elif shape == "diamond":
        far = reach * 1.25
        draw.polygon(
            fine(middle, middle - far, middle + far, middle, middle, middle + far, middle - far, middle), fill
        )
    else:
        draw.polygon(fine(middle, low - reach * 0.3, high + reach * 0.2, high, low - reach * 0.2, high), fill)


@functools.cache
def ring(size: float, words: str = "", revealed: bool = True) -> Image.Image:
    """The Ring: the Fellowship on the map, Elven Rings, markers. A hidden Fellowship is hollow."""

    def paint(draw: ImageDraw.ImageDraw, fine: Callable[..., list[float]]) -> None:
        draw.ellipse(fine(0, 0, size, size), INK_COLOUR)
        draw.ellipse(fine(1, 1, size - 1, size - 1), FELLOWSHIP_COLOUR)
        rim = size * 0.2
        draw.ellipse(fine(rim, rim, size - rim, size - rim), INK_COLOUR)
        inside = "#fff3bf" if revealed else "#4b3f2a"
        draw.ellipse(fine(rim + 1, rim + 1, size - rim - 1, size - rim - 1), inside)
        if words:
            ink = INK_COLOUR if revealed else "#ffffff"
            _write(draw, fine(size / 2, size / 2), words, size * 0.5, ink)

    return _draw(size, size, paint)


@functools.cache
def die(side: str, face: str) -> Image.Image:
    """An action die; ``face`` is empty for a used die."""

    def paint(draw: ImageDraw.ImageDraw, fine: Callable[..., list[float]]) -> None:
        colour = SIDE_COLOURS[side] if face else "#d8cdb2"
        draw.rounded_rectangle(
            fine(0.5, 0.5, DIE_SIZE - 0.5, DIE_SIZE - 0.5), 5 * _FINE, colour, INK_COLOUR, _FINE
        )
        middle = DIE_SIZE / 2
        if face == "eye":
            draw.ellipse(fine(3.5, 6.5, DIE_SIZE - 3.5, DIE_SIZE - 6.5), "#ffd35c")
            draw.ellipse(fine(middle - 2, 7, middle + 2, DIE_SIZE - 7), "#1b0d06")
        elif face:
            letters = FACE_LETTERS[face]
            _write(draw, fine(middle, middle), letters, 13 if len(letters) == 1 else 10.5, "#ffffff")

    return _draw(DIE_SIZE, DIE_SIZE, paint)


@functools.cache
def tile(words: str, reveal: bool, kind: int, faded: bool) -> Image.Image:
    """A Hunt tile with its value; a dot in the corner for the Reveal icon; blue and red special tiles."""
    paper = ("#e6d6ae", "#7fb2dd", "#e08a7d")[kind]
    ink, paper = (INK_COLOUR, paper) if not faded else ("#b5a88a", blend(paper, PANEL_COLOUR, 0.35))

    def paint(draw: ImageDraw.ImageDraw, fine: Callable[..., list[float]]) -> None:
        draw.rounded_rectangle(fine(0.5, 0.5, TILE_SIZE - 0.5, TILE_SIZE - 0.5), 3 * _FINE, paper, ink, _FINE)
        middle = TILE_SIZE / 2
        if words == "eye":
            draw.ellipse(fine(2.5, 5, TILE_SIZE - 2.5, TILE_SIZE - 5), ink)
            draw.ellipse(
                fine(middle - 1.6, 5, middle + 1.6, TILE_SIZE - 5), "#f0a030" if not faded else paper
            )
        else:
            _write(draw, fine(middle, middle), words, 10.5, ink)
        if reveal:
            spot = "#b3261e" if not faded else "#d9a99f"
            draw.ellipse(fine(TILE_SIZE - 6, TILE_SIZE - 6, TILE_SIZE - 2, TILE_SIZE - 2), spot)

    return _draw(TILE_SIZE, TILE_SIZE, paint)


@functools.cache
def card(name: str, back: str, side: str, width: int) -> Image.Image:
    """A card with its name and a coloured bar for its back; only the back if there is no name."""
    high = CARD_HEIGHT

    def paint(draw: ImageDraw.ImageDraw, fine: Callable[..., list[float]]) -> None:
        paper = "#fffaf0" if name else BACK_COLOURS[back]
        draw.rounded_rectangle(fine(0.5, 0.5, width - 0.5, high - 0.5), 5 * _FINE, paper, INK_COLOUR, _FINE)
        if name:
            draw.rounded_rectangle(fine(3, 3, width - 3, 17), 3 * _FINE, BACK_COLOURS[back])
            draw.rectangle(fine(3, high - 6, width - 3, high - 4), SIDE_COLOURS[side])
        else:
            draw.rounded_rectangle(fine(5, 5, width - 5, high - 5), 4 * _FINE, None, "#f1e3b8", _FINE)
            draw.ellipse(
                fine(width / 2 - 14, high / 2 - 14, width / 2 + 14, high / 2 + 14), SIDE_COLOURS[side]
            )

    image = _draw(width, high, paint)
    draw = ImageDraw.Draw(image)
    letter = back.capitalize() if name and width > 60 else back[0].upper()
    if not name:
        draw.text((width / 2, high / 2), letter, fill="#ffffff", font=font(16), anchor="mm")
        return image
    draw.text((width / 2, 10), letter, fill="#ffffff", font=font(9.5), anchor="mm")
    lines = wrap(name, 10, width - 8)[:4]
    draw.multiline_text(
        (width / 2, 43),
        "\n".join(lines),
        fill=INK_COLOUR,
        font=font(10),
        anchor="mm",
        align="center",
        spacing=1,
    )
    return image


@functools.cache
def plain(words: str) -> str:
    """The words without the accents that the font lacks."""
    return without_accents(words)


@functools.cache
def wrap(words: str, size: float, width: float) -> tuple[str, ...]:
    """Lines of text that are at most ``width`` pixels long, as far as single words allow this."""
    lines: list[str] = []
    letters = font(size)
    for word in plain(words).split():
        longer = f"{lines[-1]} {word}" if lines else word
        if lines and letters.getlength(longer) <= width:
            lines[-1] = longer
        else:
            lines.append(word)
    return tuple(lines)
