"""Games of numbered positions as ``GameKind``s: the second fulfilment of the contract of a game, for tests.

A toy is a table of positions (``tests.toy_games``); everything about them is public but future chance.
"""

from __future__ import annotations

import dataclasses
from enum import IntEnum
from typing import Any, ClassVar, NamedTuple

import numpy as np

from wotr_env.core.codes import GOING_ON
from wotr_env.core.columns import Cell, Column, Statistic, SummaryColumns
from wotr_env.core.descriptions import Words
from wotr_env.core.game import Game
from wotr_env.core.kind import ActionSpace, End, GameKind
from wotr_env.core.observation_layout import Field, Layout
from wotr_env.core.seats import Seat, Team
from wotr_env.core.vector import VectorGame

_DRAW = 2
"""The winner of a game of two teams that neither has won."""
WORTHS = (-1.0, 1.0, -1.0, 1.0, 0.0)
"""Of the ends, to team 0."""


class ToyEnd(IntEnum):
    """How a toy can end."""

    LOST = 1
    WON = 2
    LATE = 3
    EARLY = 4
    DRAWN = 5


STATE = np.dtype(
    (
        np.record,
        [
            ("key", np.uint64),  # of all chance
            ("draws", np.int32),  # of it so far
            ("at", np.int32),  # the number of the position
            ("seat", np.int8),
            ("winner", np.int8),
            ("reason", np.int8),
            ("turn", np.int16),  # decisions made
        ],
    )
)


class Position(NamedTuple):
    """A position of a toy."""

    seat: int
    decision: int
    """Number of the kind of decision."""
    seen: tuple[int, ...]
    """What tells it from the others that ask the same decision: small numbers from 0."""
    actions: dict[int, dict[Any, float]]
    """Where each legal action leads: to keys of positions or to a ``ToyEnd``, with their chances."""


@dataclasses.dataclass(frozen=True)
class ToyRuleset:
    """A toy has no options."""

    seats: ClassVar[tuple[Seat, ...]]
    title: ClassVar[str] = "the only rules"

    def to_dict(self) -> dict[str, Any]:
        return {}

    @classmethod
    def from_dict(cls, options: dict[str, Any]) -> ToyRuleset:
        if options:
            raise ValueError(f"a toy has no options, not even {next(iter(options))!r}")
        return cls()


@dataclasses.dataclass(frozen=True)
class ToyResult:
    """How a toy ended."""

    winner: int
    reason: ToyEnd

    @classmethod
    def of(cls, state: np.record) -> ToyResult | None:
        going_on = state["winner"] == GOING_ON
        return None if going_on else cls(int(state["winner"]), ToyEnd(int(state["reason"])))

    def to_dict(self) -> dict[str, Any]:
        return {"winner": self.winner, "reason": self.reason.name.lower()}

    @classmethod
    def from_dict(cls, values: Any) -> ToyResult:
        return cls(int(values["winner"]), ToyEnd[values["reason"].upper()])


