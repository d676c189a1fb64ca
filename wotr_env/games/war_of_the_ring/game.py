"""Game: one game, for people, tests and tools. ``VectorGame`` is the fast form of many games."""

from __future__ import annotations

import contextlib
import dataclasses
import difflib
import functools
import hashlib
import struct
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from wotr_env.core.errors import IllegalAction, StateError
from wotr_env.core.kind import PUBLIC, check_seat, check_viewer, copy_states, state_hash
from wotr_env.core.notation import Notation
from wotr_env.core.values import check_fields, check_integer, check_member, check_seed
from wotr_env.games.war_of_the_ring.actions import ACTION_IDS, ACTION_NAMES, NUM_ACTIONS
from wotr_env.games.war_of_the_ring.codes import Decision, Reason, Side, Winner
from wotr_env.games.war_of_the_ring.engine import kernel
from wotr_env.games.war_of_the_ring.engine.invariants import check_invariants
from wotr_env.games.war_of_the_ring.events import Event, Trace, trace_of
from wotr_env.games.war_of_the_ring.observation import observe
from wotr_env.games.war_of_the_ring.outcomes import check_tape, misfit, with_tape
from wotr_env.games.war_of_the_ring.rules.seats import SEAT_SIDE
from wotr_env.games.war_of_the_ring.ruleset import Ruleset, RulesetLike, ruleset_of
from wotr_env.games.war_of_the_ring.state import STATE
from wotr_env.games.war_of_the_ring.winners import winning_partners
from wotr_env.games.war_of_the_ring.words.positions import describe, victory_points

if TYPE_CHECKING:
    from wotr_env.games.war_of_the_ring.render.view import View

RULES_VERSION = 4
"""Moves whenever the same seed and actions lead to another game; records of other versions are refused."""

FIRST_EDITION = Ruleset.first_edition()

_MAGIC = b"WOTRGAME"
_FORMAT = 1
_FROM_POSITION = 2
"""The format of a game from a position: behind its state stands the one where it began."""
_WITH_TAPES = 3
"""The format of such a game with outcomes that were given: behind both states stand those."""
_TAPE = struct.Struct("<IB")  # the number of actions before, the number of outcomes, which follow as bytes
_HEADER = struct.Struct("<8sHH8sqI")  # magic, format, rules version, layout, seed or -1, number of actions
_ACTION = np.dtype("<i2")
_LAYOUT = hashlib.blake2b(repr((STATE.descr, STATE.itemsize)).encode(), digest_size=8).digest()
_CHECKSUM_SIZE = 16
_MOST_DRAWS = 10_000
_NEXT_DRAW = 0x9E3779B97F4A7C15
_MAX_VICTORY_POINTS = 20


@dataclasses.dataclass(frozen=True)
class Result:
    """How a game ended."""

    winner: Winner
    reason: Reason
    turn: int
    victory_points: tuple[int, int]
    """Points of enemy Settlements controlled by the Free Peoples and by the Shadow (R12.6)."""
    corruption: int
    """0..12."""
    mordor_step: int
    """Step on the Mordor Track, 1..6; 0: never entered."""
    winning_partners: tuple[int, ...] = ()
    """Of a side that two players share the seats that win, alone or together (R13.8); else empty."""

    @property
    def seats(self) -> tuple[int, ...]:
        """The seats that win: partners, or the one of a side that nobody shares; none in a draw."""
        return () if self.winner == Winner.DRAW else self.winning_partners or (int(self.winner),)

    @classmethod
    def of(cls, state: np.record) -> Result | None:
        """How the game of a state ended; None if it goes on."""
        if int(state["winner"]) == Winner.NONE:
            return None
        return cls(
            winner=Winner(int(state["winner"])),
            reason=Reason(int(state["reason"])),
            turn=int(state["turn"]),
            victory_points=victory_points(state),
            corruption=int(state["corruption"]),
            mordor_step=int(state["mordor_step"]),
            winning_partners=_places(winning_partners(np.asarray(state).reshape(1))[0]),
        )

    def to_dict(self) -> dict[str, Any]:
        """For JSON, winner and reason by name; ``winning_partners`` only where there are any."""
        values = {
            **dataclasses.asdict(self),
            "winner": self.winner.name.lower(),
            "reason": self.reason.name.lower(),
            "victory_points": list(self.victory_points),
            "winning_partners": list(self.winning_partners),
        }
        if not self.winning_partners:
            del values["winning_partners"]
        return values

    @classmethod
    def from_dict(cls, values: Any) -> Result:
        """The inverse of ``to_dict``.

        Raises:
            ValueError: a field is missing, unknown or out of range.
        """
        names = [field.name for field in dataclasses.fields(cls)]
        if isinstance(values, dict) and "winning_partners" not in values:
            names.remove("winning_partners")
        check_fields(values, names, "result")
        winner = check_member(Winner, values["winner"])
        points = values["victory_points"]
        if not isinstance(points, list) or len(points) != 2:
            raise ValueError(f"victory points are two numbers, not {points!r}")
        first, second = (check_integer("points", number, 0, _MAX_VICTORY_POINTS) for number in points)
        return cls(
            winner=winner,
            reason=check_member(Reason, values["reason"]),
            turn=check_integer("the turn", values["turn"], 1, 2**15 - 1),
            victory_points=(first, second),
            corruption=check_integer("corruption", values["corruption"], 0, 12),
            mordor_step=check_integer("the Mordor step", values["mordor_step"], 0, 6),
            winning_partners=_check_partners(values.get("winning_partners", []), winner),
        )


