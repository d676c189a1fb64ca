"""Events about the Fellowship, the Hunt, politics, dice and cards (section 22.2)."""

from __future__ import annotations

from wotr_env.actions import Block
from wotr_env.cards.event_programs import EVENT_OPS, DeckKind, Op
from wotr_env.codes import (
    CardZone,
    Character,
    Decision,
    Face,
    Figure,
    Nation,
    Plan,
    Side,
    TileZone,
    Verb,
)
from wotr_env.components import CHARACTER_LEVEL, FELLOWSHIP_DISTANCE, NUM_CARDS, NUM_REGIONS, Region
from wotr_env.kernels import kernel
from wotr_env.rules.armies import eliminate_leader
from wotr_env.rules.cards import character_deck, draw_card, keep_hand_limit, strategy_deck
from wotr_env.rules.characters import (
    companions_in_fellowship,
    eliminate_character,
    in_fellowship,
    unused_dice,
)
from wotr_env.rules.events.figures import roll_dice
from wotr_env.rules.events.frame import current_op, next_op, parameter
from wotr_env.rules.fellowship import (
    appoint_guide,
    choose_guide,
    hide_fellowship,
    lose_companion,
    move_fellowship,
    reveal_fellowship,
)
from wotr_env.rules.hunt.damage import random_companion
from wotr_env.rules.hunt.hunt import start_breaking_tile, start_hunt_roll, start_hunt_tile
from wotr_env.rules.politics import activate, advance, can_advance, companions_arrive
from wotr_env.rules.stack import B, C, D, ask, get, put
from wotr_env.rules.table.modifiers import is_spellbound
from wotr_env.rules.table.play import mark_character_cards_on_table
from wotr_env.rules.victory import add_corruption
from wotr_env.state import NUM_FACES, NUM_FREE_PEOPLES


@kernel
def is_possible(state, card, place):
    """Whether the operation would change anything now (R6.4.4)."""
    op = EVENT_OPS[card, place, 0]
    nation = EVENT_OPS[card, place, 1]
    if op == Op.HEAL or op == Op.ROLL_HEAL:
        return state.corruption > 0
    if op == Op.GOLLUM_GUIDES:
        return state.guide == Character.GOLLUM
    if op == Op.MIRROR_DIE:
        return state.dice[Side.FREE_PEOPLES, Face.CHARACTER] > 0
    if op == Op.DRAW:
        return state.deck_size[_deck(state, nation)] > 0
    if op == Op.ADVANCE:
        return can_advance(state, nation)
    if op == Op.SET_WAR:
        return state.steps_to_war[nation] > 0 or state.active[nation] == 0
    if op == Op.COUNSEL:
        for other in range(NUM_FREE_PEOPLES):
            if _can_counsel(state, other):
                return True
        return False
    if op == Op.LIDLESS_EYE:
        return unused_dice(state, Side.SHADOW) > 0
    if op == Op.KILL_LEADER:
        return _leaders_at(state, nation) > 0
    if op == Op.DAWN_LOST:
        return state.dice[Side.FREE_PEOPLES, Face.WILL] > 0
    if op == Op.STRIKE:
        return True
    if op == Op.ROUSE_DWARVES_ELVES_NORTH:
        passive = state.active[Nation.DWARVES] == 0 or state.active[Nation.NORTH] == 0
        steps = can_advance(state, Nation.DWARVES) or can_advance(state, Nation.NORTH)
        return passive or steps or can_advance(state, Nation.ELVES)
    if op == Op.REVEAL:
        return state.revealed == 0
    if op == Op.WITCH_KING_RETURNS:
        return state.location[Character.WITCH_KING] != Region.ANGMAR
    return True


@kernel
def run(state, op):
    """Operations without a choice, and the first step of those with one."""
    if op == Op.TILE:
        activated = TileZone.POOL if state.mordor_step > 0 else TileZone.WAITING  # R10.1.3
        state.tile_zone[parameter(state, 1)] = activated
    elif op == Op.TABLE:
        state.card_zone[get(state, 2)] = CardZone.TABLE  # R6.5.1
    elif op == Op.HEAL:
        better = state.guide == parameter(state, 2)
        add_corruption(state, -(parameter(state, 3) if better else parameter(state, 1)))
    elif op == Op.ROLL_HEAL:
        add_corruption(state, -_roll_by_guide(state))
    elif op == Op.ROLL_CORRUPT:
        add_corruption(state, _roll_by_guide(state))
    elif op == Op.MIRROR_DIE:
        if state.dice[Side.FREE_PEOPLES, Face.CHARACTER] > 0:
            state.dice[Side.FREE_PEOPLES, Face.CHARACTER] -= 1
            state.dice[Side.FREE_PEOPLES, Face.WILL] += 1
    elif op == Op.ADVANCE:
        advance(state, parameter(state, 1))
    elif op == Op.SET_WAR:
        activate(state, parameter(state, 1))
        state.steps_to_war[parameter(state, 1)] = 0
    elif op == Op.ROUSE_DWARVES_ELVES_NORTH:
        activate(state, Nation.DWARVES)
        activate(state, Nation.NORTH)
        advance(state, Nation.DWARVES)
        advance(state, Nation.ELVES)
        advance(state, Nation.NORTH)
    elif op == Op.WOUND:
        add_corruption(state, 2 if state.corruption <= 3 else 1)
    elif op == Op.DAWN_LOST:
        lost = state.dice[Side.FREE_PEOPLES, Face.WILL]
        state.dice[Side.FREE_PEOPLES, Face.WILL] = 0
        state.dice_used[Side.FREE_PEOPLES] += lost
    elif op == Op.WITCH_KING_RETURNS:
        state.location[Character.WITCH_KING] = Region.ANGMAR
    else:
        _run_with_steps(state, op)
        return
    next_op(state)


