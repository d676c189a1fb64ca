"""Effects of cards on the table (R6.5) that are not part of another rule: they lapse, are paid off, draw
cards and cost cards."""

from __future__ import annotations

import numpy as np

from wotr_env.compiler.codes import Codes
from wotr_env.games.war_of_the_ring.actions import Block
from wotr_env.games.war_of_the_ring.codes import (
    CardZone,
    Character,
    Decision,
    Face,
    Frame,
    Icon,
    Nation,
    Region,
    Roll,
    Side,
    Verb,
)
from wotr_env.games.war_of_the_ring.components import CARD_ICON, NUM_CARDS, REGION_SIDE
from wotr_env.games.war_of_the_ring.kernels import kernel
from wotr_env.games.war_of_the_ring.options import GandalfGreyGuide, Option
from wotr_env.games.war_of_the_ring.rules.armies import is_besieger
from wotr_env.games.war_of_the_ring.rules.cards import (
    card_side,
    cards_in,
    character_deck,
    draw_card,
    draws_available,
    keep_hand_limit,
    leave_hand,
)
from wotr_env.games.war_of_the_ring.rules.chance import draw_member_of_both
from wotr_env.games.war_of_the_ring.rules.characters import in_fellowship, in_play
from wotr_env.games.war_of_the_ring.rules.rings import ring_ready, spend_ring
from wotr_env.games.war_of_the_ring.rules.seats import deciding_side, other_of, seat_of
from wotr_env.games.war_of_the_ring.rules.stack import STAGE, ask, ask_leader, get, pop, push, put
from wotr_env.games.war_of_the_ring.rules.table.modifiers import Modifier, discard_from_table, on_table
from wotr_env.games.war_of_the_ring.state import CARDS_PER_DECK, CARDS_PER_SIDE, NUM_SIDES

# --- Lapses (R6.5.4). ---


