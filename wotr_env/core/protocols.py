"""Protocols of a single game and of a batch of games."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Protocol

import numpy as np


class Game(Protocol):
    """A single game: its legal actions, and steps."""

    @property
    def kind(self) -> Any:
        """The ``GameKind``."""
        ...

    @property
    def ruleset(self) -> Any:
        """The ruleset."""
        ...

    @property
    def seed(self) -> int | None:
        """The seed; None if seed and actions do not determine the game."""
        ...

    @property
    def start(self) -> str | None:
        """The start of a game without a seed, as text; None if it is unknown."""
        ...

    @property
    def actions(self) -> tuple[int, ...]:
        """The actions so far."""
        ...

    @property
    def tapes(self) -> Mapping[int, tuple[int, ...]]:
        """The random outcomes that were given, each by the number of actions before them."""
        ...

    @property
    def tape_left(self) -> bool:
        """Whether some given outcomes are not yet used."""
        ...

    @property
    def state(self) -> np.record:
        """A copy of the state, of dtype ``GameKind.state``."""
        ...

    @property
    def result(self) -> Any:
        """The result, of the type ``GameKind.result``; None while the game is not over."""
        ...

    def legal(self) -> list[int]:
        """The ids of the legal actions, ascending; empty when the game is over."""
        ...

    def step(self, action: int) -> Any:
        """Plays a legal action. For an illegal action, raises IllegalAction and leaves the game unchanged."""
        ...

    def follow(self, tapes: Mapping[int, Sequence[int]]) -> Any:
        """Fixes the random outcomes of future actions, each by the number of actions before them."""
        ...

    def clone(self) -> Any:
        """An independent copy, with the same future."""
        ...

    def to_bytes(self) -> bytes:
        """The game as bytes, which its class can read."""
        ...

    def hash(self) -> str:
        """``state_hash`` of the state."""
        ...


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
