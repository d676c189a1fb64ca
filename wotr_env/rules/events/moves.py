"""Events that move, attack and place armies, Companions and Nazgul (section 22.2, R6.4.5, R6.4.9)."""

from __future__ import annotations

from wotr_env.actions import Block
from wotr_env.cards.event_programs import EVENT_OPS, Need, Op
from wotr_env.codes import Character, Decision, Figure, Nation, Plan, Side, Verb
from wotr_env.components import COASTAL, NEIGHBOURS, NUM_NEIGHBOURS, NUM_REGIONS, REGION_NATION, Region
from wotr_env.kernels import kernel
from wotr_env.rules.armies import (
    add_units,
    besieged,
    free_for_movement,
    holds_stronghold,
    is_besieger,
    is_free,
    is_garrison,
    recruit_figure,
    stacking_room,
    trim_to_stacking,
    units_of,
)
from wotr_env.rules.battle.attack import is_target, some_army_can_attack, start_battle
from wotr_env.rules.battle.card_attacks import army_may_attack_by_card
from wotr_env.rules.characters import companions_in_fellowship, in_play
from wotr_env.rules.companions import (
    CARD_GROUP,
    MOVING,
    SEPARATING,
    some_companion_can_be_carried,
    some_companion_can_move,
    start_card_companions,
)
from wotr_env.rules.events.figures import is_open_to
from wotr_env.rules.events.frame import current_op, next_op, parameter
from wotr_env.rules.minions import some_nazgul, start_nazgul
from wotr_env.rules.movement import (
    army_enters,
    capture_if_undefended,
    some_army_can_move,
    start_card_moves,
)
from wotr_env.rules.parties import (
    ATTACK,
    MOVE,
    UNLIMITED,
    apply_pick,
    can_form,
    clear_chosen,
    legal_pick,
    room_at,
    transfer_chosen,
)
from wotr_env.rules.stack import STAGE, A, B, C, D, ask, get, put
from wotr_env.rules.walks import some_walk_exists

CORSAIRS_ATTACK = 1

# --- Companions and Nazgul. ---


@kernel
def run_companions(state):
    """SEPARATE and MOVE_COMP: the cards change range and siege rules (fp-char-11, 15-17, fp-strat-04, 07)."""
    op = current_op(state)
    extra = parameter(state, 1)
    level = parameter(state, 2)
    possible = is_possible(state, get(state, A), get(state, STAGE))
    next_op(state)
    if not possible:
        return
    if op == Op.SEPARATE:
        start_card_companions(state, SEPARATING, extra, 0)
    elif op == Op.CARRY_GROUP:
        start_card_companions(state, CARD_GROUP, extra, level)
    else:
        start_card_companions(state, MOVING, 0, 0)


@kernel
def run_move_nazgul(state):
    """Any or all Nazgul, the Witch-king included; none need move (22.4, RG13)."""
    next_op(state)
    start_nazgul(state)


@kernel
def run_summon_or_move_nazgul(state):
    """sh-char-24: two Nazgul join the Witch-king, or the Nazgul move."""
    ask(state, Side.SHADOW, Decision.EVENT_OPTION)


@kernel
def _can_summon(state):
    region = int(state.location[Character.WITCH_KING])
    left = state.reinforcement_leader[Nation.SAURON] > 0
    return region >= 0 and left and is_open_to(state, Side.SHADOW, region)


# --- Army moves and attacks. Step 1: the move or battle is over. ---


@kernel
def run_move_armies(state):
    """MOVE_ARMY: up to so many armies, so many regions (R6.4.9)."""
    if get(state, B) == 0 and is_possible(state, get(state, A), get(state, STAGE)):
        put(state, B, 1)
        state.moved_count = 0
        start_card_moves(
            state, parameter(state, 1), parameter(state, 3), parameter(state, 2), parameter(state, 4)
        )
    else:
        state.moved_count = 0
        next_op(state)


@kernel
def run_army_action(state):
    """CHOOSE: armies with the named figure move, or one attacks, or nothing (sh-char-23, 24)."""
    if get(state, B) == 0 and is_possible(state, get(state, A), get(state, STAGE)):
        ask(state, Side.SHADOW, Decision.EVENT_OPTION)
    else:
        state.moved_count = 0
        next_op(state)


@kernel
def run_attack(state):
    """ATTACK: relief of a siege, or an assault with three rounds (fp-strat-10, sh-char-20, sh-strat-02)."""
    if get(state, B) == 0 and is_possible(state, get(state, A), get(state, STAGE)):
        put(state, B, 1)
        ask(state, int(state.acting), Decision.ATTACK_ORIGIN)
    else:
        next_op(state)


