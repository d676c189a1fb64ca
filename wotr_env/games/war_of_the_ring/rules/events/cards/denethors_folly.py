"""Denethor's Folly (sh-strat-03): eliminates a Leader at Minas Tirith that the Free Peoples choose (RG26)."""

from __future__ import annotations

from wotr_env.games.war_of_the_ring.cards.events import EVENT_OPS
from wotr_env.games.war_of_the_ring.codes import Decision, Figure, Side
from wotr_env.games.war_of_the_ring.data.event_programs import Op, columns
from wotr_env.games.war_of_the_ring.kernels import kernel
from wotr_env.games.war_of_the_ring.rules.armies import eliminate_leader
from wotr_env.games.war_of_the_ring.rules.choice import Asked, Choice
from wotr_env.games.war_of_the_ring.rules.command import commander
from wotr_env.games.war_of_the_ring.rules.events.frame import next_op, parameter
from wotr_env.games.war_of_the_ring.rules.events.operation import Operation
from wotr_env.games.war_of_the_ring.rules.figures import figure_action, nation_of_figure
from wotr_env.games.war_of_the_ring.rules.stack import ask_seat
from wotr_env.games.war_of_the_ring.state import NUM_FREE_PEOPLES

(_REGION,) = columns(Op.KILL_LEADER, "region")


@kernel
def some_leader_can_die(state, card, place):
    for nation in range(NUM_FREE_PEOPLES):
        if state.leader[EVENT_OPS[card, place, _REGION], nation] > 0:
            return True
    return False


@kernel
def run_kill_leader(state):
    seat = commander(state, Side.FREE_PEOPLES, parameter(state, _REGION))
    ask_seat(state, seat, Decision.EVENT_FIGURE)


@kernel
def legal_leader_to_die(state, mask):
    """D45: the Leader who dies."""
    for nation in range(NUM_FREE_PEOPLES):
        if state.leader[parameter(state, _REGION), nation] > 0:
            mask[figure_action(nation, Figure.LEADER)] = True


@kernel
def apply_leader_to_die(state, action):
    eliminate_leader(state, parameter(state, _REGION), nation_of_figure(action))
    next_op(state)


OPERATIONS = {
    Op.KILL_LEADER: Operation(
        some_leader_can_die,
        run_kill_leader,
        {
            Decision.EVENT_FIGURE: Choice(
                "D45",
                Asked.FREE_PEOPLES,
                legal_leader_to_die,
                apply_leader_to_die,
                "which Leader dies by {card}",
                "lose {}",
            )
        },
    )
}
