"""Attacks and battles in the field: declaration, rounds, retreat, advance (R7.8, R7.9, R7.10, R7.18).

Tape order of a round: Combat roll of the attacker, of the defender, re-roll of the attacker, of the defender.
"""

from __future__ import annotations

from wotr_env.actions import Block
from wotr_env.codes import BattleKind, BattleStage, Character, Decision, Frame, Side, Verb
from wotr_env.components import NEIGHBOURS, NUM_NEIGHBOURS, NUM_REGIONS
from wotr_env.kernels import kernel
from wotr_env.rules.armies import (
    is_besieger,
    is_garrison,
    stacking_room,
    trim_to_stacking,
)
from wotr_env.rules.battle.card_attacks import attack_need, card_allows_attack, mark_card_battle
from wotr_env.rules.battle.combat_cards import can_play_combat_card, reveal_combat_cards, spend_combat_cards
from wotr_env.rules.battle.combat_effects import is_window, play_window
from wotr_env.rules.battle.retreat import can_retreat, can_withdraw, mark_retreats, retreat_from_battle
from wotr_env.rules.battle.siege import can_prolong, end_assault, end_sortie
from wotr_env.rules.battle.strength import (
    clear_round,
    combat_roll,
    eliminate_leaderless,
    fighting_characters,
    fighting_units,
    inflict,
    leader_reroll,
)
from wotr_env.rules.cards import character_deck, draws_available, legal_draw_deck, start_draw
from wotr_env.rules.movement import army_enters
from wotr_env.rules.parties import (
    ADVANCE,
    ATTACK,
    UNLIMITED,
    apply_pick,
    can_form,
    clear_chosen,
    legal_pick,
    nothing_chosen,
    transfer_chosen,
)
from wotr_env.rules.politics import attacked
from wotr_env.rules.stack import STAGE, ask, get, pop, push, put
from wotr_env.rules.table.modifiers import closed_to_armies
from wotr_env.ruleset import Option, SorcererDeck
from wotr_env.state import CARDS_PER_DECK

# --- Choosing an attack (R7.8.1-R7.8.4). ---


@kernel
def is_target(state, side, origin, target):
    """An adjacent enemy field army; the garrison one besieges; the besieger of one's garrison (R7.8.2).

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
    if state.units[origin, side] == 0:
        return False
    targets = is_target(state, side, origin, origin)
    for i in range(NUM_NEIGHBOURS[origin]):
        targets = targets or is_target(state, side, origin, NEIGHBOURS[origin, i])
    return targets and can_form(state, ATTACK, side, origin, origin, need, UNLIMITED)


@kernel
def some_army_can_attack(state, side, need):
    for region in range(NUM_REGIONS):
        if can_attack_from(state, side, region, need):
            return True
    return False


@kernel
def legal_attack_origin(state, mask):
    """D14: the army that attacks."""
    for region in range(NUM_REGIONS):
        if can_attack_from(state, state.seat, region, attack_need(state)):
            mask[Block.REGION + region] = True


@kernel
def apply_attack_origin(state, action):
    state.battle_origin = action - Block.REGION
    ask(state, int(state.seat), Decision.ATTACK_TARGET)


@kernel
def legal_attack_target(state, mask):
    """D14, R7.8.2: the region attacked; the army's own region means an assault or a sortie."""
    origin = int(state.battle_origin)
    if is_target(state, state.seat, origin, origin):
        mask[Block.REGION + origin] = True
    for i in range(NUM_NEIGHBOURS[origin]):
        if is_target(state, state.seat, origin, NEIGHBOURS[origin, i]):
            mask[Block.REGION + NEIGHBOURS[origin, i]] = True


@kernel
def apply_attack_target(state, action):
    state.battle_target = action - Block.REGION
    ask(state, int(state.seat), Decision.ATTACK_FIGURES)


@kernel
def legal_attack_figures(state, mask):
    """D14, R7.8.3, R7.8.4: the attacking part; the others are the rearguard."""
    origin = int(state.battle_origin)
    legal_pick(state, mask, ATTACK, int(state.seat), origin, origin, attack_need(state), UNLIMITED)


@kernel
def apply_attack_figures(state, action):
    side = int(state.seat)
    origin = int(state.battle_origin)
    if apply_pick(state, action, ATTACK, side, origin, origin):
        start_battle(state, side)
    else:
        ask(state, side, Decision.ATTACK_FIGURES)


