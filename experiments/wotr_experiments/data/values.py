"""Columns of tables in memory: numpy arrays, and types for repeated words, lists and missing values."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from typing import Any

import numpy as np


@dataclasses.dataclass(frozen=True)
class Coded:
    """A column of repeated words."""

    codes: np.ndarray
    """integers of N; below 0: null"""
    words: Sequence[str]
    """By their codes."""


@dataclasses.dataclass(frozen=True)
class Lists:
    """A column of lists of numbers."""

    ends: np.ndarray
    """``int64[N + 1]``, from 0: row i has those from ``ends[i]`` to ``ends[i + 1]``."""
    items: np.ndarray


@dataclasses.dataclass(frozen=True)
class Known:
    """A column of numbers with missing values."""

    values: np.ndarray
    valid: np.ndarray
    """``bool[N]``"""


Values = np.ndarray | Coded | Lists | Known | list[Any]
Table = dict[str, Values]
"""Columns by their names, all of the same number of rows."""


def rows_of(table: Table) -> int:
    """The number of rows."""
    values = table["game"]
    assert isinstance(values, np.ndarray)
    return len(values)