class Game:
    """One game of War of the Ring: what can be done now, and doing it.

    Args:
        seed: of every chance outcome of the game, 0 <= seed < 2**63.
        ruleset: the edition and options played: a ``Ruleset``, its ``to_dict``, or a spec such as
            ``second:null_events=false``.

    Raises:
        ValueError: the seed is no integer or out of range, or there is no such ruleset.
    """

    __slots__ = (
        "_actions",
        "_before",
        "_coming",
        "_given",
        "_masks",
        "_ruleset",
        "_seed",
        "_start",
        "_states",
        "_tapes",
    )

    def __init__(self, seed: int = 0, ruleset: RulesetLike = FIRST_EDITION) -> None:
        self._seed: int | None = check_seed(seed)
        self._ruleset = rules = ruleset_of(ruleset)
        self._actions: list[int] = []
        self._before: np.ndarray | None = None
        self._start: np.ndarray | None = None
        self._given = False
        self._tapes: dict[int, tuple[int, ...]] = {}
        self._coming: Mapping[int, Sequence[int]] = {}
        self._states = np.zeros(1, dtype=STATE)
        self._masks = np.zeros((1, NUM_ACTIONS), dtype=np.bool_)
        seeds = np.array([seed], dtype=np.int64)
        kernel.new_games(self._states, self._masks, seeds, rules.encode(), rules.max_turns)

    @classmethod
    def from_state(cls, state: np.ndarray | np.record, ruleset: RulesetLike | None = None) -> Game:
        """A game that starts from a position, which may be set up by hand.

        Args:
            state: one record of dtype ``STATE``; copied. If no decision is pending it is run to its next one.
            ruleset: replaces the options inside the state; by default they are kept.

        Raises:
            TypeError: the state is no record of ``STATE``.
            ValueError: the position breaks an invariant of the game; the message names it.
            StateError: the rules cannot go on from it; the message names a field.
        """
        states = _one_state(state)
        _set_ruleset(states, ruleset)
        return cls._begun(states)

    @classmethod
    def from_position(cls, text: str, seed: int | None = None, ruleset: RulesetLike | None = None) -> Game:
        """A game that starts from a position written as one line of text (``position``).

        Args:
            text: such as ``war-of-the-ring:4-9c1f:all:...``.
            seed: of other dice to come, and for a seat's position of all that the seat does not know, drawn
                anew: 0 <= seed < 2**63. By default both are as in the text.
            ruleset: replaces the options of the text; by default they are kept.

        Raises:
            ValueError: the text is no position of this game or is damaged, or the position breaks an
                invariant.
            StateError: the rules cannot go on from it.
        """
        states, seat = NOTATION.read(text)
        _set_ruleset(states, ruleset)
        game = cls._begun(states)
        if seat is not None:
            check_seat(seat, game._ruleset.seats)
        if seed is None:
            return game
        if seat is None:
            return cls._begun(_with_chance(states, check_seed(seed)))
        return cls._begun(_world(states, seat, check_seed(seed)))

    @classmethod
    def _begun(cls, states: np.ndarray) -> Game:
        """A game that begins from ``STATE[1]``."""
        game = cls._from_parts(states, seed=None, actions=[])
        game._start = copy_states(game._states)
        return game

    @classmethod
    def _from_parts(cls, states: np.ndarray, seed: int | None, actions: list[int]) -> Game:
        kernel.check(states)
        check_invariants(states[0])
        game = cls.__new__(cls)
        game._ruleset = Ruleset.decode(states[0]["options"], int(states[0]["max_turns"]))
        game._seed = seed
        game._actions = actions
        game._before = None
        game._states = states
        game._masks = np.zeros((1, NUM_ACTIONS), dtype=np.bool_)
        kernel.refresh(states, game._masks)
        game._start = None
        game._given, game._tapes, game._coming = False, {}, {}
        return game

    @property
    def ruleset(self) -> Ruleset:
        """The rules of this game."""
        return self._ruleset

    @property
    def seed(self) -> int | None:
        """The seed; None if seed and actions do not lead here (a tape, a position set up by hand)."""
        return self._seed

    @property
    def start(self) -> str | None:
        """Where a game without a seed began, as text (``position``): from there its actions, and ``tapes``,
        lead here; None if that is not known."""
        return None if self._start is None else NOTATION.write(self._start, None)

    @property
    def tapes(self) -> dict[int, tuple[int, ...]]:
        """The outcomes of chance that were given to actions (``with_tape``), by the number of actions before
        each."""
        return dict(self._tapes)

    @property
    def tape_left(self) -> bool:
        """Whether outcomes that were given (``with_tape``) are still to come."""
        return self._given and bool(self._states[0]["tape_length"])

    @property
    def actions(self) -> tuple[int, ...]:
        """The actions so far, from the start or from the position that the game was made from."""
        return tuple(self._actions)

    @property
    def seat(self) -> int:
        """The seat that decides; of no meaning when the game is over."""
        return int(self._states[0]["seat"])

    @property
    def side(self) -> Side:
        """The side of the seat that decides; of no meaning when the game is over."""
        return Side(SEAT_SIDE[self.seat])

    @property
    def decision(self) -> Decision:
        """The kind of decision pending; ``Decision.NONE`` when the game is over."""
        return Decision.NONE if self.over else Decision(int(self._states[0]["decision"]))

    @property
    def over(self) -> bool:
        """Whether the game has ended."""
        return int(self._states[0]["winner"]) != Winner.NONE

    @property
    def result(self) -> Result | None:
        """How the game ended; None while it goes on."""
        return Result.of(self._states[0])

    @property
    def state(self) -> np.record:
        """A copy of the whole state: one record of dtype ``STATE``."""
        return copy_states(self._states)[0]

    def position(self, seat: int | str | None = None) -> str:
        """The position as one line of text for ``from_position`` (``wotr_env.core.notation``).

        Args:
            seat: whose eyes see it. What it does not know is then a world like any other, dice to come
                included: the text is the same for all positions that the seat cannot tell apart.

        Raises:
            ValueError: there is no such seat.
        """
        viewer = None if seat is None else check_seat(seat, self._ruleset.seats)
        return position_of(self._states[0], viewer)

    def moves(self) -> list[str]:
        """The names of the actions so far: those of ``actions``."""
        return [ACTION_NAMES[action] for action in self._actions]

    def legal(self) -> list[int]:
        """The ids of the legal actions, ascending; empty when the game is over."""
        return np.flatnonzero(self._masks[0]).tolist()

    def mask(self) -> np.ndarray:
        """Which actions are legal: a copy, ``bool[NUM_ACTIONS]``."""
        return self._masks[0].copy()

    def observe(self, seat: int | str | None = None) -> np.ndarray:
        """What a seat sees: a new ``int8[OBSERVATION_SIZE]`` (``observation.py``); by default who decides.

        Raises:
            ValueError: there is no such seat.
        """
        viewer = self.seat if seat is None else check_seat(seat, self._ruleset.seats)
        return observe(self._states, viewer)[0]

    def step(self, action: int | str) -> Game:
        """Plays one legal action, and on to the next decision; returns the game itself.

        Args:
            action: its id or its name, such as ``region:minas-tirith``.

        Raises:
            IllegalAction: the action is not legal now, no id or name of one, or the game is over.
            ValueError: the tape holds a value that the chance outcome it was read for cannot have.

        The game is unchanged after an error.
        """
        action = self._check_action(action)
        if (coming := self._coming.get(len(self._actions))) is not None:
            before = np.array([with_tape(self._states[0], coming)], dtype=STATE)
        else:
            before = self._states
        states, masks = copy_states(before), self._masks.copy()
        try:
            kernel.step(states, masks, np.array([action], dtype=np.int64))
        except ValueError:
            self._explain_tape(before[0], action)
            raise
        used = _used(before[0], states[0])
        if coming is not None and len(used) < len(coming):
            raise ValueError(f"the step needs {len(used)} of the {len(coming)} outcomes given to it")
        if used and self._given:
            self._tapes[len(self._actions)] = used
        self._before, self._states, self._masks = before, states, masks
        self._actions.append(action)
        return self

    def trace(self, action: int | str) -> Trace:
        """Plays one legal action on a copy, move by move: what it would do; the game stays as it is.

        Raises:
            IllegalAction, ValueError: as ``step``.
        """
        action = self._check_action(action)
        try:
            return trace_of(self._states[0], action)
        except ValueError:
            self._explain_tape(self._states[0], action)
            raise

    def _explain_tape(self, state: np.record, action: int) -> None:
        """Raises ValueError in words if a state has a tape, which did not fit an action."""
        if state["tape_length"]:
            raise ValueError(misfit(state, action)) from None

    def events(self, seat: int | str | None = None) -> list[Event]:
        """What the last step did, as a seat may know it (``events``); None: with all that is hidden.

        Empty before the first step, and in a game just loaded.

        Raises:
            ValueError: there is no such seat.
        """
        seat = None if seat is None else check_seat(seat, self._ruleset.seats)
        if self._before is None:
            return []
        return trace_of(self._before[0], self._actions[-1]).events(seat)

    def _check_action(self, action: Any) -> int:
        """The id of an action that is legal now."""
        if isinstance(action, str):
            try:
                action = self.action(action)
            except ValueError as error:
                raise IllegalAction(str(error)) from None
        if isinstance(action, (bool, np.bool_)) or not isinstance(action, (int, np.integer)):
            raise IllegalAction(
                f"an action is an integer from 0 to {NUM_ACTIONS - 1}, or a name, not {action!r}"
            )
        if self.over:
            raise IllegalAction(f"action {action} after the end: the game is over, see game.result")
        if not 0 <= action < NUM_ACTIONS:
            raise IllegalAction(f"there is no action {action}: ids go from 0 to {NUM_ACTIONS - 1}")
        if not self._masks[0, action]:
            legal = self.legal()
            names = ", ".join(ACTION_NAMES[choice] for choice in legal[:8])
            more = f" and {len(legal) - 8} more" if len(legal) > 8 else ""
            raise IllegalAction(
                f"action {action} ({ACTION_NAMES[action]}) is illegal in decision "
                f"{self.decision.name.lower()}; legal: {names}{more}"
            )
        return int(action)

    def describe(self) -> str:
        """The position in words, as the seat that decides may see it."""
        return describe(self._states[0])

    def render(self, seat: int | str | None = PUBLIC) -> View:
        """The position to look at: drawn in a notebook, ``print`` tells it in words, ``save`` writes it.

        Args:
            seat: whose eyes see it, by its number or name; ``PUBLIC`` or ``public``: what everybody may see;
                None or ``all``: everything, all hands.

        Raises:
            ValueError: there is no such seat.
        """
        from wotr_env.games.war_of_the_ring.render.view import (
            View,  # pictures are not needed by those who never look
        )

        return View(self._states[0], check_viewer(seat, self._ruleset.seats))

    def _repr_html_(self) -> str:
        return self.render().html

    def name_of(self, action: int) -> str:
        """The stable name of an action, such as ``region:minas-tirith``.

        Raises:
            ValueError: there is no such action.
        """
        return ACTION_NAMES[self.action(action)]

    def action(self, name: int | str) -> int:
        """The id of an action given by name or id, legal now or not.

        Raises:
            ValueError: there is no such action; the message offers similar names.
        """
        if isinstance(name, str):
            if name in ACTION_IDS:
                return ACTION_IDS[name]
            close = difflib.get_close_matches(name, ACTION_IDS, n=3) or ["region:minas-tirith", "verb:pass"]
            raise ValueError(f"there is no action {name!r}; names look like {', '.join(close)}")
        if isinstance(name, (bool, np.bool_)) or not isinstance(name, (int, np.integer)):
            raise ValueError(f"an action is given by its name or its integer id, not {name!r}")
        if not 0 <= name < NUM_ACTIONS:
            raise ValueError(f"there is no action {name}: ids go from 0 to {NUM_ACTIONS - 1}")
        return int(name)

    def with_tape(self, values: Sequence[int]) -> Game:
        """Fixes the next chance outcomes, in the order in which they are needed; returns the game itself.

        Args:
            values: at most ``TAPE_SIZE`` integers 0..127; replaces what is left of an earlier tape.

        Raises:
            ValueError: too many values, or a value that is no integer or out of range.
        """
        values = check_tape(values)
        if values:
            self._begin_giving()
        self._states[0] = with_tape(self._states[0], values)
        return self

    def follow(self, tapes: Mapping[int, Sequence[int]]) -> Game:
        """Gives outcomes of chance to actions to come, as ``with_tape`` before each; returns the game itself.

        Args:
            tapes: by the number of actions before each; replaces those of an earlier call. A step raises
                ValueError if its outcomes do not fit, or are not all needed.
        """
        if tapes:
            self._begin_giving()
        self._coming = dict(tapes)
        return self

    def _begin_giving(self) -> None:
        """From now on the seed does not lead to the game, but its first position and ``tapes`` do."""
        if self._seed is not None:
            self._start = Game(self._seed, self._ruleset)._states
        self._seed, self._given = None, True

    def clone(self) -> Game:
        """An independent copy, with the same future."""
        other = Game.__new__(Game)
        other._ruleset = self._ruleset
        other._seed = self._seed
        other._actions = self._actions.copy()
        other._before = self._before
        other._start = self._start
        other._given, other._tapes, other._coming = self._given, dict(self._tapes), self._coming
        other._states = copy_states(self._states)
        other._masks = self._masks.copy()
        return other

    def hash(self) -> str:
        """A fingerprint of the state's bytes, 32 hex digits; the same on every machine."""
        return state_hash(self._states)

    def to_bytes(self) -> bytes:
        """The whole game for ``from_bytes``: a header, the actions so far, the state and a checksum."""
        seed = -1 if self._seed is None else self._seed
        version, start = (_FORMAT, b"") if self._start is None else (_FROM_POSITION, self._start.tobytes())
        if self._start is not None and self._given:
            version = _WITH_TAPES
            tapes = (_TAPE.pack(number, len(tape)) + bytes(tape) for number, tape in self._tapes.items())
            start += b"".join(tapes)
        header = _HEADER.pack(_MAGIC, version, RULES_VERSION, _LAYOUT, seed, len(self._actions))
        body = header + np.array(self._actions, dtype=_ACTION).tobytes() + self._states.tobytes() + start
        return body + _checksum(body)

    @classmethod
    def from_bytes(cls, data: bytes) -> Game:
        """The game saved by ``to_bytes``.

        Raises:
            TypeError: the data are not bytes.
            ValueError: the data are damaged, or of another version of this package.
        """
        if not isinstance(data, (bytes, bytearray, memoryview)):
            raise TypeError(f"a saved game is bytes, not {type(data).__name__}")
        data = bytes(data)
        if len(data) < _HEADER.size or not data.startswith(_MAGIC):
            raise ValueError("not a saved game: it does not start as Game.to_bytes() writes it")
        _, version, rules, layout, seed, count = _HEADER.unpack_from(data)
        if not _FORMAT <= version <= _WITH_TAPES:
            raise ValueError(
                f"the saved game has format {version}, this package reads {_FORMAT} to {_WITH_TAPES}"
            )
        if layout != _LAYOUT:
            raise ValueError("the saved game comes from a version of this package with another state layout")
        actions_end = _HEADER.size + count * _ACTION.itemsize
        states_end = actions_end + STATE.itemsize * min(version, _FROM_POSITION)  # one state, or two
        size = states_end + _CHECKSUM_SIZE
        if len(data) < size or (len(data) > size and version != _WITH_TAPES):
            raise ValueError(f"the saved game is damaged: {len(data)} bytes instead of {size}")
        if _checksum(data[:-_CHECKSUM_SIZE]) != data[-_CHECKSUM_SIZE:]:
            raise ValueError("the saved game is damaged: its checksum does not fit")
        actions = np.frombuffer(data[_HEADER.size : actions_end], dtype=_ACTION).tolist()
        states = np.frombuffer(data[actions_end:states_end], dtype=STATE).copy()
        # Under other rules the position still stands, but its actions need not lead to it any more.
        current = rules == RULES_VERSION
        game = cls._from_parts(states[:1], seed if seed >= 0 and current else None, actions)
        if version != _FORMAT and current:
            game._start = states[1:]
            game._given = version == _WITH_TAPES
            game._tapes = _read_tapes(data[states_end:-_CHECKSUM_SIZE])
        return game

    def __repr__(self) -> str:
        state = self._states[0]
        if self.over:
            return f"<Game over in turn {int(state['turn'])}: {Winner(int(state['winner'])).name}>"
        return f"<Game turn {int(state['turn'])}: {self.side.name}, {self.decision.name}>"


