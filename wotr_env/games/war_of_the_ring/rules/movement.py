"""Army movement and the consequences of entering a region (R7.5, R7.17)."""

from __future__ import annotations

from wotr_env.games.war_of_the_ring.actions import Block
from wotr_env.games.war_of_the_ring.codes import Decision, Frame, Side, Verb
from wotr_env.games.war_of_the_ring.components import (
    NATION_SIDE,
    NEIGHBOURS,
    NUM_NEIGHBOURS,
    REGION_NATION,
    SETTLEMENT_INDEX,
)
from wotr_env.games.war_of_the_ring.data.event_programs import Need
from wotr_env.games.war_of_the_ring.kernels import kernel
from wotr_env.games.war_of_the_ring.rules.armies import (
    controller,
    free_for_movement,
    is_garrison,
    settle_after_choice,
)
from wotr_env.games.war_of_the_ring.rules.chosen import chosen_units, clear_chosen, march_chosen
from wotr_env.games.war_of_the_ring.rules.command import commander, commander_of_chosen, join_chosen
from wotr_env.games.war_of_the_ring.rules.parties import (
    MOVE,
    WALK,
    apply_pick,
    army_is_led,
    can_form,
    legal_pick,
    room_at,
)
from wotr_env.games.war_of_the_ring.rules.places import note_arrival, places_noted
from wotr_env.games.war_of_the_ring.rules.politics import advance, companions_arrive, shadow_army_enters
from wotr_env.games.war_of_the_ring.rules.regions import first_region, regions_with_units, without_first
from wotr_env.games.war_of_the_ring.rules.seats import deciding_side, side_of
from wotr_env.games.war_of_the_ring.rules.spent import spend_chosen
from wotr_env.games.war_of_the_ring.rules.stack import ask, ask_again, get, pop, push, put
from wotr_env.games.war_of_the_ring.rules.table.modifiers import closed_to_armies
from wotr_env.games.war_of_the_ring.rules.victory import note_taker
from wotr_env.games.war_of_the_ring.rules.walks import (
    MoveFrame,
    can_finish,
    chosen_at_peace,
    is_walk,
    may_end_in,
)


@kernel
def capture(state, seat, region):
    """Gives a Settlement to the side of a seat; its nation advances if an enemy captured it (R7.17.1,
    R7.17.2, R7.17.4).

    Also R13.8.1.
    """
    side = side_of(seat)
    index = SETTLEMENT_INDEX[region]
    if index < 0 or state.control[index] == side:
        return
    state.control[index] = side
    note_taker(state, index, seat)
    nation = REGION_NATION[region]
    if NATION_SIDE[nation] != side:
        advance(state, nation)


@kernel
def capture_if_undefended(state, side, region):
    """Captures an enemy-controlled Settlement that has no defenders (R7.17.1)."""
    _take_if_undefended(state, commander(state, side, region), region)


@kernel
def _take_if_undefended(state, seat, region):
    side = side_of(seat)
    if state.units[region, side] > 0 and state.units[region, 1 - side] == 0:
        capture(state, seat, region)


@kernel
def army_enters(state, side, region, characters):
    """Executes the effects of an army that enters a region: activation, capture, activation by Companions
    (R7.5.11).

    Also R7.18.8, RU20.
    """
    if side == Side.SHADOW:
        shadow_army_enters(state, region)
    if controller(state, region) == 1 - side:
        _take_if_undefended(state, commander_of_chosen(state, side), region)
    companions_arrive(state, region, characters)


@kernel
def can_move_to(state, side, origin, destination, need):
    """Whether some move set of the army may enter an adjacent region (R7.5.3-R7.5.9, R7.8.8)."""
    if closed_to_armies(state, side, destination) or not free_for_movement(state, side, destination):
        return False
    return can_form(state, MOVE, side, origin, destination, need, room_at(state, MOVE, side, destination))


