"""Drawings as plain shapes. ``svg`` renders them for pages, ``wotr_env.core.raster`` as pixels. Lengths are
pixels from the upper left corner; colours are ``#rrggbb``."""

from __future__ import annotations

import dataclasses
import html
from collections.abc import Callable
from typing import Literal, NamedTuple

from wotr_env.core.palette import themed

Anchor = Literal["start", "middle", "end"]
FONT = "system-ui, 'Segoe UI', Roboto, 'DejaVu Sans', sans-serif"


@dataclasses.dataclass(frozen=True)
class Box:
    """A rectangle with round corners."""

    x: float
    y: float
    width: float
    height: float
    fill: str
    line: str = ""
    """The colour of the border; empty: no border."""
    radius: float = 0
    thick: float = 1
    actions: tuple[str, ...] = ()
    """The names of the actions, legal or illegal, that a click on this box can select."""
    came: tuple[str, ...] = ()
    """The actions that may have placed this object here, each as ``SEAT/ACTION``: the number of the seat and
    the name of the action."""
    tip: str = ""
    """The tooltip: a title, and further text after a line break."""


@dataclasses.dataclass(frozen=True)
class Disc:
    """A circle, given by its centre."""

    x: float
    y: float
    radius: float
    fill: str
    line: str = ""
    thick: float = 1


@dataclasses.dataclass(frozen=True)
class Stroke:
    """A straight line."""

    x: float
    y: float
    to_x: float
    to_y: float
    colour: str
    thick: float = 1


@dataclasses.dataclass(frozen=True)
class Words:
    """A line of text, vertically centred at ``y``."""

    x: float
    y: float
    text: str
    size: float
    colour: str
    anchor: Anchor = "start"
    bold: bool = False
    """Whether it is bold on pages; pixels have only one weight."""


Shape = Box | Disc | Stroke | Words


class Frame(NamedTuple):
    """A rectangular part of the drawing."""

    x: float
    y: float
    width: float
    height: float


@dataclasses.dataclass(frozen=True)
class Drawing:
    """Shapes from back to front."""

    width: int
    height: int
    ground: str
    """The background colour."""
    title: str
    """A description in one sentence, for screen readers."""
    shapes: tuple[Shape, ...]


def element(shape: Shape, pointed: bool = False) -> str:
    """A shape as an element of SVG.

    Args:
        shape: the shape.
        pointed: whether the drawing is for an interactive page. Then boxes have ``data-actions`` and
            ``data-came`` (separated by spaces) and ``data-tip``, and colours follow the page.
    """
    paint = themed if pointed else str
    match shape:
        case Box():
            return (
                f'<rect x="{shape.x:g}" y="{shape.y:g}" width="{shape.width:g}" height="{shape.height:g}" '
                f'rx="{shape.radius:g}" fill="{paint(shape.fill)}"{_edge(shape, paint)}'
                f"{_data(shape) if pointed else ''}/>"
            )
        case Disc():
            return (
                f'<circle cx="{shape.x:g}" cy="{shape.y:g}" r="{shape.radius:g}" fill="{paint(shape.fill)}"'
                f"{_edge(shape, paint)}/>"
            )
        case Stroke():
            return (
                f'<line x1="{shape.x:g}" y1="{shape.y:g}" x2="{shape.to_x:g}" y2="{shape.to_y:g}" '
                f'stroke="{paint(shape.colour)}" stroke-width="{shape.thick:g}"/>'
            )
        case Words():
            weight = ' font-weight="700"' if shape.bold else ""
            return (
                f'<text x="{shape.x:g}" y="{shape.y:g}" font-size="{shape.size:g}" '
                f'fill="{paint(shape.colour)}" text-anchor="{shape.anchor}" '
                f'dominant-baseline="central"{weight}>{html.escape(shape.text)}</text>'
            )


def svg(drawing: Drawing, pointed: bool = False) -> str:
    """A drawing as a self-contained SVG text.

    Args:
        drawing: the drawing.
        pointed: see ``element``.
    """
    body = "".join(element(shape, pointed) for shape in drawing.shapes)
    ground = themed(drawing.ground) if pointed else drawing.ground
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {drawing.width} {drawing.height}" '
        f'font-family="{FONT}" role="img"><title>{html.escape(drawing.title)}</title>'
        f'<rect width="100%" height="100%" fill="{ground}"/>{body}</svg>\n'
    )


def _data(box: Box) -> str:
    """The data attributes of a box."""
    data = {"actions": " ".join(box.actions), "came": " ".join(box.came), "tip": box.tip}
    escaped = {name: html.escape(text).replace("\n", "&#10;") for name, text in data.items() if text}
    return "".join(f' data-{name}="{text}"' for name, text in escaped.items())


def _edge(shape: Box | Disc, paint: Callable[[str], str]) -> str:
    return f' stroke="{paint(shape.line)}" stroke-width="{shape.thick:g}"' if shape.line else ""
