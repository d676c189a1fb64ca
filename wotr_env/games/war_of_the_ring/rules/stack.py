"""The stack of unfinished processes (frames), and asking a player for a decision.

A frame is a row of ``FRAME_SIZE`` slots. All kinds have the first two, ``KIND`` and ``STAGE``. An enum next
to the function ``resume_...`` of the kind names the others, such as ``TrimFrame.LIMIT``; they start as 0.
Only this module uses ``get`` and ``put`` for the frame. It has accessor functions for other modules, such as
``moving_from``.
"""

from __future__ import annotations

from wotr_env.core.errors import StateError
from wotr_env.games.war_of_the_ring.codes import Decision
from wotr_env.games.war_of_the_ring.kernels import kernel
from wotr_env.games.war_of_the_ring.rules.seats import leader_of, seat_of
from wotr_env.games.war_of_the_ring.state import MAX_DEPTH

KIND, STAGE = range(2)


@kernel
def push(state, kind):
    """Pushes a frame, which is finished before the frame below it continues."""
    if state.depth >= MAX_DEPTH:
        raise StateError("stack: there is more unfinished business than any game has")
    state.stack[state.depth, KIND] = kind
    state.depth += 1


@kernel
def pop(state):
    """Pops the frame on top of the stack."""
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
def ask_seat(state, seat, decision):
    """Asks a player for a decision; the game waits until the decision is taken."""
    state.seat = seat
    state.decision = decision


@kernel
def ask(state, side, decision):
    """Asks the deciding player of a side for a decision."""
    ask_seat(state, seat_of(state, side), decision)


@kernel
def ask_leader(state, side, decision):
    """Asks the leader of a side for a decision (R13.3)."""
    ask_seat(state, leader_of(state, side), decision)


@kernel
def ask_again(state, decision):
    """Asks the player who has just decided for the next part of the choice."""
    state.decision = decision


@kernel
def answered(state):
    """Marks that no decision is pending."""
    state.decision = Decision.NONE
