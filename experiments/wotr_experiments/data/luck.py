"""Luck as columns of the tables of games and decisions."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from wotr_env.core.kind import GameKind
from wotr_experiments.arena.played_games import LUCK_DIGITS, rounded_luck
from wotr_experiments.data.columns import luck_columns
from wotr_experiments.data.values import Table
from wotr_experiments.luck.measure import GameLuck


def luck_of_games(kind: GameKind, lucks: Sequence[GameLuck]) -> Table:
    """The columns ``luck_columns``: for each team the total luck, then the luck from each source."""
    kept = np.array([rounded_luck(luck) for luck in lucks])  # [N, S, T]
    both = np.concatenate([kept.sum(axis=1, keepdims=True), kept], axis=1).round(LUCK_DIGITS)
    columns = both.transpose(0, 2, 1).reshape(len(lucks), -1).T
    return {column.name: values for column, values in zip(luck_columns(kind), columns, strict=True)}


def luck_of_decisions(lucks: Sequence[GameLuck], lengths: np.ndarray, teams: np.ndarray) -> np.ndarray:
    """The luck of the deciding team in each decision: ``float64[D]``.

    Args:
        lucks: the luck of N games.
        lengths: ``int64[N]``: the number of decisions of each game.
        teams: ``int64[D]``: the deciding teams, one game after another.
    """
    found = np.zeros(len(teams))
    for luck, first in zip(lucks, (np.cumsum(lengths) - lengths).tolist(), strict=True):
        for stage in luck.stages:
            row = first + stage.number
            found[row] += stage.luck[teams[row]]
    return found.round(LUCK_DIGITS)
