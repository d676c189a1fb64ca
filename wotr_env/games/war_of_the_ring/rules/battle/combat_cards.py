"""Combat cards: the cards that may be committed, their reveal, and their discard (R7.9.2, R7.9.3, section
22.6).

Their effects are in ``combat_effects``.
"""

from __future__ import annotations

from wotr_env.compiler.memory import lowest_bit
from wotr_env.games.war_of_the_ring.actions import Block
from wotr_env.games.war_of_the_ring.cards.combat import (
    COMBAT_CONDITION,
    COMBAT_FROM_TABLE,
    COMBAT_REGIONS,
    COMBAT_TITLE,
)
from wotr_env.games.war_of_the_ring.codes import BattleKind, CardZone, Character, Figure, Region, Side, Verb
from wotr_env.games.war_of_the_ring.components import COMPANIONS, DISTANCE
from wotr_env.games.war_of_the_ring.data.combat_programs import MAX_TESTS, CombatTest
from wotr_env.games.war_of_the_ring.kernels import kernel
from wotr_env.games.war_of_the_ring.options import Option
from wotr_env.games.war_of_the_ring.rules.armies import END_NATION, FIRST_NATION
from wotr_env.games.war_of_the_ring.rules.battle.strength import (
    clear_round,
    fighting_characters,
    fighting_leaders,
    fighting_unit_kind,
    leading_characters,
    nazgul_points,
)
from wotr_env.games.war_of_the_ring.rules.cards import (
    card_side,
    cards_in,
    cards_in_hand,
    first_card,
    put_face_down,
)
from wotr_env.games.war_of_the_ring.rules.seats import deciding_side, seat_of
from wotr_env.games.war_of_the_ring.rules.table.modifiers import Modifier, on_table
from wotr_env.games.war_of_the_ring.state import NUM_SIDES


@kernel
def forfeitable(state, side, characters):
    """The characters of a set that fight and have Leadership left to forfeit (R7.9.8).

    Gandalf the White has none after The White Rider (R14.8).
    """
    there = leading_characters(state, side) & characters
    if state.battle_white_rider == 1:
        there &= ~(1 << Character.GANDALF_WHITE)
    return there


@kernel
def _units_of_nations_fight(state, side, nations, elites_only):
    for nation in range(FIRST_NATION[side], END_NATION[side]):
        if nations >> nation & 1 == 0:
            continue
        if fighting_unit_kind(state, side, nation, Figure.ELITE) > 0:
            return True
        if elites_only == 0 and fighting_unit_kind(state, side, nation, Figure.REGULAR) > 0:
            return True
    return False


@kernel
def _test_holds(state, side, title, test, first, second):
    """Whether one test of the condition of a title holds (section 22.6)."""
    target = int(state.battle_target)
    if test == CombatTest.FELLOWSHIP_WITH_DEFENDER:
        return state.fellowship_region == target
    if test == CombatTest.CHARACTER:
        return fighting_characters(state, side) & first != 0
    if test == CombatTest.LEADER_OR_COMPANION:
        return fighting_leaders(state, side) > 0 or fighting_characters(state, side) & COMPANIONS != 0
    if test == CombatTest.FORFEITABLE:
        return forfeitable(state, side, first) != 0
    if test == CombatTest.DEFENDER_IN:
        return COMBAT_REGIONS[title, target] == 1
    if test == CombatTest.DEFENDER_NEAR:
        return DISTANCE[target, first] <= second
    if test == CombatTest.UNITS:
        return _units_of_nations_fight(state, side, first, second)
    if test == CombatTest.NAZGUL:
        witch_king = fighting_characters(state, side) >> Character.WITCH_KING & 1
        return witch_king == 1 or fighting_leaders(state, side) > 0
    if test == CombatTest.NAZGUL_LEADERSHIP:
        return nazgul_points(state) >= first
    if test == CombatTest.DEFENDS_FIELD:
        return side != state.battle_attacker and state.battle_kind != BattleKind.ASSAULT
    if test == CombatTest.ASSAULT:
        return state.battle_kind == BattleKind.ASSAULT
    return True


