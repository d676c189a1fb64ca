"""Marks of the slider on a line of play: turns, battles, reveals and captures."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from wotr_env.games.war_of_the_ring.codes import Frame
from wotr_env.games.war_of_the_ring.rules.stack import KIND


class _Glance(NamedTuple):
    """The parts of a position whose changes make marks."""

    turn: int
    battle: bool
    revealed: bool
    control: bytes


class Marks:
    """Finds the marks of a line; called with its positions, one after the other."""

    def __init__(self) -> None:
        self._before: _Glance | None = None

    def __call__(self, state: np.record) -> list[str]:
        """The kinds of marks for the changes since the position before."""
        before, after = self._before, _glance(state)
        self._before = after
        if before is None:
            return []
        changes = {
            "turn": after.turn > before.turn,
            "battle": after.battle and not before.battle,
            "reveal": after.revealed and not before.revealed,
            "capture": after.control != before.control,
        }
        return [kind for kind, found in changes.items() if found]


def _glance(state: np.record) -> _Glance:
    kinds = state["stack"][: int(state["depth"]), KIND].tolist()
    return _Glance(
        int(state["turn"]),
        Frame.BATTLE in kinds,
        bool(state["revealed"]),
        state["control"].tobytes(),
    )
