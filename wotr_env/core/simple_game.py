"""Games in plain Python: the author describes one position, and ``SimpleGame`` makes a ``GameKind`` from it.

Nothing is compiled, so such a game is slow. Otherwise it works like any other game.
"""

from __future__ import annotations

import abc
import dataclasses
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, ClassVar, NamedTuple, Self

import numpy as np

from wotr_env.core.chance import seed_chance
from wotr_env.core.codes import GOING_ON
from wotr_env.core.columns import Cell, Column, Statistic, SummaryColumns, conclude
from wotr_env.core.declared import CHANCE, StateField, actions_of, check_ranges, state_of
from wotr_env.core.descriptions import Form, Words
from wotr_env.core.game import Game
from wotr_env.core.kind import ActionSpace, End, GameKind
from wotr_env.core.luck import STREAM_ALONE
from wotr_env.core.observation_layout import Field, Layout
from wotr_env.core.results import PlainResult
from wotr_env.core.rulesets import Options
from wotr_env.core.seat_notation import KindPositions
from wotr_env.core.seats import Seat, Team, check_viewer
from wotr_env.core.shapes import Drawing
from wotr_env.core.simple_drawing import draw_rows
from wotr_env.core.vector import VectorGame

OWNER, NOBODY = "owner", "nobody"
"""Who sees a hidden field: the owner, who is its first axis, or nobody."""
TURN_LIMIT = "turn_limit"
"""The end of a game that exceeds its ruleset's ``max_turns``; its value is 0 for all players."""
_COLUMNS = (Column("turn", (("turns.mean", Statistic.MEAN), ("turns.counts", Statistic.COUNTS)), np.int16),)
_MOST_TURNS = 10_000
_INT8 = np.iinfo(np.int8)


class SimpleGame(abc.ABC):
    """A game described by class attributes and by methods on one state.

    A state has the declared ``fields``, ``seat`` (the deciding seat), ``winner``, ``turn`` (the number of
    decisions made) and the random stream of ``wotr_env.core.chance.draw`` and ``shuffle``.
    """

    name: ClassVar[str]
    """The name in commands and files, such as ``tic-tac-toe``."""
    title: ClassVar[str]
    players: ClassVar[tuple[str, ...]]
    """The titles of the players, in turn order; each is a team of its own."""
    ends: ClassVar[Mapping[str, Sequence[float]]]
    """The possible ends of the game, each with its value for every player, from -1 to 1."""
    fields: ClassVar[tuple[StateField, ...]]
    """The fields of a state; visible values must fit an int8."""
    actions: ClassVar[Mapping[str, Sequence[str]]]
    """The actions in blocks: with ``{"take": ("a", "b")}``, action 0 is ``take:a`` and action 1 is
    ``take:b``."""
    hidden: ClassVar[Mapping[str, str]] = {}
    """Hidden fields: visible to ``OWNER`` (the first axis is the players) or to ``NOBODY``."""
    decisions: ClassVar[tuple[str, ...]] = ("choose",)
    """The kinds of decisions."""
    rules_version: ClassVar[int] = 1
    """Change this number whenever the same seed and actions lead to a different game."""

    @abc.abstractmethod
    def start(self, state: Any) -> None:
        """Sets up a game. Before the call, all fields are 0 and the first player decides."""

    @abc.abstractmethod
    def legal(self, state: Any) -> Iterable[int]:
        """The ids of the legal actions, at least one."""

    @abc.abstractmethod
    def play(self, state: Any, action: int) -> str | None:
        """Applies a legal action and sets the seat that makes the next decision (``state.seat``).

        Returns:
            The name of the end, if the game is over.
        """

    def imagine(self, state: Any, seat: int) -> None:
        """Resamples the information hidden from a seat. Required if the game has hidden fields."""
        return  # nothing is hidden

    def decision(self, state: Any) -> int:
        """The kind of the pending decision: its index in ``decisions``."""
        return 0

    def describe(self, state: Any) -> str:
        """The position in words, from the view of the deciding seat."""
        parts = _parts(self, state, int(state.seat))
        return ", ".join(f"{field.name} {values.tolist()}" for field, _, values, seen in parts if seen)

    def kind(self) -> GameKind:
        """The ``GameKind`` of this game.

        Raises:
            ValueError: the declarations of the class contradict each other.
        """
        return _kind_of(self)


