"""The frame of a running event: its card, operation, step and parameters."""

from __future__ import annotations

from wotr_env.cards.events import EVENT_OPS
from wotr_env.codes import Frame
from wotr_env.kernels import kernel
from wotr_env.rules.stack import KIND, STAGE, A, B, C, D, get, put

NO_DIE = 7  # the card was played without a die


@kernel
def current_op(state):
    """The operation that is running."""
    return EVENT_OPS[get(state, A), get(state, STAGE), 0]


@kernel
def parameter(state, place):
    """A parameter of the running operation, from 1."""
    return EVENT_OPS[get(state, A), get(state, STAGE), place]


@kernel
def next_op(state):
    """The operation is finished."""
    put(state, STAGE, get(state, STAGE) + 1)
    put(state, B, 0)
    put(state, C, 0)
    put(state, D, 0)


@kernel
def is_event(state):
    """Whether the business on top of the stack is an event."""
    return get(state, KIND) == Frame.EVENT
