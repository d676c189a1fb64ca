"""Action dice: the use of each result, the choice of a die and of a plan, Elven Rings (R4.6, R5)."""

from __future__ import annotations

import numpy as np

from wotr_env.compiler.memory import lowest_bit
from wotr_env.games.war_of_the_ring.actions import Block
from wotr_env.games.war_of_the_ring.codes import Character, Decision, Face, Plan, Side, Verb
from wotr_env.games.war_of_the_ring.components import DIE_FACES
from wotr_env.games.war_of_the_ring.data.event_programs import Need
from wotr_env.games.war_of_the_ring.kernels import kernel
from wotr_env.games.war_of_the_ring.options import DieSkip, Option
from wotr_env.games.war_of_the_ring.rules.armies import trim_after_action
from wotr_env.games.war_of_the_ring.rules.battle.attack import some_army_can_attack
from wotr_env.games.war_of_the_ring.rules.cards import draws_available
from wotr_env.games.war_of_the_ring.rules.characters import (
    can_raise_elites,
    messenger_ready,
    needs_messenger,
    raise_elites,
    some_character_can_enter,
    unused_dice,
)
from wotr_env.games.war_of_the_ring.rules.chosen import clear_chosen
from wotr_env.games.war_of_the_ring.rules.companions import (
    MOVING,
    SEPARATING,
    can_separate,
    some_companion_can_move,
    start_companions,
)
from wotr_env.games.war_of_the_ring.rules.events.playing import some_event_is_playable
from wotr_env.games.war_of_the_ring.rules.fellowship import hide_fellowship, move_fellowship
from wotr_env.games.war_of_the_ring.rules.minions import some_minion_can_move, start_minions
from wotr_env.games.war_of_the_ring.rules.movement import some_army_can_move, start_moves
from wotr_env.games.war_of_the_ring.rules.places import forget_places
from wotr_env.games.war_of_the_ring.rules.politics import some_companion_can_advance, some_nation_can_advance
from wotr_env.games.war_of_the_ring.rules.recruiting import (
    can_muster,
    start_muster,
    start_voice,
    voice_can_recruit,
)
from wotr_env.games.war_of_the_ring.rules.rings import ring_ready, spend_ring
from wotr_env.games.war_of_the_ring.rules.seats import (
    acting_seat_takes_over,
    deciding_side,
    leaders_take_over,
    other_of,
)
from wotr_env.games.war_of_the_ring.rules.spent import close_action
from wotr_env.games.war_of_the_ring.rules.stack import STAGE, ask, ask_again, get, pop, put
from wotr_env.games.war_of_the_ring.rules.table.play import can_buy_off_some
from wotr_env.games.war_of_the_ring.state import NUM_FACES, NUM_SIDES

NUM_PLANS = len(Plan)

_ARMY = (Plan.MOVE_ARMIES, Plan.ATTACK, Plan.PLAY_CARD)
_MUSTER = (Plan.ADVANCE_NATION, Plan.RECRUIT, Plan.PLAY_CARD)
_EVENT = (Plan.DRAW_CARD, Plan.PLAY_CARD)
_FELLOWSHIP = (Plan.MOVE_FELLOWSHIP, Plan.HIDE_FELLOWSHIP, Plan.SEPARATE_COMPANIONS, Plan.MOVE_COMPANIONS)
_MINIONS = (Plan.BRING_CHARACTER, Plan.VOICE_REGULARS, Plan.VOICE_ELITES)
# R14.2-R14.5, where the Companion allows it, and R6.5.3.
_ANY_DIE = (Plan.COMPANION_ADVANCE, Plan.HIDE_FELLOWSHIP, Plan.BUY_OFF)


def _plans() -> np.ndarray:
    """Tables R5.4 and R5.5 of the rules: ``[side, face]``, the plans that a result allows, one bit each.

    Also R5.3.4.
    """
    table = np.zeros((NUM_SIDES, NUM_FACES), dtype=np.int64)
    free_peoples = {
        Face.CHARACTER: _FELLOWSHIP + _ARMY,
        Face.ARMY: _ARMY,
        Face.MUSTER: _MUSTER,
        Face.ARMY_MUSTER: _ARMY + _MUSTER,
        Face.EVENT: _EVENT,
        Face.WILL: _FELLOWSHIP + _ARMY + _MUSTER + _EVENT + (Plan.BRING_CHARACTER,),
    }
    shadow = {
        Face.CHARACTER: (Plan.MOVE_MINIONS, *_ARMY),
        Face.ARMY: _ARMY,
        Face.MUSTER: _MUSTER + _MINIONS + (Plan.MOVE_ARMIES, Plan.ATTACK),  # the Messenger, R14.12
        Face.ARMY_MUSTER: _ARMY + _MUSTER + _MINIONS,
        Face.EVENT: _EVENT,
    }
    for face, plans in free_peoples.items():
        table[Side.FREE_PEOPLES, face] = sum(1 << plan for plan in {*plans, *_ANY_DIE})
    for face, plans in shadow.items():
        table[Side.SHADOW, face] = sum(1 << plan for plan in {*plans, Plan.BUY_OFF})
    return table


