"""The cards of the Queller-style Shadow: playing, discarding, and using them in battle.

Inspired by the Queller bot by Quitch; written independently.
"""

from __future__ import annotations

import numpy as np

from wotr_agents.kernels import kernel
from wotr_agents.queller.board import Fact, Mark, Strategy, fact, is_aggressive, mark
from wotr_agents.scripted.cards import COMBAT_WORTH
from wotr_env.actions import Block
from wotr_env.codes import BattleKind, CardZone, Character, Nation, Settlement, Side, Verb
from wotr_env.components import CARD_IDS, COMBAT_NAMES, NUM_CARDS, NUM_REGIONS, SETTLEMENT, Region
from wotr_env.rules.armies import is_besieger
from wotr_env.rules.battle.strength import fighting_characters
from wotr_env.rules.cards import hand_size
from wotr_env.rules.events.playing import can_play_event
from wotr_env.state import CARDS_PER_DECK

# Kinds of Shadow cards, one bit each.
REVEALED = 1  # needs a revealed Fellowship
TILE = 2  # brings a special Hunt tile
HUNTING = 4  # adds Corruption or draws a tile
MUSTERING = 8
CHARACTER_CARD = 16
STRATEGY_CARD = 32
ANY_CARD = 63


def _kind(card: str) -> int:
    kind = 0
    if not card.startswith("sh-"):
        return kind
    number = int(card[-2:])
    if card.startswith("sh-char-"):
        kind |= CHARACTER_CARD
        kind |= REVEALED if 12 <= number <= 14 else 0
        kind |= TILE if number <= 4 else 0
        kind |= HUNTING if number <= 8 or 12 <= number <= 14 else 0
    else:
        kind |= STRATEGY_CARD
        kind |= MUSTERING if number >= 11 else 0
    return kind


CARD_KIND = np.array([_kind(card) for card in CARD_IDS], dtype=np.int64)
"""``int64[96]``: the kinds of each card; 0 for those of the Free Peoples."""
CARD_ORDER = np.array([10 - int(worth) for worth in COMBAT_WORTH], dtype=np.int64)
"""``int64[96]``: stands for the initiative number, which this edition's cards lack; low is good in battle."""
CANCELS = np.array([name == "Swarm of Bats" for name in COMBAT_NAMES])
DURINS_BANE = np.array([name == "Durin's Bane" for name in COMBAT_NAMES])
_GROND = CARD_IDS.index("sh-char-20")
_URUK_HAI = CARD_IDS.index("sh-strat-02")
_CORSAIRS = CARD_IDS.index("sh-strat-10")


@kernel
def preferred_cards(work):
    """The kind of card that serves the strategy."""
    return CHARACTER_CARD if fact(work, Fact.STRATEGY) == Strategy.CORRUPTION else STRATEGY_CARD


@kernel
def _attacks_well(state, work, card):
    """Whether the attack of a card, if it has one, would be made by an aggressive army."""
    if card == _CORSAIRS:
        umbar = mark(work, Mark.WAR_VALUE, Region.UMBAR)
        for goal in (Region.PELARGIR, Region.DOL_AMROTH):
            if umbar > 0 and umbar >= mark(work, Mark.DEFENCE, goal):
                return True
        return False
    if card != _GROND and card != _URUK_HAI:
        return True
    for region in range(NUM_REGIONS):
        if not is_besieger(state, Side.SHADOW, region):
            continue
        there = state.location[Character.WITCH_KING] == region
        if card == _URUK_HAI:
            there = state.regular[region, Nation.ISENGARD] + state.elite[region, Nation.ISENGARD] > 0
        if there and is_aggressive(state, work, region, int(mark(work, Mark.DEFENCE, region))):
            return True
    return False


@kernel
def can_use_card(state, work, card, face):
    """Whether a card of the hand is playable by a die in the sense of the procedure."""
    return can_play_event(state, card, face) and _attacks_well(state, work, card)


@kernel
def has_card(state, work, face, kinds):
    for card in range(2 * CARDS_PER_DECK, NUM_CARDS):
        if state.card_zone[card] == CardZone.HAND + Side.SHADOW and CARD_KIND[card] & kinds:
            if can_use_card(state, work, card, face):
                return True
    return False


