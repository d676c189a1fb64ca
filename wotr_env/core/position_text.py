"""Positions of any game with compiled rules as a line of text (``notation``), whole or as a seat knows them.

The ruleset of such a game has ``encode`` and ``decode``, and a state the ``options`` that they are about.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import numpy as np

from wotr_env.core.any_game import AnyGame
from wotr_env.core.kind import GameKind, Positions, check_seat
from wotr_env.core.notation import Notation
from wotr_env.core.values import check_seed

_NO_SEED = 0
"""Of the world that stands for all that a seat cannot tell apart."""


class KindPositions:
    """What ``GameKind.positions`` is made of.

    Args:
        name: of the game.
        rules_version: as of its kind.
        state: the dtype of a state.
        kind: gives the game, once it is made.
    """

    def __init__(self, name: str, rules_version: int, state: np.dtype, kind: Callable[[], GameKind]) -> None:
        self._kind = kind
        self._state = state
        self.notation = Notation(name, rules_version, state, functools.cache(self._new_game))

    def contract(self) -> Positions:
        """For ``GameKind.positions``."""
        return Positions(self.write, self.read)

    def write(self, state: np.record, seat: int | None) -> str:
        """See ``Positions.write``: the same for all positions that a seat cannot tell apart.

        Raises:
            ValueError: there is no such seat.
        """
        states = np.array([state], dtype=self._state)
        if seat is not None:
            seats = self._ruleset_of(states).seats
            states = self._world_of(states, check_seat(seat, seats), _NO_SEED)
        return self.notation.write(states, seat)

    def read(self, text: str, seed: int | None, ruleset: Any) -> AnyGame:
        """See ``Positions.read``. Where all is known nothing is left to chance: a seed changes nothing."""
        states, seat = self.notation.read(text)
        if seed is not None:
            check_seed(seed)
        if ruleset is not None:
            states["options"] = self._kind().read_ruleset(ruleset).encode()
        self._check_rests(states)
        rules = self._ruleset_of(states)
        if seat is not None:
            check_seat(seat, rules.seats)
            if seed is not None:
                states = self._world_of(states, seat, seed)
        return AnyGame.begun(self._kind(), states, rules, self.notation.write(states, None))

    def _new_game(self) -> np.ndarray:
        kind = self._kind()
        states, masks = self._room()
        kind.kernels.start(states, masks, np.zeros(1, dtype=np.int64), kind.ruleset())
        states.setflags(write=False)
        return states

    def _world_of(self, states: np.ndarray, seat: int, seed: int) -> np.ndarray:
        """A copy with what a seat does not know drawn anew."""
        worlds = states.copy()
        self._kind().kernels.sample_worlds(worlds, np.array([seat]), np.array([seed]))
        return worlds

    def _ruleset_of(self, states: np.ndarray) -> Any:
        decode: Any = getattr(self._kind().ruleset, "decode")  # noqa: B009 (of rulesets with options)
        return decode(states[0]["options"])

    def _check_rests(self, states: np.ndarray) -> None:
        """ValueError if it breaks an invariant, or neither waits for a decision nor is over."""
        kind = self._kind()
        kind.kernels.check(states)
        _, masks = self._room()
        rested = states.copy()
        kind.kernels.refresh(rested, masks)
        if rested.tobytes() != states.tobytes():
            raise ValueError("the position does not rest at the decision that it names")

    def _room(self) -> tuple[np.ndarray, np.ndarray]:
        return np.zeros(1, dtype=self._state), np.zeros((1, self._kind().actions.size), dtype=np.bool_)