PLANS = _plans()

# Stages of the frame ``ACTION``.
CHOOSING = 0
FINISHED = 1  # the die is taken
PASSED = 2


@kernel
def may_pass(state, side):
    """R4.6.2: whether a side may pass; it needs fewer unused dice than the opponent."""
    return unused_dice(state, side) < unused_dice(state, 1 - side)


@kernel
def may_use_ring(state, side):
    """Whether a side has a Ring, has used none this turn, and has a die to change (R5.7.1, R5.7.4, R5.7.6,
    R13.4.4)."""
    return ring_ready(state, side) and unused_dice(state, side) > 0


@kernel
def resume_action(state):
    """Asks the acting player to use a die; a player without dice is skipped; then the turn passes (R4.6,
    R4.6.3).

    Partners alternate; a player who passes keeps the next action of the side (R13.4.1-R13.4.3).
    """
    side = int(state.acting)
    stage = get(state, STAGE)
    if stage != CHOOSING or unused_dice(state, side) == 0:
        if trim_after_action(state, side):
            return
        if stage == FINISHED:
            state.next_seat[side] = other_of(state, int(state.next_seat[side]))
            close_action(state, side)
        state.action_face = 0
        state.action_plan = 0
        forget_places(state)
        leaders_take_over(state)
        state.acting = 1 - side
        pop(state)
    else:
        acting_seat_takes_over(state)
        ask(state, side, Decision.ACTION_DIE)


@kernel
def legal_action_die(state, mask):
    """D05, D06: a die by its face, pass, or an Elven Ring first (R4.6.1, R5.7.1)."""
    side = deciding_side(state)
    if may_pass(state, side):
        mask[Block.VERB + Verb.PASS] = True
    if may_use_ring(state, side):
        mask[Block.VERB + Verb.USE_RING] = True
    only_useful = state.options[Option.DIE_SKIP] == DieSkip.FORCED_ONLY and not _must_skip(state, side)
    for face in range(NUM_FACES):
        if state.dice[side, face] > 0 and (not only_useful or _is_useful(state, side, face)):
            mask[Block.FACE + face] = True


@kernel
def _is_useful(state, side, face):
    """Whether a die result has any use other than being skipped."""
    plans = int(PLANS[side, face])
    while plans != 0:
        if can_plan(state, side, face, lowest_bit(plans)):
            return True
        plans &= plans - 1
    return False


@kernel
def _must_skip(state, side):
    """Whether a side can only skip a die (R4.6.4)."""
    if may_pass(state, side):
        return False
    for face in range(NUM_FACES):
        if state.dice[side, face] > 0 and _is_useful(state, side, face):
            return False
    return True


@kernel
def apply_action_die(state, action):
    """Uses the die, which is then set aside until the next turn; or passes (R4.6.2, R4.6.5)."""
    side = deciding_side(state)
    if action == Block.VERB + Verb.PASS:
        put(state, STAGE, PASSED)
    elif action == Block.VERB + Verb.USE_RING:
        ask_again(state, Decision.RING_DIE)
    else:
        face = action - Block.FACE
        state.dice[side, face] -= 1
        state.dice_used[side] += 1
        state.action_face = face
        put(state, STAGE, FINISHED)
        ask_again(state, Decision.ACTION_PLAN)


# --- Elven Rings (R5.7). ---


@kernel
def legal_ring_die(state, mask):
    """D05: one of the deciding side's unused dice; dice in the Hunt Box cannot be changed (R5.7.6,
    R5.7.7)."""
    side = deciding_side(state)
    for face in range(NUM_FACES):
        if state.dice[side, face] > 0:
            mask[Block.FACE + face] = True


@kernel
def apply_ring_die(state, action):
    state.action_face = action - Block.FACE
    ask_again(state, Decision.RING_FACE)


@kernel
def legal_ring_face(state, mask):
    """D05: any other result on the dice of the side, except Will of the West (R5.7.1, R5.7.2)."""
    side = deciding_side(state)
    for i in range(DIE_FACES.shape[1]):
        face = DIE_FACES[side, i]
        if face != state.action_face and face != Face.WILL:
            mask[Block.FACE + face] = True


