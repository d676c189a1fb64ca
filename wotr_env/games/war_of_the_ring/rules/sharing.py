"""Cards of partners: the draws of each, and the one card that they may exchange (R13.2.1-R13.2.3).

Each side that two players share uses a frame SIDE_DRAWS. A player who has given a card knows where it is
(``state.given``) until the partner discards a card face down.
"""

from __future__ import annotations

from wotr_env.compiler.codes import Codes
from wotr_env.games.war_of_the_ring.actions import Block
from wotr_env.games.war_of_the_ring.codes import Decision, Frame, Verb
from wotr_env.games.war_of_the_ring.kernels import kernel
from wotr_env.games.war_of_the_ring.rules.cards import (
    draw_of_each_deck,
    draws_available,
    hand_size,
    mark_hand,
    note_given,
)
from wotr_env.games.war_of_the_ring.rules.seats import leader_of, other_of
from wotr_env.games.war_of_the_ring.rules.stack import STAGE, ask_seat, get, pop, push, put


class ShareFrame(Codes):
    """Slots of the frame ``SIDE_DRAWS``; its stage is a ``ShareStage``."""

    SIDE = 2


class ShareStage(Codes):
    """The stages: leader and partner draw, agree on an exchange, and choose the cards that they give."""

    LEADER_DRAWS = 0
    PARTNER_DRAWS = 1
    LEADER_AGREES = 2
    PARTNER_AGREES = 3
    LEADER_GIVES = 4
    PARTNER_GIVES = 5
    OVER = 6


@kernel
def start_side_draws(state, side):
    push(state, Frame.SIDE_DRAWS)
    put(state, ShareFrame.SIDE, side)


@kernel
def resume_side_draws(state):
    """Runs the current stage for one partner, after it has stored the next stage. The leader comes first
    (gap)."""
    side = get(state, ShareFrame.SIDE)
    stage = get(state, STAGE)
    put(state, STAGE, stage + 1)
    leader = leader_of(state, side)
    partner = other_of(state, leader)
    if stage == ShareStage.LEADER_DRAWS:
        _draw(state, side, leader)
    elif stage == ShareStage.PARTNER_DRAWS:
        _draw(state, side, partner)
    elif stage == ShareStage.LEADER_AGREES:
        if hand_size(state, leader) > 0 and hand_size(state, partner) > 0:
            ask_seat(state, leader, Decision.EXCHANGE_CARD)
        else:
            pop(state)
    elif stage == ShareStage.PARTNER_AGREES:
        ask_seat(state, partner, Decision.EXCHANGE_CARD)
    elif stage == ShareStage.LEADER_GIVES:
        ask_seat(state, leader, Decision.OFFER_CARD)
    elif stage == ShareStage.PARTNER_GIVES:
        ask_seat(state, partner, Decision.OFFER_CARD)
    else:
        pop(state)


@kernel
def _draw(state, side, seat):
    """Draws a card of each deck in the first turn; in later turns, asks for a deck (R13.2.1, R13.2.2)."""
    if state.turn == 1:
        draw_of_each_deck(state, seat)
    elif draws_available(state, side):
        state.acting = side
        ask_seat(state, seat, Decision.DRAW_DECK)


@kernel
def apply_exchange_card(state, action):
    """R13.2.3: an exchange follows only if the partner accepts too."""
    if action == Block.VERB + Verb.DECLINE:
        put(state, STAGE, ShareStage.OVER)


@kernel
def legal_offer_card(state, mask):
    """R13.2.3: any card of the hand."""
    mark_hand(state, mask)


@kernel
def apply_offer_card(state, action):
    """Puts the first card aside face down until the second card is chosen; then exchanges both cards."""
    card = action - Block.CARD
    if state.offered == 0:
        state.offered = card + 1
        return
    other = int(state.offered) - 1
    zone = state.card_zone[card]
    state.card_zone[card] = state.card_zone[other]
    state.card_zone[other] = zone
    note_given(state, card)
    note_given(state, other)
    state.offered = 0