def _used(before: np.record, after: np.record) -> tuple[int, ...]:
    """The outcomes of the tape that a step has needed."""
    first, last = int(before["tape_position"]), int(before["tape_length"])
    if int(after["tape_length"]):
        last = int(after["tape_position"])
    return tuple(before["tape"][first:last].tolist())


def _read_tapes(data: bytes) -> dict[int, tuple[int, ...]]:
    """The outcomes that ``to_bytes`` wrote, whose checksum has been compared."""
    tapes, place = {}, 0
    while place < len(data):
        number, length = _TAPE.unpack_from(data, place)
        place += _TAPE.size + length
        tapes[number] = tuple(data[place - length : place])
    return tapes


def _new_state() -> np.ndarray:
    return Game(0)._states


NOTATION = Notation("war-of-the-ring", RULES_VERSION, STATE, functools.cache(_new_state))
"""How positions are written."""


def position_of(state: np.record, seat: int | None) -> str:
    """A state as one line of text, as ``Game.position``; the seat has been checked."""
    states = _one_state(state)
    return NOTATION.write(states if seat is None else _world(states, seat, 0), seat)


def _set_ruleset(states: np.ndarray, ruleset: RulesetLike | None) -> None:
    if ruleset is not None:
        rules = ruleset_of(ruleset)
        states[0]["options"], states[0]["max_turns"] = rules.encode(), rules.max_turns