@kernel
def apply_ring_face(state, action):
    """Changes the die; the Ring passes to the Shadow, or leaves the game (R5.7.3, R5.7.5)."""
    side = deciding_side(state)
    face = action - Block.FACE
    state.dice[side, state.action_face] -= 1
    if face == Face.EYE:
        state.hunt_box[side] += 1
    else:
        state.dice[side, face] += 1
    state.action_face = 0
    spend_ring(state, side)


# --- Plans. ---


@kernel
def can_plan(state, side, face, plan):
    """Whether a die result can be used for a plan now (R5.4, R5.5, R5.6, R9.3.3, R9.4.1, R5.6.2)."""
    if PLANS[side, face] >> plan & 1 == 0:
        return False
    if needs_messenger(face, plan) and not messenger_ready(state):
        return False
    need = Need.LEADER if face == Face.CHARACTER else Need.NOBODY
    if plan == Plan.MOVE_FELLOWSHIP:
        return state.revealed == 0
    if plan == Plan.HIDE_FELLOWSHIP:
        paid = face == Face.CHARACTER or face == Face.WILL or state.guide == Character.STRIDER
        return state.revealed == 1 and paid
    if plan == Plan.SEPARATE_COMPANIONS:
        return can_separate(state)
    if plan == Plan.MOVE_COMPANIONS:
        return some_companion_can_move(state)
    if plan == Plan.MOVE_MINIONS:
        return some_minion_can_move(state, False)
    if plan == Plan.MOVE_ARMIES:
        return some_army_can_move(state, side, need)
    if plan == Plan.ATTACK:
        return some_army_can_attack(state, side, need)
    if plan == Plan.ADVANCE_NATION:
        return some_nation_can_advance(state, side)
    if plan == Plan.RECRUIT:
        return can_muster(state, side)
    if plan == Plan.BRING_CHARACTER:
        return some_character_can_enter(state, side)
    if plan == Plan.VOICE_REGULARS:
        return voice_can_recruit(state)
    if plan == Plan.VOICE_ELITES:
        return can_raise_elites(state)
    if plan == Plan.COMPANION_ADVANCE:
        return some_companion_can_advance(state)
    if plan == Plan.DRAW_CARD:
        return draws_available(state, side)
    if plan == Plan.BUY_OFF:
        return can_buy_off_some(state, side, face)
    return plan == Plan.PLAY_CARD and some_event_is_playable(state, face)


@kernel
def legal_action_plan(state, mask):
    """D06: the action of the die; skipping is always allowed, or with an option only if nothing else is
    possible (R4.6.4)."""
    side = deciding_side(state)
    face = int(state.action_face)
    useful = False
    plans = int(PLANS[side, face])
    while plans != 0:
        plan = lowest_bit(plans)
        plans &= plans - 1
        if can_plan(state, side, face, plan):
            mask[Block.PLAN + plan] = True
            useful = True
    if not useful or state.options[Option.DIE_SKIP] == DieSkip.ALWAYS:
        mask[Block.PLAN + Plan.SKIP] = True


@kernel
def apply_action_plan(state, action):
    """Starts the action, which is completely resolved before the turn passes (R4.6.7)."""
    plan = action - Block.PLAN
    state.action_plan = plan
    clear_chosen(state)
    if needs_messenger(state.action_face, plan):
        state.messenger_used = 1
    if plan == Plan.MOVE_FELLOWSHIP:
        move_fellowship(state, 1)
    elif plan == Plan.HIDE_FELLOWSHIP:
        hide_fellowship(state)
    elif plan == Plan.SEPARATE_COMPANIONS:
        start_companions(state, SEPARATING)
    elif plan == Plan.MOVE_COMPANIONS:
        start_companions(state, MOVING)
    elif plan == Plan.MOVE_MINIONS:
        start_minions(state)
    elif plan == Plan.MOVE_ARMIES:
        start_moves(state, state.action_face == Face.CHARACTER)
    elif plan == Plan.ATTACK:
        ask_again(state, Decision.ATTACK_ORIGIN)
    elif plan == Plan.ADVANCE_NATION or plan == Plan.COMPANION_ADVANCE:
        ask_again(state, Decision.ADVANCE_NATION)
    elif plan == Plan.RECRUIT:
        start_muster(state)
    elif plan == Plan.BRING_CHARACTER:
        ask_again(state, Decision.BRING_CHARACTER)
    elif plan == Plan.VOICE_REGULARS:
        start_voice(state)
    elif plan == Plan.VOICE_ELITES:
        raise_elites(state)
    elif plan == Plan.DRAW_CARD:
        ask_again(state, Decision.DRAW_DECK)
    elif plan == Plan.PLAY_CARD:
        ask_again(state, Decision.EVENT_CARD)
    elif plan == Plan.BUY_OFF:
        ask_again(state, Decision.BUY_OFF_CARD)