_LAPSING = (
    Modifier.AXE_AND_BOW,
    Modifier.HORN_OF_GONDOR,
    Modifier.WIZARDS_STAFF,
    Modifier.LAST_BATTLE,
    Modifier.PALANTIR,
    Modifier.WORMTONGUE,
    Modifier.DENETHORS_FOLLY,
)
_LAPSING_OF = tuple(
    sum(1 << (card - side * CARDS_PER_SIDE) for card in _LAPSING if card // CARDS_PER_SIDE == side)
    for side in range(NUM_SIDES)
)
"""The cards of each side that ``check_lapses`` checks, one bit each as in ``cards_in``."""


@kernel
def check_lapses(state):
    """Discards table cards whose discard condition holds. Called after every change of the game (R6.5.4,
    R10.6.3).

    If an event of the rules causes a lapse, the module of this event handles it: when the Fellowship is
    declared or revealed (``fellowship``), or when a nation advances (``politics``). A playing condition that
    no longer holds matters only with an option (RG19); for The Last Battle, it is the same as the printed
    discard condition.
    """
    if not _some_may_lapse(state):
        return
    if not in_fellowship(state, Character.GIMLI) and not in_fellowship(state, Character.LEGOLAS):
        discard_from_table(state, Modifier.AXE_AND_BOW)
    if not in_fellowship(state, Character.BOROMIR):
        discard_from_table(state, Modifier.HORN_OF_GONDOR)
    if not in_fellowship(state, Character.GANDALF_GREY):
        discard_from_table(state, Modifier.WIZARDS_STAFF)
    if not in_play(state, Character.SARUMAN):
        discard_from_table(state, Modifier.PALANTIR)
        discard_from_table(state, Modifier.WORMTONGUE)
    if state.active[Nation.ROHAN] == 1:
        discard_from_table(state, Modifier.WORMTONGUE)
    if not is_besieger(state, Side.SHADOW, Region.MINAS_TIRITH):
        discard_from_table(state, Modifier.DENETHORS_FOLLY)
    if state.options[Option.TABLE_CARDS_NEED_CONDITION] == 1 and not leads_the_last_battle(state):
        discard_from_table(state, Modifier.LAST_BATTLE)


@kernel
def _some_may_lapse(state):
    """Whether a card that can lapse is on the table. Checked after every change."""
    for side in range(NUM_SIDES):
        if cards_in(state, side, CardZone.TABLE) & _LAPSING_OF[side] != 0:
            return True
    return False


@kernel
def leads_the_last_battle(state):
    """Whether Aragorn is with an army in a region that belongs to no Free Peoples nation (R6.5.6,
    fp-strat-01)."""
    region = int(state.location[Character.ARAGORN])
    return region >= 0 and REGION_SIDE[region] != Side.FREE_PEOPLES and state.units[region, 0] > 0


# --- Buy-offs (D20, R6.5.3). ---


class BuyOffFrame(Codes):
    """Slots of the frame ``BUY_OFF``."""

    PRICE = STAGE  # the card to pay next
    CARD = 2  # of the table, to discard


ARMY_CARD = 0  # what the Shadow pays, in this order
CHARACTER_CARD = 1
PAID = 2

BOUGHT_OFF = np.array(
    [Modifier.PALANTIR, Modifier.DENETHORS_FOLLY, Modifier.POWER_TOO_GREAT, Modifier.TOM_BOMBADIL],
    dtype=np.int64,
)
"""The table cards that a player may discard as an action."""


@kernel
def _pays(state, card, price):
    """Whether a card of the Shadow's hand pays: a card with the Army icon, or of the Character deck
    (fp-strat-02, fp-strat-03)."""
    if state.card_zone[card] != CardZone.HAND + seat_of(state, Side.SHADOW):
        return False
    if price == ARMY_CARD:
        return CARD_ICON[card] == Icon.ARMY
    return card // CARDS_PER_DECK == character_deck(Side.SHADOW)


@kernel
def _can_pay(state, price):
    for card in range(NUM_CARDS):
        if _pays(state, card, price):
            return True
    return False


@kernel
def can_buy_off(state, side, face, card):
    """Whether a side may discard a table card as an action with the die (R6.5.3, R5.4, R5.5).

    The Shadow pays with two cards. The Free Peoples need a Will of the West. Any die suffices for The
    Palantir with a Ring (R5.7.4, sh-char-21), and for Denethor's Folly if Gandalf or Aragorn is at Minas
    Tirith (sh-strat-03).
    """
    if not on_table(state, card) or card_side(card) == side:
        return False
    if side == Side.SHADOW:
        return _can_pay(state, ARMY_CARD) and _can_pay(state, CHARACTER_CARD)
    if face == Face.WILL:
        return True
    if card == Modifier.PALANTIR:
        return ring_ready(state, side)
    return (
        state.location[Character.GANDALF_GREY] == Region.MINAS_TIRITH
        or state.location[Character.GANDALF_WHITE] == Region.MINAS_TIRITH
        or state.location[Character.ARAGORN] == Region.MINAS_TIRITH
    )


@kernel
def can_buy_off_some(state, side, face):
    for card in BOUGHT_OFF:
        if can_buy_off(state, side, face, card):
            return True
    return False


@kernel
def legal_buy_off_card(state, mask):
    """D20: the table card to discard."""
    side = deciding_side(state)
    for card in BOUGHT_OFF:
        mask[Block.CARD + card] = can_buy_off(state, side, int(state.action_face), card)


@kernel
def apply_buy_off_card(state, action):
    """Starts the payment: the Shadow still has to pay with cards; the Free Peoples have paid with the die,
    and pay a Ring if needed (R5.7.4, sh-char-21)."""
    card = action - Block.CARD
    if deciding_side(state) == Side.SHADOW:
        push(state, Frame.BUY_OFF)
        put(state, BuyOffFrame.CARD, card)
        return
    discard_from_table(state, card)
    if card == Modifier.PALANTIR and state.action_face != Face.WILL:
        spend_ring(state, Side.FREE_PEOPLES)


@kernel
def resume_buy_off(state):
    """Asks for one card of each kind, then discards the table card (R6.5.3)."""
    if get(state, BuyOffFrame.PRICE) < PAID:
        ask(state, Side.SHADOW, Decision.BUY_OFF_COST)
    else:
        discard_from_table(state, get(state, BuyOffFrame.CARD))
        pop(state)


@kernel
def legal_buy_off_cost(state, mask):
    """D20: the card of the hand to pay with."""
    for card in range(NUM_CARDS):
        mask[Block.CARD + card] = _pays(state, card, get(state, BuyOffFrame.PRICE))


@kernel
def apply_buy_off_cost(state, action):
    """Moves the paying card to the public discards, because it is shown (R6.1.1)."""
    leave_hand(state, action - Block.CARD, CardZone.DISCARD)
    put(state, BuyOffFrame.PRICE, get(state, BuyOffFrame.PRICE) + 1)


# --- Worn with Sorrow and Toil (D39, sh-char-15). Frame LOSE_CARD. ---


@kernel
def start_lose_card(state):
    push(state, Frame.LOSE_CARD)


@kernel
def character_cards_in(state, zone):
    """The number of cards of the Free Peoples' Character deck in a zone."""
    count = 0
    for card in range(CARDS_PER_DECK):
        if state.card_zone[card] == zone:
            count += 1
    return count


@kernel
def _second_hand(state):
    """The hand of the Free Peoples' second player; the hand of the first player if there is no second."""
    return CardZone.HAND + other_of(state, int(Side.FREE_PEOPLES))


@kernel
def _character_cards_in_hands(state):
    """The number of Character cards in the hands of the Free Peoples."""
    cards = character_cards_in(state, CardZone.HAND)
    second = _second_hand(state)
    return cards if second == CardZone.HAND else cards + character_cards_in(state, second)


@kernel
def mark_character_cards_on_table(state, mask):
    """Marks the Free Peoples' Character cards that the Shadow may discard (sh-char-11, sh-char-15)."""
    for card in range(CARDS_PER_DECK):
        mask[Block.CARD + card] = on_table(state, card)


@kernel
def resume_lose_card(state):
    """Asks the Shadow for a card to discard, after the Hunt has eliminated a Companion, if there is a card
    (R10.6.3)."""
    pop(state)
    if _character_cards_in_hands(state) + character_cards_in(state, CardZone.TABLE) > 0:
        ask_leader(state, Side.SHADOW, Decision.LOSE_CARD)


@kernel
def legal_lose_card(state, mask):
    """D39, sh-char-15: none, a random Character card of the hand, or a chosen card of the table."""
    mask[Block.VERB + Verb.DECLINE] = True
    mask[Block.VERB + Verb.RANDOM_CARD] = _character_cards_in_hands(state) > 0
    mark_character_cards_on_table(state, mask)


@kernel
def apply_lose_card(state, action):
    """Discards the card; a card discarded at random also becomes public (section 18 of the rules)."""
    if action == Block.VERB + Verb.RANDOM_CARD:
        side = Side.FREE_PEOPLES
        zones = state.card_zone
        second = _second_hand(state)
        card = draw_member_of_both(state, Roll.CARD, side, zones, CardZone.HAND, second, CARDS_PER_DECK)
        leave_hand(state, card, CardZone.DISCARD)
    elif action != Block.VERB + Verb.DECLINE:
        discard_from_table(state, action - Block.CARD)


# --- After an event by a die (section 19.1, T8.4). ---


class AfterEventFrame(Codes):
    """Slots of the frame ``AFTER_EVENT``."""

    CARD = 2  # played
    FACE = 3  # the die result that paid for it


# Stages.
GUIDE = 0
PALANTIR = 1


@kernel
def after_event(state, card, face):
    """Resolves the abilities of Gandalf the Grey and the Palantir after an event played with a die
    (R6.4.2)."""
    push(state, Frame.AFTER_EVENT)
    put(state, AfterEventFrame.CARD, card)
    put(state, AfterEventFrame.FACE, face)


@kernel
def resume_after_event(state):
    stage = get(state, STAGE)
    card = get(state, AfterEventFrame.CARD)
    face = get(state, AfterEventFrame.FACE)
    put(state, STAGE, stage + 1)
    if stage == GUIDE:
        if guide_draw_possible(state, card, face):
            ask(state, Side.FREE_PEOPLES, Decision.GUIDE_DRAW)
    elif stage == PALANTIR:
        if palantir_draw_possible(state, card, face):
            ask(state, Side.SHADOW, Decision.PALANTIR_DRAW)
    else:
        pop(state)


@kernel
def _guide_deck(state, card):
    """The deck from which Gandalf the Grey draws: the Character deck, or with an option the deck of the
    played card (R14.1)."""
    if state.options[Option.GANDALF_GREY_GUIDE] == GandalfGreyGuide.SAME_DECK:
        return card // CARDS_PER_DECK
    return character_deck(Side.FREE_PEOPLES)


@kernel
def guide_draw_possible(state, card, face):
    """Whether Gandalf the Grey is the Guide, and an Event or Will die paid for a Character-icon card (R14.1).
    With an option of the ruleset, the die may pay for any card.
    """
    if card_side(card) == Side.SHADOW or state.guide != Character.GANDALF_GREY:
        return False
    if state.deck_size[_guide_deck(state, card)] == 0:
        return False
    any_card = state.options[Option.GANDALF_GREY_GUIDE] == GandalfGreyGuide.SAME_DECK
    return (any_card or CARD_ICON[card] == Icon.CHARACTER) and (face == Face.EVENT or face == Face.WILL)


@kernel
def apply_guide_draw(state, action):
    """D42, R14.1: Gandalf the Grey as the Guide draws a card."""
    if action == Block.VERB + Verb.ACCEPT:
        seat = seat_of(state, Side.FREE_PEOPLES)
        draw_card(state, _guide_deck(state, get(state, AfterEventFrame.CARD)), seat)
        keep_hand_limit(state, seat)


@kernel
def palantir_draw_possible(state, card, face):
    """Whether an Event die paid for a Shadow card other than the Palantir (sh-char-21)."""
    return (
        on_table(state, Modifier.PALANTIR)
        and card_side(card) == Side.SHADOW
        and card != Modifier.PALANTIR
        and face == Face.EVENT
        and draws_available(state, Side.SHADOW)
    )
