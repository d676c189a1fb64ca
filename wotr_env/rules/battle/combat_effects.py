"""What Combat cards do: each effect, with its choice if it has one (R7.9.9, section 22.5)."""

from __future__ import annotations

from typing import NamedTuple

from wotr_env.actions import Block
from wotr_env.cards.combat_programs import COMBAT_PROGRAM, COMBAT_TITLE
from wotr_env.codes import BattleStage, CombatColumn, Decision, Figure, Side, Verb
from wotr_env.compiler.codes import Codes
from wotr_env.components import CHARACTER_LEADERSHIP, CHARACTER_LEVEL, COMPANIONS
from wotr_env.data.combat_programs import (
    FIRST,
    FOURTH,
    LEVEL,
    MAX_EFFECTS,
    SECOND,
    THIRD,
    Amount,
    CombatOp,
    Who,
)
from wotr_env.kernels import kernel
from wotr_env.rules.armies import END_LEADER_NATION, END_NATION, FIRST_NATION, can_reduce
from wotr_env.rules.battle.combat_cards import forfeitable, spend_combat_cards
from wotr_env.rules.battle.retreat import (
    can_retreat,
    can_withdraw,
    mark_retreats,
    retreat_from_battle,
    withdraw_from_battle,
)
from wotr_env.rules.battle.strength import (
    extra_attack,
    fighting_characters,
    fighting_elites,
    fighting_leaders,
    fighting_leaders_of,
    fighting_unit_kind,
    fighting_units,
    inflict,
    inflict_sparing,
    leadership,
    lose_character,
    lose_leader,
    nazgul_points,
)
from wotr_env.rules.choice import Asked, Choice, Kernel
from wotr_env.rules.figures import figure_action, nation_of_figure
from wotr_env.rules.seats import deciding_side
from wotr_env.rules.stack import STAGE, ask, get, put
from wotr_env.state import NUM_CHARACTERS, NUM_SIDES


class BattleFrame(Codes):
    """Slots of the frame ``BATTLE``, which ``battle`` resumes; its stage is a ``BattleStage``."""

    EFFECTS = 2  # passed in this window: of the card that comes first, then of the other
    CHOSEN = 3  # the amount chosen for the next effect of the card
    HIT_POINTS = 4  # of the army before hits that it dealt to itself, 0 if it dealt none


class Effect(NamedTuple):
    """One kind of effect of Combat cards."""

    run: Kernel
    """``run(state, side, first, second)`` for the side of the card and the effect's numbers."""
    choice: Choice | None = None


@kernel
def leave_window(state):
    """An army escapes: no further effect of the window."""
    put(state, BattleFrame.EFFECTS, 0)


@kernel
def chosen_effect(state):
    """The effect whose choice is pending, as an index in its program."""
    return (get(state, BattleFrame.EFFECTS) - 1) % MAX_EFFECTS


@kernel
def chosen_number(state, column):
    """A number of the effect whose choice is pending."""
    title = COMBAT_TITLE[state.combat_card[deciding_side(state)]]
    return COMBAT_PROGRAM[title, chosen_effect(state), column]


@kernel
def choose_amount(state, amount, hit_points):
    """Notes what was chosen for the next effect of the card, and the hit points before it."""
    put(state, BattleFrame.CHOSEN, amount)
    put(state, BattleFrame.HIT_POINTS, hit_points)


@kernel
def _amount(state, side, amount):
    """A number, or what it stands for now."""
    if amount == Amount.CHOSEN:
        chosen = get(state, BattleFrame.CHOSEN)
        hit_points = get(state, BattleFrame.HIT_POINTS)
        if hit_points > 0:  # self-inflicted hits: those really taken
            return min(chosen, hit_points - _hit_points(state, side))
        return chosen
    if amount == Amount.LEADERSHIP:
        return leadership(state, side)
    if amount == Amount.ELITES:
        return fighting_elites(state, side)
    if amount == Amount.COMPANIONS:
        return _count(fighting_characters(state, side) & COMPANIONS)
    return amount


