"""The compiled check of an external state: every number, every slot, and the relations.

One kernel uses the tables of ``bounds`` and the kernels of ``relations``, and takes about ten microseconds
per state; ``validation`` describes the faults in words.
"""

from __future__ import annotations

import numpy as np

from wotr_env.compiler.types import array_of
from wotr_env.games.war_of_the_ring.cards.events import EVENT_OPS
from wotr_env.games.war_of_the_ring.codes import Frame
from wotr_env.games.war_of_the_ring.data.event_programs import MAX_OPS, Op
from wotr_env.games.war_of_the_ring.engine.bounds import (
    EVENT_MOST,
    LEAST,
    MOST,
    OFFSETS,
    SIZE,
    SLOT_LEAST,
    SLOT_MOST,
)
from wotr_env.games.war_of_the_ring.engine.relations import broken_relation
from wotr_env.games.war_of_the_ring.kernels import RULES, entry_point, kernel
from wotr_env.games.war_of_the_ring.rules.events.frame import EventFrame
from wotr_env.games.war_of_the_ring.rules.seats import ALL_CHARACTERS
from wotr_env.games.war_of_the_ring.rules.stack import KIND, STAGE
from wotr_env.games.war_of_the_ring.rules.victory import LAST_TURN
from wotr_env.games.war_of_the_ring.ruleset import MOST_TURNS
from wotr_env.games.war_of_the_ring.state import FRAME_SIZE, MAX_DEPTH, STATE

_TURN, _MAX_TURNS, _CHARACTERS = (OFFSETS[name] for name in ("turn", "max_turns", "chosen_characters"))
_STACK = OFFSETS["stack"]
_FRAMES = len(Frame)


@kernel
def _wrong_cell(record_bytes):
    """The first byte that is out of its range, or -1."""
    for place in range(SIZE):
        value = record_bytes[place]
        if value < LEAST[place] or value > MOST[place]:
            return place
    return -1


@kernel
def _wrong_word(state):
    """The position in the record of the first number of two bytes that is out of its range, or -1."""
    if state.turn < 1 or state.turn > LAST_TURN:
        return _TURN
    if state.max_turns < 0 or state.max_turns > MOST_TURNS:
        return _MAX_TURNS
    sets = (
        int(state.chosen_characters),
        int(state.party_characters),
        int(state.moved_characters),
        int(state.forfeited_characters),
        int(state.muted_characters),
    )
    for place in range(len(sets)):
        if sets[place] < 0 or sets[place] > ALL_CHARACTERS:
            return _CHARACTERS + 2 * place
    return -1


@kernel
def _event_most(state, place, slot):
    """The highest value of a slot of an event whose card and step in its program are valid."""
    number = int(state.stack[place, STAGE])
    op = EVENT_OPS[int(state.stack[place, EventFrame.CARD]), number, 0] if number < MAX_OPS else Op.END
    return EVENT_MOST[op, slot]


@kernel
def _wrong_slot(state):
    """The position in the record of the first slot of a frame that is out of its range, or -1."""
    for place in range(MAX_DEPTH):
        kind = int(state.stack[place, KIND])
        for slot in range(FRAME_SIZE):
            value = int(state.stack[place, slot])
            if place >= state.depth:
                wrong = value != 0
            elif kind < 0 or kind >= _FRAMES:
                wrong = True
            else:
                wrong = value < SLOT_LEAST[kind, slot] or value > SLOT_MOST[kind, slot]
                if not wrong and kind == Frame.EVENT and slot > EventFrame.CARD:
                    wrong = value > _event_most(state, place, slot)
            if wrong:
                return _STACK + place * FRAME_SIZE + slot
    return -1


@kernel
def _fault(state, record_bytes):
    """The first fault: the position of a number in the record, or SIZE plus a ``Relation``; -1 if there is
    none."""
    fault = _wrong_cell(record_bytes)
    if fault < 0:
        fault = _wrong_word(state)
    if fault < 0:
        fault = _wrong_slot(state)
    if fault >= 0:
        return fault
    fault = broken_relation(state)
    return SIZE + fault if fault >= 0 else -1


@entry_point(states=array_of(STATE), cells=array_of(np.int8, 2), faults=array_of(np.int64))
def write_faults(states, cells, faults):
    """Writes the fault of each state, in the form of ``_fault``."""
    for game in range(states.size):
        faults[game] = _fault(states[game], cells[game])


RULES.argument_types |= {"record_bytes": array_of(np.int8)}
