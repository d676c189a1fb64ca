"""The protocol of a batch of games."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Protocol

import numpy as np


class Games(Protocol):
    """N games that step together. A game that ends is replaced by a new one. Arrays are written in place."""

    num_games: int
    observations: np.ndarray
    """``int8[N, D]``: the observation of the deciding seat"""
    masks: np.ndarray
    """``bool[N, A]``"""
    seats: np.ndarray
    """``int8[N]``: the deciding seat"""
    terminated: np.ndarray
    """``bool[N]``: the game ended in the last step; the other arrays show the next game"""
    end_records: np.ndarray
    """With fields ``winner`` and ``reason`` of the games that ended in the last step."""

    @property
    def states(self) -> np.ndarray:
        """``GameKind.state[N]``, read-only."""
        ...

    def step(self, actions: np.ndarray) -> Any:
        """Plays one action in every game (integers of N). If any action is illegal, raises IllegalAction and
        changes no game."""
        ...

    def snapshot(self) -> dict[str, np.ndarray]:
        """Everything that determines the future of the games."""
        ...

    def restore(self, snapshot: Mapping[str, np.ndarray]) -> Any:
        """Continues from a snapshot."""
        ...
