"""A drawing as plain shapes, of which ``svg`` makes a picture for pages (``wotr_env.render.raster`` one of
pixels). Lengths are pixels from the left upper corner; colours are ``#rrggbb``."""

from __future__ import annotations

import dataclasses
import html
from typing import Literal

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
    """The colour of its edge; empty: none."""
    radius: float = 0
    thick: float = 1


@dataclasses.dataclass(frozen=True)
class Disc:
    """A circle, by its middle."""

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
    """A line of text, its middle at a height."""

    x: float
    y: float
    text: str
    size: float
    colour: str
    anchor: Anchor = "start"


Shape = Box | Disc | Stroke | Words


@dataclasses.dataclass(frozen=True)
class Drawing:
    """Shapes from back to front."""

    width: int
    height: int
    ground: str
    """Behind all shapes."""
    title: str
    """What is seen, in a sentence, for those who do not see it."""
    shapes: tuple[Shape, ...]


def element(shape: Shape) -> str:
    """A shape as an element of SVG."""
    match shape:
        case Box():
            return (
                f'<rect x="{shape.x:g}" y="{shape.y:g}" width="{shape.width:g}" height="{shape.height:g}" '
                f'rx="{shape.radius:g}" fill="{shape.fill}"{_edge(shape)}/>'
            )
        case Disc():
            return (
                f'<circle cx="{shape.x:g}" cy="{shape.y:g}" r="{shape.radius:g}" fill="{shape.fill}"'
                f"{_edge(shape)}/>"
            )
        case Stroke():
            return (
                f'<line x1="{shape.x:g}" y1="{shape.y:g}" x2="{shape.to_x:g}" y2="{shape.to_y:g}" '
                f'stroke="{shape.colour}" stroke-width="{shape.thick:g}"/>'
            )
        case Words():
            return (
                f'<text x="{shape.x:g}" y="{shape.y:g}" font-size="{shape.size:g}" fill="{shape.colour}" '
                f'text-anchor="{shape.anchor}" dominant-baseline="central">{html.escape(shape.text)}</text>'
            )


def svg(drawing: Drawing) -> str:
    """A drawing as a text of SVG that needs nothing else."""
    body = "".join(map(element, drawing.shapes))
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {drawing.width} {drawing.height}" '
        f'font-family="{FONT}" role="img"><title>{html.escape(drawing.title)}</title>'
        f'<rect width="100%" height="100%" fill="{drawing.ground}"/>{body}</svg>\n'
    )


def _edge(shape: Box | Disc) -> str:
    return f' stroke="{shape.line}" stroke-width="{shape.thick:g}"' if shape.line else ""
