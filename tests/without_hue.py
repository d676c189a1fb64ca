"""Drawings as somebody sees them who cannot tell colours apart."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable

from wotr_env.core.shapes import Shape

_COLOURS = ("fill", "line", "colour")
_UNSEEN = {"actions": (), "came": (), "tip": ""}


def without_hue(shapes: Iterable[Shape]) -> list[Shape]:
    """Shapes without their colours, and without what a page tells only of what is pointed at."""
    return [_plain(shape) for shape in shapes]


def _plain(shape: Shape) -> Shape:
    names = {field.name for field in dataclasses.fields(shape)}
    blank = {name: "" for name in _COLOURS if name in names}
    return dataclasses.replace(
        shape, **blank, **{name: each for name, each in _UNSEEN.items() if name in names}
    )