@kernel
def can_move_from(state, side, origin, need):
    """Whether figures of a region may move; a garrison under siege and figures that have moved may not
    (R7.5.6, R7.5.10).

    Also R7.2.5, R7.5.14.
    """
    if state.units[origin, side] == 0 or is_garrison(state, side, origin):
        return False
    if need != Need.NOBODY and not army_is_led(state, side, origin):
        return False
    for i in range(NUM_NEIGHBOURS[origin]):
        if can_move_to(state, side, origin, NEIGHBOURS[origin, i], need):
            return True
    return False


@kernel
def some_army_can_move(state, side, need):
    low, high = regions_with_units(state, side)
    while low | high != 0:
        if can_move_from(state, side, first_region(low, high), need):
            return True
        low, high = without_first(low, high)
    return False


# --- Moving armies. Frame MOVE_ARMIES: ``MoveFrame``. ---


@kernel
def start_moves(state, by_character):
    """Starts moves of up to two armies by an Army result, or of one army with a leader by a Character result
    (R7.5.1)."""
    if by_character:
        start_card_moves(state, 1, Need.LEADER, 1, 0)
    else:
        start_card_moves(state, 2, Need.NOBODY, 1, 0)


@kernel
def start_card_moves(state, moves, need, reach, joining):
    """Starts moves of several different armies, each over a number of regions (R6.4.9, R7.5.1)."""
    push(state, Frame.MOVE_ARMIES)
    put(state, MoveFrame.MOVES_LEFT, moves)
    put(state, MoveFrame.NEED, need)
    put(state, MoveFrame.RANGE, reach)
    put(state, MoveFrame.JOINING, joining)


@kernel
def needed_on_move(state):
    """The figures that must move with the army (``Need``)."""
    return get(state, MoveFrame.NEED)


@kernel
def is_on_its_way(state):
    """Whether an army has begun to move and may continue."""
    return get(state, MoveFrame.STEPS_LEFT) > 0


@kernel
def set_out_from(state):
    """The origin of the moving army."""
    return get(state, MoveFrame.ORIGIN)


@kernel
def moving_from(state):
    """The current region of the moving army."""
    return get(state, MoveFrame.DESTINATION if is_on_its_way(state) else MoveFrame.ORIGIN)


@kernel
def moving_to(state):
    """The first region that the army enters."""
    return get(state, MoveFrame.DESTINATION)


@kernel
def _purpose(state):
    """The purpose of the move: a plain move of one region, or a walk whose end must be reachable."""
    return WALK if is_walk(state) else MOVE


@kernel
def _can_go(state, side, origin, destination):
    """Whether some move set may move from an origin to an adjacent region under the rules of the top
    frame."""
    need = needed_on_move(state)
    if is_walk(state):
        room = room_at(state, WALK, side, destination)
        return can_form(state, WALK, side, origin, destination, need, room)
    return can_move_to(state, side, origin, destination, need)


@kernel
def _can_start(state, side, origin):
    """Whether an army of the region may begin to move."""
    if not is_walk(state):
        return can_move_from(state, side, origin, needed_on_move(state))
    if is_garrison(state, side, origin):
        return False
    for i in range(NUM_NEIGHBOURS[origin]):
        if _can_go(state, side, origin, NEIGHBOURS[origin, i]):
            return True
    return False


@kernel
def _can_go_on(state, side, region):
    """Whether the chosen figures may enter a further region (R7.5.12)."""
    steps = get(state, MoveFrame.STEPS_LEFT) - 1
    bound = chosen_at_peace(state)
    size = chosen_units(state)
    joining = get(state, MoveFrame.JOINING)
    here = moving_from(state)
    return can_finish(state, side, set_out_from(state), here, region, steps, bound, size, joining)


@kernel
def resume_move_armies(state):
    """Asks for the next step or army, or ends the moves."""
    side = int(state.acting)
    if is_on_its_way(state):
        _continue_walk(state, side)
        return
    if get(state, MoveFrame.MOVES_LEFT) > 0:
        low, high = regions_with_units(state, side)
        while low | high != 0:
            if _can_start(state, side, first_region(low, high)):
                ask(state, side, Decision.ARMY_ORIGIN)
                return
            low, high = without_first(low, high)
    pop(state)


