"""The drawing of a simple game that has no other: the fields of its state as rows of numbers."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

import numpy as np

from wotr_env.core.declared import StateField
from wotr_env.core.palette import EDGE, FAINT, GROUND, PANEL, TEXT
from wotr_env.core.shapes import Box, Drawing, Shape, Words
from wotr_env.core.telling import Form

OWNER, NOBODY = "owner", "nobody"
"""Who sees a hidden field: the owner, who is its first axis, or nobody."""
_WIDTHS = {Form.WIDE: 1060, Form.SQUARE: 680, Form.UPRIGHT: 390}
_MARGIN, _LINE, _CELL, _GAP = 16, 28, 44, 6
_UNSEEN = "?"


class Row(NamedTuple):
    """A label, and lines of numbers below it, one for each row of a board."""

    label: str
    lines: tuple[tuple[str, ...], ...]


def rows_of(
    fields: Sequence[StateField],
    hidden: Mapping[str, str],
    players: Sequence[str],
    state: np.record,
    viewer: int | None,
) -> Iterator[Row]:
    """The fields from the view of a viewer (``wotr_env.core.seats.check_viewer``).

    Args:
        fields: of the state.
        hidden: ``OWNER`` or ``NOBODY`` for each hidden field.
        players: the title of each player.
        state: the position.
        viewer: what this viewer does not see is ``?``.
    """
    for field in fields:
        label, values = f"{field.name.replace('_', ' ')}: {field.meaning}", np.asarray(state[field.name])
        seen_by = hidden.get(field.name)
        if seen_by == OWNER:
            for seat, player in enumerate(players):
                yield Row(f"{player}, {label}", _told(values[seat], viewer is None or viewer == seat))
        else:
            yield Row(label, _told(values, seen_by is None or viewer is None))


def _told(values: np.ndarray, seen: bool) -> tuple[tuple[str, ...], ...]:
    table = values.reshape(-1, values.shape[-1] if values.ndim else 1)
    return tuple(tuple(f"{value}" if seen else _UNSEEN for value in line) for line in table.tolist())


def draw_rows(headline: str, rows: Sequence[Row], form: Form) -> Drawing:
    """Draws rows of numbers under a headline; the size depends only on the form and the number of values."""
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