class ToyTables:
    """The positions of a toy by number, and the work on batches of games that the arena asks for.

    Attributes:
        decisions: kinds of decisions.
        all_observations: ``int8[S, D]``, one-hot: the kind of decision, then each number seen.
        all_masks: ``bool[S, A]``.
        all_seats: ``int8[S]``.
        chances: ``float64[S, A, O]``, of the outcomes of each action.
        following: ``int64[S, A, O]``: number of the next position; minus the ``ToyEnd`` where the game ends.
    """

    def __init__(self, found: dict[Any, Position]) -> None:
        numbers = {key: number for number, key in enumerate(found)}
        positions = list(found.values())
        self.decisions = 1 + max(position.decision for position in positions)
        self.all_seats = np.array([position.seat for position in positions], dtype=np.int8)
        seen = np.array([position.seen for position in positions])
        columns = [np.array([position.decision for position in positions]), *seen.T]
        one_hot = [np.eye(column.max() + 1, dtype=np.int8)[column] for column in columns]
        self.widths = [part.shape[1] for part in one_hot]
        self.all_observations = np.concatenate(one_hot, axis=1)
        actions = 1 + max(action for position in positions for action in position.actions)
        outcomes = max(len(results) for position in positions for results in position.actions.values())
        self.all_masks = np.zeros((len(positions), actions), dtype=np.bool_)
        self.chances = np.zeros((len(positions), actions, outcomes))
        self.following = np.zeros(self.chances.shape, dtype=np.int64)
        for number, position in enumerate(positions):
            for action, results in position.actions.items():
                self.all_masks[number, action] = True
                for outcome, (key, chance) in enumerate(results.items()):
                    self.chances[number, action, outcome] = chance
                    following = -key if isinstance(key, ToyEnd) else numbers[key]
                    self.following[number, action, outcome] = following

    def prepare(self) -> None:
        """Nothing is compiled."""

    def start(self, states: np.ndarray, masks: np.ndarray, seeds: np.ndarray, _ruleset: Any) -> None:
        states[:] = np.zeros(1, dtype=STATE)
        states["key"] = np.asarray(seeds).astype(np.uint64)
        states["winner"] = GOING_ON
        self.refresh(states, masks)

    def step(
        self,
        states: np.ndarray,
        masks: np.ndarray,
        actions: np.ndarray,
        first: int = 0,
        last: int | None = None,
    ) -> None:
        rows = np.arange(len(states))[first:last]
        rows = rows[states["winner"][rows] == GOING_ON]
        at, chosen = states["at"][rows], np.asarray(actions)[rows]
        sums = self.chances[at, chosen].cumsum(axis=1)
        draws = _uniform(states["key"][rows], states["draws"][rows]) * sums[:, -1]
        following = self.following[at, chosen, (sums <= draws[:, None]).sum(axis=1)]
        over = following < 0
        states["draws"][rows] += 1
        states["turn"][rows] += 1
        states["at"][rows] = np.where(over, at, following)
        states["reason"][rows] = np.where(over, -following, 0)
        worths = np.array(WORTHS)[-following[over] - 1]
        states["winner"][rows[over]] = np.where(worths == 0, _DRAW, worths < 0)
        self.refresh(states, masks)

    def refresh(self, states: np.ndarray, masks: np.ndarray) -> None:
        states["seat"] = self.all_seats[states["at"]]
        masks[:] = self.all_masks[states["at"]] & (states["winner"] == GOING_ON)[:, None]

    def observe(self, states: np.ndarray, _seats: np.ndarray) -> np.ndarray:
        return self.all_observations[states["at"]]

    def sample_worlds(self, states: np.ndarray, _seats: np.ndarray, seeds: np.ndarray) -> None:
        states["key"], states["draws"] = seeds.astype(np.uint64), 0

    def note(self, states: np.ndarray, end_records: np.ndarray, rows: np.ndarray) -> None:
        """The luck of a game: how often a number above a half was drawn."""
        drawn = _uniform(states["key"][rows], states["draws"][rows] - 1)
        end_records["luck"][rows] += drawn > 0.5

    def conclude(self, states: np.ndarray, end_records: np.ndarray) -> None:
        for name in ("winner", "reason", "turn"):
            end_records[name] = states[name]

    def check(self, states: np.ndarray) -> None:
        if (states["at"] < 0).any() or (states["at"] >= len(self.all_seats)).any():
            raise ValueError("there is no such position")


def _uniform(keys: np.ndarray, counters: np.ndarray) -> np.ndarray:
    """Numbers from 0 up to 1, of counter-based streams (S. Vigna's SplitMix64)."""
    with np.errstate(over="ignore"):
        word = keys + (counters.astype(np.uint64) + np.uint64(1)) * np.uint64(0x9E3779B97F4A7C15)
        word = (word ^ (word >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
        word = (word ^ (word >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return ((word ^ (word >> np.uint64(31))) >> np.uint64(11)) / 2.0**53


def toy_kind(
    name: str, title: str, ruleset: type[ToyRuleset], teams: tuple[Team, Team], tables: ToyTables
) -> GameKind:
    """A toy as a game."""
    actions = tables.all_masks.shape[1]
    kind = GameKind(
        name=name,
        title=title,
        rules_version=1,
        teams=teams,
        ends=tuple(End(end.name.lower(), worth) for end, worth in zip(ToyEnd, WORTHS, strict=True)),
        state=STATE,
        columns=(
            Column("turn", (("turns.mean", Statistic.MEAN), ("turns.counts", Statistic.COUNTS)), np.int16),
            Column("luck", (("luck_share", Statistic.SHARE), ("luck_mean", Statistic.MEAN_WHERE)), np.int16),
        ),
        shown=SummaryColumns(wins=(Cell("turns", "{turns.mean:.1f}"),), game=(Cell("turn", "{turn}"),)),
        ruleset=ruleset,
        rulesets={"standard": ruleset()},
        result=ToyResult,
        actions=ActionSpace(tuple(f"do:{action}" for action in range(actions)), {"do": range(actions)}),
        layout=Layout(
            tuple(Field(f"part_{number}", (width,), "one-hot") for number, width in enumerate(tables.widths)),
            range(tables.decisions),
        ),
        kernels=tables,
        game=lambda seed, rules: Game(kind, seed, rules),
        games=lambda num_games, seed, rules, **settings: VectorGame(kind, num_games, seed, rules, **settings),
        words=Words(
            lambda state: f"position {state['at']}",
            lambda state: f"{ruleset.seats[state['seat']].title} decides",
            lambda _state, action: f"do {action}",
        ),
    )
    return kind
