"""The use of cards by the Queller-style Shadow: as events, as discards, and in battle.

Inspired by the Queller bot by Quitch; written independently.
"""

from __future__ import annotations

import numpy as np

from wotr_agents.games.war_of_the_ring.kernels import kernel
from wotr_agents.games.war_of_the_ring.queller.board import is_aggressive
from wotr_agents.games.war_of_the_ring.queller.reading import Strategy
from wotr_agents.games.war_of_the_ring.scripted.cards import COMBAT_WORTH
from wotr_env.compiler.codes import Codes
from wotr_env.games.war_of_the_ring.actions import Block
from wotr_env.games.war_of_the_ring.codes import (
    BattleKind,
    CardZone,
    Character,
    Nation,
    Settlement,
    Side,
    Verb,
)
from wotr_env.games.war_of_the_ring.components import (
    CARD_IDS,
    COMBAT_NAMES,
    NUM_CARDS,
    NUM_REGIONS,
    SETTLEMENT,
    Region,
)
from wotr_env.games.war_of_the_ring.rules.armies import is_besieger
from wotr_env.games.war_of_the_ring.rules.battle.strength import fighting_characters
from wotr_env.games.war_of_the_ring.rules.cards import hand_size
from wotr_env.games.war_of_the_ring.rules.events.playing import can_play_event, event_does_something
from wotr_env.games.war_of_the_ring.state import CARDS_PER_SIDE


class CardKind(Codes):
    """Kinds of Shadow cards, one bit each."""

    REVEALED = 1  # needs a revealed Fellowship
    TILE = 2  # brings a special Hunt tile
    HUNTING = 4  # adds Corruption or draws a tile
    MUSTERING = 8
    CHARACTER = 16
    STRATEGY = 32
    ANY = 63


def _kind(card: str) -> int:
    kind = 0
    if not card.startswith("sh-"):
        return kind
    number = int(card[-2:])
    if card.startswith("sh-char-"):
        kind |= CardKind.CHARACTER
        kind |= CardKind.REVEALED if 12 <= number <= 14 else 0
        kind |= CardKind.TILE if number <= 4 else 0
        kind |= CardKind.HUNTING if number <= 8 or 12 <= number <= 14 else 0
    else:
        kind |= CardKind.STRATEGY
        kind |= CardKind.MUSTERING if number >= 11 else 0
    return kind


CARD_KINDS = np.array([_kind(card) for card in CARD_IDS], dtype=np.int64)
"""``int64[96]``: the kinds of each card; 0 for cards of the Free Peoples."""
CARD_ORDER = np.array([10 - int(worth) for worth in COMBAT_WORTH], dtype=np.int64)
"""``int64[96]``: a substitute for the initiative number, which the cards of this edition do not have; a low
number is good in battle."""
CANCELS = np.array([name == "Swarm of Bats" for name in COMBAT_NAMES])
DURINS_BANE = np.array([name == "Durin's Bane" for name in COMBAT_NAMES])
_GROND = CARD_IDS.index("sh-char-20")
_URUK_HAI = CARD_IDS.index("sh-strat-02")
_CORSAIRS = CARD_IDS.index("sh-strat-10")


@kernel
def preferred_cards(queller):
    """The kind of card that serves the strategy."""
    return CardKind.CHARACTER if queller.strategy == Strategy.CORRUPTION else CardKind.STRATEGY


@kernel
def _attacks_well(state, queller, card):
    """Whether an aggressive army would make the attack of a card, if the card has one."""
    if card == _CORSAIRS:
        umbar = queller.war_value[Region.UMBAR]
        for goal in (Region.PELARGIR, Region.DOL_AMROTH):
            if umbar > 0 and umbar >= queller.defence[goal]:
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
        if there and is_aggressive(state, queller, region, queller.defence[region]):
            return True
    return False


@kernel
def can_use_card(state, queller, card, face):
    """Whether a die can play a card of the hand with some effect, as the procedure requires."""
    return (
        can_play_event(state, card, face)
        and event_does_something(state, card)
        and _attacks_well(state, queller, card)
    )


@kernel
def has_card(state, queller, face, kinds):
    """Whether a die can play a card of one of these kinds."""
    for card in range(CARDS_PER_SIDE, NUM_CARDS):
        if state.card_zone[card] == CardZone.HAND + state.seat and CARD_KINDS[card] & kinds:
            if can_use_card(state, queller, card, face):
                return True
    return False


