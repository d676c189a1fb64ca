"""Draws shapes as pixels."""

from __future__ import annotations

import functools

import numpy as np
from PIL import Image, ImageDraw, ImageFont

from wotr_env.core.shapes import Box, Disc, Drawing, Shape, Stroke, Words

_FINE = 2
"""Supersampling factor: drawings are first made this many times larger."""
_ANCHORS = {"start": "lm", "middle": "mm", "end": "rm"}


@functools.cache
def font(size: float) -> ImageFont.FreeTypeFont | ImageFont.ImageFont:
    """Pillow's built-in font, so that no font file is needed."""
    return ImageFont.load_default(size=size)


def raster(drawing: Drawing) -> np.ndarray:
    """Draws a drawing as ``uint8[height, width, 3]``; the same drawing always gives the same bytes."""
    image = Image.new("RGB", (drawing.width * _FINE, drawing.height * _FINE), drawing.ground)
    pen = ImageDraw.Draw(image)
    for shape in drawing.shapes:
        _draw(pen, shape)
    return np.asarray(image.resize((drawing.width, drawing.height), Image.Resampling.LANCZOS)).copy()


def _draw(pen: ImageDraw.ImageDraw, shape: Shape) -> None:
    match shape:
        case Box():
            corners = _corners(shape.x, shape.y, shape.x + shape.width, shape.y + shape.height)
            pen.rounded_rectangle(
                corners, shape.radius * _FINE, shape.fill, shape.line or None, round(shape.thick * _FINE)
            )
        case Disc():
            radius = shape.radius
            corners = _corners(shape.x - radius, shape.y - radius, shape.x + radius, shape.y + radius)
            pen.ellipse(corners, shape.fill, shape.line or None, round(shape.thick * _FINE))
        case Stroke():
            ends = _corners(shape.x, shape.y, shape.to_x, shape.to_y)
            pen.line(ends, shape.colour, round(shape.thick * _FINE))
        case Words():
            place = (shape.x * _FINE, shape.y * _FINE)
            pen.text(place, shape.text, shape.colour, font(shape.size * _FINE), anchor=_ANCHORS[shape.anchor])


def _corners(*lengths: float) -> tuple[float, ...]:
    return tuple(length * _FINE for length in lengths)