@dataclasses.dataclass(frozen=True)
class SimpleRuleset(Options):
    """The options of a simple game."""

    game = "this game"

    seats: ClassVar[tuple[Seat, ...]]
    title: ClassVar[str] = "standard rules"
    max_turns: int = 0
    """The number of decisions after which the game is over (``TURN_LIMIT``); 0: no limit."""

    def __post_init__(self) -> None:
        whole = isinstance(self.max_turns, int) and not isinstance(self.max_turns, bool)
        if not whole or not 0 <= self.max_turns <= _MOST_TURNS:
            raise ValueError(f"max_turns must be an integer from 0 to {_MOST_TURNS}, not {self.max_turns!r}")

    def encode(self) -> np.ndarray:
        """The ruleset as it is stored in a state."""
        return np.array([self.max_turns], dtype=np.int16)

    @classmethod
    def of(cls, state: np.record) -> Self:
        """The ruleset that ``write`` stored in a state."""
        return cls(int(state["options"][0]))


class _Kernels:
    """Applies the methods of a simple game to batches, state by state."""

    def __init__(self, game: SimpleGame, fields: tuple[StateField, ...], worths: np.ndarray) -> None:
        self._game, self._fields = game, fields
        self._dtype = state_of(fields)
        self._ends = (*game.ends, TURN_LIMIT)
        best = worths == worths.max(axis=1, keepdims=True)
        self._best = best & (worths.min(axis=1) < worths.max(axis=1))[:, None]
        """``bool[E, P]``: the players for whom each end has the highest value; none if the value is the same
        for all."""
        self.layout = Layout(_layout(game), range(len(game.decisions)))
        self._players = len(game.players)

    def prepare(self) -> None:
        """Does nothing: no kernels are compiled."""

    def start(self, states: np.ndarray, masks: np.ndarray, seeds: np.ndarray, ruleset: SimpleRuleset) -> None:
        states[:] = np.zeros(1, dtype=self._dtype)
        states["winner"], states["options"] = GOING_ON, ruleset.encode()
        for state, seed in zip(states, np.asarray(seeds).tolist(), strict=True):
            seed_chance(state, seed)
            self._game.start(state)
        self.refresh(states, masks)

    def step(
        self,
        states: np.ndarray,
        masks: np.ndarray,
        actions: np.ndarray,
        first: int = 0,
        last: int | None = None,
    ) -> None:
        for row in range(*slice(first, last).indices(len(states))):
            state = states[row]
            if state["winner"] != GOING_ON:
                continue
            end = self._game.play(state, int(actions[row]))
            state["turn"] += 1
            if end is None and 0 < state["options"][0] <= state["turn"]:
                end = TURN_LIMIT
            if end is not None:
                self._over(state, self._ends.index(end))
            self._mask(state, masks[row])

    def _over(self, state: np.record, end: int) -> None:
        best = np.flatnonzero(self._best[end])
        state["reason"] = 1 + end
        state["winner"] = best[0] if best.size == 1 else self._players

    def refresh(self, states: np.ndarray, masks: np.ndarray) -> None:
        for state, mask in zip(states, masks, strict=True):
            self._mask(state, mask)

    def _mask(self, state: np.record, mask: np.ndarray) -> None:
        mask[:] = False
        if state["winner"] == GOING_ON:
            mask[list(self._game.legal(state))] = True

    def observe(self, states: np.ndarray, seats: np.ndarray) -> np.ndarray:
        seen = np.zeros((len(states), self.layout.size), dtype=np.int8)
        for state, seat, row in zip(states, np.asarray(seats).tolist(), seen, strict=True):
            row[:] = np.concatenate([part.reshape(-1) for part in self._seen(state, seat)])
        return seen

    def _seen(self, state: np.record, seat: int) -> Iterable[np.ndarray]:
        game, going = self._game, state["winner"] == GOING_ON
        asked = np.zeros(len(game.decisions), dtype=np.int8)
        if going and state["seat"] == seat:
            asked[game.decision(state)] = 1
        yield asked
        players = np.arange(self._players)
        yield players == seat
        yield (players == state["seat"]) & going
        yield from (part.values for part in _parts(game, state, seat) if part.seen)

    def sample_worlds(self, states: np.ndarray, seats: np.ndarray, seeds: np.ndarray) -> None:
        for state, seat, seed in zip(
            states, np.asarray(seats).tolist(), np.asarray(seeds).tolist(), strict=True
        ):
            seed_chance(state, seed)
            self._game.imagine(state, seat)

    def note(self, states: np.ndarray, end_records: np.ndarray, rows: np.ndarray) -> None:
        """Does nothing: the last state holds everything."""

    def conclude(self, states: np.ndarray, end_records: np.ndarray) -> None:
        conclude(_COLUMNS, states, end_records)

    def check(self, states: np.ndarray) -> None:
        check_ranges(self._fields, states, self._game.title)
        if ((states["winner"] == GOING_ON) != (states["reason"] == 0)).any():
            raise ValueError("winner and reason contradict each other")

    def winners(self, states: np.ndarray) -> np.ndarray:
        """The players for whom the end has the highest value; none if the value is the same for all:
        ``bool[N, S]``."""
        return self._best[states["reason"] - 1] & (states["winner"] != GOING_ON)[:, None]


