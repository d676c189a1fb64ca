"""Checks whether the rules can continue from an external state.

Kernels index arrays without checking bounds, and use counts as limits of loops. So an impossible state could
make them overwrite other memory or never end. ``bounds`` and ``relations`` define the valid values of each
field, and one kernel (``checks``) checks all of them in about ten microseconds per state. This module has the
words of the errors.

    bounds      the least and the most of every number of the record, the same of each kind of unfinished
                business, and which decisions it asks
    relations   what holds between fields: decks, figures, seats, figures being picked

``engine.invariants`` checks more of the rules and is slower. A state that passes this check may not occur in
any game, but playing from it always leads to a decision, to the end of the game or to a ``StateError``.
"""

from __future__ import annotations

import numpy as np

from wotr_env.core.errors import StateError
from wotr_env.games.war_of_the_ring.codes import Frame
from wotr_env.games.war_of_the_ring.engine.bounds import LEAST, MOST, OFFSETS, SIZE
from wotr_env.games.war_of_the_ring.engine.checks import write_faults
from wotr_env.games.war_of_the_ring.engine.relations import Relation
from wotr_env.games.war_of_the_ring.rules.frames import SLOTS
from wotr_env.games.war_of_the_ring.rules.stack import KIND, STAGE

_RELATIONS = {
    Relation.MIXED: "mixed: it names a region that does not exist",
    Relation.TAKEN: "taken_by_second: it names a Settlement that does not exist",
    Relation.TAPE: "tape_position: it is not within tape_length",
    Relation.DECK: "card_zone: a draw deck has a gap or a double, or does not fit deck_size",
    Relation.ZONE: "card_zone: a card is where it cannot be",
    Relation.GIVEN: "given: a card that was given is in no hand",
    Relation.OFFERED: "offered: the card is not in the hand of the partner of who decides",
    Relation.COMBAT_CARD: "combat_card: a side has a card of the other, or one that it has not played",
    Relation.FIGURES: "regular, elite, leader: the figures of a nation do not add up to its total",
    Relation.UNITS: "units: they are not the sum of regular and elite",
    Relation.RINGS: "rings: there are more than three",
    Relation.TRACK: "fellowship_region: it and mordor_step disagree",
    Relation.REASON: "reason: it does not fit the winner",
    Relation.PLAYERS: "seat, charge, next_seat: one is of a seat that nobody plays",
    Relation.SIDES: "charge, next_seat: one is a seat of the other side",
    Relation.BOTTOM: "stack: its bottom is not the turn",
    Relation.TWICE: "stack: it holds twice what there can be once",
    Relation.FIGURE: "stack: a figure to recruit does not exist",
    Relation.PRICE: "stack: a card to discard from the table is none that can be bought off",
    Relation.SCOPE: "stack: hits fall on the attacking part of no battle",
    Relation.MEETING: "stack: partners meet or draw on a side that has one player",
    Relation.EXCHANGE: "offered, stack: partners exchange cards out of turn",
    Relation.DECISION: "decision: it is none that the top of the stack asks",
    Relation.EVENT: "decision: it is none that the event on top of the stack asks",
    Relation.CHOSEN: "chosen_regular, chosen_elite, chosen_leader: more are picked than are there",
    Relation.PARTY: "party_regular, party_elite, party_leader: more attack than are there",
    Relation.MINION: "stack: the Nazgul or Minion who moves is not there",
    Relation.RECRUIT: "stack: the figure to recruit is not among the reinforcements",
    Relation.DEAD_MEN: "stack: nobody leads the Dead Men",
    Relation.PLAYED: "stack: the card of an event is not in play",
    Relation.MOVES: "moved_count: more armies have moved, or may, than an action moves",
}


def find_faults(states: np.ndarray) -> np.ndarray:
    """The fault of each of ``STATE[N]``: ``int64[N]``, -1 if there is none, otherwise a number for
    ``fault_in_words``.

    The rules must have been compiled (``kernel.ensure_compiled``).
    """
    states = np.ascontiguousarray(states).reshape(-1)
    faults = np.empty(states.size, dtype=np.int64)
    write_faults(states, states.view(np.int8).reshape(states.size, SIZE), faults)
    return faults


def check_states(states: np.ndarray) -> None:
    """Checks external states (``STATE[N]``); the rules must have been compiled.

    Raises:
        StateError: the rules cannot continue from one of the states; the message names its field.
    """
    faults = find_faults(states)
    wrong = np.flatnonzero(faults >= 0)
    if wrong.size:
        game = int(wrong[0])
        words = fault_in_words(states.reshape(-1)[game], int(faults[game]))
        raise StateError(words if states.size == 1 else f"game {game} of the batch: {words}")


def fault_in_words(state: np.record, fault: int) -> str:
    """Describes a fault of a state, with the name of the field."""
    if fault >= SIZE:
        return _RELATIONS[Relation(fault - SIZE)]
    name = max((name for name, at in OFFSETS.items() if at <= fault), key=OFFSETS.__getitem__)
    field = np.asarray(state[name])
    place = (fault - OFFSETS[name]) // field.itemsize
    index = np.unravel_index(place, field.shape)
    value = int(field[index])
    where = f"{name}[{', '.join(str(int(number)) for number in index)}]" if field.shape else name
    if name == "stack":
        return f"{where} is {value}, which {_slot_words(state, *map(int, index))}"
    if field.dtype == np.int8:
        return f"{where} is {value}, not from {LEAST[fault]} to {MOST[fault]}"
    return f"{where} is {value}, which it cannot be"


def _slot_words(state: np.record, place: int, slot: int) -> str:
    if place >= int(state["depth"]):
        return "is above the top of the stack"
    kind = int(state["stack"][place, KIND])
    if not 0 <= kind < len(Frame):
        return "is no kind of business"
    names = {int(member): member.name.lower() for member in SLOTS.get(Frame(kind), ())} | {STAGE: "stage"}
    what = Frame(kind).name.lower().replace("_", " ")
    return f"cannot be the {names.get(slot, f'slot {slot}')} of the business {what}"
