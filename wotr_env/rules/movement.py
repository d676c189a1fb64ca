"""Army movement and what entering a region causes (R7.5, R7.17)."""

from __future__ import annotations

from wotr_env.actions import Block
from wotr_env.codes import Decision, Frame, Side, Verb
from wotr_env.components import (
    NATION_SIDE,
    NEIGHBOURS,
    NUM_NEIGHBOURS,
    NUM_REGIONS,
    REGION_NATION,
    SETTLEMENT_INDEX,
)
from wotr_env.kernels import kernel
from wotr_env.rules.armies import controller, free_for_movement, is_garrison, trim_to_stacking
from wotr_env.rules.parties import (
    MOVE,
    WALK,
    apply_pick,
    can_form,
    chosen_units,
    clear_chosen,
    legal_pick,
    room_at,
    transfer_chosen,
)
from wotr_env.rules.politics import advance, companions_arrive, shadow_army_enters
from wotr_env.rules.stack import STAGE, A, B, C, D, E, F, ask, get, pop, push, put
from wotr_env.rules.table.modifiers import closed_to_armies
from wotr_env.rules.walks import can_finish, chosen_at_peace, may_end_in
from wotr_env.ruleset import Option, StackingCheck


@kernel
def capture(state, side, region):
    """A Settlement changes hands; its nation advances if an enemy took it (R7.17.1, R7.17.2, R7.17.4)."""
    index = SETTLEMENT_INDEX[region]
    if index < 0 or state.control[index] == side:
        return
    state.control[index] = side
    nation = REGION_NATION[region]
    if NATION_SIDE[nation] != side:
        advance(state, nation)


@kernel
def capture_if_undefended(state, side, region):
    """An army captures an enemy-controlled Settlement without defenders (R7.17.1)."""
    if state.units[region, side] > 0 and state.units[region, 1 - side] == 0:
        capture(state, side, region)


@kernel
def army_enters(state, side, region, characters):
    """What an army causes by entering: activation, capture, activation by Companions (R7.5.11).

    Also R7.18.8, RU20.
    """
    if side == Side.SHADOW:
        shadow_army_enters(state, region)
    if controller(state, region) == 1 - side:
        capture_if_undefended(state, side, region)
    companions_arrive(state, region, characters)


@kernel
def note_moved_to(state, region):
    """Remembers a region entered in this action: its merged army does not move again (R7.5.6)."""
    state.moved_to[state.moved_count] = region
    state.moved_count += 1


@kernel
def _was_entered(state, region):
    """Whether an army moved here in this action: what it joined is one new army (R7.2.5, R7.5.6)."""
    for i in range(state.moved_count):
        if state.moved_to[i] == region:
            return True
    return False


@kernel
def can_move_to(state, side, origin, destination, need):
    """Whether some move set of the army may enter an adjacent region (R7.5.3-R7.5.9, R7.8.8)."""
    if closed_to_armies(state, side, destination) or not free_for_movement(state, side, destination):
        return False
    return can_form(state, MOVE, side, origin, destination, need, room_at(state, MOVE, side, destination))


@kernel
def can_move_from(state, side, origin, need):
    """Whether the army of a region may move: no garrison under siege, none just moved (R7.5.6, R7.5.10).

    Also R7.5.14.
    """
    if state.units[origin, side] == 0 or is_garrison(state, side, origin) or _was_entered(state, origin):
        return False
    for i in range(NUM_NEIGHBOURS[origin]):
        if can_move_to(state, side, origin, NEIGHBOURS[origin, i], need):
            return True
    return False


@kernel
def some_army_can_move(state, side, need):
    for region in range(NUM_REGIONS):
        if can_move_from(state, side, region, need):
            return True
    return False


# --- Moving armies. Frame: A moves left, B who is needed, C origin, D destination, E range, F 1 if the move
# must end at another army; stage: steps that an army on its way may still go, 0 between armies. ---


@kernel
def start_moves(state, moves, need):
    """An Army result moves up to two armies, a Character result one that has a leader (R7.5.1)."""
    start_card_moves(state, moves, need, 1, 0)


@kernel
def start_card_moves(state, moves, need, reach, joining):
    """Up to so many different armies, each up to so many regions (R6.4.9, R7.5.1)."""
    push(state, Frame.MOVE_ARMIES, moves, need, 0, 0)
    put(state, E, reach)
    put(state, F, joining)


@kernel
def _purpose(state):
    """A plain move of one region, or a walk whose end must be looked for."""
    return WALK if get(state, E) > 1 or get(state, F) == 1 else MOVE


@kernel
def _can_go(state, side, origin, destination):
    """Whether some move set may go from an origin to an adjacent region with the rules of the top frame."""
    if _purpose(state) == MOVE:
        return can_move_to(state, side, origin, destination, get(state, B))
    return can_form(
        state, WALK, side, origin, destination, get(state, B), room_at(state, WALK, side, destination)
    )