@kernel
def _some_card_attack(state, card, place):
    row = EVENT_OPS[card, place]
    side = int(state.acting)
    for origin in range(NUM_REGIONS):
        if state.units[origin, side] == 0 or not can_form(state, ATTACK, side, origin, origin, 0, UNLIMITED):
            continue
        if is_target(state, side, origin, origin) and army_may_attack_by_card(
            state, row[1], row[2], side, origin, origin
        ):
            return True
        for i in range(NUM_NEIGHBOURS[origin]):
            target = NEIGHBOURS[origin, i]
            if is_target(state, side, origin, target) and army_may_attack_by_card(
                state, row[1], row[2], side, origin, target
            ):
                return True
    return False


@kernel
def legal_option(state, mask):
    """D44: move, attack or nothing; Nazgul recruited or moved."""
    if current_op(state) == Op.SUMMON_OR_MOVE_NAZGUL:
        if _can_summon(state):
            mask[Block.PLAN + Plan.RECRUIT] = True
        mask[Block.PLAN + Plan.MOVE_MINIONS] = True
        return
    need = parameter(state, 2)
    if some_army_can_move(state, Side.SHADOW, need):
        mask[Block.PLAN + Plan.MOVE_ARMIES] = True
    if some_army_can_attack(state, Side.SHADOW, need):
        mask[Block.PLAN + Plan.ATTACK] = True
    mask[Block.VERB + Verb.DECLINE] = True


@kernel
def apply_option(state, action):
    if current_op(state) == Op.SUMMON_OR_MOVE_NAZGUL:
        next_op(state)
        if action == Block.PLAN + Plan.RECRUIT:
            for _ in range(2):
                if _can_summon(state):
                    recruit_figure(
                        state, int(state.location[Character.WITCH_KING]), Nation.SAURON, Figure.LEADER
                    )
        else:
            start_nazgul(state)
        return
    put(state, B, 1)
    if action == Block.PLAN + Plan.MOVE_ARMIES:
        start_card_moves(state, parameter(state, 1), parameter(state, 2), 1, 0)
    elif action == Block.PLAN + Plan.ATTACK:
        ask(state, Side.SHADOW, Decision.ATTACK_ORIGIN)


# --- Paths of the Woses, Corsairs, Rage of the Dunlendings. Steps: 0 first place, 1 second, 2 figures. ---


@kernel
def _is_woses_origin(state, region):
    """An FP army of a Rohan region, also out of a besieged Stronghold (fp-strat-11)."""
    if REGION_NATION[region] != Nation.ROHAN or region == Region.MINAS_TIRITH:
        return False
    for destination in range(NUM_REGIONS):
        if _is_woses_end(state, destination) and _can_be_carried(
            state, Side.FREE_PEOPLES, region, destination
        ):
            return True
    return False


@kernel
def _can_be_carried(state, side, origin, destination):
    """A part of the army may go straight there: free, within its borders, with room (TELEPORT)."""
    if origin == destination or state.units[origin, side] == 0:
        return False
    if not free_for_movement(state, side, destination):
        return False
    return can_form(state, MOVE, side, origin, destination, 0, stacking_room(state, side, destination))


@kernel
def _is_woses_end(state, region):
    """Minas Tirith; a region next to it if it is lost or besieged (fp-strat-11, RG18)."""
    city = Region.MINAS_TIRITH
    open_city = holds_stronghold(state, Side.FREE_PEOPLES, city) and not besieged(state, city)
    if open_city:
        return region == city
    for i in range(NUM_NEIGHBOURS[city]):
        if NEIGHBOURS[city, i] == region:
            return True
    return False


@kernel
def run_woses(state):
    _ask_step(state, Side.FREE_PEOPLES)


@kernel
def _ask_step(state, side):
    """Two regions, then the figures that go (TELEPORT)."""
    if get(state, B) == 0 and not is_possible(state, get(state, A), get(state, STAGE)):
        next_op(state)
    elif get(state, B) < 2:
        ask(state, side, Decision.EVENT_REGION)
    elif get(state, B) == 2:
        ask(state, side, Decision.EVENT_FIGURE)
    else:
        next_op(state)


