"""Arguments and statistics of batches of games, on the CPU or on a GPU."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np


@dataclasses.dataclass(frozen=True)
class Statistics:
    """The games of a batch that have ended since it was made or reset with a seed."""

    games: int
    wins: tuple[int, ...]
    """Games won by each team."""
    seat_wins: tuple[int, ...]
    """Games won by each seat, alone or together."""
    draws: int
    reasons: dict[Any, int]
    """Number of games by kind of end."""
    turns: float
    """Mean number of turns per game; 0.0 if no game has ended."""
    decisions: float
    """Mean number of decisions per game; 0.0 if no game has ended."""


def statistics_of(books: np.ndarray, num_seats: int, reasons: Mapping[int, Any]) -> Statistics:
    """The statistics of ended games.

    Args:
        books: records of N with the counts ``winners`` (by team, then draws), ``all_won`` (by seat),
            ``reasons``, ``all_turns`` and ``all_decisions``.
        num_seats: the number of seats of the batch.
        reasons: names of ends, by their number in ``reasons``.
    """
    counts = books["reasons"].sum(axis=0)
    *wins, draws = books["winners"].sum(axis=0).tolist()
    games = sum(wins) + draws
    return Statistics(
        games=games,
        wins=tuple(wins),
        seat_wins=tuple(books["all_won"].sum(axis=0)[:num_seats].tolist()),
        draws=draws,
        reasons={name: int(counts[number]) for number, name in reasons.items() if counts[number]},
        turns=int(books["all_turns"].sum()) / max(1, games),
        decisions=int(books["all_decisions"].sum()) / max(1, games),
    )


def rulesets_for(ruleset: Any, num_games: int, read: Callable[[Any], Any]) -> tuple[Any, ...]:
    """One ruleset for each game.

    Args:
        ruleset: a ruleset, or a list of rulesets.
        num_games: N.
        read: converts a value to a ruleset.

    Raises:
        ValueError: the number of rulesets is not N, or one is invalid.
    """
    if isinstance(ruleset, (list, tuple)):
        if len(ruleset) != num_games:
            raise ValueError(f"{len(ruleset)} rulesets for {num_games} games; give one, or one for each")
        return tuple(read(rules) for rules in ruleset)
    return (read(ruleset),) * num_games


def check_actions(actions: Any, num_games: int) -> np.ndarray:
    """The actions as ``int64[N]``, one for each game.

    Raises:
        TypeError: the actions are not integers.
        ValueError: their shape is not ``(N,)``.
    """
    actions = np.asarray(actions)
    if actions.dtype.kind not in "iu":
        raise TypeError(f"actions are integers, one per game, not {actions.dtype}")
    if actions.shape != (num_games,):
        raise ValueError(f"actions have shape ({num_games},), one per game, not {actions.shape}")
    return actions.astype(np.int64, copy=False)


def check_which(which: Any, num_games: int) -> np.ndarray:
    """A selection of games as ``bool[N]``.

    Raises:
        ValueError: ``which`` has another shape or dtype.
    """
    which = np.asarray(which)
    if which.shape != (num_games,) or which.dtype != np.bool_:
        raise ValueError(f"which is bool of shape ({num_games},), not {which.dtype} {which.shape}")
    return which


def check_decisions(k: Any) -> int:
    """Returns k, a number of decisions.

    Raises:
        ValueError: k is not an integer >= 0.
    """
    if isinstance(k, bool) or not isinstance(k, (int, np.integer)) or k < 0:
        raise ValueError(f"k is a number of decisions, an integer >= 0, not {k!r}")
    return int(k)


def check_positive(name: str, value: Any) -> int:
    """Returns the value of an argument.

    Raises:
        ValueError: the value is not an integer >= 1.
    """
    if isinstance(value, bool) or not isinstance(value, (int, np.integer)) or value < 1:
        raise ValueError(f"{name} is an integer >= 1, not {value!r}")
    return int(value)


def check_preferences(preferences: Any, shape: tuple[int, int]) -> np.ndarray:
    """The preferences as ``int8[T, A]``; zeros for None.

    Raises:
        ValueError: they have another dtype or shape.
    """
    if preferences is None:
        return np.zeros(shape, dtype=np.int8)
    preferences = np.asarray(preferences)
    if preferences.dtype != np.int8 or preferences.shape != shape:
        given = f"{preferences.dtype} of shape {preferences.shape}"
        raise ValueError(f"preferences are int8 of shape {shape}, not {given}")
    return np.ascontiguousarray(preferences)