class _Part(NamedTuple):
    """A field, or the values of one seat in a field of ``OWNER``, from the view of a viewer."""

    field: StateField
    owner: int | None
    values: np.ndarray
    seen: bool


def _parts(game: SimpleGame, state: Any, viewer: int | None) -> Iterator[_Part]:
    """The declared fields, and what a viewer (``wotr_env.core.seats.check_viewer``) sees of them."""
    for field in game.fields:
        hidden, values = game.hidden.get(field.name), np.asarray(state[field.name])
        if hidden == OWNER:
            for seat in range(len(game.players)):
                yield _Part(field, seat, values[seat], viewer in (None, seat))
        else:
            yield _Part(field, None, values, hidden is None or viewer is None)


def _layout(game: SimpleGame) -> tuple[Field, ...]:
    players = len(game.players)
    parts = [
        Field("decision", (len(game.decisions),), "kind of the decision that the seat is asked", "decider"),
        Field("own_seat", (players,), "number of this seat, one-hot"),
        Field("to_move", (players,), "who decides, one-hot"),
    ]
    for field, owner, values, seen in _parts(game, np.zeros((), state_of(game.fields)), viewer=0):
        if seen:
            most = max(1, abs(field.least or 0), abs(field.most or 0))
            whose = "both" if owner is None else "owner"
            parts.append(Field(field.name, values.shape or (1,), field.meaning, whose, 1.0 / most))
    return tuple(parts)


def _check(game: SimpleGame) -> None:
    for field in game.fields:
        if field.least is None or field.most is None:
            raise ValueError(f"field {field.name} has no range")
        if game.hidden.get(field.name) != NOBODY and not _INT8.min <= field.least <= field.most <= _INT8.max:
            raise ValueError(
                f"field {field.name} is visible, so its values must be {_INT8.min} to {_INT8.max}"
            )
    for name, seen in game.hidden.items():
        found = next((field for field in game.fields if field.name == name), None)
        if found is None or seen not in (OWNER, NOBODY):
            raise ValueError(f"hidden: {name!r} must be a field, and {seen!r} {OWNER!r} or {NOBODY!r}")
        if seen == OWNER and found.shape[:1] != (len(game.players),):
            raise ValueError(f"field {name} is visible to its owner, so its first axis must be the players")
    if any(len(worths) != len(game.players) for worths in game.ends.values()):
        raise ValueError("each end needs one value for each player")
    if game.hidden and type(game).imagine is SimpleGame.imagine:
        raise ValueError(f"{game.title} has hidden fields, so it needs imagine()")


