"""Arguments and statistics of many games in step, on the CPU or on a GPU."""

from __future__ import annotations

import dataclasses
from typing import Any

import numpy as np

from wotr_env.core.errors import IllegalAction
from wotr_env.games.war_of_the_ring.actions import ACTION_NAMES, NUM_ACTIONS
from wotr_env.games.war_of_the_ring.codes import Decision, Reason
from wotr_env.games.war_of_the_ring.engine.kernel import NO_ACTION
from wotr_env.games.war_of_the_ring.ruleset import Ruleset, ruleset_of
from wotr_env.games.war_of_the_ring.state import NUM_SIDES

NO_EPISODE = -1
"""The episode whose seed gives the random choices of ``random_steps``: no game is played with it."""
STREAM_KEY = 2**32 - 1
"""The half of a stream that tells it from the others; the other half counts its choices."""


@dataclasses.dataclass(frozen=True)
class Statistics:
    """The games of a ``VectorGame`` that have ended since it was made or reset with a seed."""

    games: int
    wins: tuple[int, int]
    """Of the Free Peoples and of the Shadow."""
    seat_wins: tuple[int, ...]
    """Of each seat; of partners those who win inside their side, alone or together (R13.8)."""
    draws: int
    reasons: dict[Reason, int]
    """Kinds of ends, with the games that ended so."""
    turns: float
    """Mean turns per game; 0.0 if none has ended."""
    decisions: float
    """Mean decisions per game; 0.0 if none has ended."""


def statistics_of(books: np.ndarray, num_seats: int) -> Statistics:
    """What the games were like that have ended, from the books of a batch."""
    reasons = books["reasons"].sum(axis=0)
    free_peoples, shadow, draws = books["winners"].sum(axis=0).tolist()
    games = free_peoples + shadow + draws
    return Statistics(
        games=games,
        wins=(free_peoples, shadow),
        seat_wins=tuple(books["all_won"].sum(axis=0)[:num_seats].tolist()),
        draws=draws,
        reasons={reason: int(reasons[reason]) for reason in Reason if reasons[reason]},
        turns=int(books["all_turns"].sum()) / max(1, games),
        decisions=int(books["all_decisions"].sum()) / max(1, games),
    )


def refusal(game: int, action: int, decision: int, is_over: bool) -> IllegalAction:
    """Why a game of a batch takes no such action."""
    name = f" ({ACTION_NAMES[action]})" if 0 <= action < NUM_ACTIONS else ""
    if is_over:
        why = f"the game is over and takes {NO_ACTION}"
    else:
        why = f"it is illegal in decision {Decision(decision).name.lower()}"
    return IllegalAction(f"action {action}{name} of game {game}: {why}; no game has changed")


def check_rulesets(ruleset: Any, num_games: int) -> tuple[Ruleset, ...]:
    """One ruleset for each game.

    Raises:
        ValueError: there are not as many as games, or one is none.
    """
    if isinstance(ruleset, (list, tuple)):
        if len(ruleset) != num_games:
            raise ValueError(f"{len(ruleset)} rulesets for {num_games} games; give one, or one for each")
        return tuple(ruleset_of(rules) for rules in ruleset)
    return (ruleset_of(ruleset),) * num_games


def check_actions(actions: Any, num_games: int) -> np.ndarray:
    """int64[N], one action for each game.

    Raises:
        TypeError: they are no integers.
        ValueError: their shape is not ``(N,)``.
    """
    actions = np.asarray(actions)
    if actions.dtype.kind not in "iu":
        raise TypeError(f"actions are integers, one per game, not {actions.dtype}")
    if actions.shape != (num_games,):
        raise ValueError(f"actions have shape ({num_games},), one per game, not {actions.shape}")
    return actions.astype(np.int64, copy=False)


def check_which(which: Any, num_games: int) -> np.ndarray:
    """bool[N], some of the games.

    Raises:
        ValueError: it has another shape or dtype.
    """
    which = np.asarray(which)
    if which.shape != (num_games,) or which.dtype != np.bool_:
        raise ValueError(f"which is bool of shape ({num_games},), not {which.dtype} {which.shape}")
    return which


def check_decisions(k: Any) -> int:
    """k, a number of decisions.

    Raises:
        ValueError: it is no integer >= 0.
    """
    if isinstance(k, bool) or not isinstance(k, (int, np.integer)) or k < 0:
        raise ValueError(f"k is a number of decisions, an integer >= 0, not {k!r}")
    return int(k)


def check_positive(name: str, value: Any) -> int:
    """The value of an argument.

    Raises:
        ValueError: it is no integer >= 1.
    """
    if isinstance(value, bool) or not isinstance(value, (int, np.integer)) or value < 1:
        raise ValueError(f"{name} is an integer >= 1, not {value!r}")
    return int(value)


def check_preferences(preferences: Any) -> np.ndarray:
    """int8[2, NUM_ACTIONS]; zeros for None.

    Raises:
        ValueError: they are something else.
    """
    shape = (NUM_SIDES, NUM_ACTIONS)
    if preferences is None:
        return np.zeros(shape, dtype=np.int8)
    preferences = np.asarray(preferences)
    if preferences.dtype != np.int8 or preferences.shape != shape:
        given = f"{preferences.dtype} of shape {preferences.shape}"
        raise ValueError(f"preferences are int8 of shape {shape}, not {given}")
    return np.ascontiguousarray(preferences)
