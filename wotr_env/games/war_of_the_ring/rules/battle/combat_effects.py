"""The effects of Combat cards that offer no choice (section 22.5)."""

from __future__ import annotations

from wotr_env.games.war_of_the_ring.codes import BattleStage, CombatColumn
from wotr_env.games.war_of_the_ring.components import COMPANIONS
from wotr_env.games.war_of_the_ring.data.combat_programs import (
    Amount,
    CombatOp,
    Who,
)
from wotr_env.games.war_of_the_ring.kernels import kernel
from wotr_env.games.war_of_the_ring.rules.battle.frame import BattleFrame, Effect, void_card
from wotr_env.games.war_of_the_ring.rules.battle.strength import (
    extra_attack,
    fighting_characters,
    fighting_elites,
    fighting_units,
    inflict,
    leadership,
)
from wotr_env.games.war_of_the_ring.rules.stack import STAGE, get
from wotr_env.games.war_of_the_ring.state import NUM_CHARACTERS, NUM_SIDES


@kernel
def amount_of(state, side, amount):
    """The value of an amount: a number, or a count in the position."""
    if amount == Amount.CHOSEN:
        chosen = get(state, BattleFrame.CHOSEN)
        hit_points = get(state, BattleFrame.HIT_POINTS)
        if hit_points > 0:  # self-inflicted hits: those really taken
            return min(chosen, hit_points - hit_points_of(state, side))
        return chosen
    if amount == Amount.LEADERSHIP:
        return leadership(state, side)
    if amount == Amount.ELITES:
        return fighting_elites(state, side)
    if amount == Amount.COMPANIONS:
        return _count(fighting_characters(state, side) & COMPANIONS)
    return amount


@kernel
def hit_points_of(state, side):
    """The number of hits that the units of a side in the battle can take."""
    return fighting_units(state, side) + fighting_elites(state, side)


@kernel
def _count(characters):
    count = 0
    for character in range(NUM_CHARACTERS):
        count += characters >> character & 1
    return count


# --- Dice, modifiers and re-rolls of the round. ---


@kernel
def _change(state, side, column, who, amount):
    """Adds an amount to a modifier of the dice of one or both sides."""
    for other in range(NUM_SIDES):
        if who == Who.BOTH or (who == Who.OWN) == (other == side):
            state.combat[other, column] += amount


@kernel
def change_roll(state, side, first, second):
    _change(state, side, CombatColumn.ROLL_MOD, first, amount_of(state, side, second))


@kernel
def change_reroll(state, side, first, second):
    _change(state, side, CombatColumn.REROLL_MOD, first, amount_of(state, side, second))


@kernel
def cap_dice(state, side, first, second):
    _change(state, side, CombatColumn.CAP, first, second)


@kernel
def take_dice(state, side, first, second):
    _change(state, side, CombatColumn.FEWER, first, amount_of(state, side, second))


@kernel
def prevent_reroll(state, side, first):
    _change(state, side, CombatColumn.NO_REROLL, first, 1)


# --- Hits dealt, added, or taken away. ---


@kernel
def attack_early(state, side, first, second):
    extra_attack(state, side, amount_of(state, side, first), second)


@kernel
def score_bonus(state, side, first):
    if get(state, STAGE) == BattleStage.AFTER_CASUALTIES:
        inflict(state, 1 - side, first)
    else:
        state.hits[side] += first


@kernel
def absorb_hits(state, side, first):
    state.hits[1 - side] -= first


@kernel
def profit_by_ones(state, side):
    state.hits[side] += state.combat[1 - side, CombatColumn.ONES]
    state.misses[1 - side] -= state.combat[1 - side, CombatColumn.ONES]


@kernel
def cancel_card(state, side):
    void_card(state, 1 - side)


EFFECTS: dict[CombatOp, Effect] = {
    CombatOp.ROLL_MOD: Effect(change_roll),
    CombatOp.REROLL_MOD: Effect(change_reroll),
    CombatOp.CAP: Effect(cap_dice),
    CombatOp.FEWER: Effect(take_dice),
    CombatOp.NO_REROLL: Effect(prevent_reroll),
    CombatOp.EXTRA_ATTACK: Effect(attack_early),
    CombatOp.BONUS: Effect(score_bonus),
    CombatOp.CANCEL: Effect(cancel_card),
    CombatOp.ABSORB: Effect(absorb_hits),
    CombatOp.ONES: Effect(profit_by_ones),
}
"""One row for each operation."""
