"""The interpreter of event cards: which cards can be played, and what they do (R6.4, section 22).

A card without a program can be drawn and discarded, never played: ``EVENT_PROGRAM`` and ``COMBAT_PROGRAM``
say which cards have one.
"""

from __future__ import annotations

import numpy as np

from wotr_env.actions import Block
from wotr_env.codes import CardZone, Verb
from wotr_env.compile import kernel
from wotr_env.components import NUM_CARDS
from wotr_env.rules.cards import die_pays_for
from wotr_env.state import NUM_SIDES

EVENT_PROGRAM = np.zeros(NUM_CARDS, dtype=np.int64)
"""The event program of each card; 0: none."""

COMBAT_PROGRAM = np.zeros(NUM_CARDS, dtype=np.int64)
"""The combat program of each card; 0: none."""


@kernel
def event_is_playable(state, card, face):
    """The card is in the acting hand, the die pays for it, and it has a program (R6.3.1, R6.4.1)."""
    return (
        state.card_zone[card] == CardZone.HAND + state.acting
        and EVENT_PROGRAM[card] != 0
        and die_pays_for(face, card)
    )


@kernel
def some_event_is_playable(state, face):
    for card in range(NUM_CARDS):
        if event_is_playable(state, card, face):
            return True
    return False


@kernel
def legal_event_card(state, mask):
    """D08: a card of the hand that the die pays for."""
    for card in range(NUM_CARDS):
        if event_is_playable(state, card, int(state.action_face)):
            mask[Block.CARD + card] = True


@kernel
def apply_event_card(state, action):
    """A played card has left the hand and ends in the public discards (R6.2.4, R6.4.2)."""
    state.card_zone[action - Block.CARD] = CardZone.DISCARD


@kernel
def combat_card_is_playable(state, seat, card):
    """The card is in the hand and has a combat program (R7.9.2)."""
    return state.card_zone[card] == CardZone.HAND + seat and COMBAT_PROGRAM[card] != 0


@kernel
def can_play_combat_card(state, seat):
    for card in range(NUM_CARDS):
        if combat_card_is_playable(state, seat, card):
            return True
    return False


@kernel
def legal_combat_card(state, mask):
    """D21, D22: a Combat card, or none (R7.9.2)."""
    for card in range(NUM_CARDS):
        if combat_card_is_playable(state, int(state.seat), card):
            mask[Block.CARD + card] = True
    mask[Block.VERB + Verb.DECLINE] = True


@kernel
def apply_combat_card(state, action):
    """Commits a card face down (R7.9.2)."""
    if action != Block.VERB + Verb.DECLINE:
        card = action - Block.CARD
        state.card_zone[card] = CardZone.COMMITTED + state.seat
        state.combat_card[state.seat] = card


@kernel
def discard_combat_cards(state):
    """Combat cards act for one round and are discarded face up (R7.9.3)."""
    for side in range(NUM_SIDES):
        if state.combat_card[side] >= 0:
            state.card_zone[state.combat_card[side]] = CardZone.DISCARD
            state.combat_card[side] = -1
