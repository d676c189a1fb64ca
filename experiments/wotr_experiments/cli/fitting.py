"""Wide tables in narrow terminals: number columns that do not fit go into further tables."""

from __future__ import annotations

from collections.abc import Sequence

from rich.cells import cell_len
from rich.table import Column, Table

_FRAME = 3
"""Characters between two columns; a table has one more."""
_LEAST_NAME = 12
"""Minimal width of a column of names."""


def fitted(table: Table, width: int) -> list[Table]:
    """Splits a table of plain text into tables of at most ``width`` characters, if its columns allow it.

    Each table starts with the columns of names (the left columns that are not right-aligned); long names are
    wrapped. The title is above the first table, the caption below the last.
    """
    count = next((n for n, each in enumerate(table.columns) if each.justify == "right"), len(table.columns))
    names, numbers = table.columns[:count], table.columns[count:]
    if not names or not numbers or sum(map(_room, table.columns)) + 1 <= width:
        return [table]
    most = max(_LEAST_NAME, width // 2 // len(names) - _FRAME)
    least = sum(min(_room(each), most + _FRAME) for each in names) + 1
    groups: list[list[Column]] = [[]]
    for column in numbers:
        if groups[-1] and least + sum(map(_room, groups[-1])) + _room(column) > width:
            groups.append([])
        groups[-1].append(column)
    parts = [_part(table, names, most, group) for group in groups]
    parts[0].title, parts[-1].caption = table.title, table.caption
    return parts


def _room(column: Column) -> int:
    return max(cell_len(str(cell)) for cell in (column.header, *column.cells)) + _FRAME


def _part(table: Table, names: Sequence[Column], most: int, numbers: Sequence[Column]) -> Table:
    part = Table(box=table.box)
    for column in names:
        part.add_column(column.header, max_width=most, overflow="fold")
    for column in numbers:
        part.add_column(column.header, justify="right", no_wrap=True)
    rows = zip(*(column.cells for column in (*names, *numbers)), strict=True)
    for row, cells in zip(table.rows, rows, strict=True):
        part.add_row(*cells, end_section=row.end_section)
    return part
