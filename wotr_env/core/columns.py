"""Game-specific numbers: which ones the store keeps for each game, how summaries combine them, and which ones
tables show."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Iterable
from enum import StrEnum
from typing import NamedTuple

import numpy as np
import numpy.typing as npt


class Statistic(StrEnum):
    """How a summary combines a column over many games."""

    MEAN = "mean"
    MEDIAN = "median"
    MOST = "most"
    COUNTS = "counts"
    """How often each number occurred."""
    SHARE = "share"
    """The share of games in which the number is not 0, with a 95% interval."""
    MEAN_WHERE = "mean where not 0"


class Column(NamedTuple):
    """A whole number that the store keeps for each game, and a field of ``GameKind.end_record``."""

    name: str
    statistics: tuple[tuple[str, Statistic], ...] = ()
    """The statistics over the games that were not forfeited, by their key in a summary; ``a.b`` is the key b
    of an object a."""
    dtype: npt.DTypeLike = np.int8
    of: Callable[[np.ndarray], np.ndarray] | None = None
    """The numbers of the last states, from ``state[N]``; None: the field of the state with this name."""


def conclude(columns: Iterable[Column], states: np.ndarray, end_records: np.ndarray) -> None:
    """Writes ``winner``, ``reason`` and columns of the end records of states (``Kernels.conclude``)."""
    for name, _, _, of in (Column("winner"), Column("reason"), *columns):
        end_records[name] = states[name] if of is None else of(states)


class Cell(NamedTuple):
    """A column of a table."""

    head: str
    text: str
    """A template: ``{turns.median:.0f}`` is replaced by the statistic with this key, or the column with this
    name."""


@dataclasses.dataclass(frozen=True)
class SummaryColumns:
    """The game-specific numbers that tables and reports show. A cell without a value shows a dash."""

    wins: tuple[Cell, ...] = ()
    """Cells next to the games won, in the terminal."""
    ends: tuple[Cell, ...] = ()
    """Cells next to the kinds of ends, in the terminal."""
    report: tuple[Cell, ...] = ()
    """Cells next to the games won, on a page."""
    game: tuple[Cell, ...] = ()
    """Cells of one game, on a page."""
    histograms: tuple[tuple[str, str], ...] = ()
    """Keys of counts, each with the title of what is counted."""
    histograms_title: str = ""
    wins_note: str = ""
    ends_note: str = ""
    report_note: str = ""


Shown = SummaryColumns
"""The name of ``SummaryColumns`` in 0.2."""
