"""Companions that move alone: moves in groups (R7.6) and leaving the Fellowship (R9.8)."""

from __future__ import annotations

from wotr_env.compiler.codes import Codes
from wotr_env.games.war_of_the_ring.actions import Block
from wotr_env.games.war_of_the_ring.codes import Decision, Frame, Side, Verb
from wotr_env.games.war_of_the_ring.components import IS_COMPANION
from wotr_env.games.war_of_the_ring.kernels import kernel
from wotr_env.games.war_of_the_ring.options import CompanionActivation, Option, TakeThemAlive
from wotr_env.games.war_of_the_ring.rules.armies import holds_stronghold
from wotr_env.games.war_of_the_ring.rules.characters import (
    companions_in_fellowship,
    eliminate_character,
    first_of,
    in_fellowship,
)
from wotr_env.games.war_of_the_ring.rules.fellowship import choose_guide, hobbit_taken
from wotr_env.games.war_of_the_ring.rules.politics import companions_arrive
from wotr_env.games.war_of_the_ring.rules.stack import STAGE, ask, ask_leader, get, pop, push, put
from wotr_env.games.war_of_the_ring.rules.travel import (
    can_travel,
    group_level,
    is_closed,
    is_companion_to_move,
    mark_besieged_ends,
    mark_reach,
)
from wotr_env.games.war_of_the_ring.state import NUM_CHARACTERS


class CompanionFrame(Codes):
    """Slots of the frame ``MOVE_COMPANIONS``."""

    KIND = 2
    STEPS_LEFT = 3
    REGION = 4  # where the group is
    GROUPS = 5  # moved; above 0 the player may end here, so it starts at 1 where none need move
    EXTRA_RANGE = 6  # by a card
    FIXED_LEVEL = 7  # by a card, 0: none


# Kinds.
MOVING = 0
SEPARATING = 1  # from the Fellowship, by an action
FIXED_GROUP = 2  # from the Fellowship, a group chosen by the Hunt (R14.6)
CARD_GROUP = 3  # inside or outside the Fellowship, by a card; may end in a Stronghold under siege

# Stages.
CHOOSE_GROUP = 0
CHOOSE_DESTINATION = 1
GO_ON = 2  # a further step of a way chosen region by region


@kernel
def some_companion_can_move(state):
    for character in range(NUM_CHARACTERS):
        if IS_COMPANION[character] and is_companion_to_move(state, character):
            return True
    return False


@kernel
def can_be_carried(state, character):
    region = int(state.location[character])
    return IS_COMPANION[character] and region >= 0 and not is_closed(state, Side.FREE_PEOPLES, region)


@kernel
def some_companion_can_be_carried(state):
    for character in range(NUM_CHARACTERS):
        if can_be_carried(state, character):
            return True
    return False


@kernel
def can_separate(state):
    """Whether there is a Companion to separate and the Fellowship is not on the Mordor Track (R9.8.1,
    R11.3.1)."""
    return state.mordor_step == 0 and companions_in_fellowship(state) > 0


@kernel
def start_companions(state, kind):
    push(state, Frame.MOVE_COMPANIONS)
    put(state, CompanionFrame.KIND, kind)


@kernel
def start_card_companions(state, kind, extra, level):
    """Starts moves or separations of Companions by a card; if several groups may move, none of them has to
    (R6.4.9, 22.4)."""
    start_companions(state, kind)
    put(state, CompanionFrame.EXTRA_RANGE, extra)
    put(state, CompanionFrame.FIXED_LEVEL, level)
    if kind == MOVING:
        put(state, CompanionFrame.GROUPS, 1)


@kernel
def separate_group(state, companions):
    """Lets a group (a bit set) leave the Fellowship during a Hunt; the player chooses the destination
    (R14.6)."""
    state.chosen_characters = companions
    start_companions(state, FIXED_GROUP)
    _group_complete(state)


@kernel
def group_region(state):
    """The region of the moving Companions."""
    return get(state, CompanionFrame.REGION)


@kernel
def _count_group(state):
    put(state, CompanionFrame.GROUPS, get(state, CompanionFrame.GROUPS) + 1)


@kernel
def resume_move_companions(state):
    """Asks for a group, then its destination; moves may be repeated, a separation is one group (R9.8.5)."""
    kind = get(state, CompanionFrame.KIND)
    if get(state, STAGE) != CHOOSE_GROUP:
        decision = Decision.COMPANION_DESTINATION if kind == MOVING else Decision.SEPARATE_DESTINATION
        if kind == FIXED_GROUP:
            ask_leader(state, Side.FREE_PEOPLES, decision)
        else:
            ask(state, Side.FREE_PEOPLES, decision)
    elif kind == MOVING and some_companion_can_move(state):
        ask(state, Side.FREE_PEOPLES, Decision.COMPANION_GROUP)
    elif (kind == SEPARATING or kind == CARD_GROUP) and get(state, CompanionFrame.GROUPS) == 0:
        ask(state, Side.FREE_PEOPLES, Decision.SEPARATE_GROUP)
    else:
        pop(state)


@kernel
def legal_companion_group(state, mask):
    """D15, R7.6.1: Companions of one place, each once; between groups the action may be ended (R5.6.1)."""
    group = int(state.chosen_characters)
    for character in range(NUM_CHARACTERS):
        if (
            not IS_COMPANION[character]
            or group >> character & 1
            or not is_companion_to_move(state, character)
        ):
            continue
        if group == 0 or state.location[character] == group_region(state):
            mask[Block.CHARACTER + character] = True
    if group != 0 or get(state, CompanionFrame.GROUPS) > 0:
        mask[Block.VERB + Verb.DONE] = True


