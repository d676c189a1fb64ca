"""Tables as lists of dictionaries, which notebooks show and ``pandas.DataFrame(rows)`` accepts."""

from __future__ import annotations

import html
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

_MOST_SHOWN = 200
"""Maximal number of rows that a notebook shows; further rows are only counted."""
_CELL = "style='text-align:left;vertical-align:top'"


class Rows(list[dict[str, Any]]):
    """A list of rows; each row is a dictionary of plain values by column name."""

    @property
    def columns(self) -> list[str]:
        """The column names, in order of first appearance."""
        return list(dict.fromkeys(name for row in self for name in row))

    def _repr_html_(self) -> str:
        names = self.columns
        lines = [
            _line("th", names),
            *(_line("td", [row.get(name) for name in names]) for row in self.shown()),
        ]
        more = len(self) - _MOST_SHOWN
        note = f"<p>and {more:,} rows more</p>" if more > 0 else ""
        return f"<table>{''.join(lines)}</table>{note}"

    def shown(self) -> Sequence[dict[str, Any]]:
        """The rows that a notebook shows."""
        return self[:_MOST_SHOWN]


def flat(values: Mapping[str, Any], before: str = "") -> dict[str, Any]:
    """Nested numbers as columns of one row; an interval becomes two columns ``_low`` and ``_high``.

    ``{"wins": {"share": 0.5, "interval_95": [0.4, 0.6]}}`` becomes ``wins``, ``wins_low``, ``wins_high``.
    Values other than numbers, words and such dictionaries are left out.
    """
    row: dict[str, Any] = {}
    for key, value in values.items():
        name = f"{before}{key}"
        if not isinstance(value, Mapping):
            if value is None or isinstance(value, (str, int, float)):
                row[name] = value
            continue
        main = next((each for each in ("share", "elo") if each in value), None)
        if main is not None and "interval_95" in value:
            row[name] = value[main]
            row[f"{name}_low"], row[f"{name}_high"] = value["interval_95"]
        elif not any(str(each).isdecimal() for each in value):  # counts by number are no columns
            row |= flat(value, f"{name}_")
    return row


def _line(cell: str, values: Iterable[Any]) -> str:
    return f"<tr>{''.join(f'<{cell} {_CELL}>{_shown(value)}</{cell}>' for value in values)}</tr>"


def _shown(value: Any) -> str:
    if value is None:
        return ""
    return html.escape(f"{value:.4g}" if isinstance(value, float) else str(value))
