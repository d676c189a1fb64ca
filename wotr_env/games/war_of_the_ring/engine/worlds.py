"""Worlds that a seat considers possible: the hidden part of a state is resampled (section 18 of the
rules)."""

from __future__ import annotations

import numpy as np

from wotr_env.compiler.memory import lowest_bit
from wotr_env.core.errors import StateError
from wotr_env.games.war_of_the_ring.codes import CardZone, Side
from wotr_env.games.war_of_the_ring.components import NUM_CARDS
from wotr_env.games.war_of_the_ring.kernels import kernel
from wotr_env.games.war_of_the_ring.options import Option
from wotr_env.games.war_of_the_ring.rules.battle.combat_cards import condition_holds
from wotr_env.games.war_of_the_ring.rules.cards import (
    character_deck,
    hand_size,
    is_given,
    leave_hand,
    note_given,
    some_is_given,
    strategy_deck,
)
from wotr_env.games.war_of_the_ring.rules.chance import draw_number, seed_chance, stream_word
from wotr_env.games.war_of_the_ring.rules.seats import NOBODY, PARTNER, side_of
from wotr_env.games.war_of_the_ring.state import CARDS_PER_DECK, NUM_DECKS, NUM_SEATS

_GIVEN = CardZone.HAND + NUM_SEATS
"""Zones that are used while a world is sampled: in the hand of a seat, known to its partner
(``state.given``)."""
_HANDS = 2 * NUM_SEATS
assert _GIVEN + NUM_SEATS <= CardZone.TABLE

_NUM_ZONES = 128  # a power of two: a zone under its mask is known not to be negative, a plain index


def _hidden_zones() -> np.ndarray:
    """Flags, ``int64[NUM_SEATS, _NUM_ZONES]``: whether the cards in a zone are unknown to a seat."""
    hidden = np.zeros((NUM_SEATS, _NUM_ZONES), dtype=np.int64)
    hidden[:, :CARDS_PER_DECK] = 1
    for seat, partner in enumerate(PARTNER[-1].tolist()):
        for other in range(NUM_SEATS):
            hidden[seat, [CardZone.HAND + other, CardZone.FACE_DOWN + other]] = other != seat
            hidden[seat, _GIVEN + other] = other not in (seat, partner)
    hidden.setflags(write=False)
    return hidden


_IS_HIDDEN = _hidden_zones()

_COUNT_BITS = 5
_COUNT_MASK = (1 << _COUNT_BITS) - 1
assert CARDS_PER_DECK <= _COUNT_MASK

_PLACE_BITS = 5
_PLACE_MASK = (1 << _PLACE_BITS) - 1
_PLACES_PER_WORD = 12
assert CARDS_PER_DECK <= min(_PLACE_MASK + 1, 2 * _PLACES_PER_WORD)


@kernel
def _hidden_cards(state, deck, seat):
    """The cards of a deck whose place is unknown to the seat, one bit each, without committed Combat
    cards."""
    cards = 0
    for place in range(CARDS_PER_DECK):
        zone = int(state.card_zone[deck * CARDS_PER_DECK + place]) & (_NUM_ZONES - 1)
        cards |= _IS_HIDDEN[seat, zone] << place
    return cards


@kernel
def _hidden(state, deck, seat):
    """The number of cards of a deck that are hidden from the seat."""
    cards = _hidden_cards(state, deck, seat)
    count = 0
    while cards > 0:
        cards &= cards - 1
        count += 1
    return count


@kernel
def _lying(state, deck, zone):
    """The number of cards of a deck in a zone."""
    count = 0
    for card in range(deck * CARDS_PER_DECK, (deck + 1) * CARDS_PER_DECK):
        if state.card_zone[card] == zone:
            count += 1
    return count


@kernel
def _playable(state, deck, seat, side):
    """The number of cards hidden from the seat that the side could commit as a Combat card, if its player
    held them."""
    hidden = _hidden_cards(state, deck, seat)
    count = 0
    for place in range(CARDS_PER_DECK):
        if hidden >> place & 1 and condition_holds(state, side, deck * CARDS_PER_DECK + place):
            count += 1
    return count


@kernel
def _zone_of(number, hands, face_down):
    """The zone of a hidden card, from its number among the cards in hands and face down; the numbers of cards
    in each are packed."""
    for other in range(_HANDS):
        count = (hands >> _COUNT_BITS * other) & _COUNT_MASK
        if number < count:
            return CardZone.HAND + other
        number -= count
    for other in range(NUM_SEATS - 1):
        count = (face_down >> _COUNT_BITS * other) & _COUNT_MASK
        if number < count:
            return CardZone.FACE_DOWN + other
        number -= count
    return CardZone.FACE_DOWN + NUM_SEATS - 1


@kernel
def _lay_hidden(state, deck, seat):
    """Places the hidden cards in a fixed order, so that a sample depends only on its seed and not on hidden
    information.

    The order is: the draw deck, then the hands and then the face-down cards of the other seats, each by
    number.
    """
    first = deck * CARDS_PER_DECK
    hidden = _hidden_cards(state, deck, seat)
    hands = 0
    face_down = 0
    for place in range(CARDS_PER_DECK):
        zone = int(state.card_zone[first + place])
        if hidden >> place & 1 and zone >= CardZone.FACE_DOWN:
            face_down += 1 << _COUNT_BITS * (zone - CardZone.FACE_DOWN)
        elif hidden >> place & 1 and zone >= CardZone.HAND:
            hands += 1 << _COUNT_BITS * (zone - CardZone.HAND)
    size = int(state.deck_size[deck])
    number = 0
    for place in range(CARDS_PER_DECK):
        if hidden >> place & 1:
            zone = number if number < size else _zone_of(number - size, hands, face_down)
            state.card_zone[first + place] = zone
            number += 1