@kernel
def _can_start(state, side, origin):
    if _purpose(state) == MOVE:
        return can_move_from(state, side, origin, get(state, B))
    if state.units[origin, side] == 0 or is_garrison(state, side, origin) or _was_entered(state, origin):
        return False
    for i in range(NUM_NEIGHBOURS[origin]):
        if _can_go(state, side, origin, NEIGHBOURS[origin, i]):
            return True
    return False


@kernel
def _can_go_on(state, side, region):
    """Whether the chosen figures may enter a further region (R7.5.12)."""
    size = chosen_units(state)
    steps = get(state, STAGE) - 1
    return can_finish(state, side, get(state, C), region, steps, chosen_at_peace(state), size, get(state, F))


@kernel
def resume_move_armies(state):
    """Asks for the next step or army, or ends the action and checks the stacking left for then (R7.2.4)."""
    side = int(state.acting)
    if get(state, STAGE) > 0:
        _continue_walk(state, side)
        return
    if get(state, A) > 0:
        for region in range(NUM_REGIONS):
            if _can_start(state, side, region):
                ask(state, side, Decision.ARMY_ORIGIN)
                return
    pop(state)
    if state.options[Option.STACKING_CHECK] == StackingCheck.END_OF_ACTION:
        for i in range(state.moved_count):
            trim_to_stacking(state, side, int(state.moved_to[i]))


@kernel
def _continue_walk(state, side):
    """An army on its way goes on if it can, else its move is over."""
    for i in range(NUM_NEIGHBOURS[get(state, C)]):
        if _can_go_on(state, side, NEIGHBOURS[get(state, C), i]):
            ask(state, side, Decision.ARMY_DESTINATION)
            return
    _end_move(state, side)


@kernel
def legal_army_origin(state, mask):
    """D13: the army to move; after the first, the action may be ended (R5.6.1)."""
    for region in range(NUM_REGIONS):
        if _can_start(state, state.seat, region):
            mask[Block.REGION + region] = True
    if state.moved_count > 0:
        mask[Block.VERB + Verb.DONE] = True


@kernel
def apply_army_origin(state, action):
    if action == Block.VERB + Verb.DONE:
        put(state, A, 0)
    else:
        put(state, C, action - Block.REGION)
        ask(state, int(state.seat), Decision.ARMY_DESTINATION)


@kernel
def legal_army_destination(state, mask):
    """D13: an adjacent region that some move set may enter; an army on its way may also stop."""
    side = int(state.seat)
    origin = get(state, C)
    walking = get(state, STAGE) > 0
    for i in range(NUM_NEIGHBOURS[origin]):
        region = NEIGHBOURS[origin, i]
        if walking:
            mask[Block.REGION + region] = _can_go_on(state, side, region)
        else:
            mask[Block.REGION + region] = _can_go(state, side, origin, region)
    if walking and may_end_in(state, side, origin, 0, chosen_units(state) + 1, get(state, F)):
        mask[Block.VERB + Verb.DONE] = True


@kernel
def apply_army_destination(state, action):
    side = int(state.seat)
    if action == Block.VERB + Verb.DONE:
        _end_move(state, side)
        return
    put(state, D, action - Block.REGION)
    if get(state, STAGE) > 0:
        _step(state, side)
    else:
        ask(state, side, Decision.MOVE_FIGURES)


@kernel
def legal_move_figures(state, mask):
    """D13: the move set, figure by figure (R7.5.2-R7.5.5)."""
    side = int(state.seat)
    destination = get(state, D)
    room = room_at(state, _purpose(state), side, destination)
    legal_pick(state, mask, _purpose(state), side, get(state, C), destination, get(state, B), room)


@kernel
def apply_move_figures(state, action):
    side = int(state.seat)
    if not apply_pick(state, action, _purpose(state), side, get(state, C), get(state, D)):
        ask(state, side, Decision.MOVE_FIGURES)
        return
    put(state, STAGE, get(state, E))
    _step(state, side)


@kernel
def _step(state, side):
    """The chosen figures enter the next region (R7.5.11, R7.5.12)."""
    destination = get(state, D)
    transfer_chosen(state, side, get(state, C), destination)
    army_enters(state, side, destination, int(state.chosen_characters))
    put(state, C, destination)
    put(state, STAGE, get(state, STAGE) - 1)
    if get(state, STAGE) == 0:
        _end_move(state, side)


@kernel
def _end_move(state, side):
    """The move of one army is over (R7.2.4, R7.5.6)."""
    destination = get(state, C)
    clear_chosen(state)
    note_moved_to(state, destination)
    put(state, STAGE, 0)
    put(state, A, get(state, A) - 1)
    if state.options[Option.STACKING_CHECK] == StackingCheck.EACH_MOVE:
        trim_to_stacking(state, side, destination)
