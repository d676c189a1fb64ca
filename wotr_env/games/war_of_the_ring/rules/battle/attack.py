"""Declaring an attack: the army, its target, the attacking part, and the start of the battle (R7.8)."""

from __future__ import annotations

from wotr_env.compiler.memory import copy_bytes
from wotr_env.games.war_of_the_ring.actions import Block
from wotr_env.games.war_of_the_ring.codes import BattleKind, Decision, Frame
from wotr_env.games.war_of_the_ring.components import NEIGHBOURS, NUM_NEIGHBOURS
from wotr_env.games.war_of_the_ring.kernels import kernel
from wotr_env.games.war_of_the_ring.rules.armies import UNLIMITED, is_besieger, is_garrison
from wotr_env.games.war_of_the_ring.rules.battle.card_attacks import (
    attack_need,
    card_allows_attack,
    mark_card_battle,
)
from wotr_env.games.war_of_the_ring.rules.battle.strength import clear_round
from wotr_env.games.war_of_the_ring.rules.chosen import clear_chosen
from wotr_env.games.war_of_the_ring.rules.parties import ATTACK, apply_pick, can_form, legal_pick
from wotr_env.games.war_of_the_ring.rules.regions import (
    first_region,
    neighbours_among,
    regions_with_units,
    without_first,
)
from wotr_env.games.war_of_the_ring.rules.seats import deciding_side
from wotr_env.games.war_of_the_ring.rules.spent import spend_chosen
from wotr_env.games.war_of_the_ring.rules.stack import ask_again, push
from wotr_env.games.war_of_the_ring.rules.table.modifiers import closed_to_armies


@kernel
def is_target(state, side, origin, target):
    """Whether a region is a possible target: an adjacent enemy field army, a besieged garrison, or a besieger
    (R7.8.2).

    Also R7.8.8, R7.13.7, R7.16.1.
    """
    if state.units[target, 1 - side] == 0:
        return False
    if closed_to_armies(state, side, target) or not card_allows_attack(state, side, origin, target):
        return False
    if origin == target:
        return is_besieger(state, side, origin) or is_garrison(state, side, origin)
    if is_garrison(state, side, origin):
        return False
    return not is_garrison(state, 1 - side, target)


@kernel
def can_attack_from(state, side, origin, need):
    """Whether some part of an army may attack some region (R7.8.1, R7.8.2)."""
    if state.units[origin, side] == 0:
        return False
    low, high = regions_with_units(state, 1 - side)
    return _can_attack_some(state, side, origin, need, low, high)


@kernel
def _can_attack_some(state, side, origin, need, low, high):
    """As ``can_attack_from``, for an army that exists, and with the set of regions with enemy units."""
    low, high = neighbours_among(origin, low, high)
    found = is_target(state, side, origin, origin)
    while not found and low | high != 0:
        found = is_target(state, side, origin, first_region(low, high))
        low, high = without_first(low, high)
    return found and can_form(state, ATTACK, side, origin, origin, need, UNLIMITED)


@kernel
def some_army_can_attack(state, side, need):
    low, high = regions_with_units(state, side)
    enemies_low, enemies_high = regions_with_units(state, 1 - side)
    while low | high != 0:
        if _can_attack_some(state, side, first_region(low, high), need, enemies_low, enemies_high):
            return True
        low, high = without_first(low, high)
    return False


@kernel
def legal_attack_origin(state, mask):
    """D14: the army that attacks."""
    side = deciding_side(state)
    need = attack_need(state)
    low, high = regions_with_units(state, side)
    enemies_low, enemies_high = regions_with_units(state, 1 - side)
    while low | high != 0:
        region = first_region(low, high)
        low, high = without_first(low, high)
        if _can_attack_some(state, side, region, need, enemies_low, enemies_high):
            mask[Block.REGION + region] = True


@kernel
def apply_attack_origin(state, action):
    state.battle_origin = action - Block.REGION
    ask_again(state, Decision.ATTACK_TARGET)


@kernel
def legal_attack_target(state, mask):
    """D14, R7.8.2: the region attacked; the army's own region means an assault or a sortie."""
    side = deciding_side(state)
    origin = int(state.battle_origin)
    if is_target(state, side, origin, origin):
        mask[Block.REGION + origin] = True
    for i in range(NUM_NEIGHBOURS[origin]):
        if is_target(state, side, origin, NEIGHBOURS[origin, i]):
            mask[Block.REGION + NEIGHBOURS[origin, i]] = True


@kernel
def apply_attack_target(state, action):
    state.battle_target = action - Block.REGION
    ask_again(state, Decision.ATTACK_FIGURES)


@kernel
def legal_attack_figures(state, mask):
    """D14, R7.8.3, R7.8.4: the attacking part; the others are the rearguard."""
    origin = int(state.battle_origin)
    legal_pick(state, mask, ATTACK, deciding_side(state), origin, origin, attack_need(state), UNLIMITED)


@kernel
def apply_attack_figures(state, action):
    side = deciding_side(state)
    origin = int(state.battle_origin)
    if apply_pick(state, action, ATTACK, side, origin, origin):
        start_battle(state, side)
    else:
        ask_again(state, Decision.ATTACK_FIGURES)


@kernel
def start_battle(state, side):
    """Starts a battle in which the chosen figures are the attacking part (R7.8.4, R7.8.6, R7.13.9, R7.14.1,
    R7.15.1)."""
    copy_bytes(state.party_regular, 0, state.chosen_regular)
    copy_bytes(state.party_elite, 0, state.chosen_elite)
    copy_bytes(state.party_leader, 0, state.chosen_leader)
    state.party_characters = state.chosen_characters
    spend_chosen(state, side, int(state.battle_origin))
    clear_chosen(state)
    origin = int(state.battle_origin)
    state.battle_attacker = side
    if origin != state.battle_target:
        state.battle_kind = BattleKind.FIELD
    elif is_garrison(state, side, origin):
        state.battle_kind = BattleKind.SORTIE
    else:
        state.battle_kind = BattleKind.ASSAULT
    _reset_course(state)
    mark_card_battle(state)
    push(state, Frame.BATTLE)


@kernel
def _reset_course(state):
    """Resets the course of the battle, and the changes of the card that started it."""
    state.battle_round = 0
    state.battle_white_rider = 0
    state.battle_withdrawn = 0
    state.battle_retreated = 0
    state.battle_card_lock = 0
    state.battle_fixed_rounds = 0
    state.battle_no_cease = 0
    state.battle_fewer_by_garrison = 0
    state.hits[:] = 0
    state.misses[:] = 0
    clear_round(state)


@kernel
def clear_battle(state):
    """Clears the battle, so that equal positions have equal bytes."""
    state.party_regular[:] = 0
    state.party_elite[:] = 0
    state.party_leader[:] = 0
    state.party_characters = 0
    state.battle_attacker = 0
    state.battle_origin = 0
    state.battle_target = 0
    state.battle_kind = 0
    _reset_course(state)