@kernel
def holds_card(state, kinds):
    for card in range(2 * CARDS_PER_DECK, NUM_CARDS):
        if state.card_zone[card] == CardZone.HAND + Side.SHADOW and CARD_KIND[card] & kinds:
            return True
    return False


@kernel
def rank_discards(state, mask, scores, work):
    """D01: first what does not serve the strategy; Hunt tiles and cards for a revealed Fellowship last."""
    military = fact(work, Fact.STRATEGY) == Strategy.MILITARY
    strategy_cards = 0
    for card in range(2 * CARDS_PER_DECK, NUM_CARDS):
        if state.card_zone[card] == CardZone.HAND + Side.SHADOW and CARD_KIND[card] & STRATEGY_CARD:
            strategy_cards += 1
    for card in range(NUM_CARDS):
        if not mask[Block.CARD + card]:
            continue
        kind = CARD_KIND[card]
        character = (kind & CHARACTER_CARD) > 0
        first = character if military or strategy_cards <= 1 else not character
        score = 1000.0 + 10 * CARD_ORDER[card]
        if kind & REVEALED == 0:
            score += 4000
        if kind & TILE == 0:
            score += 1 if military else 2000
        if first:
            score += 500
        scores[Block.CARD + card] = score
    if mask[Block.VERB + Verb.RANDOM_CARD]:
        scores[Block.VERB + Verb.RANDOM_CARD] = 0.0


@kernel
def rank_decks(scores, work):
    """D07, D31, D43: the deck that serves the strategy."""
    character = preferred_cards(work) == CHARACTER_CARD
    scores[Block.VERB + Verb.CHARACTER_DECK] = 1001.0 if character else 1000.0
    scores[Block.VERB + Verb.STRATEGY_DECK] = 1000.0 if character else 1001.0


@kernel
def rank_events(state, mask, scores, work):
    """D08: the playable card that serves the strategy most."""
    preferred = preferred_cards(work)
    military = fact(work, Fact.STRATEGY) == Strategy.MILITARY
    hurt = state.mordor_step > 0 or state.revealed == 1
    for card in range(NUM_CARDS):
        if not mask[Block.CARD + card]:
            continue
        kind = CARD_KIND[card]
        score = 1000.0 - CARD_ORDER[card]
        if can_use_card(state, work, card, int(state.action_face)):
            score += 1000
        if kind & REVEALED and hurt:
            score += 400
        elif kind & (TILE + HUNTING) and not military:
            score += 200
        elif kind & MUSTERING and military:
            score += 200
        if kind & preferred:
            score += 100
        scores[Block.CARD + card] = score


@kernel
def _combat_class(state, card, characters_only, strategy_first):
    """The place of a Combat card's class; 0 if none of its class is played now."""
    kind = CARD_KIND[card]
    if characters_only:
        return 1 if kind & CHARACTER_CARD else 0
    if DURINS_BANE[card]:
        return 2 if strategy_first else 3
    if kind & STRATEGY_CARD:
        return 3 if strategy_first else 2
    return 1


@kernel
def rank_combat_cards(state, mask, scores, work):
    """D21, D22: by deck and occasion, not by what the card does."""
    attacker = state.battle_attacker == Side.SHADOW
    target = int(state.battle_target)
    first_round = state.battle_round == 1
    witch_king = fighting_characters(state, Side.SHADOW) >> Character.WITCH_KING & 1
    sorcery = first_round and witch_king == 1
    if attacker:
        characters_only = state.battle_kind == BattleKind.SORTIE
        siege = state.battle_kind == BattleKind.ASSAULT
        play = characters_only or sorcery or siege or hand_size(state, Side.SHADOW) > 4
    else:
        characters_only = True
        play = first_round or SETTLEMENT[target] == Settlement.STRONGHOLD
    scores[Block.VERB + Verb.DECLINE] = 1000.0
    for card in range(NUM_CARDS):
        if not mask[Block.CARD + card]:
            continue
        rank = _combat_class(state, card, 1 if characters_only else 0, 1 if sorcery else 0)
        if not attacker and CANCELS[card] and state.combat_card[Side.FREE_PEOPLES] >= 0:
            rank = 4
        score = 1100.0 + 200 * rank - CARD_ORDER[card]
        if CARD_KIND[card] & REVEALED:
            score -= 80
        if CARD_KIND[card] & (TILE + HUNTING):
            score -= 40
        scores[Block.CARD + card] = score if play and rank > 0 else 500.0
