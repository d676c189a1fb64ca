"""Event cards in general: decks, hands, the hand limit, and the dice that play a card (R6.1-R6.3)."""

from __future__ import annotations

from wotr_env.compiler.codes import Codes
from wotr_env.compiler.memory import bit_count, equal_flags, lowest_bit
from wotr_env.games.war_of_the_ring.actions import Block
from wotr_env.games.war_of_the_ring.codes import CardZone, Decision, Face, Frame, Icon, Verb
from wotr_env.games.war_of_the_ring.components import CARD_ICON
from wotr_env.games.war_of_the_ring.kernels import kernel
from wotr_env.games.war_of_the_ring.options import Option
from wotr_env.games.war_of_the_ring.rules.chance import draw_number
from wotr_env.games.war_of_the_ring.rules.seats import NOBODY, deciding_side, partner_of, side_of
from wotr_env.games.war_of_the_ring.rules.sets import is_member, set_member
from wotr_env.games.war_of_the_ring.rules.stack import ask_seat, get, pop, push, put
from wotr_env.games.war_of_the_ring.state import CARDS_PER_DECK, CARDS_PER_SIDE, NUM_DECKS

_CARDS_OF_SIDE = (1 << CARDS_PER_SIDE) - 1


@kernel
def shuffle_decks(state):
    """Shuffles the four decks; all orders of each are equally likely (R3.4)."""
    for deck in range(NUM_DECKS):
        first = deck * CARDS_PER_DECK
        for place in range(CARDS_PER_DECK):
            state.card_zone[first + place] = place
        for place in range(CARDS_PER_DECK - 1, 0, -1):
            other = draw_number(state, 0, place + 1)
            kept = state.card_zone[first + place]
            state.card_zone[first + place] = state.card_zone[first + other]
            state.card_zone[first + other] = kept
        state.deck_size[deck] = CARDS_PER_DECK


@kernel
def card_side(card):
    """The side that owns a card (R1.3)."""
    return card // CARDS_PER_SIDE


@kernel
def first_card(side):
    """The first card of the decks of a side."""
    return side * CARDS_PER_SIDE


@kernel
def character_deck(side):
    return 2 * side


@kernel
def strategy_deck(side):
    return 2 * side + 1


@kernel
def draw_card(state, deck, seat):
    """Moves the top card of a deck to a hand; does nothing if the deck is empty (R4.2, R6.2.1, R6.1.1)."""
    if state.deck_size[deck] == 0:
        return
    first = deck * CARDS_PER_DECK
    top = int(state.deck_size[deck]) - 1
    state.card_zone[first + lowest_bit(equal_flags(state.card_zone, top, first))] = CardZone.HAND + seat
    state.deck_size[deck] = top


@kernel
def cards_in(state, side, zone):
    """The cards of a side in a zone, one bit each; the lowest bit is the card ``first_card``."""
    return equal_flags(state.card_zone, zone, first_card(side)) & _CARDS_OF_SIDE


@kernel
def cards_in_hand(state, seat):
    """The cards in a hand, one bit each as in ``cards_in``."""
    return cards_in(state, side_of(seat), CardZone.HAND + seat)


@kernel
def hand_size(state, seat):
    return bit_count(cards_in_hand(state, seat))


@kernel
def draws_available(state, side):
    """Whether a deck of the side has a card; a draw from empty decks is not offered (R6.2.1, RG28)."""
    return state.deck_size[character_deck(side)] > 0 or state.deck_size[strategy_deck(side)] > 0


@kernel
def legal_draw_deck(state, mask):
    """D07, R6.2.1: one of the deciding side's decks that still have cards."""
    side = deciding_side(state)
    if state.deck_size[character_deck(side)] > 0:
        mask[Block.VERB + Verb.CHARACTER_DECK] = True
    if state.deck_size[strategy_deck(side)] > 0:
        mask[Block.VERB + Verb.STRATEGY_DECK] = True


