"""A line of play: the actions of a game of any kind, with access to every position."""

from __future__ import annotations

import zlib
from collections.abc import Iterator, Mapping, Sequence
from types import MappingProxyType
from typing import Any

import numpy as np

from wotr_env.core.codes import GOING_ON
from wotr_env.core.errors import IllegalAction, RecordError
from wotr_env.core.kind import GameKind
from wotr_env.core.states import state_hash
from wotr_env.play.record import GameRecord

_EVERY = 32
"""Number of actions between two stored positions; positions in between are replayed."""
_QUICK = 1
"""Compression level of zlib; positions are mostly zeros and shrink to a fifth."""


class Line:
    """A game from its seed or a position.

    Args:
        kind: the game.
        ruleset: the ruleset of the game.
        seed: seed of the game.
        actions: actions to play at the start.
        tapes: random outcomes given to actions, by the number of earlier actions.
        start: the first position, with a pending decision, if the game does not start from its seed.

    Raises:
        IllegalAction: an action is illegal.
        ValueError: an outcome is impossible.
    """

    def __init__(
        self,
        kind: GameKind,
        ruleset: Any,
        seed: int,
        actions: Sequence[int] = (),
        tapes: Mapping[int, Sequence[int]] = MappingProxyType({}),
        start: np.record | None = None,
    ) -> None:
        self.kind = kind
        self.ruleset = ruleset
        self.seed = seed
        self.actions: list[int] = []
        self.deciders: list[int] = []
        """The seat of each action."""
        self.tapes: dict[int, tuple[int, ...]] = {}
        """The random outcomes given to actions, by the number of earlier actions."""
        self._begun = start is not None
        if start is None:
            self._states, self._mask = kind.new_states([seed], ruleset)
        else:
            kind.kernels.prepare()
            self._states = np.array([start], dtype=kind.state)
            self._mask = kind.masks(self._states)
        self._kept: list[bytes] = []
        self._replayed: tuple[int, np.ndarray] | None = None
        """The last position of ``at``, which is not changed, and its number; the next one is often close."""
        self._keep()
        for number, action in enumerate(actions):
            self.step(action, tapes.get(number, ()))

    @property
    def number(self) -> int:
        """The number of actions."""
        return len(self.actions)

    @property
    def state(self) -> np.record:
        """A copy of the position."""
        return self._states.copy()[0]

    @property
    def seat(self) -> int | None:
        """The deciding seat; None if the game is over."""
        return None if self.over else int(self._states[0]["seat"])

    @property
    def over(self) -> bool:
        """Whether the game has ended."""
        return int(self._states[0]["winner"]) != GOING_ON

    @property
    def result(self) -> Any:
        """The result, of type ``kind.result``; None while the game is not over."""
        return self.kind.result.of(self._states[0])

    @property
    def legal(self) -> list[int]:
        """The ids of the legal actions, ascending; empty if the game is over."""
        return np.flatnonzero(self._mask[0]).tolist()

    def is_legal(self, action: int) -> bool:
        """Whether an id is a legal action."""
        return 0 <= action < self._mask.shape[1] and bool(self._mask[0, action])

    def step(self, action: int, tape: Sequence[int] = ()) -> None:
        """Plays a legal action, up to the next decision.

        Args:
            action: a legal action.
            tape: the first random outcomes, for games with ``kind.given_chance``.

        Raises:
            IllegalAction: the action is illegal; then the game is unchanged.
            ValueError: an outcome is impossible; then the game is unchanged.
        """
        if not self.is_legal(action):
            raise IllegalAction(f"action {action} is not legal after {self.number} actions")
        seat = int(self._states[0]["seat"])
        states, mask = (self._states.copy(), self._mask.copy()) if tape else (self._states, self._mask)
        self._apply(states, mask, action, tape)  # a tape that does not fit leaves copies half changed
        self._states, self._mask = states, mask
        self.deciders.append(seat)
        if tape:
            self.tapes[self.number] = tuple(tape)
        self.actions.append(action)
        if self.number % _EVERY == 0:
            self._keep()

    def at(self, number: int) -> np.record:
        """A copy of the position after ``number`` actions; ``number`` is at most the number of actions
        played."""
        if number == self.number:
            return self.state
        first = number - number % _EVERY
        if self._replayed is not None and first <= self._replayed[0] <= number:
            first, states = self._replayed[0], self._replayed[1].copy()
        else:
            kept = zlib.decompress(self._kept[number // _EVERY])
            states = np.frombuffer(kept, self.kind.state).copy()
        mask = self._mask.copy()
        for played in range(first, number):
            self._apply(states, mask, self.actions[played], self.tapes.get(played, ()))
        self._replayed = number, states
        return states.copy()[0]

    def before(self, number: int) -> np.record:
        """A copy of the position after ``number`` actions, prepared with the random outcomes given to the
        next action."""
        states = np.array([self.at(number)], dtype=self.kind.state)
        self._give(states, self.tapes.get(number, ()))
        return states[0]

    def states(self, first: int = 0, last: int | None = None) -> Iterator[np.record]:
        """Copies of the positions after ``first`` to ``last`` actions, by default up to the current one."""
        last = self.number if last is None else last
        states, mask = np.array([self.at(first)], dtype=self.kind.state), self._mask.copy()
        yield states.copy()[0]
        for number in range(first, last):
            self._apply(states, mask, self.actions[number], self.tapes.get(number, ()))
            yield states.copy()[0]

    def shortened(self, number: int) -> Line:
        """A new line with the first ``number`` actions."""
        other = self.copy()
        other._states = np.array([self.at(number)], dtype=self.kind.state)
        other._mask = self.kind.masks(other._states)
        other.tapes = {place: tape for place, tape in self.tapes.items() if place < number}
        del other.actions[number:], other.deciders[number:], other._kept[number // _EVERY + 1 :]
        if other._replayed is not None and other._replayed[0] > number:
            other._replayed = None
        return other

    def copy(self) -> Line:
        """An independent copy."""
        other = Line.__new__(Line)
        other.kind, other.ruleset, other.seed = self.kind, self.ruleset, self.seed
        other._begun = self._begun
        other.actions, other.deciders = self.actions.copy(), self.deciders.copy()
        other.tapes = self.tapes.copy()
        other._states, other._mask, other._kept = self._states.copy(), self._mask.copy(), self._kept.copy()
        other._replayed = self._replayed
        return other

    def record(self, players: Sequence[str], identities: Sequence[str] = ()) -> GameRecord:
        """The game, finished or not, as a record, with players and identities by seat.

        Raises:
            RecordError: the game starts from a position, and positions of this board game cannot be written
                as text.
        """
        position = ""
        if self._begun or self.tapes:
            if self.kind.positions is None:
                raise RecordError(f"{self.kind.title} has no text form of positions")
            position = self.kind.positions.write(self.at(0), None)
        digits = state_hash(self._states)
        return GameRecord(
            self.ruleset,
            0 if position else self.seed,
            tuple(self.actions),
            tuple(players),
            self.result,
            digits,
            self.kind.name,
            tuple(identities),
            position,
            tuple(sorted(self.tapes.items())),
        )

    def _keep(self) -> None:
        self._kept.append(zlib.compress(self._states.tobytes(), _QUICK))

    def _apply(self, states: np.ndarray, mask: np.ndarray, action: int, tape: Sequence[int]) -> None:
        self._give(states, tape)
        self.kind.kernels.step(states, mask, np.array([action], dtype=np.int64))

    def _give(self, states: np.ndarray, tape: Sequence[int]) -> None:
        if tape:
            if self.kind.given_chance is None:
                raise ValueError(f"{self.kind.title} does not support own dice")
            states[0] = self.kind.given_chance.with_tape(states[0], tape)
