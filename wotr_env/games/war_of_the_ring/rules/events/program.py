"""The interpreter of the programs of event cards (R6.4.2, sections 19.5, 22.2)."""

from __future__ import annotations

from wotr_env.compiler.codes import Codes
from wotr_env.compiler.dispatch import dispatch
from wotr_env.games.war_of_the_ring.cards.events import EVENT_OPS
from wotr_env.games.war_of_the_ring.codes import CardZone, Decision
from wotr_env.games.war_of_the_ring.data.event_programs import MAX_OPS, Op
from wotr_env.games.war_of_the_ring.kernels import kernel
from wotr_env.games.war_of_the_ring.rules.choice import Kernel
from wotr_env.games.war_of_the_ring.rules.events.cards import ents_extra_card
from wotr_env.games.war_of_the_ring.rules.events.conditions import holds
from wotr_env.games.war_of_the_ring.rules.events.frame import (
    NO_DIE,
    EventFrame,
    current_card,
    current_op,
    current_place,
    current_step,
    next_op,
)
from wotr_env.games.war_of_the_ring.rules.events.operation import Operation
from wotr_env.games.war_of_the_ring.rules.events.vocabulary import VOCABULARY, op_is_possible
from wotr_env.games.war_of_the_ring.rules.stack import get, pop
from wotr_env.games.war_of_the_ring.rules.table.play import after_event

OPERATIONS: dict[Op, Operation] = {**VOCABULARY, **ents_extra_card.OPERATIONS}
"""One row for each operation except ``Op.END`` and ``Op.IF``, which the interpreter handles."""


@kernel
def resume_event(state):
    """Runs the next operation; at the end, the card is discarded or stays on the table (R6.4.2, R6.5.1)."""
    place = current_place(state)
    card = current_card(state)
    if place == MAX_OPS or EVENT_OPS[card, place, 0] == Op.END:
        face = get(state, EventFrame.FACE)
        if state.card_zone[card] == CardZone.IN_PLAY:
            state.card_zone[card] = CardZone.DISCARD
        pop(state)
        if face != NO_DIE:
            after_event(state, card, face)
    else:
        _run_op(state, EVENT_OPS[card, place, 0])


@kernel
def _run_op(state, op):
    """Runs an operation, or skips it if it has no effect (R6.4.4); ``if`` may skip the next operation."""
    if op == Op.IF:
        row = EVENT_OPS[current_card(state), current_place(state)]
        if not holds(state, row[1], row[2], row[3], row[4], row[5]):
            next_op(state)
        next_op(state)
    elif (
        op != Op.EXTRA_CARD
        and current_step(state) == 0
        and not op_is_possible(state, current_card(state), current_place(state))
    ):
        next_op(state)
    else:
        _run(op, state)


@dispatch(kernel, {op: row.run for op, row in OPERATIONS.items()})
def _run(op, state):
    """Runs the current step of an operation."""


# --- The choices inside events (D44, D45): each belongs to the operation that is running. ---


def _of(part: str, decision: Decision) -> dict[tuple[Codes, ...], Kernel]:
    """The function ``legal`` or ``apply`` of each operation that asks for a kind of decision, by operation
    and step."""
    table: dict[tuple[Codes, ...], Kernel] = {}
    for op, row in OPERATIONS.items():
        for asked, step, choice in row.questions():
            if asked == decision:
                table[op, *step] = getattr(choice, part)
    return table


_BY = (current_op, current_step)


@dispatch(kernel, _of("legal", Decision.EVENT_REGION), by=_BY)
def legal_event_region(state, mask):
    """D44, D45: a region, by the rules of the operation."""


@dispatch(kernel, _of("apply", Decision.EVENT_REGION), by=_BY)
def apply_event_region(state, action):
    """D44, D45: executes the choice."""


@dispatch(kernel, _of("legal", Decision.EVENT_FIGURE), by=_BY)
def legal_event_figure(state, mask):
    """D44, D45: a figure to recruit, move or lose."""


@dispatch(kernel, _of("apply", Decision.EVENT_FIGURE), by=_BY)
def apply_event_figure(state, action):
    """D44, D45: executes the choice."""


@dispatch(kernel, _of("legal", Decision.EVENT_NATION), by=_BY)
def legal_event_nation(state, mask):
    """D44: a nation."""


@dispatch(kernel, _of("apply", Decision.EVENT_NATION), by=_BY)
def apply_event_nation(state, action):
    """D44: executes the choice."""


@dispatch(kernel, _of("legal", Decision.EVENT_CHARACTER), by=_BY)
def legal_event_character(state, mask):
    """D44, D45: a character that goes along, or leaves."""


@dispatch(kernel, _of("apply", Decision.EVENT_CHARACTER), by=_BY)
def apply_event_character(state, action):
    """D44, D45: executes the choice."""


@dispatch(kernel, _of("legal", Decision.EVENT_OPTION), by=_BY)
def legal_event_option(state, mask):
    """D44, D45: one of several options of the text."""


@dispatch(kernel, _of("apply", Decision.EVENT_OPTION), by=_BY)
def apply_event_option(state, action):
    """D44, D45: executes the choice."""


@dispatch(kernel, _of("legal", Decision.EVENT_DIE), by=_BY)
def legal_event_die(state, mask):
    """D44: a die."""


@dispatch(kernel, _of("apply", Decision.EVENT_DIE), by=_BY)
def apply_event_die(state, action):
    """D44: executes the choice."""