@kernel
def _count(characters):
    count = 0
    for character in range(NUM_CHARACTERS):
        count += characters >> character & 1
    return count


@kernel
def _void(state, side):
    """The rest of a side's card has no effect: cancelled, or its cost is not paid (R7.9.4, R7.9.8)."""
    state.combat_void |= 1 << side


@kernel
def _ask_if(state, side, possible):
    """Asks for the choice of an effect if there is any (R7.9.9)."""
    if possible:
        ask(state, side, Decision.COMBAT_CHOICE)


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
def _remove_chosen(state, side, action):
    """The chosen Leader, Nazgul or character of a side dies; returns the hits that Heroic Death absorbs."""
    if action >= Block.FIGURE:
        lose_leader(state, side, nation_of_figure(action))
        return 1
    lose_character(state, side, action - Block.CHARACTER)
    return CHARACTER_LEVEL[action - Block.CHARACTER]


# --- Dice, modifiers and re-rolls of the round. ---


@kernel
def _change(state, side, column, who, amount):
    """Adds to what the dice of one or both sides meet."""
    for other in range(NUM_SIDES):
        if who == Who.BOTH or (who == Who.OWN) == (other == side):
            state.combat[other, column] += amount


@kernel
def change_roll(state, side, first, second):
    _change(state, side, CombatColumn.ROLL_MOD, first, _amount(state, side, second))


@kernel
def change_reroll(state, side, first, second):
    _change(state, side, CombatColumn.REROLL_MOD, first, _amount(state, side, second))


@kernel
def cap_dice(state, side, first, second):
    _change(state, side, CombatColumn.CAP, first, second)


@kernel
def take_dice(state, side, first, second):
    _change(state, side, CombatColumn.FEWER, first, _amount(state, side, second))


@kernel
def prevent_reroll(state, side, first):
    _change(state, side, CombatColumn.NO_REROLL, first, 1)


# --- Hits dealt, added, or taken away. ---


@kernel
def attack_early(state, side, first, second):
    extra_attack(state, side, _amount(state, side, first), second)


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
    _void(state, 1 - side)


# --- CONVERT: missed dice become hits without rolling. ---


@kernel
def _convertible(state, side, amount):
    return min(_amount(state, side, amount), int(state.misses[side]))


@kernel
def _convert(state, side, misses):
    state.hits[side] += misses
    state.misses[side] -= misses


@kernel
def start_convert(state, side, first):
    misses = _convertible(state, side, first)
    if misses > 1:
        ask(state, side, Decision.COMBAT_CHOICE)
    else:
        _convert(state, side, misses)


@kernel
def legal_convert(state, mask):
    _mark_count(mask, 1, _convertible(state, deciding_side(state), chosen_number(state, FIRST)))


@kernel
def apply_convert(state, action):
    _convert(state, deciding_side(state), action - Block.COUNT)


# --- SELF_HITS. ---


@kernel
def _hit_points(state, side):
    """Hits that the units of a side in the battle can take."""
    return fighting_units(state, side) + fighting_elites(state, side)


@kernel
def _self_hits(state, side, limit):
    """Hits that a side can deal to itself without losing its last unit (RG33)."""
    kept = 2  # the hit points of the last unit: 1 if it can be a Regular
    for nation in range(FIRST_NATION[side], END_NATION[side]):
        if fighting_unit_kind(state, side, nation, Figure.REGULAR) > 0 or (
            fighting_unit_kind(state, side, nation, Figure.ELITE) > 0 and can_reduce(state, nation)
        ):
            kept = 1
    return min(limit, _hit_points(state, side) - kept)


@kernel
def start_self_hits(state, side, first):
    _ask_if(state, side, _self_hits(state, side, first) > 0)


@kernel
def legal_self_hits(state, mask):
    _mark_count(mask, 0, _self_hits(state, deciding_side(state), chosen_number(state, FIRST)))


