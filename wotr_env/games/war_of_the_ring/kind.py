"""War of the Ring as a ``GameKind``: the first fulfilment of the contract of a game."""

from __future__ import annotations

import dataclasses
import itertools
from typing import TYPE_CHECKING, Any

import numpy as np

from wotr_env.core.columns import Cell, Column, Shown, Statistic
from wotr_env.core.kind import (
    ActionSpace,
    Compiled,
    End,
    GameKind,
    Layout,
    Outcomes,
    Positions,
    Step,
    Team,
    Words,
)
from wotr_env.games.war_of_the_ring.actions import ACTION_NAMES, NUM_ACTIONS, Block, code_name
from wotr_env.games.war_of_the_ring.codes import Decision, Reason, Side
from wotr_env.games.war_of_the_ring.engine import kernel
from wotr_env.games.war_of_the_ring.engine.invariants import check_batch
from wotr_env.games.war_of_the_ring.engine.layout import At
from wotr_env.games.war_of_the_ring.events import learners, shared_trace_of
from wotr_env.games.war_of_the_ring.game import RULES_VERSION, Game, Result, position_of
from wotr_env.games.war_of_the_ring.kernels import RULES
from wotr_env.games.war_of_the_ring.observation import LAYOUT, as_dict, observe
from wotr_env.games.war_of_the_ring.options import Option
from wotr_env.games.war_of_the_ring.outcomes import check_tape, next_asked, with_tape
from wotr_env.games.war_of_the_ring.picture import picture
from wotr_env.games.war_of_the_ring.rules.chance import seed_chance
from wotr_env.games.war_of_the_ring.rules.flow import apply, run
from wotr_env.games.war_of_the_ring.rules.seats import deciding_side
from wotr_env.games.war_of_the_ring.ruleset import EDITIONS, Ruleset
from wotr_env.games.war_of_the_ring.state import STATE
from wotr_env.games.war_of_the_ring.vector import VectorGame
from wotr_env.games.war_of_the_ring.ways import ways_from
from wotr_env.games.war_of_the_ring.winners import winning_seats
from wotr_env.games.war_of_the_ring.words.decisions import decision_text, say
from wotr_env.games.war_of_the_ring.words.events import tell
from wotr_env.games.war_of_the_ring.words.positions import describe, victory_points

if TYPE_CHECKING:
    from wotr_env.cuda.machines import Machine
    from wotr_env.games.war_of_the_ring.device.game import DeviceGame

OUTCOME = np.dtype(
    [
        ("winner", np.int8),
        ("reason", np.int8),
        ("turn", np.int16),
        ("free_peoples_points", np.int8),
        ("shadow_points", np.int8),
        ("corruption", np.int8),
        ("mordor_step", np.int8),  # 0: the Fellowship never entered Mordor
        ("mordor_turn", np.int16),  # in which it did
    ]
)
"""How a game ended; points are those of the enemy Settlements that a side holds."""

COLUMNS = (
    Column(
        "turn",
        (
            ("turns.median", Statistic.MEDIAN),
            ("turns.mean", Statistic.MEAN),
            ("turns.most", Statistic.MOST),
            ("turns.counts", Statistic.COUNTS),
        ),
    ),
    Column("free_peoples_points", (("free_peoples_points_mean", Statistic.MEAN),)),
    Column("shadow_points", (("shadow_points_mean", Statistic.MEAN),)),
    Column("corruption", (("corruption_mean", Statistic.MEAN), ("corruption_counts", Statistic.COUNTS))),
    Column("mordor_step"),
    Column("mordor_turn", (("mordor.entered", Statistic.SHARE), ("mordor.turn_mean", Statistic.MEAN_WHERE))),
)

_TURNS = Cell("turns", "{turns.median:,.0f} ({turns.mean:,.1f})")
_CORRUPTION = Cell("corruption", "{corruption_mean:,.1f}")
SHOWN = Shown(
    wins=(_TURNS, _CORRUPTION),
    ends=(
        Cell("in Mordor", "{mordor.entered.share:.0%} (turn {mordor.turn_mean:,.1f})"),
        Cell("FP points", "{free_peoples_points_mean:,.1f}"),
        Cell("SH points", "{shadow_points_mean:,.1f}"),
    ),
    report=(
        _TURNS,
        _CORRUPTION,
        Cell("entered Mordor", "{mordor.entered.share:.1%}"),
        Cell("in turn", "{mordor.turn_mean:,.1f}"),
        Cell("points FP", "{free_peoples_points_mean:,.2f}"),
        Cell("points SH", "{shadow_points_mean:,.2f}"),
    ),
    game=(
        Cell("turn", "{turn}"),
        Cell("corruption", "{corruption}"),
        Cell("points FP - SH", "{free_peoples_points} - {shadow_points}"),
    ),
    histograms=(("turns.counts", "turns"), ("corruption_counts", "corruption at the end")),
    histograms_title="Length and corruption",
    wins_note="turns: median (mean); corruption at the end and decisions per game: mean",
    ends_note="in Mordor: games whose Fellowship entered it (mean turn); points of enemy Settlements: mean",
    report_note="Turns: median (mean). Points: of captured Settlements at the end, mean.",
)


