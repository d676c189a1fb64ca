"""The building blocks of a study's pages: plots, tables, and figures in words."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping, Sequence
from typing import Any

from wotr_env.games.war_of_the_ring.codes import SIDE_IDS
from wotr_env.games.war_of_the_ring.words.names import SIDE_NAMES
from wotr_experiments.arena.result_tables import NOTHING

TITLES = dict(zip(SIDE_IDS, SIDE_NAMES, strict=True))


@dataclasses.dataclass(frozen=True)
class Plot:
    """A chart with a name for its file."""

    name: str
    title: str
    svg: str
    broad: bool = False
    """Whether the chart is as wide as the page."""


@dataclasses.dataclass(frozen=True)
class Table:
    """A table of cells in words."""

    head: Sequence[str]
    rows: Sequence[Sequence[str]]
    words: tuple[int, ...] = ()
    """The columns with words instead of numbers, besides the first column."""


Block = str | Table | Sequence[Plot] | Sequence[Table]
"""A paragraph, a table, or plots or tables side by side."""


@dataclasses.dataclass(frozen=True)
class Part:
    """A section."""

    name: str
    title: str
    blocks: Sequence[Block]


# --- In words. ---


def mean_text(found: Mapping[str, Any], digits: int = 1) -> str:
    """A mean in words, such as ``7.9 ± 0.1``; a dash if there are no values."""
    if found["mean"] is None:
        return NOTHING
    error = "" if found["error_95"] is None else f" ± {found['error_95']:.{digits}f}"
    return f"{found['mean']:.{digits}f}{error}"


def ratio_text(found: Mapping[str, Any]) -> str:
    """A ratio from ``measures.ratio`` in words, like ``mean_text``."""
    if found["share"] is None:
        return NOTHING
    low, high = found["interval_95"]
    return f"{found['share']:.1%} ({low:.1%} to {high:.1%})"


def plain(found: Mapping[str, Any]) -> str:
    """A share without its interval, in words."""
    return NOTHING if found["share"] is None else f"{found['share']:.1%}"


def percents(found: Mapping[str, Any]) -> tuple[float, float, float]:
    """A share and the ends of its interval in percent, for ``charts.Mark``."""
    low, high = found["interval_95"]
    return 100 * found["share"], 100 * low, 100 * high


def by_number(counts: Mapping[str, int]) -> dict[int, int]:
    """Counts with integer keys, which JSON stores as text."""
    return {int(number): count for number, count in counts.items()}