@kernel
def apply_companion_group(state, action):
    if action == Block.VERB + Verb.DONE:
        if state.chosen_characters == 0:
            pop(state)
        else:
            _group_complete(state)
        return
    character = action - Block.CHARACTER
    put(state, CompanionFrame.REGION, int(state.location[character]))
    state.chosen_characters |= 1 << character


@kernel
def legal_separate_group(state, mask):
    """D17, R9.8.2: one Companion or one group out of the Fellowship."""
    group = int(state.chosen_characters)
    for character in range(NUM_CHARACTERS):
        if not IS_COMPANION[character] or group >> character & 1:
            continue
        inside = in_fellowship(state, character)
        outside = get(state, CompanionFrame.KIND) == CARD_GROUP and can_be_carried(state, character)
        together = group == 0 or state.location[character] == state.location[first_of(group)]
        mask[Block.CHARACTER + character] = (inside or outside) and together
    if state.chosen_characters != 0:
        mask[Block.VERB + Verb.DONE] = True


@kernel
def apply_separate_group(state, action):
    if action == Block.VERB + Verb.DONE:
        _group_complete(state)
    else:
        state.chosen_characters |= 1 << (action - Block.CHARACTER)


@kernel
def _group_complete(state):
    """Fixes the range of the group: the highest Level, plus the progress for a group that leaves the
    Fellowship (R7.6.1, R9.8.2)."""
    group = int(state.chosen_characters)
    steps = get(state, CompanionFrame.FIXED_LEVEL)
    if steps == 0:
        steps = group_level(group)
    steps += get(state, CompanionFrame.EXTRA_RANGE)
    start = int(state.location[first_of(group)])
    if start < 0:  # inside the Fellowship, or a Hobbit taken alive
        if state.mordor_step > 0:
            _lose_group(state)
            return
        steps += int(state.progress)
        start = int(state.fellowship_region)
    put(state, CompanionFrame.REGION, start)
    put(state, CompanionFrame.STEPS_LEFT, steps)
    put(state, STAGE, CHOOSE_DESTINATION)


@kernel
def _lose_group(state):
    """Eliminates Companions on the Mordor Track instead of separating them (R11.3.1)."""
    for character in range(NUM_CHARACTERS):
        if state.chosen_characters >> character & 1:
            eliminate_character(state, character)
    state.chosen_characters = 0
    _count_group(state)
    choose_guide(state)


@kernel
def _step_by_step(state):
    """Whether, by an option, every region on the way counts for activation, so that the player chooses the
    way region by region (R8.2 d, RU19)."""
    return state.options[Option.COMPANION_ACTIVATION] == CompanionActivation.ANY_REGION_ENTERED


@kernel
def legal_companion_destination(state, mask):
    """D15, D17, D38: a region within reach (R7.6.2-R7.6.4); a group that leaves the Fellowship may stay
    (R9.8.3)."""
    start = group_region(state)
    steps = get(state, CompanionFrame.STEPS_LEFT)
    if _step_by_step(state):
        steps = min(1, steps)
    mark_reach(state, mask, Side.FREE_PEOPLES, start, steps)
    if get(state, CompanionFrame.KIND) == CARD_GROUP:
        mark_besieged_ends(state, mask, Side.FREE_PEOPLES, start, steps)
    chosen = int(state.chosen_characters)
    if get(state, STAGE) == CHOOSE_DESTINATION and state.location[first_of(chosen)] == start:
        mask[Block.REGION + start] = False


@kernel
def apply_companion_destination(state, action):
    """Moves the group to its destination: activation, and a new Guide if the group left the Fellowship (R8.2
    d, R9.8.3, R9.8.4).

    Also R7.6.5.
    """
    region = action - Block.REGION
    stays = region == group_region(state)
    group = int(state.chosen_characters)
    moving = get(state, CompanionFrame.KIND) == MOVING
    leaving = not moving and in_fellowship(state, first_of(group))
    for character in range(NUM_CHARACTERS):
        if group >> character & 1:
            state.location[character] = region
    companions_arrive(state, region, group)
    put(state, CompanionFrame.STEPS_LEFT, get(state, CompanionFrame.STEPS_LEFT) - 1)
    put(state, CompanionFrame.REGION, region)
    if _step_by_step(state) and not stays and _can_go_on(state, region):
        put(state, STAGE, GO_ON)
    else:
        if moving:
            state.moved_characters |= group
        state.chosen_characters = 0
        put(state, STAGE, CHOOSE_GROUP)
        _count_group(state)
    if leaving:
        choose_guide(state)


@kernel
def _can_go_on(state, region):
    """Whether the group has steps left and the region that it entered does not stop it (R7.6.3)."""
    return (
        get(state, CompanionFrame.STEPS_LEFT) > 0
        and not holds_stronghold(state, Side.SHADOW, region)
        and can_travel(state, Side.FREE_PEOPLES, region)
    )


# --- Taken alive (R14.6): a Hobbit eliminated in the Fellowship. Frame TAKE_THEM_ALIVE. ---


@kernel
def resume_take_them_alive(state):
    ask_leader(state, Side.FREE_PEOPLES, Decision.TAKE_THEM_ALIVE)


@kernel
def legal_take_them_alive(state, mask):
    """D38, R14.6: whether the Hobbit is placed as if separated; with an option of the ruleset, this is
    mandatory (RG43). The next decision is the destination.
    """
    mask[Block.VERB + Verb.ACCEPT] = True
    if state.options[Option.TAKE_THEM_ALIVE] == TakeThemAlive.OPTIONAL:
        mask[Block.VERB + Verb.DECLINE] = True


@kernel
def apply_take_them_alive(state, action):
    hobbit = hobbit_taken(state)
    pop(state)
    if action == Block.VERB + Verb.ACCEPT:
        separate_group(state, 1 << hobbit)