@kernel
def apply_self_hits(state, action):
    side = deciding_side(state)
    choose_amount(state, action - Block.COUNT, _hit_points(state, side))
    inflict_sparing(state, side, action - Block.COUNT)


# --- FORFEIT: Leadership given up; the rest of the card has no effect if there is too little (R7.9.8). ---


@kernel
def start_forfeit_character(state, side, first):
    if forfeitable(state, side, first) == 0:
        _void(state, side)
    else:
        ask(state, side, Decision.COMBAT_CHOICE)


@kernel
def legal_forfeit_character(state, mask):
    _mark_characters(mask, forfeitable(state, deciding_side(state), chosen_number(state, FIRST)))


@kernel
def apply_forfeit_character(state, action):
    choose_amount(state, CHARACTER_LEADERSHIP[action - Block.CHARACTER], 0)
    state.forfeited_characters |= 1 << (action - Block.CHARACTER)


@kernel
def forfeit_all(state, side, first):
    paying = forfeitable(state, side, first)
    if paying == 0:
        _void(state, side)
    state.forfeited_characters |= paying


@kernel
def start_forfeit_nazgul(state, side, first):
    if nazgul_points(state) < (1 if first == Amount.ANY else first):
        _void(state, side)
    elif first == Amount.ANY:
        ask(state, side, Decision.COMBAT_CHOICE)
    else:
        state.forfeited_nazgul += first


@kernel
def legal_forfeit_nazgul(state, mask):
    _mark_count(mask, 1, nazgul_points(state))


@kernel
def apply_forfeit_nazgul(state, action):
    choose_amount(state, action - Block.COUNT, 0)
    state.forfeited_nazgul += action - Block.COUNT


# --- MUTE. ---


@kernel
def start_mute(state, side):
    _ask_if(state, side, fighting_characters(state, 1 - side) & COMPANIONS != 0)


@kernel
def legal_mute(state, mask):
    _mark_characters(mask, fighting_characters(state, 1 - deciding_side(state)) & COMPANIONS)


@kernel
def apply_mute(state, action):
    state.muted_characters |= 1 << (action - Block.CHARACTER)


# --- SLAY. ---


@kernel
def _leaders_to_slay(state, side, needed):
    """Whether the re-roll hits reach an enemy Leader or Nazgul (section 22.5 SLAY)."""
    hits = state.combat[side, CombatColumn.REROLL_HITS]
    return 0 < needed <= hits and fighting_leaders(state, 1 - side) > 0


@kernel
def _to_slay(state, side, needed):
    """The enemy Companions or Minions that the re-roll hits reach; the Witch-king is a Minion here."""
    hits = int(state.combat[side, CombatColumn.REROLL_HITS])
    there = fighting_characters(state, 1 - side)
    found = 0
    for character in range(NUM_CHARACTERS):
        if hits >= (CHARACTER_LEVEL[character] if needed == LEVEL else needed):
            found |= there & 1 << character
    return found & COMPANIONS if side == Side.SHADOW else found


@kernel
def start_slay(state, side, first, second):
    _ask_if(state, side, _to_slay(state, side, second) != 0 or _leaders_to_slay(state, side, first))


@kernel
def legal_slay(state, mask):
    side = deciding_side(state)
    _mark_characters(mask, _to_slay(state, side, chosen_number(state, SECOND)))
    if _leaders_to_slay(state, side, chosen_number(state, FIRST)):
        _mark_leaders(state, mask, 1 - side)
        mask[Block.VERB + Verb.DECLINE] = chosen_number(state, FOURTH) == 1
    else:  # characters only "may" be chosen
        mask[Block.VERB + Verb.DECLINE] = True


@kernel
def apply_slay(state, action):
    side = deciding_side(state)
    cost = chosen_number(state, THIRD)
    _remove_chosen(state, 1 - side, action)
    state.hits[side] -= cost
    state.combat[side, CombatColumn.REROLL_HITS] -= cost


# --- ABSORB_BY_DEATH. ---