def _kind_of(game: SimpleGame) -> GameKind:
    _check(game)
    players, ends = len(game.players), (*game.ends, TURN_LIMIT)
    worths = np.array([*game.ends.values(), [0.0] * players], dtype=np.float64)
    fields = (
        *CHANCE,
        StateField("turn", 0, _MOST_TURNS, "decisions made", dtype=np.int16),
        StateField("options", 0, _MOST_TURNS, "of the ruleset: max_turns", (1,), np.int16),
        StateField("seat", 0, players - 1, "who decides"),
        StateField("winner", GOING_ON, players, "who has won"),
        StateField("reason", 0, len(ends), "1 + the end"),
        *game.fields,
    )
    seats = tuple(
        Seat(title.lower().replace(" ", "_"), title, number) for number, title in enumerate(game.players)
    )
    ruleset: Any = type("Ruleset", (SimpleRuleset,), {"seats": seats})
    _, names, blocks = actions_of(game.actions)
    kernels = _Kernels(game, fields, worths)

    def asked(state: np.record) -> str:
        if state["winner"] == GOING_ON:
            return f"{seats[state['seat']].title} is to {game.decisions[game.decision(state)]}"
        won = kernels.winners(np.array([state], dtype=state_of(fields)))[0]
        titles = [seat.title for seat, each in zip(seats, won, strict=True) if each]
        return f"{' and '.join(titles) or 'nobody'} won: {ends[state['reason'] - 1].replace('_', ' ')}"

    def drawn(state: np.record, viewer: int | None, *, form: Form = Form.WIDE) -> Drawing:
        going, viewer = state["winner"] == GOING_ON, check_viewer(viewer, seats)
        headline = f"{seats[state['seat']].title} decides" if going else asked(state)
        rows = []
        for field, owner, values, seen in _parts(game, state, viewer):
            whose = "" if owner is None else f"{game.players[owner]}, "
            rows.append((f"{whose}{field.name.replace('_', ' ')}: {field.meaning}", values, seen))
        return draw_rows(headline, rows, form)

    positions = KindPositions(game.name, game.rules_version, state_of(fields), lambda: kind, chance=True)
    kind = GameKind(
        name=game.name,
        title=game.title,
        rules_version=game.rules_version,
        teams=tuple(Team(seat.name, seat.title, f"P{seat.team + 1}") for seat in seats),
        ends=tuple(
            End(name, tuple(worth), name == TURN_LIMIT)
            for name, worth in zip(ends, worths.tolist(), strict=True)
        ),
        state=state_of(fields),
        columns=_COLUMNS,
        shown=SummaryColumns(wins=(Cell("turns", "{turns.mean:.1f}"),), game=(Cell("turns", "{turn}"),)),
        ruleset=ruleset,
        rulesets={"standard": ruleset()},
        endless=True,
        result=type("Result", (PlainResult,), {"game": game.title, "ends": ends}),
        actions=ActionSpace(names, blocks),
        layout=kernels.layout,
        kernels=kernels,
        game=lambda seed, rules: Game(kind, seed, rules),
        games=lambda number, seed, rules, **settings: VectorGame(kind, number, seed, rules, **settings),
        words=Words(
            game.describe,
            asked,
            lambda _state, action: names[action],
        ),
        winners=kernels.winners,
        drawing=drawn,
        decision=lambda state: game.decisions[game.decision(state)],
        luck=STREAM_ALONE,
        positions=positions.contract(),
    )
    return kind