@kernel
def _shuffle_hidden(state, deck, seat):
    """Shuffles the hidden cards of a deck among the places of hidden cards; all orders are equally likely.

    It draws the words of a new random stream as ``draw_number`` would, but all at once.
    """
    first = deck * CARDS_PER_DECK
    hidden = _hidden_cards(state, deck, seat)
    low = int(state.key[0])
    high = int(state.key[1])
    counter = int(state.counter)
    passed = 0
    early = 0  # places of the first hidden cards, packed, and of the others
    late = 0
    while hidden > 0:
        place = lowest_bit(hidden)
        hidden &= hidden - 1
        if passed < _PLACES_PER_WORD:
            early |= place << _PLACE_BITS * passed
        else:
            late |= place << _PLACE_BITS * (passed - _PLACES_PER_WORD)
        passed += 1
        drawn = (stream_word(low, high, counter) * passed) >> 32
        counter += 1
        if drawn < _PLACES_PER_WORD:
            other = early >> _PLACE_BITS * drawn & _PLACE_MASK
        else:
            other = late >> _PLACE_BITS * (drawn - _PLACES_PER_WORD) & _PLACE_MASK
        zone = state.card_zone[first + place]
        state.card_zone[first + place] = state.card_zone[first + other]
        state.card_zone[first + other] = zone
    state.counter = counter


@kernel
def _commit_another(state, seat, owner):
    """Resamples the committed Combat card of another seat among the cards that the seat may commit now
    (R7.9.2).

    If a deck has n hidden cards and h of them are in this hand, a card of the deck is in the hand in h of n
    worlds.
    """
    side = side_of(owner)
    hand = CardZone.HAND + owner
    committed = int(state.combat_card[side])
    back = committed // CARDS_PER_DECK
    character = character_deck(side)
    strategy = strategy_deck(side)
    of_character = _playable(state, character, seat, side) * _lying(state, character, hand)
    of_strategy = _playable(state, strategy, seat, side) * _lying(state, strategy, hand)
    of_character *= max(1, _hidden(state, strategy, seat))
    of_strategy *= max(1, _hidden(state, character, seat))
    if state.options[Option.COMBAT_CARD_BACK_VISIBLE] == 0:
        back = character if draw_number(state, 0, of_character + of_strategy) < of_character else strategy
    skip = draw_number(state, 0, _playable(state, back, seat, side))
    hidden = _hidden_cards(state, back, seat)
    card = -1
    for place in range(CARDS_PER_DECK):
        if hidden >> place & 1 and condition_holds(state, side, back * CARDS_PER_DECK + place):
            if skip == 0:
                card = back * CARDS_PER_DECK + place
                break
            skip -= 1
    if card < 0:
        raise StateError("combat_card: the card that lies face down could not be played")
    if state.card_zone[card] != hand:
        for held in range(back * CARDS_PER_DECK, (back + 1) * CARDS_PER_DECK):
            if state.card_zone[held] == hand:
                state.card_zone[held] = state.card_zone[card]
                break
    state.card_zone[card] = CardZone.COMMITTED + owner
    state.combat_card[side] = card


@kernel
def _committer(state, side):
    """The seat whose Combat card lies face down for a side, or -1."""
    card = int(state.combat_card[side])
    if card < 0:
        return -1
    owner = int(state.card_zone[card]) - CardZone.COMMITTED
    return owner if 0 <= owner < NUM_SEATS else -1


@kernel
def resample(state, seat, seed):
    """Resamples all information that is hidden from a seat: other hands, deck orders, face-down cards, future
    chance.

    All worlds that are consistent with the information of the seat are equally likely.
    """
    seed_chance(state, seed)
    state.tape[:] = 0
    giver = NOBODY
    if state.offered > 0:
        giver = int(state.card_zone[state.offered - 1]) - CardZone.HAND
    given = some_is_given(state)
    if given:
        _mark_given(state)
    free_peoples = _committer(state, Side.FREE_PEOPLES)
    shadow = _committer(state, Side.SHADOW)
    for owner in (free_peoples, shadow):
        if owner >= 0 and owner != seat:
            state.card_zone[state.combat_card[side_of(owner)]] = CardZone.HAND + owner
    for deck in range(NUM_DECKS):
        _lay_hidden(state, deck, seat)
    for owner in (free_peoples, shadow):
        if owner >= 0 and owner != seat:
            _commit_another(state, seat, owner)
    for deck in range(NUM_DECKS):
        _shuffle_hidden(state, deck, seat)
    if given:
        _note_given(state)
    if giver != NOBODY and giver != seat:
        _offer_another(state, giver)


@kernel
def _mark_given(state):
    """Puts cards that partners have given each other into separate zones, while the other cards are
    resampled."""
    for card in range(NUM_CARDS):
        if is_given(state, card):
            leave_hand(state, card, int(state.card_zone[card]) + NUM_SEATS)


@kernel
def _note_given(state):
    for card in range(NUM_CARDS):
        if _GIVEN <= state.card_zone[card] < _GIVEN + NUM_SEATS:
            state.card_zone[card] -= NUM_SEATS
            note_given(state, card)


@kernel
def _offer_another(state, giver):
    """Resamples the hidden card that a partner is giving, among the cards of this hand (R13.2.3)."""
    skip = draw_number(state, 0, hand_size(state, giver))
    for card in range(NUM_CARDS):
        if state.card_zone[card] == CardZone.HAND + giver:
            if skip == 0:
                state.offered = card + 1
            skip -= 1