@kernel
def _is_corsair_end(state, region):
    """A coastal Gondor region that Umbar's army may enter or attack (sh-strat-10, RG16)."""
    sailing = state.units[Region.UMBAR, 1] > 0 and not is_garrison(state, Side.SHADOW, Region.UMBAR)
    if REGION_NATION[region] != Nation.GONDOR or COASTAL[region] == 0 or not sailing:
        return False
    if _corsairs_attack(state, region):
        return can_form(state, ATTACK, Side.SHADOW, Region.UMBAR, region, 0, UNLIMITED)
    return _can_be_carried(state, Side.SHADOW, Region.UMBAR, region)


@kernel
def _corsairs_attack(state, region):
    """Whether an FP army stands in the field there, so that the landing is a battle (RG16)."""
    return state.units[region, Side.FREE_PEOPLES] > 0 and not is_besieger(state, Side.SHADOW, region)


@kernel
def run_corsairs(state):
    """Bespoke: a battle between regions not adjacent, else a landing, with an assault under siege."""
    step = get(state, B)
    if step == 0:
        if is_possible(state, get(state, A), get(state, STAGE)):
            put(state, C, Region.UMBAR)
            ask(state, Side.SHADOW, Decision.EVENT_REGION)
        else:
            next_op(state)
    elif step == 2:
        ask(state, Side.SHADOW, Decision.EVENT_FIGURE)
    elif step == 3:
        region = get(state, D)
        put(state, B, 4)
        if is_besieger(state, Side.SHADOW, region) and is_target(state, Side.SHADOW, region, region):
            state.battle_origin = region
            state.battle_target = region
            ask(state, Side.SHADOW, Decision.ATTACK_FIGURES)
    else:
        next_op(state)


# Dunlendings: C the place of the recruits, D units moved there so far; step 1 from where, 2 which unit.


@kernel
def _is_dunland(region):
    return region == Region.NORTH_DUNLAND or region == Region.SOUTH_DUNLAND


@kernel
def _is_near_dunland(state, region):
    """A free region next to North or South Dunland, themselves included (R2.10, sh-strat-11)."""
    near = _is_dunland(region)
    for i in range(NUM_NEIGHBOURS[region]):
        near = near or _is_dunland(NEIGHBOURS[region, i])
    return near and is_free(state, Side.SHADOW, region) and stacking_room(state, Side.SHADOW, region) > 0


@kernel
def _isengard_units(state, region):
    return int(state.regular[region, Nation.ISENGARD]) + int(state.elite[region, Nation.ISENGARD])


@kernel
def _dunlendings_to_move(state):
    """Isengard units of both Dunlands that may still come, at most four, within the stacking limit."""
    place = get(state, C)
    if get(state, D) >= 4 or stacking_room(state, Side.SHADOW, place) <= 0:
        return 0
    units = 0
    for region in range(NUM_REGIONS):
        if _is_dunland(region) and region != place:
            units += _isengard_units(state, region)
    return units


@kernel
def run_dunlendings(state):
    """Bespoke: two Regulars in one place, and up to four units of the Dunlands join them there."""
    step = get(state, B)
    if step == 0 and is_possible(state, get(state, A), get(state, STAGE)):
        ask(state, Side.SHADOW, Decision.EVENT_REGION)
    elif step == 1 and _dunlendings_to_move(state) > 0:
        ask(state, Side.SHADOW, Decision.EVENT_REGION)
    elif step == 2:
        ask(state, Side.SHADOW, Decision.EVENT_FIGURE)
    else:
        next_op(state)


# --- Their choices. ---


@kernel
def legal_region(state, mask):
    """D44: where a carried army starts and ends; where the Dunlendings gather and from where they come."""
    op = current_op(state)
    step = get(state, B)
    for region in range(NUM_REGIONS):
        if op == Op.WOSES:
            if step == 0:
                legal = _is_woses_origin(state, region)
            else:
                legal = _is_woses_end(state, region) and _can_be_carried(
                    state, Side.FREE_PEOPLES, get(state, C), region
                )
        elif op == Op.CORSAIRS:
            legal = _is_corsair_end(state, region)
        elif step == 0:
            legal = _is_near_dunland(state, region)
        else:
            legal = _is_dunland(region) and region != get(state, C) and _isengard_units(state, region) > 0
        mask[Block.REGION + region] = legal
    if op == Op.DUNLENDINGS and step == 1:
        mask[Block.VERB + Verb.DONE] = True