def _with_chance(states: np.ndarray, seed: int) -> np.ndarray:
    """A position (``STATE[1]``) with the chance to come of a new game's, whose decks lie as they did."""
    begun = copy_states(states)
    fresh = Game(seed=seed)._states
    for name in ("key", "counter"):
        begun[name] = fresh[name]
    for name in ("tape_position", "tape_length"):
        begun[name] = 0
    return begun


def _world(states: np.ndarray, seat: int, seed: int) -> np.ndarray:
    """A world (``STATE[1]``) that a seat holds possible, drawn from a seed.

    Where another seat is asked, not every hand could have led to the question: worlds in which nothing is
    legal, or a single action that would have been taken unasked, are drawn again.

    Raises:
        ValueError: so many draws have found none.
    """
    seats, masks = np.array([seat], dtype=np.int64), np.zeros((1, NUM_ACTIONS), dtype=np.bool_)
    for draw in range(_MOST_DRAWS):
        worlds = copy_states(states)
        kernel.sample_worlds(worlds, seats, np.array([(seed + draw * _NEXT_DRAW) % 2**63], dtype=np.int64))
        drawn = worlds.tobytes()
        with contextlib.suppress(StateError):
            kernel.refresh(worlds, masks)
            if worlds.tobytes() == drawn:
                return worlds
    raise ValueError(f"none of {_MOST_DRAWS} worlds that seat {seat} holds possible leads to what is asked")


def _places(flags: np.ndarray) -> tuple[int, ...]:
    return tuple(np.flatnonzero(flags).tolist())


def _check_partners(seats: Any, winner: Winner) -> tuple[int, ...]:
    """The winning partners as a record has them."""
    known = _places(SEAT_SIDE == winner)
    if not isinstance(seats, list) or any(type(seat) is not int for seat in seats):
        raise ValueError(f"the winning partners are a list of seats, not {seats!r}")
    partners = tuple(seat for seat in known if seat in seats)
    if list(partners) != seats:
        raise ValueError(f"the winning partners are among the seats {known} of the winner, not {seats!r}")
    return partners


def _one_state(state: Any) -> np.ndarray:
    """A copy of one state as ``STATE[1]``."""
    if getattr(state, "dtype", None) != STATE or np.size(state) != 1:
        raise TypeError("a state is one record of dtype STATE, such as game.state")
    states = np.empty(1, dtype=STATE)
    states[0] = np.asarray(state).reshape(1)[0]
    return states


def _checksum(data: bytes) -> bytes:
    return hashlib.blake2b(data, digest_size=_CHECKSUM_SIZE).digest()
