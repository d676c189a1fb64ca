"""The turns of a game, and the option of its rulesets that limits them.

A game that counts turns has ``turn_fields`` in its state and an option ``max_turns`` in its ruleset. After
each turn its rules ask ``is_last_turn``. ``GameKind.limited`` makes rulesets with a limit.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from wotr_env.core.declared import StateField

MOST_TURNS = 127
"""Highest limit of a game with ``turn_fields``; an option is an int8."""


def turn_fields(most: int, meaning: str) -> tuple[StateField, StateField]:
    """The fields ``turn``, at most ``most``, and ``max_turns``.

    Together the two fields have the size of an int16. So a state without a limit has the same bytes as in
    versions without turn limits.
    """
    return (
        StateField("turn", 0, most, meaning, dtype=np.uint8),
        StateField("max_turns", 0, MOST_TURNS, "after which the game ends; 0: no limit", dtype=np.uint8),
    )


def check_max_turns(turns: Any) -> None:
    """Raises ValueError unless ``turns`` is a valid turn limit of a game with ``turn_fields``."""
    if not isinstance(turns, int) or isinstance(turns, bool) or not 0 <= turns <= MOST_TURNS:
        raise ValueError(f"max_turns must be an integer from 0 to {MOST_TURNS}, not {turns!r}")


def is_last_turn(state):
    """Whether the turn limit ends the game. Called after a turn has been counted."""
    return 0 < state.max_turns and state.max_turns <= state.turn


def deciding_team(state):
    """The team of the deciding seat where each seat is a team."""
    return int(state.seat)


OF_STATES = (is_last_turn, deciding_team)
"""The functions that are copied for each game (``compiler.templates``), for its own state."""
