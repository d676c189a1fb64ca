"""The Black Captain Commands (sh-char-24): two Nazgul join the Witch-king, or the Nazgul move."""

from __future__ import annotations

from wotr_env.games.war_of_the_ring.actions import Block
from wotr_env.games.war_of_the_ring.codes import Character, Decision, Figure, Nation, Plan, Side
from wotr_env.games.war_of_the_ring.data.event_programs import Op
from wotr_env.games.war_of_the_ring.kernels import kernel
from wotr_env.games.war_of_the_ring.rules.armies import recruit_figure
from wotr_env.games.war_of_the_ring.rules.characters import in_play
from wotr_env.games.war_of_the_ring.rules.choice import Asked, Choice
from wotr_env.games.war_of_the_ring.rules.events.frame import next_op
from wotr_env.games.war_of_the_ring.rules.events.operation import Operation
from wotr_env.games.war_of_the_ring.rules.events.recruiting import is_open_to
from wotr_env.games.war_of_the_ring.rules.minions import some_nazgul, start_nazgul
from wotr_env.games.war_of_the_ring.rules.stack import ask

NAZGUL = 2


@kernel
def _can_summon(state):
    region = int(state.location[Character.WITCH_KING])
    left = state.reinforcement_leader[Nation.SAURON] > 0
    return region >= 0 and left and is_open_to(state, Side.SHADOW, region)


@kernel
def black_captain_can_command(state):
    return some_nazgul(state) or in_play(state, Character.WITCH_KING)


@kernel
def run_black_captain(state):
    ask(state, Side.SHADOW, Decision.EVENT_OPTION)


@kernel
def legal_command(state, mask):
    """D44: Nazgul recruited or moved."""
    mask[Block.PLAN + Plan.RECRUIT] = _can_summon(state)
    mask[Block.PLAN + Plan.MOVE_MINIONS] = True


@kernel
def apply_command(state, action):
    next_op(state)
    if action == Block.PLAN + Plan.MOVE_MINIONS:
        start_nazgul(state)
        return
    for _ in range(NAZGUL):
        if _can_summon(state):
            recruit_figure(state, int(state.location[Character.WITCH_KING]), Nation.SAURON, Figure.LEADER)


OPERATIONS = {
    Op.SUMMON_OR_MOVE_NAZGUL: Operation(
        black_captain_can_command,
        run_black_captain,
        {
            Decision.EVENT_OPTION: Choice(
                "D44",
                Asked.SHADOW,
                legal_command,
                apply_command,
                "whether {card} recruits Nazgul with the Witch-king or moves the Nazgul",
            )
        },
    )
}