@kernel
def condition_holds(state, side, card):
    """Whether the printed condition of a card's Combat half holds (R7.9.2)."""
    title = COMBAT_TITLE[card]
    for i in range(MAX_TESTS):
        if not _test_holds(
            state,
            side,
            title,
            COMBAT_CONDITION[title, i, 0],
            COMBAT_CONDITION[title, i, 1],
            COMBAT_CONDITION[title, i, 2],
        ):
            return False
    return True


@kernel
def combat_cards_forbidden(state, side):
    """Whether cards forbid the side to use Combat cards; this concerns only the Free Peoples (R7.9.2, section
    19.2 C2).

    The cards are Denethor's Folly at Minas Tirith, and a card lock (sh-char-20, sh-strat-02) in round 1
    unless a Companion takes part.
    """
    if side == Side.SHADOW:
        return False
    if state.battle_target == Region.MINAS_TIRITH and on_table(state, Modifier.DENETHORS_FOLLY):
        return True
    no_companion = fighting_characters(state, side) & COMPANIONS == 0
    return state.battle_card_lock == 1 and state.battle_round == 1 and no_companion


@kernel
def combat_card_is_playable(state, side, card):
    """Whether the card is in the hand and its condition holds; the Balrog may also be on the table (R7.9.2,
    R6.3.2).

    Also R6.5.5, RG25.
    """
    from_table = (
        state.card_zone[card] == CardZone.TABLE
        and COMBAT_FROM_TABLE[COMBAT_TITLE[card]] == 1
        and card_side(card) == side
        and state.options[Option.BALROG_TABLE_COMBAT] == 1
    )
    in_hand = state.card_zone[card] == CardZone.HAND + seat_of(state, side)
    return (from_table or in_hand) and condition_holds(state, side, card)


@kernel
def can_play_combat_card(state, side):
    if combat_cards_forbidden(state, side):
        return False
    cards = _cards_at_hand(state, side)
    while cards != 0:
        if combat_card_is_playable(state, side, first_card(side) + lowest_bit(cards)):
            return True
        cards &= cards - 1
    return False


@kernel
def _cards_at_hand(state, side):
    """The cards in hand and on the table, one bit each as in ``cards_in``."""
    return cards_in_hand(state, seat_of(state, side)) | cards_in(state, side, CardZone.TABLE)


@kernel
def legal_combat_card(state, mask):
    """D21, D22: a Combat card, or none (R7.9.2)."""
    side = deciding_side(state)
    cards = _cards_at_hand(state, side)
    while cards != 0:
        card = first_card(side) + lowest_bit(cards)
        cards &= cards - 1
        if combat_card_is_playable(state, side, card):
            mask[Block.CARD + card] = True
    mask[Block.VERB + Verb.DECLINE] = True


@kernel
def apply_combat_card(state, action):
    """Commits a card face down (R7.9.2, RU22); a card from the table is known to all players."""
    if action != Block.VERB + Verb.DECLINE:
        card = action - Block.CARD
        if state.card_zone[card] == CardZone.TABLE:
            state.card_zone[card] = CardZone.IN_PLAY
        else:
            put_face_down(state, card, CardZone.COMMITTED + int(state.seat))
        state.combat_card[deciding_side(state)] = card


@kernel
def reveal_combat_cards(state):
    """Reveals both cards at the same time (R7.9.2)."""
    for side in range(NUM_SIDES):
        if state.combat_card[side] >= 0:
            state.card_zone[state.combat_card[side]] = CardZone.IN_PLAY


@kernel
def spend_combat_cards(state):
    """Discards the Combat cards of a round face up, whether cancelled or not (R7.9.3)."""
    for side in range(NUM_SIDES):
        if state.combat_card[side] >= 0:
            state.card_zone[state.combat_card[side]] = CardZone.DISCARD
            state.combat_card[side] = -1
    clear_round(state)
