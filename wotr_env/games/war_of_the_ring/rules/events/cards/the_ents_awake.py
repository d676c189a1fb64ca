"""The Ents Awake (fp-char-19 to 21): hits, and figures that are eliminated with the army."""

from __future__ import annotations

from wotr_env.games.war_of_the_ring.codes import Character, Side
from wotr_env.games.war_of_the_ring.components import Region
from wotr_env.games.war_of_the_ring.data.event_programs import Op
from wotr_env.games.war_of_the_ring.kernels import kernel
from wotr_env.games.war_of_the_ring.rules.armies import WHOLE_ARMY, suffer_hits
from wotr_env.games.war_of_the_ring.rules.characters import eliminate_character
from wotr_env.games.war_of_the_ring.rules.events.figures import after_hits, kill_retinue, roll_dice
from wotr_env.games.war_of_the_ring.rules.events.frame import Step, current_step, go_to_step, next_op
from wotr_env.games.war_of_the_ring.rules.events.operation import Operation


@kernel
def ents_can_strike(state):
    army = state.units[Region.ORTHANC, Side.SHADOW] > 0
    return army or state.location[Character.SARUMAN] == Region.ORTHANC


@kernel
def run_ents(state):
    """Rolls hits on the army of Orthanc. Nazgul and Minions are eliminated with the army; Saruman is
    eliminated if there is no army."""
    army = state.units[Region.ORTHANC, Side.SHADOW] > 0
    if current_step(state) == Step.START and army:
        go_to_step(state, Step.WAITING)
        suffer_hits(state, Side.SHADOW, Region.ORTHANC, roll_dice(state, 3, 4), WHOLE_ARMY)
        return
    if current_step(state) == Step.WAITING and not army:
        kill_retinue(state, Side.SHADOW, Region.ORTHANC)
        after_hits(state, Side.SHADOW, Region.ORTHANC)
    if not army and state.location[Character.SARUMAN] == Region.ORTHANC:
        eliminate_character(state, Character.SARUMAN)
    next_op(state)


OPERATIONS = {Op.ENTS: Operation(ents_can_strike, run_ents)}
