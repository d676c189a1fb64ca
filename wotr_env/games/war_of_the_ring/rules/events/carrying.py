"""Events that carry a part of an army to a region that need not be adjacent (TELEPORT, section 22.1)."""

from __future__ import annotations

from wotr_env.compiler.codes import Codes
from wotr_env.games.war_of_the_ring.data.event_programs import Need
from wotr_env.games.war_of_the_ring.kernels import kernel
from wotr_env.games.war_of_the_ring.rules.armies import free_for_movement, settle_in, stacking_room
from wotr_env.games.war_of_the_ring.rules.chosen import clear_chosen, transfer_chosen
from wotr_env.games.war_of_the_ring.rules.events.frame import EventFrame, go_to_step
from wotr_env.games.war_of_the_ring.rules.movement import army_enters, capture_if_undefended
from wotr_env.games.war_of_the_ring.rules.parties import MOVE, apply_pick, can_form, legal_pick, room_at
from wotr_env.games.war_of_the_ring.rules.spent import spend_chosen
from wotr_env.games.war_of_the_ring.rules.stack import get


class CarryStep(Codes):
    """The steps of an operation that carries a part of an army."""

    ORIGIN = 0
    TARGET = 1
    FIGURES = 2
    ARRIVED = 3
    OVER = 4


@kernel
def can_be_carried(state, side, origin, destination):
    """Whether a part of the army may move directly to the destination: it is free, within the borders of the
    units, and has room."""
    if origin == destination or state.units[origin, side] == 0:
        return False
    if not free_for_movement(state, side, destination):
        return False
    return can_form(state, MOVE, side, origin, destination, 0, stacking_room(state, side, destination))


@kernel
def legal_party(state, mask, purpose):
    """The figures that move or attack."""
    side = int(state.acting)
    destination = get(state, EventFrame.TARGET)
    room = room_at(state, purpose, side, destination)
    legal_pick(state, mask, purpose, side, get(state, EventFrame.PLACE), destination, Need.NOBODY, room)


@kernel
def picks_party(state, action, purpose):
    """Adds a figure to the chosen figures; returns whether the choice is complete."""
    origin = get(state, EventFrame.PLACE)
    return apply_pick(state, action, purpose, int(state.acting), origin, get(state, EventFrame.TARGET))


@kernel
def carry_party(state):
    """Moves the chosen figures to the destination; a garrison that leaves loses its Stronghold."""
    side = int(state.acting)
    origin = get(state, EventFrame.PLACE)
    destination = get(state, EventFrame.TARGET)
    transfer_chosen(state, side, origin, destination)
    go_to_step(state, CarryStep.ARRIVED)
    capture_if_undefended(state, 1 - side, origin)
    army_enters(state, side, destination, int(state.chosen_characters))
    spend_chosen(state, side, destination)
    clear_chosen(state)
    settle_in(state, side, destination)