@kernel
def _run_with_steps(state, op):
    """Operations that ask, or that start a business of their own; those move on before it."""
    if op == Op.DRAW:
        deck = _deck(state, parameter(state, 1))
        for _ in range(parameter(state, 2)):
            draw_card(state, deck, int(state.acting))
        next_op(state)
        keep_hand_limit(state, int(state.acting))
    elif op == Op.HUNT_TILE:
        kind = parameter(state, 1)
        next_op(state)
        start_hunt_tile(state, kind)
    elif op == Op.REVEAL:
        next_op(state)
        reveal_fellowship(state)
    elif op == Op.COUNSEL:
        ask(state, Side.FREE_PEOPLES, Decision.EVENT_NATION)
    elif op == Op.SHIFT_FIGURE:
        ask(state, Side.SHADOW, Decision.EVENT_REGION)
    elif op == Op.LIDLESS_EYE:
        if get(state, B) < parameter(state, 1) and unused_dice(state, Side.SHADOW) > 0:
            ask(state, Side.SHADOW, Decision.EVENT_DIE)
        else:
            next_op(state)
    elif op == Op.KILL_LEADER:
        if _leaders_at(state, parameter(state, 1)) > 0:
            ask(state, Side.FREE_PEOPLES, Decision.EVENT_FIGURE)
        else:
            next_op(state)
    elif op == Op.GOLLUM_GUIDES:
        if state.guide == Character.GOLLUM:
            ask(state, Side.FREE_PEOPLES, Decision.EVENT_OPTION)
        else:
            next_op(state)
    elif op == Op.STRIKE:
        ask(state, Side.SHADOW, Decision.EVENT_OPTION)
    elif op == Op.LURE:
        _run_lure(state)
    else:
        _run_breaking(state)


@kernel
def _deck(state, kind):
    side = int(state.acting)
    return character_deck(side) if kind == DeckKind.CHARACTER else strategy_deck(side)


@kernel
def _roll_by_guide(state):
    """Successes of dice whose number depends on the Guide (fp-char-09, sh-char-08)."""
    on = parameter(state, 4) if state.guide == parameter(state, 3) else parameter(state, 2)
    return roll_dice(state, parameter(state, 1), on)


# --- Wisdom of Elrond (fp-strat-08). ---


@kernel
def _can_counsel(state, nation):
    wakes = state.active[nation] == 0 and not is_spellbound(state, nation)
    return wakes or can_advance(state, nation)


@kernel
def legal_counsel(state, mask):
    """D44: an FP nation that would become active or advance."""
    for nation in range(NUM_FREE_PEOPLES):
        if _can_counsel(state, nation):
            mask[Block.NATION + nation] = True


@kernel
def apply_counsel(state, action):
    activate(state, action - Block.NATION)
    advance(state, action - Block.NATION)
    next_op(state)


# --- Cruel Weather (sh-char-10): neither declaration nor tile, never past the gates (R9.5.8, 22.4). ---


@kernel
def legal_shift(state, mask):
    """D44: a region adjacent to the Fellowship figure."""
    for region in range(NUM_REGIONS):
        if FELLOWSHIP_DISTANCE[state.fellowship_region, region] == 1:
            mask[Block.REGION + region] = True


@kernel
def apply_shift(state, action):
    state.fellowship_region = action - Block.REGION
    next_op(state)


# --- The Lidless Eye (sh-char-18): up to three dice become Eyes; step: dice changed. ---


@kernel
def legal_event_die(state, mask):
    """D44: an unused die to turn to Eye; after the first the player may stop."""
    for face in range(NUM_FACES):
        if state.dice[Side.SHADOW, face] > 0:
            mask[Block.FACE + face] = True
    if get(state, B) > 0:
        mask[Block.VERB + Verb.DONE] = True


