"""Playing event cards: the conditions for playing a card, and its removal from the hand (R6.3, R6.4.1,
R6.4.2, R6.4.4)."""

from __future__ import annotations

from wotr_env.compiler.memory import lowest_bit
from wotr_env.games.war_of_the_ring.actions import Block
from wotr_env.games.war_of_the_ring.cards.events import EVENT_CONDITIONS, EVENT_NATIONS, EVENT_OPS
from wotr_env.games.war_of_the_ring.codes import (
    CardZone,
    Character,
    Face,
    Frame,
    Icon,
    Nation,
    Region,
    Side,
    Verb,
)
from wotr_env.games.war_of_the_ring.components import CARD_ICON, REGION_NATION
from wotr_env.games.war_of_the_ring.data.event_programs import MAX_CONDITIONS, MAX_OPS, Condition, Op
from wotr_env.games.war_of_the_ring.kernels import kernel
from wotr_env.games.war_of_the_ring.options import Option
from wotr_env.games.war_of_the_ring.rules.cards import cards_in_hand, die_pays_for, first_card, leave_hand
from wotr_env.games.war_of_the_ring.rules.characters import messenger_ready
from wotr_env.games.war_of_the_ring.rules.events.conditions import holds
from wotr_env.games.war_of_the_ring.rules.events.frame import NO_DIE, EventFrame, is_event, next_op
from wotr_env.games.war_of_the_ring.rules.events.vocabulary import op_is_possible
from wotr_env.games.war_of_the_ring.rules.seats import has_partners, own_nations, seat_of
from wotr_env.games.war_of_the_ring.rules.spent import some_is_barred, spend_nations
from wotr_env.games.war_of_the_ring.rules.stack import push, put
from wotr_env.games.war_of_the_ring.state import CARDS_PER_DECK


@kernel
def condition_holds(state, card):
    """Whether the printed condition of a card holds (R6.4.1)."""
    for place in range(MAX_CONDITIONS):
        row = EVENT_CONDITIONS[card, place]
        if row[0] == Condition.POSSIBLE:
            if not event_does_something(state, card):
                return False
        elif row[0] != Condition.NONE and not holds(state, row[0], row[1], row[2], row[3], row[4]):
            return False
    return True


@kernel
def event_does_something(state, card):
    """Whether some operation of the card has an effect now (R6.4.4)."""
    skip = False
    for place in range(MAX_OPS):
        row = EVENT_OPS[card, place]
        op = row[0]
        if op == Op.IF:
            skip = not holds(state, row[1], row[2], row[3], row[4], row[5])
        elif skip:
            skip = False
        elif op != Op.END and op_is_possible(state, card, place):
            return True
    return False


@kernel
def further_card_allowed(state):
    """Whether The Ents Awake, with an option, allows a further card: Gandalf the White is in Fangorn or Rohan
    (22.4, option ents_extra_card)."""
    region = int(state.location[Character.GANDALF_WHITE])
    if state.options[Option.ENTS_EXTRA_CARD] == 0 or region < 0:
        return False
    return region == Region.FANGORN or REGION_NATION[region] == Nation.ROHAN


@kernel
def _gives_further_card(state, card):
    """Whether the card allows to play a further Character card of the hand (22.4).

    Cards with the same effect are not considered: a chain of such cards must end with another card.
    """
    if not further_card_allowed(state):
        return False
    offers = False
    for place in range(MAX_OPS):
        offers = offers or EVENT_OPS[card, place, 0] == Op.EXTRA_CARD
    if not offers:
        return False
    for other in range(CARDS_PER_DECK):  # the Free Peoples' Character cards
        if other != card and state.card_zone[other] == CardZone.HAND + seat_of(state, Side.FREE_PEOPLES):
            if condition_holds(state, other) and event_does_something(state, other):
                return True
    return False


@kernel
def event_is_playable(state, card):
    """Whether the condition of a card holds and, with an option, the card also has an effect (R6.4.1, R6.4.4,
    RG48)."""
    return condition_holds(state, card) and (
        state.options[Option.NULL_EVENTS] == 1
        or event_does_something(state, card)
        or _gives_further_card(state, card)
    )


@kernel
def needs_messenger_for_card(face, card):
    """Whether a plain Muster result plays an Army-icon card, which is possible only through the Messenger
    (R14.12)."""
    return face == Face.MUSTER and CARD_ICON[card] == Icon.ARMY


@kernel
def _is_for_player(state, card):
    """Whether a card names no nation or a nation of the player (R13.2.5), and none on which the last action
    was spent (R13.7.3, RU49)."""
    if not has_partners(state):
        return True
    nations = EVENT_NATIONS[card]
    own = nations == 0 or nations & own_nations(state, int(state.acting)) != 0
    return own and not some_is_barred(state, nations)


@kernel
def can_play_event(state, card, face):
    """Whether the card is in the hand of the acting player, the die pays for it, and it may be played
    (R6.3.1, R6.4.1)."""
    if state.card_zone[card] != CardZone.HAND + seat_of(state, int(state.acting)):
        return False
    by_messenger = (
        needs_messenger_for_card(face, card) and state.acting == Side.SHADOW and messenger_ready(state)
    )
    paid = die_pays_for(face, card) or by_messenger
    return paid and _is_for_player(state, card) and event_is_playable(state, card)


@kernel
def some_event_is_playable(state, face):
    side = int(state.acting)
    hand = cards_in_hand(state, seat_of(state, side))
    while hand != 0:
        if can_play_event(state, first_card(side) + lowest_bit(hand), face):
            return True
        hand &= hand - 1
    return False


@kernel
def legal_event_card(state, mask):
    """D08: a card of the hand that the die pays for; a further card of The Ents Awake is optional."""
    extra = is_event(state)
    face = int(Face.CHARACTER) if extra else int(state.action_face)
    side = int(state.acting)
    hand = cards_in_hand(state, seat_of(state, side))
    while hand != 0:
        card = first_card(side) + lowest_bit(hand)
        hand &= hand - 1
        if can_play_event(state, card, face):
            mask[Block.CARD + card] = True
    if extra:
        mask[Block.VERB + Verb.DECLINE] = True


@kernel
def apply_event_card(state, action):
    """Plays the card, which leaves the hand before its effect (R6.2.4, R6.4.2)."""
    face = int(state.action_face)
    if is_event(state):  # the further card of The Ents Awake
        next_op(state)
        face = NO_DIE
    if action == Block.VERB + Verb.DECLINE:
        return
    card = action - Block.CARD
    if needs_messenger_for_card(face, card):
        state.messenger_used = 1
    spend_nations(state, int(state.acting), EVENT_NATIONS[card])
    leave_hand(state, card, CardZone.IN_PLAY)
    push(state, Frame.EVENT)
    put(state, EventFrame.CARD, card)
    put(state, EventFrame.FACE, face)