@kernel
def start_battle(state, side):
    """The chosen figures become the attacking part (R7.8.4, R7.8.6, R7.13.9, R7.14.1, R7.15.1)."""
    state.party_regular[:] = state.chosen_regular
    state.party_elite[:] = state.chosen_elite
    state.party_leader[:] = state.chosen_leader
    state.party_characters = state.chosen_characters
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
    push(state, Frame.BATTLE, 0, 0, 0, 0)


@kernel
def _reset_course(state):
    """Forgets how the battle went, and what a card that started it changed."""
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


# --- The battle (section 19.2). Frame: stage BattleStage, numbers see combat_effects; see also battle_*. ---


@kernel
def resume_battle(state):
    """One stage of the battle; the stage is moved on first, choices may set it otherwise."""
    stage = get(state, STAGE)
    attacker = int(state.battle_attacker)
    defender = 1 - attacker
    if is_window(stage):
        play_window(state, stage)
        return
    put(state, STAGE, stage + 1)
    if stage == BattleStage.DECLARED:
        attacked(state, defender, int(state.battle_target))
        if fighting_characters(state, Side.FREE_PEOPLES) >> Character.GANDALF_WHITE & 1:
            ask(state, Side.FREE_PEOPLES, Decision.WHITE_RIDER)
    elif stage == BattleStage.ROUND:
        _begin_round(state, defender)
    elif stage == BattleStage.ATTACKER_CARD:
        if can_play_combat_card(state, attacker):
            ask(state, attacker, Decision.COMBAT_CARD)
    elif stage == BattleStage.DEFENDER_CARD:
        if can_play_combat_card(state, defender):
            ask(state, defender, Decision.COMBAT_CARD)
    elif stage == BattleStage.REVEALED_CARDS:
        reveal_combat_cards(state)
        if _sorcerer_may_draw(state):
            ask(state, Side.SHADOW, Decision.SORCERER)
    elif stage == BattleStage.ROLLS:
        combat_roll(state, attacker)
        combat_roll(state, defender)
    elif stage == BattleStage.REROLLS:
        leader_reroll(state, attacker)
        leader_reroll(state, defender)
    elif stage == BattleStage.ATTACKER_CASUALTIES:
        inflict(state, attacker, int(state.hits[defender]))
    elif stage == BattleStage.DEFENDER_CASUALTIES:
        inflict(state, defender, int(state.hits[attacker]))
    elif stage == BattleStage.LOSSES:
        spend_combat_cards(state)
        _count_losses(state)
    elif stage == BattleStage.END_OF_ROUND:
        _end_round(state, attacker)
    elif stage == BattleStage.DEFENDER_CHOICE:
        put(state, STAGE, BattleStage.ROUND)
        if can_retreat(state, defender):
            ask(state, defender, Decision.RETREAT)
    elif stage == BattleStage.AFTERMATH:
        _aftermath(state, attacker)
    else:
        _clear_battle(state)
        pop(state)


@kernel
def _begin_round(state, defender):
    """A new round; an army in its own Stronghold's region may withdraw into it (R7.9.1, R7.12.2).

    Also R7.12.1, R7.12.3.
    """
    state.battle_round += 1
    state.hits[:] = 0
    state.misses[:] = 0
    if can_withdraw(state, defender):
        ask(state, defender, Decision.STRONGHOLD)


@kernel
def _sorcerer_may_draw(state):
    """Round 1, the Witch-king fights and the Shadow used a Combat card (R14.11, RG24)."""
    return (
        state.battle_round == 1
        and state.combat_card[Side.SHADOW] >= 0
        and fighting_characters(state, Side.SHADOW) >> Character.WITCH_KING & 1 == 1
        and draws_available(state, Side.SHADOW)
    )


@kernel
def legal_white_rider(state, mask):
    """D29: Gandalf the White forfeits his Leadership to cancel all Nazgul Leadership (R14.8)."""
    mask[Block.VERB + Verb.ACCEPT] = True
    mask[Block.VERB + Verb.DECLINE] = True


@kernel
def apply_white_rider(state, action):
    state.battle_white_rider = 1 if action == Block.VERB + Verb.ACCEPT else 0


@kernel
def legal_sorcerer(state, mask):
    """D31: no card, or one of a deck; by option only of the kind of the card used (R14.11)."""
    mask[Block.VERB + Verb.DECLINE] = True
    legal_draw_deck(state, mask)
    if state.options[Option.SORCERER_DECK] == SorcererDeck.SAME:
        character_card = state.combat_card[Side.SHADOW] // CARDS_PER_DECK == character_deck(Side.SHADOW)
        mask[Block.VERB + (Verb.STRATEGY_DECK if character_card else Verb.CHARACTER_DECK)] = False


