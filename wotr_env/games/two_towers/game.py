"""The Two Towers as a ``GameKind``."""

from __future__ import annotations

from wotr_env.core.columns import Cell, SummaryColumns
from wotr_env.core.descriptions import Words
from wotr_env.core.game import Game
from wotr_env.core.kind import ActionSpace, Compiled, End, GameKind
from wotr_env.core.luck import STREAM_ALONE
from wotr_env.core.observation_layout import Layout
from wotr_env.core.seat_notation import KindPositions
from wotr_env.core.seats import Team
from wotr_env.core.vector import VectorGame
from wotr_env.games.two_towers import words
from wotr_env.games.two_towers.actions import ACTION_NAMES, BLOCKS
from wotr_env.games.two_towers.batches import COLUMNS, KERNELS
from wotr_env.games.two_towers.drawing import draw
from wotr_env.games.two_towers.encoding import ENTITIES, LAYOUT, NUM_ASKS, encode
from wotr_env.games.two_towers.events import events, learners
from wotr_env.games.two_towers.guide import GUIDE
from wotr_env.games.two_towers.kernels import TOWERS, deciding_team, seed_chance
from wotr_env.games.two_towers.proper_names import PROPER_NAMES
from wotr_env.games.two_towers.ruleset import DRAWN, ENDS, SEATS, TwoTowersResult, TwoTowersRuleset
from wotr_env.games.two_towers.state import NUM_REASONS, STATE, Ask
from wotr_env.games.two_towers.turn import apply, run

RULES_VERSION = 3
_POINTS = Cell("points", "{points_mean:,.1f}")
_AHEAD = Cell("ahead", "{ahead_mean:,.1f}")
_SHOWN = SummaryColumns(
    wins=(_POINTS, _AHEAD),
    report=(_POINTS, _AHEAD),
    game=(Cell("turn", "{turn}"), Cell("points", "{points}"), Cell("ahead", "{ahead}")),
    histograms=(("points.counts", "points of the winner"),),
    histograms_title="Points",
    wins_note="points: of the winner, and by how many it is ahead of the second; means",
)


def _worth(end: int) -> tuple[float, ...]:
    """The values of an end for the seats: 1 for the winner, -1 for all others."""
    return tuple(1.0 if end // NUM_REASONS == seat else -1.0 for seat in range(len(SEATS)))


_NAME = "two-towers"
POSITIONS = KindPositions(_NAME, RULES_VERSION, STATE, lambda: THE_TWO_TOWERS, chance=True)

THE_TWO_TOWERS = GameKind(
    name=_NAME,
    title="The Two Towers",
    rules_version=RULES_VERSION,
    teams=tuple(Team(seat.name, seat.title, f"P{seat.team + 1}") for seat in SEATS),
    ends=tuple(End(name, _worth(end)) for end, name in enumerate(ENDS)),
    state=STATE,
    columns=COLUMNS,
    shown=_SHOWN,
    ruleset=TwoTowersRuleset,
    rulesets={
        "two": TwoTowersRuleset(),
        "three": TwoTowersRuleset(3),
        "four": TwoTowersRuleset(4),
        "five": TwoTowersRuleset(5),
        "drawn": TwoTowersRuleset(qualities=DRAWN, paths=DRAWN),
    },
    result=TwoTowersResult,
    actions=ActionSpace(ACTION_NAMES, BLOCKS),
    layout=Layout(LAYOUT, range(NUM_ASKS), entities=ENTITIES),
    kernels=KERNELS,
    compiled=Compiled(TOWERS, apply, run, seed_chance, deciding_team, encode, len(SEATS)),
    game=lambda seed, rules: Game(THE_TWO_TOWERS, seed, rules),
    games=lambda number, seed, rules, **settings: VectorGame(THE_TWO_TOWERS, number, seed, rules, **settings),
    words=Words(words.position, words.decision, words.action, parts=words.parts, hand=words.hand),
    events=events,
    learners=learners,
    luck=STREAM_ALONE._replace(sources=("cards",)),
    drawing=draw,
    guide=GUIDE,
    positions=POSITIONS.contract(),
    proper_names=PROPER_NAMES,
    decision=lambda state: Ask(int(state["decision"])).name.lower(),
    openings=frozenset(ask.name.lower() for ask in (Ask.DRAW, Ask.LAY)),
)
