"""Nazgul and Minions on their own (R7.7)."""

from __future__ import annotations

from wotr_env.actions import Block
from wotr_env.codes import Character, Decision, Frame, Nation, Side, Verb
from wotr_env.components import CHARACTER_LEVEL, NUM_REGIONS
from wotr_env.kernels import kernel
from wotr_env.rules.armies import holds_stronghold, is_besieger
from wotr_env.rules.stack import A, B, C, D, ask, get, pop, push, put
from wotr_env.rules.travel import can_travel, mark_reach

# --- Frame MOVE_MINIONS: A figures moved, B who moves (a region of Nazgul, or CHARACTERS + character), C 1 if
# a card moves Nazgul only, D 1 when the player is done. ---

CHARACTERS = 105


@kernel
def nazgul_may_fly_to(state, region):
    """Anywhere but to an FP-controlled Stronghold that the Shadow does not besiege (R7.7.2)."""
    return not holds_stronghold(state, Side.FREE_PEOPLES, region) or is_besieger(state, Side.SHADOW, region)


@kernel
def _nazgul_to_move(state, region):
    """Nazgul of a region that have not moved in this action (R7.7.1)."""
    waiting = int(state.leader[region, Nation.SAURON])
    for i in range(state.moved_count):
        if state.moved_to[i] == region:
            waiting -= 1
    return waiting


@kernel
def minion_can_move(state, character):
    """The Witch-king flies, the Mouth walks, Saruman never leaves Orthanc (R7.7.2-R7.7.4)."""
    region = int(state.location[character])
    if region < 0 or state.moved_characters >> character & 1:
        return False
    if character == Character.WITCH_KING:
        return True
    return character == Character.MOUTH_OF_SAURON and can_travel(state, Side.SHADOW, region)


@kernel
def some_minion_can_move(state, nazgul_only):
    """Whether a Nazgul or Minion that has not moved can (R7.7.1); by card Nazgul only."""
    for region in range(NUM_REGIONS):
        if _nazgul_to_move(state, region) > 0:
            return True
    if minion_can_move(state, Character.WITCH_KING):
        return True
    return nazgul_only == 0 and minion_can_move(state, Character.MOUTH_OF_SAURON)


@kernel
def start_minions(state):
    push(state, Frame.MOVE_MINIONS, 0, 0, 0, 0)


@kernel
def start_nazgul(state):
    """A card lets any or all Nazgul move, the Witch-king included (R6.4.9, 22.1, RG13)."""
    state.moved_count = 0
    state.moved_characters = 0
    push(state, Frame.MOVE_MINIONS, 1, 0, 1, 0)


@kernel
def some_nazgul(state):
    """Whether a Nazgul is on the board, the Witch-king included."""
    for region in range(NUM_REGIONS):
        if state.leader[region, Nation.SAURON] > 0:
            return True
    return state.location[Character.WITCH_KING] >= 0


@kernel
def resume_move_minions(state):
    if get(state, D) == 0 and some_minion_can_move(state, get(state, C)):
        ask(state, Side.SHADOW, Decision.MINION_TO_MOVE)
    else:
        if get(state, C) == 1:  # what the card does next counts its own moves
            state.moved_count = 0
            state.moved_to[:] = 0
            state.moved_characters = 0
        pop(state)


@kernel
def legal_minion_to_move(state, mask):
    """D16, R7.7.1: a Nazgul of a region or a Minion, each once; after the first the action may be ended."""
    for region in range(NUM_REGIONS):
        if _nazgul_to_move(state, region) > 0:
            mask[Block.REGION + region] = True
    last = Character.WITCH_KING if get(state, C) == 1 else Character.MOUTH_OF_SAURON
    for character in range(Character.WITCH_KING, last + 1):
        if minion_can_move(state, character):
            mask[Block.CHARACTER + character] = True
    if get(state, A) > 0:
        mask[Block.VERB + Verb.DONE] = True


@kernel
def apply_minion_to_move(state, action):
    if action == Block.VERB + Verb.DONE:
        put(state, D, 1)
        return
    put(state, B, action - Block.REGION if action < Block.CARD else CHARACTERS + action - Block.CHARACTER)
    ask(state, Side.SHADOW, Decision.MINION_DESTINATION)


@kernel
def legal_minion_destination(state, mask):
    """D16: flight (R7.7.2), or up to 3 regions for the Mouth (R7.7.3); never the place he leaves."""
    who = get(state, B)
    start = who
    if who >= CHARACTERS:
        start = int(state.location[who - CHARACTERS])
    if who == CHARACTERS + Character.MOUTH_OF_SAURON:
        mark_reach(state, mask, Side.SHADOW, start, int(CHARACTER_LEVEL[Character.MOUTH_OF_SAURON]))
    else:
        for region in range(NUM_REGIONS):
            if nazgul_may_fly_to(state, region):
                mask[Block.REGION + region] = True
    mask[Block.REGION + start] = False


@kernel
def apply_minion_destination(state, action):
    region = action - Block.REGION
    who = get(state, B)
    put(state, A, get(state, A) + 1)
    if who >= CHARACTERS:
        state.location[who - CHARACTERS] = region
        state.moved_characters |= 1 << (who - CHARACTERS)
    else:
        state.leader[who, Nation.SAURON] -= 1
        state.leader[region, Nation.SAURON] += 1
        state.moved_to[state.moved_count] = region
        state.moved_count += 1
