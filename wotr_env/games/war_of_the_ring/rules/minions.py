"""Moves of Nazgul and Minions that move alone (R7.7)."""

from __future__ import annotations

from wotr_env.compiler.codes import Codes
from wotr_env.games.war_of_the_ring.actions import Block
from wotr_env.games.war_of_the_ring.codes import Character, Decision, Frame, Nation, Side, Verb
from wotr_env.games.war_of_the_ring.components import CHARACTER_LEVEL, NUM_REGIONS
from wotr_env.games.war_of_the_ring.kernels import kernel
from wotr_env.games.war_of_the_ring.rules.places import forget_places, note_place, times_noted
from wotr_env.games.war_of_the_ring.rules.seats import controls_character
from wotr_env.games.war_of_the_ring.rules.stack import ask, get, pop, push, put
from wotr_env.games.war_of_the_ring.rules.travel import can_travel, is_open_to_minions, mark_reach


class MinionFrame(Codes):
    """Slots of the frame ``MOVE_MINIONS``."""

    MOVED = 2  # figures moved; above 0 the player may end here, so it starts at 1 where none need move
    WHO = 3  # moves: NUM_REGIONS + a character, or a Nazgul as the region he leaves
    NAZGUL_ONLY = 4  # 1 if a card moves no Minions but the Witch-king
    DONE = 5  # 1 once the player has ended


@kernel
def _nazgul_to_move(state, region):
    """The number of Nazgul in a region that have not moved in this action (R7.7.1)."""
    there = int(state.leader[region, Nation.SAURON])
    return there - times_noted(state, region) if there > 0 else 0


@kernel
def minion_can_move(state, character):
    """Whether a Minion can move: the Witch-king flies, the Mouth walks, Saruman never leaves Orthanc
    (R7.7.2-R7.7.4, R13.5.2)."""
    region = int(state.location[character])
    if region < 0 or state.moved_characters >> character & 1:
        return False
    if not controls_character(state, Side.SHADOW, character):
        return False
    if character == Character.WITCH_KING:
        return True
    return character == Character.MOUTH_OF_SAURON and can_travel(state, Side.SHADOW, region)


@kernel
def some_minion_can_move(state, nazgul_only):
    """Whether a Nazgul or Minion that has not moved can move (R7.7.1); for some cards only Nazgul."""
    if minion_can_move(state, Character.WITCH_KING):
        return True
    if not nazgul_only and minion_can_move(state, Character.MOUTH_OF_SAURON):
        return True
    for region in range(NUM_REGIONS):
        if _nazgul_to_move(state, region) > 0:
            return True
    return False


@kernel
def start_minions(state):
    push(state, Frame.MOVE_MINIONS)


@kernel
def start_nazgul(state):
    """Starts moves of any or all Nazgul by a card, including the Witch-king (R6.4.9, 22.1, RG13)."""
    forget_places(state)
    push(state, Frame.MOVE_MINIONS)
    put(state, MinionFrame.MOVED, 1)
    put(state, MinionFrame.NAZGUL_ONLY, 1)


@kernel
def moving_minion(state):
    """The moving Minion; -1 for a Nazgul."""
    return max(-1, get(state, MinionFrame.WHO) - NUM_REGIONS)


@kernel
def minion_origin(state):
    """The origin of the Minion or Nazgul."""
    character = moving_minion(state)
    return int(state.location[character]) if character >= 0 else get(state, MinionFrame.WHO)


@kernel
def some_nazgul(state):
    """Whether a Nazgul is on the board, including the Witch-king."""
    for region in range(NUM_REGIONS):
        if state.leader[region, Nation.SAURON] > 0:
            return True
    return state.location[Character.WITCH_KING] >= 0


@kernel
def resume_move_minions(state):
    nazgul_only = get(state, MinionFrame.NAZGUL_ONLY) == 1
    if get(state, MinionFrame.DONE) == 0 and some_minion_can_move(state, nazgul_only):
        ask(state, Side.SHADOW, Decision.MINION_TO_MOVE)
    else:
        if nazgul_only:  # what the card does next counts its own moves
            forget_places(state)
        pop(state)


@kernel
def legal_minion_to_move(state, mask):
    """D16, R7.7.1: a Nazgul of a region or a Minion, each once; after the first the action may be ended."""
    for region in range(NUM_REGIONS):
        if _nazgul_to_move(state, region) > 0:
            mask[Block.REGION + region] = True
    nazgul_only = get(state, MinionFrame.NAZGUL_ONLY) == 1
    last = Character.WITCH_KING if nazgul_only else Character.MOUTH_OF_SAURON
    for character in range(Character.WITCH_KING, last + 1):
        if minion_can_move(state, character):
            mask[Block.CHARACTER + character] = True
    if get(state, MinionFrame.MOVED) > 0:
        mask[Block.VERB + Verb.DONE] = True


@kernel
def apply_minion_to_move(state, action):
    if action == Block.VERB + Verb.DONE:
        put(state, MinionFrame.DONE, 1)
        return
    if action < Block.CARD:
        put(state, MinionFrame.WHO, action - Block.REGION)
    else:
        put(state, MinionFrame.WHO, NUM_REGIONS + action - Block.CHARACTER)
    ask(state, Side.SHADOW, Decision.MINION_DESTINATION)


@kernel
def legal_minion_destination(state, mask):
    """D16: flight (R7.7.2), or up to 3 regions for the Mouth (R7.7.3); never the place he leaves."""
    start = minion_origin(state)
    if moving_minion(state) == Character.MOUTH_OF_SAURON:
        mark_reach(state, mask, Side.SHADOW, start, int(CHARACTER_LEVEL[Character.MOUTH_OF_SAURON]))
    else:
        for region in range(NUM_REGIONS):
            if is_open_to_minions(state, region):
                mask[Block.REGION + region] = True
    mask[Block.REGION + start] = False


@kernel
def apply_minion_destination(state, action):
    region = action - Block.REGION
    character = moving_minion(state)
    put(state, MinionFrame.MOVED, get(state, MinionFrame.MOVED) + 1)
    if character >= 0:
        state.location[character] = region
        state.moved_characters |= 1 << character
    else:
        state.leader[minion_origin(state), Nation.SAURON] -= 1
        state.leader[region, Nation.SAURON] += 1
        note_place(state, region)