@kernel
def start_death(state, side):
    there = fighting_characters(state, side) & COMPANIONS
    _ask_if(state, side, there != 0 or fighting_leaders(state, side) > 0)


@kernel
def legal_death(state, mask):
    side = deciding_side(state)
    _mark_characters(mask, fighting_characters(state, side) & COMPANIONS)
    _mark_leaders(state, mask, side)
    mask[Block.VERB + Verb.DECLINE] = True


@kernel
def apply_death(state, action):
    side = deciding_side(state)
    absorbed = _remove_chosen(state, side, action)
    state.hits[1 - side] -= min(int(state.hits[1 - side]), absorbed)


# --- ESCAPE. ---


@kernel
def start_escape(state, side):
    _ask_if(state, side, can_retreat(state, side) or can_withdraw(state, side))


@kernel
def legal_escape(state, mask):
    side = deciding_side(state)
    mark_retreats(state, mask, side)
    mask[Block.VERB + Verb.WITHDRAW] = can_withdraw(state, side)


@kernel
def apply_escape(state, action):
    leave_window(state)
    spend_combat_cards(state)
    if action == Block.VERB + Verb.WITHDRAW:
        withdraw_from_battle(state)
    else:
        retreat_from_battle(state, deciding_side(state), action - Block.REGION)


def _choice(legal: Kernel, apply: Kernel, question: str, answer: str = "{}") -> Choice:
    return Choice("D30", Asked.COMBATANT, legal, apply, question, answer)


EFFECTS: dict[CombatOp, Effect] = {
    CombatOp.ROLL_MOD: Effect(change_roll),
    CombatOp.REROLL_MOD: Effect(change_reroll),
    CombatOp.CAP: Effect(cap_dice),
    CombatOp.FEWER: Effect(take_dice),
    CombatOp.NO_REROLL: Effect(prevent_reroll),
    CombatOp.EXTRA_ATTACK: Effect(attack_early),
    CombatOp.BONUS: Effect(score_bonus),
    CombatOp.CONVERT: Effect(
        start_convert,
        _choice(legal_convert, apply_convert, "how many misses {combat_title} turns into hits"),
    ),
    CombatOp.SELF_HITS: Effect(
        start_self_hits,
        _choice(legal_self_hits, apply_self_hits, "how many hits to deal to the own army for {combat_title}"),
    ),
    CombatOp.FORFEIT_CHARACTER: Effect(
        start_forfeit_character,
        _choice(
            legal_forfeit_character,
            apply_forfeit_character,
            "whose Leadership to give up for {combat_title}",
            "that of {}",
        ),
    ),
    CombatOp.FORFEIT_ALL: Effect(forfeit_all),
    CombatOp.FORFEIT_NAZGUL: Effect(
        start_forfeit_nazgul,
        _choice(
            legal_forfeit_nazgul,
            apply_forfeit_nazgul,
            "how much Leadership of Nazgul to give up for {combat_title}",
        ),
    ),
    CombatOp.CANCEL: Effect(cancel_card),
    CombatOp.MUTE: Effect(
        start_mute,
        _choice(
            legal_mute, apply_mute, "which Companion {combat_title} silences for the round", "silence {}"
        ),
    ),
    CombatOp.SLAY: Effect(
        start_slay,
        _choice(legal_slay, apply_slay, "who is slain by {combat_title}, if anybody", "slay {}"),
    ),
    CombatOp.ABSORB: Effect(absorb_hits),
    CombatOp.ABSORB_BY_DEATH: Effect(
        start_death,
        _choice(legal_death, apply_death, "who dies by {combat_title} to cancel hits, if anybody", "{} dies"),
    ),
    CombatOp.ESCAPE: Effect(
        start_escape,
        _choice(
            legal_escape,
            apply_escape,
            "where the army of {target} escapes by {combat_title}",
            "retreat to {}",
        ),
    ),
    CombatOp.ONES: Effect(profit_by_ones),
}
"""One row an operation: all but ``CombatOp.NONE``."""
