"""The effects of Combat cards that offer a choice (D30, R7.9.9, section 22.5)."""

from __future__ import annotations

from wotr_env.games.war_of_the_ring.actions import MAX_COUNT, Block
from wotr_env.games.war_of_the_ring.codes import CombatColumn, Decision, Figure, Side, Verb
from wotr_env.games.war_of_the_ring.components import CHARACTER_LEADERSHIP, CHARACTER_LEVEL, COMPANIONS
from wotr_env.games.war_of_the_ring.data.combat_programs import (
    FIRST,
    FOURTH,
    LEVEL,
    SECOND,
    THIRD,
    Amount,
    CombatOp,
)
from wotr_env.games.war_of_the_ring.kernels import kernel
from wotr_env.games.war_of_the_ring.rules.armies import (
    END_LEADER_NATION,
    END_NATION,
    FIRST_NATION,
    can_reduce,
)
from wotr_env.games.war_of_the_ring.rules.battle.combat_cards import forfeitable, spend_combat_cards
from wotr_env.games.war_of_the_ring.rules.battle.combat_effects import amount_of, hit_points_of
from wotr_env.games.war_of_the_ring.rules.battle.frame import (
    Effect,
    choose_amount,
    chosen_number,
    leave_window,
    void_card,
)
from wotr_env.games.war_of_the_ring.rules.battle.retreat import (
    can_retreat,
    can_withdraw,
    mark_retreats,
    retreat_from_battle,
    withdraw_from_battle,
)
from wotr_env.games.war_of_the_ring.rules.battle.strength import (
    fighting_characters,
    fighting_leaders,
    fighting_leaders_of,
    fighting_unit_kind,
    inflict_sparing,
    lose_character,
    lose_leader,
    nazgul_points,
)
from wotr_env.games.war_of_the_ring.rules.characters import mark_characters
from wotr_env.games.war_of_the_ring.rules.choice import Asked, Choice, Kernel
from wotr_env.games.war_of_the_ring.rules.figures import figure_action, nation_of_figure
from wotr_env.games.war_of_the_ring.rules.seats import deciding_side
from wotr_env.games.war_of_the_ring.rules.stack import ask
from wotr_env.games.war_of_the_ring.state import NUM_CHARACTERS


@kernel
def _ask_if(state, side, possible):
    """Asks for the choice of an effect if it is possible (R7.9.9)."""
    if possible:
        ask(state, side, Decision.COMBAT_CHOICE)


@kernel
def _mark_count(mask, low, high):
    for count in range(low, min(high, MAX_COUNT) + 1):
        mask[Block.COUNT + count] = True


@kernel
def _mark_leaders(state, mask, side):
    for nation in range(FIRST_NATION[side], END_LEADER_NATION[side]):
        if fighting_leaders_of(state, side, nation) > 0:
            mask[figure_action(nation, Figure.LEADER)] = True


@kernel
def _remove_chosen(state, side, action):
    """Eliminates the chosen Leader, Nazgul or character of a side; returns the number of hits that Heroic
    Death absorbs."""
    if action >= Block.FIGURE:
        lose_leader(state, side, nation_of_figure(action))
        return 1
    lose_character(state, side, action - Block.CHARACTER)
    return CHARACTER_LEVEL[action - Block.CHARACTER]


# --- CONVERT: missed dice become hits without rolling. ---


@kernel
def _convertible(state, side, amount):
    return min(amount_of(state, side, amount), int(state.misses[side]))


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
def _self_hits(state, side, limit):
    """The number of hits that a side can take by its own choice without losing its last unit (RG33)."""
    kept = 2  # the hit points of the last unit: 1 if it can be a Regular
    for nation in range(FIRST_NATION[side], END_NATION[side]):
        if fighting_unit_kind(state, side, nation, Figure.REGULAR) > 0 or (
            fighting_unit_kind(state, side, nation, Figure.ELITE) > 0 and can_reduce(state, nation)
        ):
            kept = 1
    return min(limit, hit_points_of(state, side) - kept)


@kernel
def start_self_hits(state, side, first):
    _ask_if(state, side, _self_hits(state, side, first) > 0)


@kernel
def legal_self_hits(state, mask):
    _mark_count(mask, 0, _self_hits(state, deciding_side(state), chosen_number(state, FIRST)))


@kernel
def apply_self_hits(state, action):
    side = deciding_side(state)
    choose_amount(state, action - Block.COUNT, hit_points_of(state, side))
    inflict_sparing(state, side, action - Block.COUNT)


# --- FORFEIT: Leadership given up; the rest of the card has no effect if there is too little (R7.9.8). ---


@kernel
def start_forfeit_character(state, side, first):
    if forfeitable(state, side, first) == 0:
        void_card(state, side)
    else:
        ask(state, side, Decision.COMBAT_CHOICE)


@kernel
def legal_forfeit_character(state, mask):
    mark_characters(mask, forfeitable(state, deciding_side(state), chosen_number(state, FIRST)))


@kernel
def apply_forfeit_character(state, action):
    choose_amount(state, CHARACTER_LEADERSHIP[action - Block.CHARACTER], 0)
    state.forfeited_characters |= 1 << (action - Block.CHARACTER)


@kernel
def forfeit_all(state, side, first):
    paying = forfeitable(state, side, first)
    if paying == 0:
        void_card(state, side)
    state.forfeited_characters |= paying


@kernel
def start_forfeit_nazgul(state, side, first):
    if nazgul_points(state) < (1 if first == Amount.ANY else first):
        void_card(state, side)
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
    mark_characters(mask, fighting_characters(state, 1 - deciding_side(state)) & COMPANIONS)


@kernel
def apply_mute(state, action):
    state.muted_characters |= 1 << (action - Block.CHARACTER)


# --- SLAY. ---


@kernel
def _leaders_to_slay(state, side, needed):
    """Whether the hits of the re-roll suffice to eliminate an enemy Leader or Nazgul (section 22.5 SLAY)."""
    hits = state.combat[side, CombatColumn.REROLL_HITS]
    return 0 < needed <= hits and fighting_leaders(state, 1 - side) > 0


@kernel
def _to_slay(state, side, needed):
    """The enemy Companions or Minions for whom the hits of the re-roll suffice; the Witch-king counts as a
    Minion here."""
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
    mark_characters(mask, _to_slay(state, side, chosen_number(state, SECOND)))
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
    mark_characters(mask, fighting_characters(state, side) & COMPANIONS)
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
    away = can_retreat(state, side, int(state.battle_target))
    _ask_if(state, side, away or can_withdraw(state, side))


@kernel
def legal_escape(state, mask):
    side = deciding_side(state)
    mark_retreats(state, mask, side, int(state.battle_target))
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
}
"""One row for each operation."""
