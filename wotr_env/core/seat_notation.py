"""Positions of any game in ``notation``, complete or with only the information of one seat."""

from __future__ import annotations

import contextlib
import functools
from collections.abc import Callable
from typing import Any, Generic, TypeVar

import numpy as np

from wotr_env.core.codes import MAX_SEED
from wotr_env.core.declared import CHANCE
from wotr_env.core.descriptions import Positions
from wotr_env.core.errors import StateError
from wotr_env.core.game import Game
from wotr_env.core.kind import GameKind
from wotr_env.core.notation import Notation
from wotr_env.core.seats import check_seat
from wotr_env.core.states import copy_states, state_hash
from wotr_env.core.values import check_seed

_NO_SEED = 0
"""Seed of the world that represents all worlds that a seat cannot distinguish."""
_MOST_DRAWS = 10_000
_NEXT_DRAW = 0x9E3779B97F4A7C15

G = TypeVar("G", bound=Game)


class KindPositions(Generic[G]):
    """The implementation of ``GameKind.positions``.

    Args:
        name: the name of the game.
        rules_version: ``GameKind.rules_version``.
        state: the dtype of a state.
        kind: a function that returns the ``GameKind``; called only after the kind has been created.
        game: the class of the games that ``read`` returns.
        chance: whether random outcomes occur after the start of a game.
    """

    def __init__(
        self,
        name: str,
        rules_version: int,
        state: np.dtype,
        kind: Callable[[], GameKind],
        game: type[G] = Game,
        *,
        chance: bool = False,
    ) -> None:
        self._kind = kind
        self._game = game
        self._chance = chance
        self.notation = Notation(name, rules_version, state, functools.cache(self._new_game))

    def contract(self) -> Positions:
        """The value for ``GameKind.positions``."""
        return Positions(self.write, self.read)

    def write(self, state: np.record, seat: int | None) -> str:
        """See ``Positions.write``. The text is the same for all positions that a seat cannot distinguish.

        Raises:
            ValueError: there is no such seat.
        """
        states = np.array([state], dtype=self.notation.state)
        if seat is not None:
            seats = self._kind().ruleset.of(states[0]).seats
            states = possible_world(self._kind(), states, check_seat(seat, seats), _NO_SEED)
        return self.notation.write(states, seat)

    def read(self, text: str, seed: int | None = None, ruleset: Any = None) -> G:
        """See ``Positions.read``. In a game without random outcomes the seed has no effect."""
        states, seat = self.notation.read(text)
        game = self._game.begun(self._kind(), states, ruleset)
        if ruleset is None and game.hash() != state_hash(states):
            raise ValueError("the rules do not wait for the decision stored in the position")
        if seat is not None:
            check_seat(seat, game.ruleset.seats)
        if seed is None:
            return game
        check_seed(seed)
        if seat is not None:
            states = possible_world(self._kind(), states, seat, seed)
        elif self._chance:
            states = self._with_chance(states, seed)
        return self._game.begun(self._kind(), states, ruleset)

    def _new_game(self, seed: int = 0) -> np.ndarray:
        kind = self._kind()
        states, _ = kind.new_states([seed], kind.read_ruleset())
        states.setflags(write=False)
        return states

    def _with_chance(self, states: np.ndarray, seed: int) -> np.ndarray:
        """A copy with the future chance of a new game; the decks keep their order."""
        begun, fresh = copy_states(states), self._new_game(seed)
        for field in CHANCE:
            begun[field.name] = fresh[field.name]
        given = self._kind().given_chance
        return begun if given is None else np.array([given.with_tape(begun[0], ())], dtype=begun.dtype)


def possible_world(kind: GameKind, states: np.ndarray, seat: int, seed: int) -> np.ndarray:
    """A copy of a state (``kind.state[1]``) in which the information hidden from a seat is resampled.

    If another seat decides, some hands could not have led to this decision. A world without a legal action,
    or with a single legal action that the rules take without asking, is rejected and sampled again.

    Raises:
        ValueError: no suitable world was found in the maximal number of samples.
    """
    kind.kernels.prepare()
    for draw in range(_MOST_DRAWS):
        worlds = copy_states(states)
        seeds = np.array([(seed + draw * _NEXT_DRAW) & MAX_SEED], dtype=np.int64)
        kind.kernels.sample_worlds(worlds, np.array([seat], dtype=np.int64), seeds)
        drawn = worlds.tobytes()
        with contextlib.suppress(StateError):
            kind.masks(worlds)
            if worlds.tobytes() == drawn:
                return worlds
    raise ValueError(f"none of {_MOST_DRAWS} worlds sampled for seat {seat} leads to the pending decision")
