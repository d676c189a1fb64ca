"""A game's own numbers: what the store keeps of each game, what summaries say of many, what tables show."""

from __future__ import annotations

import dataclasses
from enum import StrEnum
from typing import NamedTuple


class Statistic(StrEnum):
    """What a summary says of a column over many games."""

    MEAN = "mean"
    MEDIAN = "median"
    MOST = "most"
    COUNTS = "counts"
    """How often each number came."""
    SHARE = "share"
    """The games where it is not 0, with a 95% interval."""
    MEAN_WHERE = "mean where not 0"


class Column(NamedTuple):
    """A whole number that the store keeps of each game: a field of ``GameKind.outcome``."""

    name: str
    statistics: tuple[tuple[str, Statistic], ...] = ()
    """Of the games not forfeited, by their key in a summary; ``a.b`` is the key b of an object a."""


class Cell(NamedTuple):
    """A column of a table."""

    head: str
    text: str
    """``{turns.median:.0f}`` stands for a statistic by its key, or for a column by its name."""


@dataclasses.dataclass(frozen=True)
class Shown:
    """Which of a game's own numbers tables and reports show. A cell that lacks a number is a dash."""

    wins: tuple[Cell, ...] = ()
    """Beside the games won, on a terminal."""
    ends: tuple[Cell, ...] = ()
    """Beside the kinds of ends, on a terminal."""
    report: tuple[Cell, ...] = ()
    """Beside the games won, on a page."""
    game: tuple[Cell, ...] = ()
    """Of one game, on a page."""
    histograms: tuple[tuple[str, str], ...] = ()
    """Keys of counts, and what is counted."""
    histograms_title: str = ""
    wins_note: str = ""
    ends_note: str = ""
    report_note: str = ""