@kernel
def apply_event_die(state, action):
    if action == Block.VERB + Verb.DONE:
        next_op(state)
        return
    state.dice[Side.SHADOW, action - Block.FACE] -= 1
    state.hunt_box[Side.SHADOW] += 1
    put(state, B, get(state, B) + 1)


# --- Denethor's Folly (sh-strat-03): a Leader at Minas Tirith, Free Peoples' choice (RG26). ---


@kernel
def _leaders_at(state, region):
    total = 0
    for nation in range(NUM_FREE_PEOPLES):
        total += int(state.leader[region, nation])
    return total


@kernel
def legal_kill_leader(state, mask):
    """D45: the Leader who dies."""
    for nation in range(NUM_FREE_PEOPLES):
        if state.leader[parameter(state, 1), nation] > 0:
            mask[Block.FIGURE + 3 * nation + Figure.LEADER] = True


@kernel
def apply_kill_leader(state, action):
    eliminate_leader(state, parameter(state, 1), (action - Block.FIGURE) // 3)
    next_op(state)


# --- Options: There Is Another Way, The Nazgul Strike!, Lure of the Ring. ---


@kernel
def legal_option(state, mask):
    """D44, D45: hide or move with Gollum; a table card or a Hunt roll; Corruption or the Companion."""
    op = current_op(state)
    if op == Op.GOLLUM_GUIDES:
        mask[Block.PLAN + (Plan.HIDE_FELLOWSHIP if state.revealed == 1 else Plan.MOVE_FELLOWSHIP)] = True
        mask[Block.VERB + Verb.DECLINE] = True
    elif op == Op.STRIKE:
        mark_character_cards_on_table(state, mask)
        mask[Block.VERB + Verb.HUNT_ROLL] = True
        mask[Block.VERB + Verb.DECLINE] = True
    else:
        mask[Block.CHARACTER + get(state, D)] = True
        mask[Block.VERB + Verb.TAKE_CORRUPTION] = True


@kernel
def apply_option(state, action):
    lured = get(state, D)
    next_op(state)
    if action == Block.PLAN + Plan.HIDE_FELLOWSHIP:
        hide_fellowship(state)
    elif action == Block.PLAN + Plan.MOVE_FELLOWSHIP:
        move_fellowship(state, 0)
    elif action == Block.VERB + Verb.HUNT_ROLL:
        start_hunt_roll(state)
    elif action == Block.VERB + Verb.TAKE_CORRUPTION:
        add_corruption(state, int(CHARACTER_LEVEL[lured]))
    elif Block.CARD <= action < Block.CARD + NUM_CARDS:
        state.card_zone[action - Block.CARD] = CardZone.DISCARD
    elif action >= Block.CHARACTER:
        lose_companion(state, lured)


@kernel
def _run_lure(state):
    """Gollum: 1 Corruption; else a random Companion, whom FP may lose instead of his Level in Corruption."""
    if state.guide == Character.GOLLUM:
        add_corruption(state, 1)
        next_op(state)
        return
    put(state, D, random_companion(state))
    ask(state, Side.FREE_PEOPLES, Decision.EVENT_OPTION)


# --- The Breaking of the Fellowship (sh-char-14). Steps: 0 draw, 1 read the number, 2 D Companions to go. ---


@kernel
def _run_breaking(state):
    """A tile whose number is used in its own way: so many Companions are left behind (22.8)."""
    if state.guide == Character.GOLLUM and get(state, B) == 0:
        add_corruption(state, 1)
        next_op(state)
    elif get(state, B) == 0:
        put(state, B, 1)
        start_breaking_tile(state)
    elif get(state, B) == 1:
        put(state, B, 2)
        put(state, D, int(state.tile_number))
        state.tile_number = 0
    elif get(state, D) > 0 and companions_in_fellowship(state) > 0:
        ask(state, Side.FREE_PEOPLES, Decision.EVENT_CHARACTER)
    else:
        some_left = get(state, C) == 1
        next_op(state)
        if some_left:  # R9.3.2
            choose_guide(state)


@kernel
def legal_breaking(state, mask):
    """D45: a Companion who is separated."""
    for character in range(Character.GOLLUM):
        if in_fellowship(state, character):
            mask[Block.CHARACTER + character] = True


@kernel
def apply_breaking(state, action):
    """He stays in the figure's region, or is eliminated on the Mordor Track (R9.8.3, R11.3.1)."""
    character = action - Block.CHARACTER
    put(state, C, 1)
    put(state, D, get(state, D) - 1)
    if state.mordor_step > 0:
        eliminate_character(state, character)
    else:
        state.location[character] = state.fellowship_region
        companions_arrive(state, int(state.fellowship_region), 1 << character)
    appoint_guide(state)
