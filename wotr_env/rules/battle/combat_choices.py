"""The choices that Combat cards offer (D30, R7.9.9)."""

from __future__ import annotations

from wotr_env.actions import Block
from wotr_env.cards.combat_programs import COMBAT_PROGRAM, COMBAT_TITLE
from wotr_env.codes import CombatColumn, Figure, Verb
from wotr_env.components import CHARACTER_LEADERSHIP, CHARACTER_LEVEL, COMPANIONS
from wotr_env.data.combat_programs import FIRST, FOURTH, OP, THIRD, CombatOp
from wotr_env.kernels import kernel
from wotr_env.rules.armies import END_LEADER_NATION, FIRST_NATION
from wotr_env.rules.battle.combat_cards import forfeitable, spend_combat_cards
from wotr_env.rules.battle.combat_effects import (
    choose_amount,
    chosen_effect,
    convert,
    convertible,
    leaders_to_slay,
    leave_window,
    self_hits,
    to_slay,
    total_hit_points,
)
from wotr_env.rules.battle.retreat import (
    can_withdraw,
    mark_retreats,
    retreat_from_battle,
    withdraw_from_battle,
)
from wotr_env.rules.battle.strength import (
    fighting_characters,
    fighting_leaders_of,
    inflict_sparing,
    lose_character,
    lose_leader,
    nazgul_points,
)
from wotr_env.rules.figures import figure_action, nation_of_figure
from wotr_env.rules.seats import deciding_side
from wotr_env.state import NUM_CHARACTERS


@kernel
def _mark_count(mask, low, high):
    for count in range(low, high + 1):
        mask[Block.COUNT + count] = True


@kernel
def _mark_characters(mask, characters):
    for character in range(NUM_CHARACTERS):
        if characters >> character & 1:
            mask[Block.CHARACTER + character] = True


@kernel
def _mark_leaders(state, mask, side):
    for nation in range(FIRST_NATION[side], END_LEADER_NATION[side]):
        if fighting_leaders_of(state, side, nation) > 0:
            mask[figure_action(nation, Figure.LEADER)] = True


@kernel
def legal_combat_choice(state, mask):
    """D30, R7.9.9: COUNT of points, hits or dice; FIGURE, CHARACTER; REGION or withdrawal for Scouts."""
    side = deciding_side(state)
    enemy = 1 - side
    title = COMBAT_TITLE[state.combat_card[side]]
    index = chosen_effect(state)
    op = COMBAT_PROGRAM[title, index, OP]
    first = COMBAT_PROGRAM[title, index, FIRST]
    if op == CombatOp.CONVERT:
        _mark_count(mask, 1, convertible(state, side, first))
    elif op == CombatOp.SELF_HITS:
        _mark_count(mask, 0, self_hits(state, side, first))
    elif op == CombatOp.FORFEIT_NAZGUL:
        _mark_count(mask, 1, nazgul_points(state))
    elif op == CombatOp.FORFEIT_CHARACTER:
        _mark_characters(mask, forfeitable(state, side, first))
    elif op == CombatOp.MUTE:
        _mark_characters(mask, fighting_characters(state, enemy) & COMPANIONS)
    elif op == CombatOp.SLAY:
        _mark_characters(mask, to_slay(state, side, title, index))
        if leaders_to_slay(state, side, title, index):
            _mark_leaders(state, mask, enemy)
            mask[Block.VERB + Verb.DECLINE] = COMBAT_PROGRAM[title, index, FOURTH] == 1
        else:  # characters only "may" be chosen
            mask[Block.VERB + Verb.DECLINE] = True
    elif op == CombatOp.ABSORB_BY_DEATH:
        _mark_characters(mask, fighting_characters(state, side) & COMPANIONS)
        _mark_leaders(state, mask, side)
        mask[Block.VERB + Verb.DECLINE] = True
    else:
        mark_retreats(state, mask, side)
        mask[Block.VERB + Verb.WITHDRAW] = can_withdraw(state, side)


@kernel
def _remove_chosen(state, side, action):
    """The chosen Leader, Nazgul or character of a side dies; returns the hits that Heroic Death absorbs."""
    if action >= Block.FIGURE:
        lose_leader(state, side, nation_of_figure(action))
        return 1
    lose_character(state, side, action - Block.CHARACTER)
    return CHARACTER_LEVEL[action - Block.CHARACTER]


@kernel
def apply_combat_choice(state, action):
    """D30: what was chosen for a Combat card happens (R7.9.9)."""
    side = deciding_side(state)
    enemy = 1 - side
    title = COMBAT_TITLE[state.combat_card[side]]
    index = chosen_effect(state)
    op = COMBAT_PROGRAM[title, index, OP]
    if action == Block.VERB + Verb.DECLINE:
        return
    if op == CombatOp.CONVERT:
        convert(state, side, action - Block.COUNT)
    elif op == CombatOp.SELF_HITS:
        choose_amount(state, action - Block.COUNT, total_hit_points(state, side))
        inflict_sparing(state, side, action - Block.COUNT)
    elif op == CombatOp.FORFEIT_NAZGUL:
        choose_amount(state, action - Block.COUNT, 0)
        state.forfeited_nazgul += action - Block.COUNT
    elif op == CombatOp.FORFEIT_CHARACTER:
        choose_amount(state, CHARACTER_LEADERSHIP[action - Block.CHARACTER], 0)
        state.forfeited_characters |= 1 << (action - Block.CHARACTER)
    elif op == CombatOp.MUTE:
        state.muted_characters |= 1 << (action - Block.CHARACTER)
    elif op == CombatOp.SLAY:
        _remove_chosen(state, enemy, action)
        state.hits[side] -= COMBAT_PROGRAM[title, index, THIRD]
        state.combat[side, CombatColumn.REROLL_HITS] -= COMBAT_PROGRAM[title, index, THIRD]
    elif op == CombatOp.ABSORB_BY_DEATH:
        state.hits[enemy] -= min(int(state.hits[enemy]), _remove_chosen(state, side, action))
    else:
        leave_window(state)
        spend_combat_cards(state)
        if action == Block.VERB + Verb.WITHDRAW:
            withdraw_from_battle(state)
        else:
            retreat_from_battle(state, side, action - Block.REGION)
