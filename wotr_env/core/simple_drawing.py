"""The drawing of a simple game that has no other: the fields of its state as rows of numbers."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from wotr_env.core.descriptions import Form
from wotr_env.core.palette import EDGE, FAINT, GROUND, PANEL, TEXT
from wotr_env.core.shapes import Box, Drawing, Shape, Words

_WIDTHS = {Form.WIDE: 1060, Form.SQUARE: 680, Form.UPRIGHT: 390}
_MARGIN, _LINE, _CELL, _GAP = 16, 28, 44, 6
_UNSEEN = "?"


def _told(values: np.ndarray, seen: bool) -> tuple[tuple[str, ...], ...]:
    table = values.reshape(-1, values.shape[-1] if values.ndim else 1)
    return tuple(tuple(f"{value}" if seen else _UNSEEN for value in line) for line in table.tolist())


def draw_rows(headline: str, parts: Iterable[tuple[str, np.ndarray, bool]], form: Form) -> Drawing:
    """Draws numbers under a headline; the size depends only on the form and the number of values.

    Args:
        headline: the text above the numbers.
        parts: labels with the numbers below them, one line of numbers for each row of the last axis, and
            whether they are seen; else each number is ``?``.
        form: the form of the drawing.
    """
    rows = [(label, _told(values, seen)) for label, values, seen in parts]
    width, y = _WIDTHS[form], _MARGIN + _LINE / 2
    shapes: list[Shape] = [Words(_MARGIN, y, headline, 17, TEXT, bold=True)]
    y += _LINE
    columns = (width - 2 * _MARGIN + _GAP) // (_CELL + _GAP)
    for label, lines in rows:
        shapes.append(Words(_MARGIN, y, label, 14, FAINT))
        y += _LINE / 2
        for line in lines:
            for number, value in enumerate(line):
                across, down = number % columns, number // columns
                x, top = _MARGIN + across * (_CELL + _GAP), y + down * (_CELL + _GAP)
                shapes.append(Box(x, top, _CELL, _CELL, PANEL, EDGE, radius=6))
                size = 18 if len(value) < 4 else 12
                shapes.append(Words(x + _CELL / 2, top + _CELL / 2, value, size, TEXT, anchor="middle"))
            y += -(-len(line) // columns) * (_CELL + _GAP)
        y += _LINE
    told = "; ".join(f"{label} {', '.join(map(' '.join, lines))}" for label, lines in rows)
    return Drawing(width, int(y), GROUND, f"{headline}. {told}", tuple(shapes))
