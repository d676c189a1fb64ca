"""The stack of unfinished business, and asking a player for a decision.

A frame is ``[kind, stage, a, b, c, d, e, f]``. What the numbers of a kind mean is said where it is resumed;
``e`` and ``f`` start as 0.
"""

from __future__ import annotations

from wotr_env.codes import Decision
from wotr_env.kernels import kernel

KIND, STAGE, A, B, C, D, E, F = range(8)


@kernel
def push(state, kind, a, b, c, d):
    """Starts a business that is finished before the present top of the stack goes on."""
    frame = state.stack[state.depth]
    frame[KIND] = kind
    frame[STAGE] = 0
    frame[A] = a
    frame[B] = b
    frame[C] = c
    frame[D] = d
    state.depth += 1


@kernel
def pop(state):
    """Ends the business on top of the stack."""
    state.depth -= 1
    state.stack[state.depth, :] = 0


@kernel
def get(state, slot):
    """A number of the top frame."""
    return int(state.stack[state.depth - 1, slot])


@kernel
def put(state, slot, value):
    """Sets a number of the top frame."""
    state.stack[state.depth - 1, slot] = value


@kernel
def ask(state, side, decision):
    """Asks the player of a side for a decision; the game rests until it is taken."""
    state.seat = side
    state.decision = decision


@kernel
def answered(state):
    """No decision is pending any more."""
    state.decision = Decision.NONE