@kernel
def apply_region(state, action):
    op = current_op(state)
    if action == Block.VERB + Verb.DONE:
        next_op(state)
        return
    region = action - Block.REGION
    if op == Op.CORSAIRS:
        put(state, D, region)
        put(state, B, 2)
    elif op == Op.WOSES:
        put(state, C if get(state, B) == 0 else D, region)
        put(state, B, get(state, B) + 1)
    elif get(state, B) == 0:
        put(state, C, region)
        put(state, B, 1)
        for _ in range(2):
            room = stacking_room(state, Side.SHADOW, region) > 0
            if room and state.reinforcement_regular[Nation.ISENGARD] > 0:
                recruit_figure(state, region, Nation.ISENGARD, Figure.REGULAR)
        trim_to_stacking(state, Side.SHADOW, region)
    else:
        state.battle_origin = region  # the Dunland whose unit comes; no battle is going on
        put(state, B, 2)


@kernel
def legal_figure(state, mask):
    """D44: the figures that go."""
    op = current_op(state)
    if op == Op.DUNLENDINGS:
        for figure in range(Figure.LEADER):
            if units_of(state, int(state.battle_origin), Nation.ISENGARD, figure) > 0:
                mask[Block.FIGURE + 3 * Nation.ISENGARD + figure] = True
        return
    side = int(state.acting)
    destination = get(state, D)
    purpose = ATTACK if op == Op.CORSAIRS and _corsairs_attack(state, destination) else MOVE
    room = room_at(state, purpose, side, destination)
    legal_pick(state, mask, purpose, side, get(state, C), destination, Need.NOBODY, room)


@kernel
def apply_figure(state, action):
    op = current_op(state)
    if op == Op.DUNLENDINGS:
        _bring_dunlending(state, (action - Block.FIGURE) % 3)
        return
    side = int(state.acting)
    origin = get(state, C)
    destination = get(state, D)
    attack = op == Op.CORSAIRS and _corsairs_attack(state, destination)
    if not apply_pick(state, action, ATTACK if attack else MOVE, side, origin, destination):
        return
    if attack:
        put(state, B, 4)
        state.battle_origin = origin
        state.battle_target = destination
        start_battle(state, side)
        state.battle_no_cease = 1
        return
    transfer_chosen(state, side, origin, destination)
    characters = int(state.chosen_characters)
    clear_chosen(state)
    put(state, B, 3)
    capture_if_undefended(state, 1 - side, origin)  # a garrison that leaves loses its Stronghold
    army_enters(state, side, destination, characters)
    trim_to_stacking(state, side, destination)


@kernel
def _bring_dunlending(state, figure):
    add_units(state, int(state.battle_origin), Nation.ISENGARD, figure, -1)
    add_units(state, get(state, C), Nation.ISENGARD, figure, 1)
    state.battle_origin = 0
    put(state, D, get(state, D) + 1)
    put(state, B, 1)
    place = get(state, C)
    army_enters(state, Side.SHADOW, place, 0)
    trim_to_stacking(state, Side.SHADOW, place)


@kernel
def is_possible(state, card, place):
    """Whether the operation would change anything now (R6.4.4)."""
    row = EVENT_OPS[card, place]
    op = row[0]
    if op == Op.SEPARATE:
        return companions_in_fellowship(state) > 0
    if op == Op.CARRY_GROUP:
        return companions_in_fellowship(state) > 0 or some_companion_can_be_carried(state)
    if op == Op.MOVE_COMPANIONS:
        return some_companion_can_move(state)
    if op == Op.ATTACK:
        return _some_card_attack(state, card, place)
    if op == Op.MOVE_ARMIES:
        side = int(state.acting)
        if row[2] == 1 and row[4] == 0:
            return some_army_can_move(state, side, row[3])
        return some_walk_exists(state, side, row[3], row[2], row[4])
    if op == Op.ARMY_ACTION:
        return some_army_can_move(state, Side.SHADOW, row[2]) or some_army_can_attack(
            state, Side.SHADOW, row[2]
        )
    if op == Op.MOVE_NAZGUL or op == Op.SUMMON_OR_MOVE_NAZGUL:
        return some_nazgul(state) or (op == Op.SUMMON_OR_MOVE_NAZGUL and in_play(state, Character.WITCH_KING))
    for region in range(NUM_REGIONS):
        if op == Op.WOSES and _is_woses_origin(state, region):
            return True
        if op == Op.CORSAIRS and _is_corsair_end(state, region):
            return True
        if op == Op.DUNLENDINGS and _is_near_dunland(state, region):
            if state.reinforcement_regular[Nation.ISENGARD] > 0:
                return True
            if (
                _isengard_units(state, Region.NORTH_DUNLAND) + _isengard_units(state, Region.SOUTH_DUNLAND)
                > 0
            ):
                return True
    return False