class _Kernels:
    """The compiled rules, as the contract asks for them."""

    def prepare(self) -> None:
        RULES.prepare()

    def start(self, states: np.ndarray, masks: np.ndarray, seeds: np.ndarray, ruleset: Ruleset) -> None:
        kernel.new_games(states, masks, seeds, ruleset.encode(), ruleset.max_turns)

    step = staticmethod(kernel.step)
    refresh = staticmethod(kernel.refresh)
    observe = staticmethod(observe)
    sample_worlds = staticmethod(kernel.sample_worlds)

    def note(self, states: np.ndarray, outcomes: np.ndarray, rows: np.ndarray) -> None:
        turns = outcomes["mordor_turn"]
        entered = rows[(states["mordor_step"][rows] > 0) & (turns[rows] == 0)]
        turns[entered] = states["turn"][entered]

    def conclude(self, states: np.ndarray, outcomes: np.ndarray) -> None:
        for name in ("winner", "reason", "turn", "corruption", "mordor_step"):
            outcomes[name] = states[name]
        points = np.array([victory_points(state) for state in states], dtype=np.int8).reshape(-1, len(Side))
        outcomes["free_peoples_points"] = points[:, Side.FREE_PEOPLES]
        outcomes["shadow_points"] = points[:, Side.SHADOW]

    def check(self, states: np.ndarray) -> None:
        kernel.check(states)
        check_batch(states)


def _winners(states: np.ndarray) -> np.ndarray:
    """The seats that win alone or share (R13.8), of games with equally many players."""
    seats = int(states["options"][0, Option.PLAYERS]) if states.size else 0
    return winning_seats(states)[:, :seats]


def _events(state: np.record, action: int, seat: int | None) -> Step:
    trace = shared_trace_of(state, action)
    return Step([event.to_dict() for event in trace.events(seat)], tell(trace, seat))


def _worth(end: Reason) -> float:
    """To the Free Peoples."""
    good = end in (Reason.RING_DESTROYED, Reason.FREE_PEOPLES_MILITARY)
    bad = end in (Reason.CORRUPTION, Reason.SHADOW_MILITARY)
    return float(good) - float(bad)


def _blocks() -> dict[str, range]:
    """The blocks of the actions by name."""
    firsts = [*Block, NUM_ACTIONS]
    return {block.name.lower(): range(block, after) for block, after in itertools.pairwise(firsts)}


def _device_games(number: int, seed: int, ruleset: Any, machine: Machine) -> DeviceGame:
    from wotr_env.games.war_of_the_ring.device.game import DeviceGame  # not before somebody wants a GPU

    return DeviceGame(number, machine, seed, ruleset)


WAR_OF_THE_RING = GameKind(
    name="war-of-the-ring",
    title="War of the Ring",
    rules_version=RULES_VERSION,
    teams=(Team("free_peoples", "Free Peoples", "FP"), Team("shadow", "Shadow", "SH")),
    ends=tuple(End(end.name.lower(), _worth(end)) for end in Reason if end != Reason.NONE),
    state=STATE,
    outcome=OUTCOME,
    columns=COLUMNS,
    shown=SHOWN,
    ruleset=Ruleset,
    rulesets={name: make() for name, make in EDITIONS.items()},
    limited=lambda ruleset, turns: dataclasses.replace(ruleset, max_turns=turns),
    turn_limit=lambda ruleset: ruleset.max_turns,
    result=Result,
    actions=ActionSpace(ACTION_NAMES, _blocks()),
    layout=Layout(LAYOUT, range(At.DECISION, At.DECISION + len(Decision)), as_dict, fixed_scales=True),
    kernels=_Kernels(),
    compiled=Compiled(RULES, apply, run, seed_chance, deciding_side),
    game=Game,
    games=lambda number, seed, ruleset: VectorGame(number, seed, ruleset=ruleset),
    device_games=_device_games,
    words=Words(describe, decision_text, say),
    events=_events,
    winners=_winners,
    picture=picture,
    decision=lambda state: code_name(Decision(int(state["decision"]))),
    openings=frozenset({code_name(Decision.ACTION_DIE)}),
    ways=ways_from,
    learners=lambda state, action: learners(shared_trace_of(state, action)),
    outcomes=Outcomes(next_asked, check_tape, with_tape),
    positions=Positions(position_of, Game.from_position),
)
