"""The luck of a game as a table for a terminal."""

from __future__ import annotations

from rich.table import Table

from wotr_experiments.arena.result_tables import number_columns
from wotr_experiments.luck.report import LuckReport


def luck_table(story: LuckReport) -> Table:
    """The luck of the first team by turn and source, in points; its heading is ``LuckReport.table_words``."""
    found = story.table()
    table = Table(*number_columns(["turn", *found.heads]), box=None)
    for turn, row in found.in_points().items():
        table.add_row(turn, *row)
    return table