@kernel
def apply_sorcerer(state, action):
    """D31: the Witch-king's card (R14.11)."""
    if action != Block.VERB + Verb.DECLINE:
        start_draw(state, Side.SHADOW, action)


@kernel
def _count_losses(state):
    """Figures without units die, and the battle is over (R7.10.6, R7.10.7)."""
    for side in range(2):
        if fighting_units(state, side) == 0:
            eliminate_leaderless(state, side)
            put(state, STAGE, BattleStage.AFTERMATH)


@kernel
def _end_round(state, attacker):
    """The attacker's choice: cease or go on; in an assault, reduce an Elite or stop (R7.14.3, R7.18.1).

    Also R7.14.4, RU30. A card may set a number of rounds for an assault, or forbid to cease.
    """
    if state.battle_kind != BattleKind.ASSAULT:
        if state.battle_no_cease == 0:
            ask(state, attacker, Decision.CEASE)
        return
    if state.battle_fixed_rounds > 1:
        state.battle_fixed_rounds -= 1
        put(state, STAGE, BattleStage.ROUND)
        return
    put(state, STAGE, BattleStage.AFTERMATH)
    if can_prolong(state):
        ask(state, attacker, Decision.PROLONG_ASSAULT)


@kernel
def legal_cease(state, mask):
    """D26, R7.18.1."""
    mask[Block.VERB + Verb.CEASE] = True
    mask[Block.VERB + Verb.CONTINUE] = True


@kernel
def apply_cease(state, action):
    """R7.18.2: an attacker who ceases stays where he is."""
    if action == Block.VERB + Verb.CEASE:
        put(state, STAGE, BattleStage.AFTERMATH)


@kernel
def legal_retreat(state, mask):
    """D27, R7.18.3: stay, or one adjacent free region (R7.15.2, R7.18.4)."""
    mask[Block.VERB + Verb.STAY] = True
    mark_retreats(state, mask, int(state.seat))


@kernel
def apply_retreat(state, action):
    if action != Block.VERB + Verb.STAY:
        retreat_from_battle(state, int(state.seat), action - Block.REGION)


@kernel
def _aftermath(state, attacker):
    """How the battle ends: capture, siege lifted, or an advance (R7.14.5, R7.15.3-4, R7.18.5-7, R7.18.7)."""
    if state.battle_kind == BattleKind.ASSAULT:
        end_assault(state)
    elif state.battle_kind == BattleKind.SORTIE:
        end_sortie(state)
    elif _can_advance(state, attacker):
        ask(state, attacker, Decision.ADVANCE_FIGURES)


@kernel
def _can_advance(state, attacker):
    """The field of the target is clear and the attacker has units and room to go there (R7.18.5).

    Also R7.16.2, R7.18.6.
    """
    target = int(state.battle_target)
    cleared = (
        state.units[target, 1 - attacker] == 0 or state.battle_withdrawn == 1 or state.battle_retreated == 1
    )
    return cleared and fighting_units(state, attacker) > 0 and stacking_room(state, attacker, target) > 0


@kernel
def legal_advance_figures(state, mask):
    """D24, R7.12.4, R7.18.5: advance with all or part of the attacking part, or not."""
    side = int(state.seat)
    target = int(state.battle_target)
    legal_pick(
        state, mask, ADVANCE, side, int(state.battle_origin), target, 0, stacking_room(state, side, target)
    )
    if nothing_chosen(state):
        mask[Block.VERB + Verb.DECLINE] = True


@kernel
def apply_advance_figures(state, action):
    """The advance: entering effects, and a siege if the defender withdrew (R7.5.11, R7.12.4, R7.13)."""
    side = int(state.seat)
    origin = int(state.battle_origin)
    target = int(state.battle_target)
    if action == Block.VERB + Verb.DECLINE:
        return
    if not apply_pick(state, action, ADVANCE, side, origin, target):
        ask(state, side, Decision.ADVANCE_FIGURES)
        return
    transfer_chosen(state, side, origin, target)
    army_enters(state, side, target, int(state.chosen_characters))
    clear_chosen(state)
    trim_to_stacking(state, side, target)
    trim_to_stacking(state, 1 - side, target)


@kernel
def _clear_battle(state):
    """Forgets the battle, so that equal positions are equal bytes."""
    state.party_regular[:] = 0
    state.party_elite[:] = 0
    state.party_leader[:] = 0
    state.party_characters = 0
    state.battle_attacker = 0
    state.battle_origin = 0
    state.battle_target = 0
    state.battle_kind = 0
    _reset_course(state)
