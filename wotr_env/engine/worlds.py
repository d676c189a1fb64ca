"""Worlds that a seat holds possible: the hidden part of a state drawn anew (section 18 of the rules)."""

from __future__ import annotations

from wotr_env.codes import CardZone
from wotr_env.kernels import kernel
from wotr_env.rules.battle.combat_cards import condition_holds
from wotr_env.rules.cards import character_deck, strategy_deck
from wotr_env.rules.chance import draw_number, seed_chance
from wotr_env.ruleset import Option
from wotr_env.state import CARDS_PER_DECK, NUM_DECKS


@kernel
def _is_hidden(state, card, seat):
    """Whether the seat does not know where a card is, a Combat card lying face down aside."""
    zone = int(state.card_zone[card])
    if zone < CardZone.HAND:
        return True
    other = 1 - seat
    return zone == CardZone.HAND + other or zone == CardZone.FACE_DOWN + other


@kernel
def _hidden(state, deck, seat):
    """How many cards of a deck are hidden from the seat."""
    count = 0
    for card in range(deck * CARDS_PER_DECK, (deck + 1) * CARDS_PER_DECK):
        if _is_hidden(state, card, seat):
            count += 1
    return count


@kernel
def _held(state, deck, seat):
    """How many cards of a deck the other seat holds."""
    count = 0
    for card in range(deck * CARDS_PER_DECK, (deck + 1) * CARDS_PER_DECK):
        if state.card_zone[card] == CardZone.HAND + 1 - seat:
            count += 1
    return count


@kernel
def _playable(state, deck, seat):
    """How many cards hidden from the seat the other one could commit as a Combat card, if it held them."""
    count = 0
    for card in range(deck * CARDS_PER_DECK, (deck + 1) * CARDS_PER_DECK):
        if _is_hidden(state, card, seat) and condition_holds(state, 1 - seat, card):
            count += 1
    return count


@kernel
def _lay_hidden(state, deck, seat):
    """Lays the hidden cards in one order, so that a draw depends on its seed and on nothing hidden."""
    other = 1 - seat
    in_hand = _held(state, deck, seat)
    place = 0
    for card in range(deck * CARDS_PER_DECK, (deck + 1) * CARDS_PER_DECK):
        if not _is_hidden(state, card, seat):
            continue
        if place < state.deck_size[deck]:
            state.card_zone[card] = place
        elif place < state.deck_size[deck] + in_hand:
            state.card_zone[card] = CardZone.HAND + other
        else:
            state.card_zone[card] = CardZone.FACE_DOWN + other
        place += 1


@kernel
def _shuffle_hidden(state, deck, seat):
    """Every way to lay the hidden cards of a deck in the places of hidden cards is equally likely."""
    first = deck * CARDS_PER_DECK
    passed = 0
    for card in range(first, first + CARDS_PER_DECK):
        if not _is_hidden(state, card, seat):
            continue
        skip = draw_number(state, 0, passed + 1)
        passed += 1
        other = first
        while skip > 0 or not _is_hidden(state, other, seat):
            if _is_hidden(state, other, seat):
                skip -= 1
            other += 1
        zone = state.card_zone[card]
        state.card_zone[card] = state.card_zone[other]
        state.card_zone[other] = zone


@kernel
def _commit_another(state, seat):
    """Draws the Combat card that the other seat has committed: one that it may commit now (R7.9.2).

    A card of a deck with n hidden cards, h of them in the hand, is in the hand in h of n worlds.
    """
    other = 1 - seat
    committed = int(state.combat_card[other])
    back = committed // CARDS_PER_DECK
    character = character_deck(other)
    strategy = strategy_deck(other)
    of_character = _playable(state, character, seat) * _held(state, character, seat)
    of_strategy = _playable(state, strategy, seat) * _held(state, strategy, seat)
    of_character *= max(1, _hidden(state, strategy, seat))
    of_strategy *= max(1, _hidden(state, character, seat))
    if state.options[Option.COMBAT_CARD_BACK_VISIBLE] == 0:
        back = character if draw_number(state, 0, of_character + of_strategy) < of_character else strategy
    skip = draw_number(state, 0, _playable(state, back, seat))
    card = back * CARDS_PER_DECK
    while True:
        if _is_hidden(state, card, seat) and condition_holds(state, other, card):
            if skip == 0:
                break
            skip -= 1
        card += 1
    if state.card_zone[card] != CardZone.HAND + other:
        for held in range(back * CARDS_PER_DECK, (back + 1) * CARDS_PER_DECK):
            if state.card_zone[held] == CardZone.HAND + other:
                state.card_zone[held] = state.card_zone[card]
                break
    state.card_zone[card] = CardZone.COMMITTED + other
    state.combat_card[other] = card


@kernel
def resample(state, seat, seed):
    """Draws all that a seat does not know: the other hand, deck orders, face-down cards, future chance.

    Every world that fits what the seat has seen is equally likely.
    """
    seed_chance(state, seed)
    state.tape[:] = 0
    committed = int(state.combat_card[1 - seat])
    face_down = committed >= 0 and state.card_zone[committed] == CardZone.COMMITTED + 1 - seat
    if face_down:
        state.card_zone[committed] = CardZone.HAND + 1 - seat
    for deck in range(NUM_DECKS):
        _lay_hidden(state, deck, seat)
    if face_down:
        _commit_another(state, seat)
    for deck in range(NUM_DECKS):
        _shuffle_hidden(state, deck, seat)