@kernel
def holds_card(state, kinds):
    """Whether the hand contains a card of one of these kinds."""
    for card in range(CARDS_PER_SIDE, NUM_CARDS):
        if state.card_zone[card] == CardZone.HAND + state.seat and CARD_KINDS[card] & kinds:
            return True
    return False


@kernel
def rank_discards(state, mask, scores, queller):
    """D01: discards cards that do not serve the strategy first; Hunt tiles and cards against a revealed
    Fellowship last."""
    military = queller.strategy == Strategy.MILITARY
    strategy_cards = 0
    for card in range(CARDS_PER_SIDE, NUM_CARDS):
        if state.card_zone[card] == CardZone.HAND + state.seat and CARD_KINDS[card] & CardKind.STRATEGY:
            strategy_cards += 1
    for card in range(NUM_CARDS):
        if not mask[Block.CARD + card]:
            continue
        kind = CARD_KINDS[card]
        character = (kind & CardKind.CHARACTER) > 0
        first = character if military or strategy_cards <= 1 else not character
        score = 1000.0 + 10 * CARD_ORDER[card]
        if kind & CardKind.REVEALED == 0:
            score += 4000
        if kind & CardKind.TILE == 0:
            score += 1 if military else 2000
        if first:
            score += 500
        scores[Block.CARD + card] = score
    if mask[Block.VERB + Verb.RANDOM_CARD]:
        scores[Block.VERB + Verb.RANDOM_CARD] = 0.0


@kernel
def rank_decks(scores, queller):
    """D07, D31, D43: prefers the deck that serves the strategy."""
    character = preferred_cards(queller) == CardKind.CHARACTER
    scores[Block.VERB + Verb.CHARACTER_DECK] = 1001.0 if character else 1000.0
    scores[Block.VERB + Verb.STRATEGY_DECK] = 1000.0 if character else 1001.0


@kernel
def rank_events(state, mask, scores, queller):
    """D08: prefers the playable card that serves the strategy most."""
    preferred = preferred_cards(queller)
    military = queller.strategy == Strategy.MILITARY
    hurt = state.mordor_step > 0 or state.revealed == 1
    for card in range(NUM_CARDS):
        if not mask[Block.CARD + card]:
            continue
        kind = CARD_KINDS[card]
        score = 1000.0 - CARD_ORDER[card]
        if can_use_card(state, queller, card, int(state.action_face)):
            score += 1000
        if kind & CardKind.REVEALED and hurt:
            score += 400
        elif kind & (CardKind.TILE | CardKind.HUNTING) and not military:
            score += 200
        elif kind & CardKind.MUSTERING and military:
            score += 200
        if kind & preferred:
            score += 100
        scores[Block.CARD + card] = score


@kernel
def _combat_class(state, card, characters_only, strategy_first):
    """The rank of a Combat card's class; 0 if no card of its class is to be played now."""
    kind = CARD_KINDS[card]
    if characters_only:
        return 1 if kind & CardKind.CHARACTER else 0
    if DURINS_BANE[card]:
        return 2 if strategy_first else 3
    if kind & CardKind.STRATEGY:
        return 3 if strategy_first else 2
    return 1


@kernel
def rank_combat_cards(state, mask, scores, queller):
    """D21, D22: ranks Combat cards by deck and occasion, not by their effects."""
    attacker = state.battle_attacker == Side.SHADOW
    target = int(state.battle_target)
    first_round = state.battle_round == 1
    witch_king = fighting_characters(state, Side.SHADOW) >> Character.WITCH_KING & 1
    sorcery = first_round and witch_king == 1
    if attacker:
        characters_only = state.battle_kind == BattleKind.SORTIE
        siege = state.battle_kind == BattleKind.ASSAULT
        play = characters_only or sorcery or siege or hand_size(state, int(state.seat)) > 4
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
        if CARD_KINDS[card] & CardKind.REVEALED:
            score -= 80
        if CARD_KINDS[card] & (CardKind.TILE | CardKind.HUNTING):
            score -= 40
        scores[Block.CARD + card] = score if play and rank > 0 else 500.0
