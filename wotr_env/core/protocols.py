"""What is asked of one game, and of many games in step, whatever game it is."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Protocol

import numpy as np


class Game(Protocol):
    """One game: what can be done now, and doing it."""

    @property
    def kind(self) -> Any:
        """The ``GameKind``."""
        ...

    @property
    def ruleset(self) -> Any:
        """What it is played by."""
        ...

    @property
    def seed(self) -> int | None:
        """None if seed and actions do not lead here."""
        ...

    @property
    def start(self) -> str | None:
        """Where a game without a seed began, as text; None if that is not known."""
        ...

    @property
    def actions(self) -> tuple[int, ...]:
        """Those played so far."""
        ...

    @property
    def tapes(self) -> Mapping[int, tuple[int, ...]]:
        """The outcomes of chance that were given to actions, by the number of actions before each."""
        ...

    @property
    def tape_left(self) -> bool:
        """Whether outcomes that were given are still to come."""
        ...

    @property
    def state(self) -> np.record:
        """A copy of its state, of ``GameKind.state``."""
        ...

    @property
    def result(self) -> Any:
        """``GameKind.result`` once it is over, else None."""
        ...

    def legal(self) -> list[int]:
        """The ids of the legal actions, ascending; empty when it is over."""
        ...

    def step(self, action: int) -> Any:
        """Plays an action; IllegalAction if it is none, with the game as it was."""
        ...

    def follow(self, tapes: Mapping[int, Sequence[int]]) -> Any:
        """Gives outcomes of chance to actions to come, by the number of actions before each."""
        ...

    def clone(self) -> Any:
        """An independent copy, with the same future."""
        ...

    def to_bytes(self) -> bytes:
        """The whole game, for those of its class that read them."""
        ...

    def hash(self) -> str:
        """``state_hash`` of its state."""
        ...


class Games(Protocol):
    """N games in step, each replaced by a new one when it ends; the arrays are written in place."""

    num_games: int
    observations: np.ndarray
    """``int8[N, D]``: what the seat that decides sees"""
    masks: np.ndarray
    """``bool[N, A]``"""
    seats: np.ndarray
    """``int8[N]``: who decides"""
    terminated: np.ndarray
    """``bool[N]``: a game ended in the last step; the other arrays show the next one"""
    outcomes: np.ndarray
    """With fields ``winner`` and ``reason`` of the games that ended in the last step."""

    @property
    def states(self) -> np.ndarray:
        """``GameKind.state[N]``, read-only."""
        ...

    def step(self, actions: np.ndarray) -> Any:
        """Plays an action (integers of N) in every game; IllegalAction if one is none: nothing changed."""
        ...

    def snapshot(self) -> dict[str, np.ndarray]:
        """Everything that the games' future follows from."""
        ...

    def restore(self, snapshot: Mapping[str, np.ndarray]) -> Any:
        """Goes on from a snapshot."""
        ...
