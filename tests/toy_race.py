"""A race of two or three, each for itself, as a ``GameKind``: for tests of games of more than two teams.

In turns each walks one step, or jumps: three steps or none, both as likely. Who is first at the goal wins.
After the last round those that are farthest share the win; if nobody has left the start, nobody wins.
"""

from __future__ import annotations

import dataclasses
from typing import Any

import numpy as np

from wotr_env.core.codes import GOING_ON
from wotr_env.core.columns import Column, Statistic, SummaryColumns
from wotr_env.core.descriptions import Words
from wotr_env.core.game import Game
from wotr_env.core.kind import ActionSpace, End, GameKind
from wotr_env.core.observation_layout import Field, Layout
from wotr_env.core.seats import Seat, Team
from wotr_env.core.vector import VectorGame

MOST, GOAL, ROUNDS = 3, 5, 4
NAMES = ("red", "green", "blue")
WALK, JUMP = range(2)
SHARED = MOST
"""The winner if several have won, or nobody."""

STATE = np.dtype(
    (
        np.record,
        [
            ("key", np.uint64),
            ("draws", np.int32),
            ("steps", np.int8, (MOST,)),
            ("racers", np.int8),
            ("seat", np.int8),
            ("winner", np.int8),
            ("turn", np.int16),
        ],
    )
)


@dataclasses.dataclass(frozen=True)
class RaceRuleset:
    racers: int = 3

    def __post_init__(self):
        if self.racers not in (2, MOST):
            raise ValueError(f"two or three race, not {self.racers}")

    @property
    def seats(self) -> tuple[Seat, ...]:
        return tuple(Seat(name, name.title(), number) for number, name in enumerate(NAMES[: self.racers]))

    @property
    def title(self) -> str:
        return f"{self.racers} racers"

    def to_dict(self) -> dict[str, Any]:
        return dataclasses.asdict(self)

    @classmethod
    def from_dict(cls, options: dict[str, Any]) -> RaceRuleset:
        try:
            return cls(**options)
        except TypeError:
            raise ValueError(f"no options of a race: {', '.join(options)}") from None


@dataclasses.dataclass(frozen=True)
class RaceResult:
    winner: int

    @classmethod
    def of(cls, state: np.record) -> RaceResult | None:
        return None if state["winner"] == GOING_ON else cls(int(state["winner"]))

    def to_dict(self) -> dict[str, Any]:
        return {"winner": self.winner}

    @classmethod
    def from_dict(cls, values: Any) -> RaceResult:
        return cls(int(values["winner"]))


class RaceKernels:
    def prepare(self) -> None:
        """Nothing is compiled."""

    def start(self, states, masks, seeds, ruleset) -> None:
        states[:] = np.zeros(1, dtype=STATE)
        states["key"] = np.asarray(seeds).astype(np.uint64)
        states["racers"], states["winner"] = ruleset.racers, GOING_ON
        self.refresh(states, masks)

    def step(self, states, masks, actions, first=0, last=None) -> None:
        rows = np.arange(len(states))[first:last]
        for row in rows[states["winner"][rows] == GOING_ON].tolist():
            state = states[row]
            state["steps"][state["seat"]] += 1 if actions[row] == WALK else 3 * _coin(state)
            state["draws"] += 1
            state["turn"] += 1
            steps = state["steps"][: state["racers"]]
            if steps[state["seat"]] >= GOAL:
                state["winner"] = state["seat"]
            elif state["turn"] == ROUNDS * state["racers"]:
                farthest = np.flatnonzero(steps == steps.max())
                state["winner"] = farthest[0] if len(farthest) == 1 else SHARED
            else:
                state["seat"] = (state["seat"] + 1) % state["racers"]
        self.refresh(states[first:last], masks[first:last])

    def refresh(self, states, masks) -> None:
        masks[:] = (states["winner"] == GOING_ON)[:, None]

    def observe(self, states, seats) -> np.ndarray:
        asked = (states["seat"] == seats) & (states["winner"] == GOING_ON)
        order = (np.asarray(seats)[:, None] + np.arange(MOST)) % states["racers"][:, None]
        steps = np.take_along_axis(states["steps"], order.astype(np.int64), axis=1)
        steps[np.arange(MOST)[None, :] >= states["racers"][:, None]] = -1
        far = (steps[:, :, None] == np.arange(GOAL + 3)).reshape(len(states), -1)
        late = (states["turn"] // states["racers"])[:, None] == np.arange(ROUNDS)
        own = np.asarray(seats)[:, None] == np.arange(MOST)
        return np.column_stack([asked[:, None], far, late, own]).astype(np.int8)

    def sample_worlds(self, states, _seats, seeds) -> None:
        states["key"], states["draws"] = seeds.astype(np.uint64), 0

    def note(self, states, end_records, rows) -> None:
        """The last state tells everything."""

    def conclude(self, states, end_records) -> None:
        end_records["winner"], end_records["turn"] = states["winner"], states["turn"]
        end_records["reason"] = states["winner"] + 1

    def check(self, states) -> None:
        if (states["steps"] < 0).any():
            raise ValueError("nobody is behind the start")


def _coin(state) -> int:
    words = np.random.SeedSequence([int(state["key"]), int(state["draws"])]).generate_state(1)
    return int(words[0] & 1)


def _winners(states: np.ndarray) -> np.ndarray:
    racing = np.arange(MOST) < states["racers"][:, None]
    alone = states["winner"][:, None] == np.arange(MOST)
    steps = np.where(racing, states["steps"], -1)
    farthest = (steps == steps.max(axis=1, keepdims=True)) & (steps > 0)
    won = np.where((states["winner"] == SHARED)[:, None], farthest, alone)
    return won[:, : int(states["racers"].max(initial=2))]


RACE = GameKind(
    name="race",
    title="Race",
    rules_version=1,
    teams=tuple(Team(name, name.title(), name[0].upper()) for name in NAMES),
    ends=(
        *(End(name, tuple(1.0 if other == name else -0.5 for other in NAMES)) for name in NAMES),
        End("shared", (0.0, 0.0, 0.0)),
    ),
    state=STATE,
    columns=(Column("turn", (("turns.mean", Statistic.MEAN),), np.int16),),
    shown=SummaryColumns(),
    ruleset=RaceRuleset,
    rulesets={"three": RaceRuleset(), "two": RaceRuleset(2)},
    result=RaceResult,
    actions=ActionSpace(("walk", "jump"), {"move": range(2)}),
    layout=Layout(
        (
            Field("asked", (1,), "does it decide"),
            Field("steps", (MOST, GOAL + 3), "of each, the own first"),
            Field("round", (ROUNDS,), "one-hot"),
            Field("seat", (MOST,), "one-hot"),
        ),
        range(1),
    ),
    kernels=RaceKernels(),
    game=lambda seed, ruleset: Game(RACE, seed, ruleset),
    games=lambda number, seed, ruleset, **settings: VectorGame(RACE, number, seed, ruleset, **settings),
    words=Words(
        lambda state: f"steps {state['steps'].tolist()}",
        lambda state: f"{NAMES[state['seat']].title()} walks or jumps",
        lambda _state, action: RACE.actions.names[action],
    ),
    winners=_winners,
)