@kernel
def start_draw(state, seat, action):
    """Draws from the deck that the action names, for a seat of its side, and then applies the hand limit
    (R6.2.3)."""
    side = side_of(seat)
    deck = character_deck(side) if action == Block.VERB + Verb.CHARACTER_DECK else strategy_deck(side)
    draw_card(state, deck, seat)
    keep_hand_limit(state, seat)


@kernel
def apply_draw_deck(state, action):
    """Draws a card into the hand of the player who was asked (R13.2.4)."""
    start_draw(state, int(state.seat), action)


@kernel
def draw_of_each_deck(state, seat):
    """Draws a card of each deck of its side for a seat (R4.2, R13.2.1)."""
    side = side_of(seat)
    draw_card(state, character_deck(side), seat)
    draw_card(state, strategy_deck(side), seat)
    keep_hand_limit(state, seat)


# --- The hand limit. ---


class HandFrame(Codes):
    """Slots of the frame ``HAND_LIMIT``."""

    SEAT = 2


SHARED_LIMIT = 4
"""The hand limit of each of two partners (R13.2.2)."""


@kernel
def hand_limit(state, seat):
    limit = int(state.options[Option.HAND_LIMIT])
    return limit if partner_of(state, seat) == NOBODY else min(limit, SHARED_LIMIT)


@kernel
def keep_hand_limit(state, seat):
    """Makes a seat discard the cards above the hand limit before anything else happens (R6.2.2, R6.2.3)."""
    push(state, Frame.HAND_LIMIT)
    put(state, HandFrame.SEAT, seat)


@kernel
def resume_hand_limit(state):
    seat = get(state, HandFrame.SEAT)
    if hand_size(state, seat) > hand_limit(state, seat):
        ask_seat(state, seat, Decision.DISCARD_CARD)
    else:
        pop(state)


@kernel
def mark_hand(state, mask):
    first = first_card(deciding_side(state))
    hand = cards_in_hand(state, int(state.seat))
    while hand != 0:
        mask[Block.CARD + first + lowest_bit(hand)] = True
        hand &= hand - 1


@kernel
def legal_discard_card(state, mask):
    """D01, R6.2.3: any card of the hand, face down."""
    mark_hand(state, mask)


@kernel
def apply_discard_card(state, action):
    put_face_down(state, action - Block.CARD, CardZone.FACE_DOWN + int(state.seat))


# --- Cards whose place the partner knows, who has given them (R13.2.3). ---


@kernel
def is_given(state, card):
    """Whether a card was given to its holder by the partner, who knows where it is."""
    return is_member(state.given, card)


@kernel
def some_is_given(state):
    return state.given[0] != 0 or state.given[1] != 0 or state.given[2] != 0


@kernel
def note_given(state, card):
    """Records that the giver of a card knows who has it."""
    set_member(state.given, card, 1)


@kernel
def leave_hand(state, card, zone):
    """Moves a card from a hand to a public zone."""
    set_member(state.given, card, 0)
    state.card_zone[card] = zone


@kernel
def put_face_down(state, card, zone):
    """Moves a card from the hand of the deciding seat to its face-down discards; the partner cannot see which
    card it is."""
    if some_is_given(state):
        seat = int(state.seat)
        hand = cards_in_hand(state, seat)
        while hand != 0:
            leave_hand(state, first_card(side_of(seat)) + lowest_bit(hand), CardZone.HAND + seat)
            hand &= hand - 1
    state.card_zone[card] = zone


# --- Paying for cards (R6.3). ---


@kernel
def die_pays_for(face, card):
    """Whether a die result can play the card: the result of its icon, Army/Muster for a Strategy card, Event
    or Will for any card (R6.3.1)."""
    icon = CARD_ICON[card]
    if face == Face.EVENT or face == Face.WILL:
        return True
    if face == Face.ARMY_MUSTER:
        return card // CARDS_PER_DECK % 2 == 1
    if face == Face.CHARACTER:
        return icon == Icon.CHARACTER
    if face == Face.ARMY:
        return icon == Icon.ARMY
    return face == Face.MUSTER and icon == Icon.MUSTER
