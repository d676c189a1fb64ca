"""The frame of a running event: its card, operation, step and parameters."""

from __future__ import annotations

from wotr_env.compiler.codes import Codes
from wotr_env.games.war_of_the_ring.cards.events import EVENT_OPS
from wotr_env.games.war_of_the_ring.codes import Frame
from wotr_env.games.war_of_the_ring.kernels import kernel
from wotr_env.games.war_of_the_ring.rules.stack import KIND, STAGE, get, put

NO_DIE = 7  # the card was played without a die


class EventFrame(Codes):
    """Slots of the frame ``EVENT``; the stage of the frame is the index of the operation in the program.

    Two slots contain numbers of the running operation, and have a name for each of their meanings.
    """

    CARD = 2
    STEP = 3  # within the operation, which counts steps, figures or dice in its own way
    PLACE = 4  # where recruits go; the army hit; where those who are carried come from; where others join
    NATION = 4  # Stormcrow: the nation that steps back
    SOMEBODY_LEFT = 4  # The Breaking of the Fellowship: 1 once a Companion has left
    TARGET = 5  # where those who are carried go; Stormcrow: where the figure is lost
    COUNT = 5  # places or figures done; The Breaking of the Fellowship: Companions still to leave
    LURED = 5  # Lure of the Ring: the Companion drawn
    FACE = 6  # the die result that paid for the card, or ``NO_DIE``
    UNIT_FROM = 7  # Rage of the Dunlendings: where the unit to be chosen comes from


class Step(Codes):
    """The steps of an operation that starts another business and waits for its end."""

    START = 0
    WAITING = 1


@kernel
def current_card(state):
    """The card whose event is running."""
    return get(state, EventFrame.CARD)


@kernel
def current_place(state):
    """The index of the running operation in the program."""
    return get(state, STAGE)


@kernel
def current_op(state):
    """The running operation."""
    return EVENT_OPS[current_card(state), current_place(state), 0]


@kernel
def current_step(state):
    """The step of the running operation; each operation starts at step 0."""
    return get(state, EventFrame.STEP)


@kernel
def go_to_step(state, step):
    """Sets the next step of the running operation."""
    put(state, EventFrame.STEP, step)


@kernel
def parameter(state, column):
    """A parameter of the running operation; see ``event_programs.columns``."""
    return EVENT_OPS[current_card(state), current_place(state), column]


@kernel
def next_op(state):
    """Ends the running operation and goes to the next one."""
    put(state, STAGE, current_place(state) + 1)
    put(state, EventFrame.STEP, 0)
    put(state, EventFrame.PLACE, 0)
    put(state, EventFrame.TARGET, 0)


@kernel
def is_event(state):
    """Whether the business on top of the stack is an event."""
    return get(state, KIND) == Frame.EVENT
