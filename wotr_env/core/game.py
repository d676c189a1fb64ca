"""A single game of any kind, for people, tests and tools. Use ``VectorGame`` for many games at high speed."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Self

import numpy as np

from wotr_env.core import saved_game
from wotr_env.core.codes import GOING_ON
from wotr_env.core.descriptions import GivenChance
from wotr_env.core.errors import IllegalAction
from wotr_env.core.kind import GameKind
from wotr_env.core.saved_game import Saved
from wotr_env.core.seats import check_seat
from wotr_env.core.spelling import some_of
from wotr_env.core.states import copy_states, state_hash
from wotr_env.core.values import check_seed

_MOST_NAMED = 8
"""Maximal number of legal actions that an error message names."""


class Game:
    """A single game of a kind: its legal actions, and steps.

    Args:
        kind: the game.
        seed: the seed of all random outcomes, 0 <= seed < 2**63.
        ruleset: the ruleset, in any form that ``GameKind.read_ruleset`` accepts.

    Raises:
        ValueError: the seed is not an integer or is out of range, or the ruleset is unknown.
    """

    __slots__ = (
        "_actions",
        "_before",
        "_future_tapes",
        "_has_tape",
        "_masks",
        "_ruleset",
        "_seed",
        "_start",
        "_states",
        "_tapes",
        "kind",
    )

    def __init__(self, kind: GameKind, seed: int = 0, ruleset: Any = None) -> None:
        self._begin(kind, np.zeros(1, dtype=kind.state), kind.read_ruleset(ruleset), check_seed(seed))
        kind.kernels.prepare()
        kind.kernels.start(self._states, self._masks, np.array([seed], dtype=np.int64), self._ruleset)

    def _begin(self, kind: GameKind, states: np.ndarray, ruleset: Any, seed: int | None) -> None:
        """Sets all attributes; the masks are not yet written."""
        self.kind = kind
        self._ruleset = ruleset
        self._seed = seed
        self._actions: list[int] = []
        self._before: np.ndarray | None = None
        self._start: np.ndarray | None = None
        self._has_tape = False
        self._tapes: dict[int, tuple[int, ...]] = {}
        self._future_tapes: Mapping[int, Sequence[int]] = {}
        self._states = states
        self._masks = np.zeros((1, kind.actions.size), dtype=np.bool_)

    @classmethod
    def begun(cls, kind: GameKind, states: np.ndarray, ruleset: Any = None) -> Self:
        """A game that starts from a position.

        Args:
            kind: the game.
            states: ``kind.state[1]``; copied. If no decision is pending, it is run to the next decision.
            ruleset: replaces the ruleset inside the state; by default it is kept.

        Raises:
            ValueError: the position breaks an invariant, or the ruleset is unknown.
        """
        states = copy_states(states)
        if ruleset is not None:
            kind.read_ruleset(ruleset).write(states)
        game = cls._resumed(kind, states)
        game._start = copy_states(game._states)
        return game

    @classmethod
    def _resumed(cls, kind: GameKind, states: np.ndarray) -> Self:
        """A game without a seed in this state, which waits for a decision; the array is not copied."""
        kind.kernels.prepare()
        kind.kernels.check(states)
        game = cls.__new__(cls)
        game._begin(kind, states, kind.ruleset.of(states[0]), None)
        kind.kernels.refresh(states, game._masks)
        return game

    @property
    def ruleset(self) -> Any:
        """The rules of this game."""
        return self._ruleset

    @property
    def seed(self) -> int | None:
        """The seed; None if seed and actions do not determine the game (a tape, or a start from a
        position)."""
        return self._seed

    @property
    def start(self) -> str | None:
        """The start of a game that did not start from a seed, as text (``GameKind.positions``). The actions
        and ``tapes`` lead from this start to the current state. None if the start is unknown."""
        if self._start is None or self.kind.positions is None:
            return None
        return self.kind.positions.write(self._start[0], None)

    @property
    def tapes(self) -> dict[int, tuple[int, ...]]:
        """The random outcomes that were given (``with_tape``), each by the number of actions before them."""
        return dict(self._tapes)

    @property
    def tape_left(self) -> bool:
        """Whether some given outcomes (``with_tape``) are not yet used."""
        return self._has_tape and bool(self._given_chance.left(self._states[0]))

    @property
    def actions(self) -> tuple[int, ...]:
        """The actions so far, from the start of the game or from its first position."""
        return tuple(self._actions)

    @property
    def seat(self) -> int:
        """The deciding seat; the number has no meaning when the game is over."""
        return int(self._states[0]["seat"])

    @property
    def over(self) -> bool:
        """Whether the game has ended."""
        return int(self._states[0]["winner"]) != GOING_ON

    @property
    def result(self) -> Any:
        """The result, of the type ``kind.result``; None while the game is not over."""
        return self.kind.result.of(self._states[0])

    @property
    def state(self) -> np.record:
        """A copy of the state: one record of dtype ``kind.state``."""
        return copy_states(self._states)[0]

    def position(self, seat: int | str | None = None) -> str:
        """The position as one line of text (``wotr_env.core.notation``).

        Args:
            seat: the seat whose view is written; by default the complete position. Information hidden from
                the seat, including future chance, is replaced by a sampled world. The text is the same for
                all positions that the seat cannot distinguish.

        Raises:
            ValueError: the seat is unknown, or this game has no text form of positions.
        """
        if self.kind.positions is None:
            raise ValueError(f"{self.kind.title} has no text form of positions")
        viewer = None if seat is None else check_seat(seat, self._ruleset.seats)
        return self.kind.positions.write(self._states[0], viewer)

    def moves(self) -> list[str]:
        """The names of the actions so far (``actions``)."""
        return [self.kind.actions.names[action] for action in self._actions]

    def legal(self) -> list[int]:
        """The ids of the legal actions, ascending; empty when the game is over."""
        return np.flatnonzero(self._masks[0]).tolist()

    def mask(self) -> np.ndarray:
        """Which actions are legal: a copy, ``bool[A]``."""
        return self._masks[0].copy()

    def observe(self, seat: int | str | None = None) -> np.ndarray:
        """The observation of a seat, by default of the deciding seat: a new ``int8[D]`` (``kind.layout``).

        Raises:
            ValueError: there is no such seat.
        """
        viewer = self.seat if seat is None else check_seat(seat, self._ruleset.seats)
        return self.kind.kernels.observe(self._states, np.array([viewer], dtype=np.int64))[0]

    def describe(self) -> str:
        """The position and the pending decision in words, from the view of the deciding seat."""
        return self.kind.words.described(self._states[0])

    def name_of(self, action: int) -> str:
        """The stable name of an action, such as ``region:minas-tirith``.

        Raises:
            ValueError: there is no such action.
        """
        return self.kind.actions.names[self.action(action)]

    def action(self, name: int | str) -> int:
        """The id of an action, given by its name or its id. The action does not have to be legal now.

        Raises:
            ValueError: there is no such action; the message offers similar names.
        """
        return self.kind.actions.find(name)

    def step(self, action: int | str) -> Self:
        """Plays a legal action and runs to the next decision. Returns the game itself.

        Args:
            action: its id or its name.

        Raises:
            IllegalAction: the action is illegal or unknown, or the game is over.
            ValueError: the tape has a value that is impossible for the random outcome that needs it.

        If an error is raised, the game is unchanged.
        """
        action = self._check_action(action)
        number, before = len(self._actions), self._states
        if (coming := self._future_tapes.get(number)) is not None:
            before = self._with(coming)
        states, masks = copy_states(before), self._masks.copy()
        try:
            self.kind.kernels.step(states, masks, np.array([action], dtype=np.int64))
        except ValueError:
            self._explain_tape(before[0], action)
            raise
        if self._has_tape:
            used = self._given_chance.used(before[0], states[0])
            if coming is not None and len(used) < len(coming):
                raise ValueError(f"the step needs {len(used)} of the {len(coming)} outcomes given to it")
            if used:
                self._tapes[number] = used
        self._before, self._states, self._masks = before, states, masks
        self._actions.append(action)
        return self

    def _check_action(self, action: Any) -> int:
        """The id of a legal action; raises IllegalAction for all others."""
        try:
            action = self.kind.actions.find(action)
        except ValueError as error:
            raise IllegalAction(str(error)) from None
        if self.over:
            raise IllegalAction(f"action {action} after the end: the game is over, see game.result")
        if not self._masks[0, action]:
            raise IllegalAction(f"action {action} ({self.kind.actions.names[action]}) {self._refusal()}")
        return action

    def _refusal(self) -> str:
        asked = self.kind.decision and self.kind.decision(self._states[0])
        legal = some_of([self.kind.actions.names[choice] for choice in self.legal()], _MOST_NAMED)
        return f"is illegal{f' in decision {asked}' if asked else ''}; legal: {legal}"

    @property
    def _given_chance(self) -> GivenChance:
        if self.kind.given_chance is None:
            raise ValueError(f"{self.kind.title} does not support given outcomes of chance")
        return self.kind.given_chance

    def _with(self, tape: Sequence[int]) -> np.ndarray:
        """A copy of the state with these random outcomes on its tape."""
        return np.array([self._given_chance.with_tape(self._states[0], tape)], dtype=self.kind.state)

    def _explain_tape(self, state: np.record, action: int) -> None:
        """Raises ValueError with an explanation if a state has a tape that did not fit an action."""
        given = self.kind.given_chance
        if given is not None and given.left(state):
            raise ValueError(given.explain_misfit(state, action)) from None

    def with_tape(self, values: Sequence[int]) -> Self:
        """Fixes the next random outcomes, in the order in which they are needed. Returns the game itself.

        Args:
            values: the outcomes, as for ``GivenChance.check_tape``; they replace the rest of an earlier tape.

        Raises:
            ValueError: there are too many values, a value is not an integer or is out of range, or this game
                does not support given outcomes of chance.
        """
        values = self._given_chance.check_tape(values)
        if values:
            self._switch_to_tapes()
        self._states = self._with(values)
        return self

    def follow(self, tapes: Mapping[int, Sequence[int]]) -> Self:
        """Fixes the random outcomes of future actions: calls ``with_tape`` before each of them. Returns the
        game itself.

        Args:
            tapes: the outcomes for each future action, by the number of actions before it. They replace the
                outcomes of an earlier call. A step raises ValueError if the outcomes given to its action are
                impossible, or if the step does not need all of them.
        """
        if tapes:
            self._switch_to_tapes()
        self._future_tapes = dict(tapes)
        return self

    def _switch_to_tapes(self) -> None:
        """Makes the first position and ``tapes`` determine the game from now on, instead of the seed."""
        if self._seed is not None:
            self._start = Game(self.kind, self._seed, self._ruleset)._states
        self._seed, self._has_tape = None, True

    def clone(self) -> Self:
        """An independent copy, with the same future."""
        other = type(self).__new__(type(self))
        other._begin(self.kind, copy_states(self._states), self._ruleset, self._seed)
        other._masks = self._masks.copy()
        other._actions = self._actions.copy()
        other._before, other._start = self._before, self._start
        other._has_tape, other._tapes, other._future_tapes = (
            self._has_tape,
            dict(self._tapes),
            self._future_tapes,
        )
        return other

    def __copy__(self) -> Self:
        """As ``clone``: a copy that shared the list of actions would damage this game."""
        return self.clone()

    def hash(self) -> str:
        """A hash of the state's bytes, 32 hex digits; the same on every machine."""
        return state_hash(self._states)

    def to_bytes(self) -> bytes:
        """The game as bytes (``wotr_env.core.saved_game``), for ``of_bytes``."""
        tapes = None
        if self._has_tape:
            played, coming = len(self._actions), self._future_tapes.items()
            tapes = self._tapes | {number: tuple(tape) for number, tape in coming if number >= played}
        saved = Saved(self._states, self._start, self._seed, self._actions, tapes)
        return saved_game.write(saved, self.kind)

    @classmethod
    def of_bytes(cls, kind: GameKind, data: bytes) -> Self:
        """Restores a game from the bytes of ``to_bytes``.

        Raises:
            TypeError: the data are not bytes.
            ValueError: the data are damaged, of another game or of another version of this package.
        """
        saved = saved_game.read(data, kind)
        game = cls._resumed(kind, saved.states)
        game._seed, game._start, game._actions = saved.seed, saved.start, saved.actions
        if saved.tapes is not None:
            game._has_tape, played = True, len(saved.actions)
            game._tapes = {number: tape for number, tape in saved.tapes.items() if number < played}
            game._future_tapes = {number: tape for number, tape in saved.tapes.items() if number >= played}
        return game

    def __repr__(self) -> str:
        asked = self.kind.words.decision(self._states[0])
        return f"<Game of {self.kind.title}, {len(self._actions)} actions: {asked}>"
