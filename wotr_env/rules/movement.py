"""Army movement and what entering a region causes (R7.5, R7.17)."""

from __future__ import annotations

from wotr_env.actions import Block
from wotr_env.codes import Decision, Frame, Side, Verb
from wotr_env.compile import kernel
from wotr_env.components import (
    NATION_SIDE,
    NEIGHBOURS,
    NUM_NEIGHBOURS,
    NUM_REGIONS,
    REGION_NATION,
    SETTLEMENT_INDEX,
)
from wotr_env.rules.armies import controller, free_for_movement, is_garrison, trim_to_stacking
from wotr_env.rules.parties import (
    MOVE,
    apply_pick,
    can_form,
    clear_chosen,
    legal_pick,
    room_at,
    transfer_chosen,
)
from wotr_env.rules.politics import advance, companions_arrive, shadow_army_enters
from wotr_env.rules.stack import A, B, C, D, ask, get, pop, push, put
from wotr_env.ruleset import Option, OverstackVoluntary, StackingCheck


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
def can_move_to(state, side, origin, destination, need_leader):
    """Whether some move set of the army may enter an adjacent region (R7.5.3-R7.5.9)."""
    return free_for_movement(state, side, destination) and can_form(
        state, MOVE, side, origin, destination, need_leader, room_at(state, MOVE, side, destination)
    )


@kernel
def can_move_from(state, side, origin, need_leader):
    """Whether the army of a region may move: no garrison under siege, none just moved (R7.5.6, R7.5.10).

    Also R7.5.14.
    """
    if state.units[origin, side] == 0 or is_garrison(state, side, origin) or _was_entered(state, origin):
        return False
    for i in range(NUM_NEIGHBOURS[origin]):
        if can_move_to(state, side, origin, NEIGHBOURS[origin, i], need_leader):
            return True
    return False


@kernel
def some_army_can_move(state, side, need_leader):
    for region in range(NUM_REGIONS):
        if can_move_from(state, side, region, need_leader):
            return True
    return False


# --- Moving armies with a die. Frame: A moves left, B 1 if a leader is needed, C origin, D destination. ---


@kernel
def start_moves(state, moves, need_leader):
    """An Army result moves up to two armies, a Character result one that has a leader (R7.5.1)."""
    push(state, Frame.MOVE_ARMIES, moves, need_leader, 0, 0)


@kernel
def resume_move_armies(state):
    """Asks for the next army, or ends the action and checks the stacking left for its end (R7.2.4)."""
    side = int(state.acting)
    if get(state, A) > 0 and some_army_can_move(state, side, get(state, B)):
        ask(state, side, Decision.ARMY_ORIGIN)
        return
    pop(state)
    if state.options[Option.STACKING_CHECK] == StackingCheck.END_OF_ACTION:
        for i in range(state.moved_count):
            trim_to_stacking(state, side, int(state.moved_to[i]))


@kernel
def legal_army_origin(state, mask):
    """D13: the army to move; after the first, the action may be ended (R5.6.1)."""
    for region in range(NUM_REGIONS):
        if can_move_from(state, state.seat, region, get(state, B)):
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
    """D13: an adjacent region that some move set may enter."""
    origin = get(state, C)
    for i in range(NUM_NEIGHBOURS[origin]):
        if can_move_to(state, state.seat, origin, NEIGHBOURS[origin, i], get(state, B)):
            mask[Block.REGION + NEIGHBOURS[origin, i]] = True


@kernel
def apply_army_destination(state, action):
    put(state, D, action - Block.REGION)
    ask(state, int(state.seat), Decision.MOVE_FIGURES)


@kernel
def legal_move_figures(state, mask):
    """D13: the move set, figure by figure (R7.5.2-R7.5.5)."""
    side = int(state.seat)
    destination = get(state, D)
    legal_pick(
        state,
        mask,
        MOVE,
        side,
        get(state, C),
        destination,
        get(state, B),
        room_at(state, MOVE, side, destination),
    )


@kernel
def apply_move_figures(state, action):
    side = int(state.seat)
    origin = get(state, C)
    destination = get(state, D)
    if not apply_pick(state, action, MOVE, side, origin, destination):
        ask(state, side, Decision.MOVE_FIGURES)
        return
    transfer_chosen(state, side, origin, destination)
    note_moved_to(state, destination)
    army_enters(state, side, destination, int(state.chosen_characters))
    clear_chosen(state)
    put(state, A, get(state, A) - 1)
    disband = state.options[Option.OVERSTACK_VOLUNTARY] == OverstackVoluntary.DISBAND
    if disband and state.options[Option.STACKING_CHECK] == StackingCheck.EACH_MOVE:
        trim_to_stacking(state, side, destination)
