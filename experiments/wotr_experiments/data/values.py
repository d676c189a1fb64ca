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
    """N integers; numbers below 0 stand for null"""
    words: Sequence[str]
    """The words by code."""


@dataclasses.dataclass(frozen=True)
class Lists:
    """A column of lists of numbers."""

    ends: np.ndarray
    """``int64[N + 1]``, beginning with 0: row i has the numbers from ``ends[i]`` up to, but not including,
    ``ends[i + 1]``."""
    items: np.ndarray


@dataclasses.dataclass(frozen=True)
class Known:
    """A column of numbers with missing values."""

    values: np.ndarray
    valid: np.ndarray
    """``bool[N]``: whether a number is known"""


Values = np.ndarray | Coded | Lists | Known | list[Any]
Table = dict[str, Values]
"""Columns by name, all with the same number of rows."""


def rows_of(table: Table) -> int:
    """The number of rows."""
    values = table["game"]
    assert isinstance(values, np.ndarray)
    return len(values)
