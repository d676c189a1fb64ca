"""Duel for Middle-earth as a ``GameKind``."""

from __future__ import annotations

from wotr_env.core.columns import Cell, SummaryColumns
from wotr_env.core.descriptions import Words
from wotr_env.core.game import Game
from wotr_env.core.kind import ActionSpace, Compiled, End, GameKind
from wotr_env.core.observation_layout import Layout
from wotr_env.core.seat_notation import KindPositions
from wotr_env.core.vector import VectorGame
from wotr_env.games.duel import drawing, events, words
from wotr_env.games.duel.actions import ACTION_NAMES, BLOCKS
from wotr_env.games.duel.batches import COLUMNS, KERNELS
from wotr_env.games.duel.encoding import ENTITIES, LAYOUT, NUM_ASKS, encode
from wotr_env.games.duel.guide import GUIDE
from wotr_env.games.duel.kernels import DUEL, deciding_team, seed_chance
from wotr_env.games.duel.luck import LUCK
from wotr_env.games.duel.proper_names import PROPER_NAMES
from wotr_env.games.duel.ruleset import ENDS, SEATS, TEAMS, DuelResult, DuelRuleset
from wotr_env.games.duel.state import STATE, Ask
from wotr_env.games.duel.text_board import layout, parts
from wotr_env.games.duel.turn import apply, run

RULES_VERSION = 2
_TURNS = Cell("turns", "{turns.mean:,.1f}")
_CHAPTER = Cell("chapter", "{chapter.mean:,.2f}")
_SHOWN = SummaryColumns(
    wins=(_TURNS, _CHAPTER),
    ends=(
        Cell("steps FE", "{fellowship_steps_mean:,.1f}"),
        Cell("steps SA", "{sauron_steps_mean:,.1f}"),
    ),
    report=(_TURNS, _CHAPTER),
    game=(Cell("turn", "{turn}"), Cell("chapter", "{chapter}")),
    histograms=(("turns.counts", "turns"), ("chapter.counts", "chapter of the end")),
    histograms_title="Length",
    wins_note="turns and chapter of the end: mean",
)


def _worth(end: str) -> float:
    """The value of an end for the Fellowship, from -1 to 1."""
    if end == "shared":
        return 0.0
    return 1.0 if end == "ring_destroyed" or end.startswith("fellowship") else -1.0


_NAME = "duel"
POSITIONS = KindPositions(_NAME, RULES_VERSION, STATE, lambda: DUEL_FOR_MIDDLE_EARTH)

DUEL_FOR_MIDDLE_EARTH = GameKind(
    name=_NAME,
    title="Duel for Middle-earth",
    rules_version=RULES_VERSION,
    teams=TEAMS,
    ends=tuple(End(end, _worth(end)) for end in ENDS),
    state=STATE,
    columns=COLUMNS,
    shown=_SHOWN,
    ruleset=DuelRuleset,
    rulesets={"standard": DuelRuleset(), "open": DuelRuleset(all_further_turns=True, free_order=True)},
    result=DuelResult,
    actions=ActionSpace(ACTION_NAMES, BLOCKS),
    layout=Layout(LAYOUT, range(NUM_ASKS), entities=ENTITIES),
    kernels=KERNELS,
    compiled=Compiled(DUEL, apply, run, seed_chance, deciding_team, encode, len(SEATS)),
    game=lambda seed, rules: Game(DUEL_FOR_MIDDLE_EARTH, seed, rules),
    games=lambda number, seed, rules, **settings: VectorGame(
        DUEL_FOR_MIDDLE_EARTH, number, seed, rules, **settings
    ),
    words=Words(words.position, words.decision, words.action, layout, parts, words.board),
    events=events.events,
    learners=events.learners,
    luck=LUCK,
    drawing=drawing.draw,
    guide=GUIDE,
    positions=POSITIONS.contract(),
    proper_names=PROPER_NAMES,
    decision=lambda state: Ask(int(state["decision"])).name.lower(),
    openings=frozenset({Ask.TURN.name.lower()}),
)