@kernel
def _continue_walk(state, side):
    """Continues the move of an army if possible; otherwise ends it."""
    origin = moving_from(state)
    for i in range(NUM_NEIGHBOURS[origin]):
        if _can_go_on(state, side, NEIGHBOURS[origin, i]):
            ask(state, side, Decision.ARMY_DESTINATION)
            return
    _end_move(state, side)


@kernel
def legal_army_origin(state, mask):
    """D13: the army to move; after the first, the action may be ended (R5.6.1)."""
    side = deciding_side(state)
    low, high = regions_with_units(state, side)
    while low | high != 0:
        region = first_region(low, high)
        low, high = without_first(low, high)
        if _can_start(state, side, region):
            mask[Block.REGION + region] = True
    if places_noted(state) > 0:
        mask[Block.VERB + Verb.DONE] = True


@kernel
def apply_army_origin(state, action):
    if action == Block.VERB + Verb.DONE:
        put(state, MoveFrame.MOVES_LEFT, 0)
    else:
        put(state, MoveFrame.ORIGIN, action - Block.REGION)
        ask_again(state, Decision.ARMY_DESTINATION)


@kernel
def legal_army_destination(state, mask):
    """D13: an adjacent region that some move set may enter; an army that has begun to move may also stop."""
    side = deciding_side(state)
    origin = moving_from(state)
    walking = is_on_its_way(state)
    for i in range(NUM_NEIGHBOURS[origin]):
        region = NEIGHBOURS[origin, i]
        if walking:
            mask[Block.REGION + region] = _can_go_on(state, side, region)
        else:
            mask[Block.REGION + region] = _can_go(state, side, origin, region)
    if walking and may_end_in(state, side, origin, chosen_units(state), get(state, MoveFrame.JOINING)):
        mask[Block.VERB + Verb.DONE] = True


@kernel
def apply_army_destination(state, action):
    side = deciding_side(state)
    if action == Block.VERB + Verb.DONE:
        _end_move(state, side)
        return
    if is_on_its_way(state):
        _step(state, side, moving_from(state), action - Block.REGION)
    else:
        put(state, MoveFrame.DESTINATION, action - Block.REGION)
        ask_again(state, Decision.MOVE_FIGURES)


@kernel
def legal_move_figures(state, mask):
    """D13: the move set, figure by figure (R7.5.2-R7.5.5)."""
    side = deciding_side(state)
    purpose = _purpose(state)
    destination = moving_to(state)
    room = room_at(state, purpose, side, destination)
    legal_pick(state, mask, purpose, side, moving_from(state), destination, needed_on_move(state), room)


@kernel
def apply_move_figures(state, action):
    side = deciding_side(state)
    if not apply_pick(state, action, _purpose(state), side, moving_from(state), moving_to(state)):
        ask_again(state, Decision.MOVE_FIGURES)
        return
    put(state, MoveFrame.STEPS_LEFT, get(state, MoveFrame.RANGE))
    _step(state, side, set_out_from(state), moving_to(state))


@kernel
def _step(state, side, here, region):
    """Moves the chosen figures to the next region (R7.5.11, R7.5.12)."""
    march_chosen(state, side, here, region)
    army_enters(state, side, region, int(state.chosen_characters))
    put(state, MoveFrame.DESTINATION, region)
    put(state, MoveFrame.STEPS_LEFT, get(state, MoveFrame.STEPS_LEFT) - 1)
    if not is_on_its_way(state):
        _end_move(state, side)


@kernel
def _end_move(state, side):
    """Ends the move of one army; its figures do not move again (R7.2.4, R7.5.6)."""
    destination = get(state, MoveFrame.DESTINATION)
    note_arrival(state, side, destination)
    spend_chosen(state, side, destination)
    join_chosen(state, side, destination)
    clear_chosen(state)
    put(state, MoveFrame.STEPS_LEFT, 0)
    put(state, MoveFrame.MOVES_LEFT, get(state, MoveFrame.MOVES_LEFT) - 1)
    settle_after_choice(state, side, destination)
