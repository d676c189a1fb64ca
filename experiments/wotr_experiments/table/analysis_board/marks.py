"""Marks of the slider on a line of play: turns, battles, reveals and captures."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from wotr_env.games.war_of_the_ring.codes import Frame
from wotr_env.games.war_of_the_ring.rules.stack import KIND


class Glance(NamedTuple):
    """The parts of a position whose changes make marks."""

    turn: int
    battle: bool
    revealed: bool
    control: bytes


def glance(state: np.record) -> Glance:
    """A glance at a position of War of the Ring."""
    kinds = state["stack"][: int(state["depth"]), KIND].tolist()
    return Glance(
        int(state["turn"]),
        Frame.BATTLE in kinds,
        bool(state["revealed"]),
        state["control"].tobytes(),
    )


def marks_between(before: Glance, after: Glance) -> list[str]:
    """The kinds of marks for the changes between two positions."""
    changes = {
        "turn": after.turn > before.turn,
        "battle": after.battle and not before.battle,
        "reveal": after.revealed and not before.revealed,
        "capture": after.control != before.control,
    }
    return [kind for kind, found in changes.items() if found]


GLANCES: dict[str, Callable[[np.record], Glance]] = {"war-of-the-ring": glance}
"""The glance functions by names of games with marks."""
