"""The ranges of all numbers of a state: cells, slots of frames, and the decisions of each frame.

Tables for ``checks``, ``relations`` and ``invariants``. The ranges of cells are those of ``state.FIELDS``.
When the package is loaded, the other tables are checked against the frames and the decisions.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from wotr_env.games.war_of_the_ring.codes import (
    BattleStage,
    CardTile,
    CardZone,
    Character,
    Decision,
    Draw,
    Face,
    Figure,
    Frame,
    HuntCause,
    HuntStage,
    Roll,
    TurnStage,
)
from wotr_env.games.war_of_the_ring.components import (
    MAX_PROGRESS,
    NUM_CARDS,
    NUM_REGIONS,
)
from wotr_env.games.war_of_the_ring.data.combat_programs import MAX_EFFECTS
from wotr_env.games.war_of_the_ring.data.event_programs import MAX_OPS, Need, Op
from wotr_env.games.war_of_the_ring.rules import companions, dice, fellowship, recruiting
from wotr_env.games.war_of_the_ring.rules.armies import (
    ATTACKING_PART,
    DEFENDERS,
    FIELD_LIMIT,
    GARRISON_LIMIT,
    LAST_UNIT_STAYS,
    CasualtyFrame,
    TrimFrame,
)
from wotr_env.games.war_of_the_ring.rules.battle.frame import BattleFrame
from wotr_env.games.war_of_the_ring.rules.battle.retreat import RetreatFrame
from wotr_env.games.war_of_the_ring.rules.cards import HandFrame
from wotr_env.games.war_of_the_ring.rules.command import AGREED, MeetFrame
from wotr_env.games.war_of_the_ring.rules.companions import CompanionFrame
from wotr_env.games.war_of_the_ring.rules.events.frame import NO_DIE, EventFrame
from wotr_env.games.war_of_the_ring.rules.events.program import OPERATIONS
from wotr_env.games.war_of_the_ring.rules.fellowship import RevealFrame, TakenFrame
from wotr_env.games.war_of_the_ring.rules.frames import SLOTS
from wotr_env.games.war_of_the_ring.rules.hunt.frame import HuntFrame, HuntNote
from wotr_env.games.war_of_the_ring.rules.minions import MinionFrame
from wotr_env.games.war_of_the_ring.rules.recruiting import RecruitFrame
from wotr_env.games.war_of_the_ring.rules.seats import SEAT_SIDE
from wotr_env.games.war_of_the_ring.rules.sharing import ShareFrame, ShareStage
from wotr_env.games.war_of_the_ring.rules.stack import KIND, STAGE
from wotr_env.games.war_of_the_ring.rules.table.play import (
    BOUGHT_OFF,
    PAID,
    PALANTIR,
    AfterEventFrame,
    BuyOffFrame,
)
from wotr_env.games.war_of_the_ring.rules.walks import MoveFrame
from wotr_env.games.war_of_the_ring.ruleset import code_ranges
from wotr_env.games.war_of_the_ring.state import (
    ARMIES_MOVED,
    CARDS_PER_DECK,
    FIELDS,
    FRAME_SIZE,
    MAX_NAZGUL,
    NUM_CHARACTERS,
    NUM_FREE_PEOPLES,
    NUM_NATIONS,
    NUM_SEATS,
    NUM_SIDES,
    STATE,
)

Range = tuple[Any, Any]
"""The lowest and the highest value, each a number or an array that broadcasts to the field."""

_FLAG = (0, 1)
_SEAT = (0, NUM_SEATS - 1)
_REGION = (0, NUM_REGIONS - 1)
_CARD = (0, NUM_CARDS - 1)
_ANY = (0, 127)
_SIGNED = (-64, 64)


def _draw_ranges() -> Range:
    columns = {
        Draw.KIND: (0, len(Roll) - 1),
        Draw.SIDE: _FLAG,
        Draw.VALUE: (-1, NUM_CARDS - 1),
        Draw.NEEDED: _SIGNED,
    }
    least, most = zip(*(columns[column] for column in Draw), strict=True)
    return np.array(least), np.array(most)


_OWN_RANGES: dict[str, Range] = {"options": code_ranges(), "draws": _draw_ranges()}
_CELLS: dict[str, Range] = {
    field.name: _OWN_RANGES.get(field.name, (field.least, field.most))
    for field in FIELDS
    if field.dtype == np.int8
}
"""The ranges of all int8 fields; ``_wrong_word`` checks the larger fields."""

_SLOT_RANGES: dict[Frame, dict[int, Range]] = {
    Frame.TURN: {STAGE: (0, len(TurnStage))},  # past the last one when the game is over
    Frame.ACTION: {STAGE: (dice.CHOOSING, dice.PASSED)},
    Frame.GUIDE: {},
    Frame.MOVE_ARMIES: {
        MoveFrame.STEPS_LEFT: (0, 3),
        MoveFrame.MOVES_LEFT: (0, max(ARMIES_MOVED)),
        MoveFrame.NEED: (0, len(Need) - 1),
        MoveFrame.ORIGIN: _REGION,
        MoveFrame.DESTINATION: _REGION,
        MoveFrame.RANGE: (0, 3),
        MoveFrame.JOINING: _FLAG,
    },
    Frame.BATTLE: {
        STAGE: (0, BattleStage.OVER),
        BattleFrame.EFFECTS: (0, NUM_SIDES * MAX_EFFECTS),
        BattleFrame.CHOSEN: _ANY,
        BattleFrame.HIT_POINTS: _ANY,
    },
    Frame.CASUALTIES: {
        STAGE: (0, 0),
        CasualtyFrame.SIDE: _FLAG,
        CasualtyFrame.REGION: _REGION,
        CasualtyFrame.HITS: _ANY,
        CasualtyFrame.SCOPE: (0, ATTACKING_PART | DEFENDERS | LAST_UNIT_STAYS),
    },
    Frame.TRIM: {
        TrimFrame.SIDE: _FLAG,
        TrimFrame.REGION: _REGION,
        TrimFrame.LIMIT: (GARRISON_LIMIT, FIELD_LIMIT),
    },
    Frame.HUNT: {
        STAGE: (0, len(HuntStage) - 1),
        HuntFrame.CAUSE: (0, len(HuntCause) - 1),
        HuntFrame.BY_DIE: _FLAG,
        HuntFrame.CARD_TILE: (0, len(CardTile) - 1),
        HuntFrame.NOTE: (0, len(HuntNote) - 1),
    },
    Frame.REVEAL: {
        STAGE: (0, fellowship.DRAW_TILES),
        RevealFrame.TILES: (0, MAX_PROGRESS + 1),
        RevealFrame.BY_MORIA: _FLAG,
        RevealFrame.DECLARED: _FLAG,
    },
    Frame.MOVE_COMPANIONS: {
        STAGE: (0, companions.GO_ON),
        CompanionFrame.KIND: (0, companions.CARD_GROUP),
        CompanionFrame.STEPS_LEFT: (-1, 2 * MAX_PROGRESS),
        CompanionFrame.REGION: _REGION,
        CompanionFrame.GROUPS: (0, NUM_CHARACTERS + 1),
        CompanionFrame.EXTRA_RANGE: (0, 4),
        CompanionFrame.FIXED_LEVEL: (0, 4),
    },
    Frame.MOVE_MINIONS: {
        MinionFrame.MOVED: (0, MAX_NAZGUL + NUM_CHARACTERS + 1),
        MinionFrame.WHO: (0, NUM_REGIONS + NUM_CHARACTERS - 1),
        MinionFrame.NAZGUL_ONLY: _FLAG,
        MinionFrame.DONE: _FLAG,
    },
    Frame.RECRUIT: {
        RecruitFrame.PLACED: (0, recruiting.BOTH_PLACED),
        RecruitFrame.FIRST_PLACE: (recruiting.NOWHERE, NUM_REGIONS - 1),
        RecruitFrame.FIGURE: (0, NUM_NATIONS * len(Figure) - 1),
        RecruitFrame.KIND: (0, recruiting.VOICE),
    },
    Frame.TAKE_THEM_ALIVE: {TakenFrame.HOBBIT: (Character.MERIADOC, Character.PEREGRIN)},
    Frame.HAND_LIMIT: {HandFrame.SEAT: _SEAT},
    Frame.EVENT: {
        STAGE: (0, MAX_OPS),
        EventFrame.CARD: _CARD,
        EventFrame.STEP: (0, NUM_REGIONS),  # Return to Valinor counts regions
        EventFrame.PLACE: _REGION,
        EventFrame.TARGET: _REGION,
        EventFrame.FACE: (0, NO_DIE),
        EventFrame.UNIT_FROM: _REGION,
    },
    Frame.LOSE_CARD: {},
    Frame.BUY_OFF: {BuyOffFrame.PRICE: (0, PAID), BuyOffFrame.CARD: (BOUGHT_OFF.min(), BOUGHT_OFF.max())},
    Frame.AFTER_EVENT: {
        STAGE: (0, PALANTIR + 1),
        AfterEventFrame.CARD: _CARD,
        AfterEventFrame.FACE: (0, len(Face) - 1),
    },
    Frame.RETREAT: {
        RetreatFrame.SIDE: _FLAG,
        RetreatFrame.ORIGIN: _REGION,
        RetreatFrame.REGION: _REGION,
        RetreatFrame.DECIDED: _FLAG,
    },
    Frame.SIDE_DRAWS: {STAGE: (0, ShareStage.OVER), ShareFrame.SIDE: _FLAG},
    Frame.ARMIES_MEET: {STAGE: (0, AGREED), MeetFrame.SIDE: _FLAG, MeetFrame.REGION: _REGION},
}
"""The ranges of the slots of each kind of business; unlisted slots are 0."""

_ASKED_ON: dict[Frame, tuple[Decision, ...]] = {
    Frame.TURN: (Decision.DECLARE_FELLOWSHIP, Decision.ENTER_MORDOR, Decision.HUNT_ALLOCATION),
    Frame.ACTION: (
        Decision.ACTION_DIE,
        Decision.RING_DIE,
        Decision.RING_FACE,
        Decision.ACTION_PLAN,
        Decision.DRAW_DECK,
        Decision.EVENT_CARD,
        Decision.ADVANCE_NATION,
        Decision.BRING_CHARACTER,
        Decision.CHARACTER_REGION,
        Decision.ATTACK_ORIGIN,
        Decision.ATTACK_TARGET,
        Decision.ATTACK_FIGURES,
        Decision.BUY_OFF_CARD,
    ),
    Frame.MOVE_ARMIES: (Decision.ARMY_ORIGIN, Decision.ARMY_DESTINATION, Decision.MOVE_FIGURES),
    Frame.BATTLE: (
        Decision.COMBAT_CARD,
        Decision.STRONGHOLD,
        Decision.ADVANCE_FIGURES,
        Decision.CEASE,
        Decision.RETREAT,
        Decision.PROLONG_ASSAULT,
        Decision.WHITE_RIDER,
        Decision.SORCERER,
        Decision.COMBAT_CHOICE,
    ),
    Frame.CASUALTIES: (Decision.CASUALTY,),
    Frame.TRIM: (Decision.TRIM_ARMY,),
    Frame.HUNT: (
        Decision.FLOCKS_OF_CREBAIN,
        Decision.WIZARDS_STAFF,
        Decision.MITHRIL_COAT,
        Decision.HUNT_REACTION,
        Decision.HUNT_DAMAGE,
    ),
    Frame.REVEAL: (Decision.REVEAL_REGION, Decision.BALROG),
    Frame.MOVE_COMPANIONS: (
        Decision.COMPANION_GROUP,
        Decision.COMPANION_DESTINATION,
        Decision.SEPARATE_GROUP,
        Decision.SEPARATE_DESTINATION,
    ),
    Frame.MOVE_MINIONS: (Decision.MINION_TO_MOVE, Decision.MINION_DESTINATION),
    Frame.RECRUIT: (Decision.RECRUIT_FIGURE, Decision.RECRUIT_REGION),
    Frame.TAKE_THEM_ALIVE: (Decision.TAKE_THEM_ALIVE,),
    Frame.HAND_LIMIT: (Decision.DISCARD_CARD,),
    Frame.BUY_OFF: (Decision.BUY_OFF_COST,),
    Frame.AFTER_EVENT: (Decision.GUIDE_DRAW, Decision.PALANTIR_DRAW),
    Frame.RETREAT: (Decision.STAY_BEHIND,),
    Frame.SIDE_DRAWS: (Decision.DRAW_DECK, Decision.EXCHANGE_CARD, Decision.OFFER_CARD),
    Frame.ARMIES_MEET: (Decision.MERGE_ARMIES,),
}
"""The decisions that each kind of business asks while it is on top of the stack; for events see
``_event_table``."""
_ASKED_ANYWHERE = (Decision.CHOOSE_GUIDE, Decision.LOSE_CARD)
"""Decisions whose frame has left the stack when they are asked."""
_ATTACKING = (Decision.ATTACK_ORIGIN, Decision.ATTACK_TARGET, Decision.ATTACK_FIGURES)
_ONCE = (Frame.TURN, Frame.ACTION, Frame.MOVE_ARMIES, Frame.BATTLE)
"""Kinds of business that a state can contain only once."""

OFFSETS = {name: at for name, (_, at, *_) in (STATE.fields or {}).items()}
SIZE = STATE.itemsize


def _cell_table(end: int) -> np.ndarray:
    """The lowest (end 0) or the highest value (end 1) of each byte of the record, ``int8[SIZE]``."""
    table = np.full(SIZE, (-128, 127)[end], dtype=np.int8)
    for name, (dtype, at, *_) in (STATE.fields or {}).items():
        if dtype.base == np.int8:
            cells = np.broadcast_to(np.asarray(_CELLS[name][end]), dtype.shape)
            table[at : at + cells.size] = cells.reshape(-1)
    table.setflags(write=False)
    return table


def _slot_table(end: int) -> np.ndarray:
    """The same for the slots of each kind of business, ``int64[len(Frame), FRAME_SIZE]``."""
    table = np.zeros((len(Frame), FRAME_SIZE), dtype=np.int64)
    for kind, slots in _SLOT_RANGES.items():
        table[kind, KIND] = kind
        for slot, bounds in slots.items():
            table[kind, slot] = bounds[end]
    table.setflags(write=False)
    return table


def _asked_table() -> np.ndarray:
    """Flags, ``int64[len(Decision), len(Frame)]``: whether a business on top may have asked a decision."""
    table = np.zeros((len(Decision), len(Frame)), dtype=np.int64)
    table[[Decision.NONE, *_ASKED_ANYWHERE]] = 1
    for kind, decisions in _ASKED_ON.items():
        table[list(decisions), kind] = 1
    table.setflags(write=False)
    return table


STEPS = 8
"""The number of different steps of an operation of an event."""


def _event_table() -> np.ndarray:
    """Flags, ``int64[len(Decision), len(Op), STEPS]``: whether an operation asks a decision at a step."""
    table = np.zeros((len(Decision), len(Op), STEPS), dtype=np.int64)
    for op, operation in OPERATIONS.items():
        for decision, steps, _ in operation.questions():
            table[(decision, op, *steps)] = 1
    for decision in _ATTACKING:
        table[decision, [Op.ATTACK, Op.ARMY_ACTION]] = 1
    table[Decision.ATTACK_FIGURES, Op.CORSAIRS] = 1
    table.setflags(write=False)
    return table


def _event_slots() -> np.ndarray:
    """The highest values of the slots of an event, for operations that use a slot in their own way."""
    table = np.full((len(Op), FRAME_SIZE), 127, dtype=np.int64)
    table[Op.STORMCROW, EventFrame.NATION] = NUM_FREE_PEOPLES - 1
    table[Op.LURE, EventFrame.LURED] = NUM_CHARACTERS - 1
    table.setflags(write=False)
    return table


def _zone_table() -> np.ndarray:
    """The side that owns the cards in a zone, ``int64[CardZone.IN_PLAY + 1]``: a side, both (2), or none
    (-1)."""
    table = np.full(CardZone.IN_PLAY + 1, -1, dtype=np.int64)
    table[:CARDS_PER_DECK] = NUM_SIDES
    table[[CardZone.TABLE, CardZone.DISCARD, CardZone.IN_PLAY]] = NUM_SIDES
    for zone in (CardZone.HAND, CardZone.FACE_DOWN, CardZone.COMMITTED):
        table[zone : zone + NUM_SEATS] = SEAT_SIDE
    table.setflags(write=False)
    return table


def _least_once() -> np.ndarray:
    table = np.zeros(len(Frame), dtype=np.int64)
    table[list(_ONCE)] = 1
    table.setflags(write=False)
    return table


LEAST, MOST = _cell_table(0), _cell_table(1)
SLOT_LEAST, SLOT_MOST = _slot_table(0), _slot_table(1)
MAY_ASK = _asked_table()
EVENT_ASKS = _event_table()
EVENT_MOST = _event_slots()
ZONE_SIDE = _zone_table()
IS_ONCE = _least_once()
IS_BOUGHT_OFF = np.isin(np.arange(NUM_CARDS), BOUGHT_OFF).astype(np.int64)
IS_BOUGHT_OFF.setflags(write=False)

for _kind, _slots in SLOTS.items():
    assert set(_slots) <= set(_SLOT_RANGES[_kind]), f"slots of {_kind!r} without a range"


def _check_tables() -> None:
    """Checks that the tables cover the kinds of frames and the decisions."""
    assert set(_SLOT_RANGES) == set(Frame)
    assert MAY_ASK.any(axis=1).sum() + (EVENT_ASKS.any(axis=(1, 2)) & ~MAY_ASK.any(axis=1)).sum() == len(
        Decision
    )


_check_tables()
