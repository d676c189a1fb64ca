"""Events about the political track (section 22.2)."""

from __future__ import annotations

import numpy as np

from wotr_env.games.war_of_the_ring.cards.events import EVENT_OPS
from wotr_env.games.war_of_the_ring.codes import Nation, Side
from wotr_env.games.war_of_the_ring.data.event_programs import Op, columns
from wotr_env.games.war_of_the_ring.kernels import kernel
from wotr_env.games.war_of_the_ring.rules.events.frame import next_op, parameter
from wotr_env.games.war_of_the_ring.rules.events.operation import Operation
from wotr_env.games.war_of_the_ring.rules.politics import activate, advance, can_advance
from wotr_env.games.war_of_the_ring.rules.seats import controls_nation

(_ADVANCED,) = columns(Op.ADVANCE, "nation")
(_AT_WAR,) = columns(Op.SET_WAR, "nation")


@kernel
def nation_can_advance(state, card, place):
    return can_advance(state, EVENT_OPS[card, place, _ADVANCED])


@kernel
def run_advance(state):
    advance(state, parameter(state, _ADVANCED))
    next_op(state)


@kernel
def nation_can_go_to_war(state, card, place):
    nation = EVENT_OPS[card, place, _AT_WAR]
    return state.steps_to_war[nation] > 0 or state.active[nation] == 0


@kernel
def run_set_war(state):
    nation = parameter(state, _AT_WAR)
    activate(state, nation)
    state.steps_to_war[nation] = 0
    next_op(state)


_ROUSED = np.array([Nation.DWARVES, Nation.ELVES, Nation.NORTH], dtype=np.int64)


@kernel
def _wakes(state, nation):
    """Whether a nation also becomes active; the card does not name the Elves for this."""
    return nation != Nation.ELVES and state.active[nation] == 0


@kernel
def can_rouse(state):
    for nation in _ROUSED:
        if controls_nation(state, Side.FREE_PEOPLES, nation) and (
            _wakes(state, nation) or can_advance(state, nation)
        ):
            return True
    return False


@kernel
def run_rouse(state):
    """Executes There and Back Again for the nations of its player (fp-char-17, R13.5.1)."""
    for nation in _ROUSED:
        if controls_nation(state, Side.FREE_PEOPLES, nation):
            if _wakes(state, nation):
                activate(state, nation)
            advance(state, nation)
    next_op(state)


OPERATIONS = {
    Op.ADVANCE: Operation(nation_can_advance, run_advance),
    Op.SET_WAR: Operation(nation_can_go_to_war, run_set_war),
    Op.ROUSE_DWARVES_ELVES_NORTH: Operation(can_rouse, run_rouse),
}
