"""Values of event cards: as events, depending on the state of the game, and as Combat cards."""

from __future__ import annotations

import numpy as np

from wotr_agents.games.war_of_the_ring.kernels import kernel
from wotr_agents.games.war_of_the_ring.scripted.board import NEVER
from wotr_agents.games.war_of_the_ring.scripted.weights import Weight
from wotr_env.compiler.memory import lowest_bit
from wotr_env.games.war_of_the_ring.actions import Block
from wotr_env.games.war_of_the_ring.cards.events import EVENT_NATIONS
from wotr_env.games.war_of_the_ring.codes import Character, Location, Side, Verb
from wotr_env.games.war_of_the_ring.components import CARD_IDS, COMBAT_NAMES, NUM_CARDS
from wotr_env.games.war_of_the_ring.rules.cards import cards_in_hand, first_card
from wotr_env.games.war_of_the_ring.rules.events.playing import can_play_event, event_does_something
from wotr_env.games.war_of_the_ring.rules.seats import nations_of, partner_of, seat_of, side_of

# By card: worth of the event (10 is a useful action), and what raises it.
_EVENT_WORTH = {
    "fp-char-01": 26, "fp-char-02": 26, "fp-char-03": 26, "fp-char-04": 26, "fp-char-05": 24,
    "fp-char-06": 20, "fp-char-07": 20, "fp-char-08": 20, "fp-char-09": 22, "fp-char-10": 24,
    "fp-char-11": 14, "fp-char-12": 22, "fp-char-13": 18, "fp-char-14": 12, "fp-char-15": 10,
    "fp-char-16": 10, "fp-char-17": 10, "fp-char-18": 12, "fp-char-19": 24, "fp-char-20": 20,
    "fp-char-21": 20, "fp-char-22": 18, "fp-char-23": 14, "fp-char-24": 14,
    "fp-strat-01": 12, "fp-strat-02": 14, "fp-strat-03": 8, "fp-strat-04": 16, "fp-strat-05": 10,
    "fp-strat-06": 16, "fp-strat-07": 14, "fp-strat-08": 16, "fp-strat-09": 16, "fp-strat-10": 12,
    "fp-strat-11": 12, "fp-strat-12": 10, "fp-strat-13": 16, "fp-strat-14": 20, "fp-strat-15": 18,
    "fp-strat-16": 18, "fp-strat-17": 14, "fp-strat-18": 18, "fp-strat-19": 16, "fp-strat-20": 14,
    "fp-strat-21": 16, "fp-strat-22": 18, "fp-strat-23": 18, "fp-strat-24": 18,
    "sh-char-01": 28, "sh-char-02": 28, "sh-char-03": 28, "sh-char-04": 28, "sh-char-05": 26,
    "sh-char-06": 26, "sh-char-07": 24, "sh-char-08": 22, "sh-char-09": 22, "sh-char-10": 18,
    "sh-char-11": 22, "sh-char-12": 22, "sh-char-13": 24, "sh-char-14": 24, "sh-char-15": 16,
    "sh-char-16": 18, "sh-char-17": 18, "sh-char-18": 16, "sh-char-19": 16, "sh-char-20": 14,
    "sh-char-21": 16, "sh-char-22": 12, "sh-char-23": 12, "sh-char-24": 16,
    "sh-strat-01": 12, "sh-strat-02": 16, "sh-strat-03": 14, "sh-strat-04": 16, "sh-strat-05": 10,
    "sh-strat-06": 14, "sh-strat-07": 16, "sh-strat-08": 16, "sh-strat-09": 16, "sh-strat-10": 14,
    "sh-strat-11": 18, "sh-strat-12": 18, "sh-strat-13": 16, "sh-strat-14": 14, "sh-strat-15": 14,
    "sh-strat-16": 22, "sh-strat-17": 22, "sh-strat-18": 14, "sh-strat-19": 20, "sh-strat-20": 22,
    "sh-strat-21": 20, "sh-strat-22": 20, "sh-strat-23": 20, "sh-strat-24": 20,
}  # fmt: skip
EVENT_WORTH = np.array([float(_EVENT_WORTH[card]) for card in CARD_IDS])

_COMBAT_WORTH = {
    "It Is a Gift": 5, "Blade of Westernesse": 6, "Mighty Attack": 7, "Servant of the Secret Fire": 7,
    "Andúril": 7, "Heroic Death": 4, "Daring Defiance": 5, "Fateful Strike": 6, "Sudden Strike": 7,
    "Brave Stand": 5, "Ents' Rage": 9, "Huorn-dark": 8, "Nameless Wood": 6, "Daylight": 6, "No Quarter": 6,
    "Advantageous Position": 6, "Scouts": 4, "Shield-wall": 6, "Confusion": 6, "Charge": 7, "Valour": 6,
    "One for the Dark Lord": 5, "Cruel as Death": 6, "They Are Terrible": 5, "Dread and Despair": 6,
    "Foul Stench": 6, "Black Breath": 6, "Words of Power": 6, "Durin's Bane": 9, "Devilry of Orthanc": 8,
    "Deadly Strife": 6, "Onslaught": 6, "Relentless Assault": 7, "Great Host": 6, "Mûmakil": 7,
    "Swarm of Bats": 5, "We Come to Kill": 6, "Desperate Battle": 6,
}  # fmt: skip
COMBAT_WORTH = np.array([float(_COMBAT_WORTH[name]) for name in COMBAT_NAMES])

_KEEP = 0.1
"""The part of a card's value that breaks ties between cards with the same value for both partners."""
_LEAST_LOSS = 5.0
"""More than the tie-breaking part of any value, less than the value of an event that the partner may not
play."""

_HEALING = np.array([card in ("fp-char-09", "fp-char-12", "fp-char-13") for card in CARD_IDS])
_HUNTING = np.array([card in tuple(f"sh-char-{n:02}" for n in range(5, 15)) for card in CARD_IDS])
_MORDOR_TILES = np.array([card[3:8] == "char-" and int(card[-2:]) <= 4 for card in CARD_IDS])


@kernel
def event_worth(state, card):
    """Value of playing a card's event now."""
    worth = EVENT_WORTH[card]
    if _HEALING[card]:
        worth += 2.5 * state.corruption - 12.0
    elif _HUNTING[card]:
        worth += 1.2 * state.corruption + (6.0 if state.mordor_step > 0 else 0.0)
    elif _MORDOR_TILES[card] and state.mordor_step == 0:
        worth += min(4.0, 0.5 * state.progress)
    return worth


@kernel
def best_card(state, side, face):
    """Value of the best event that a die result can play now; ``NEVER`` if there is none.

    Cards without effect do not count, though they may be played (R6.4.4). Their only gain is the card that
    the Guide or the Palantir draws, and the same die can draw a card anyway.
    """
    best = NEVER
    hand = cards_in_hand(state, seat_of(state, side))
    while hand != 0:
        card = first_card(side) + lowest_bit(hand)
        hand &= hand - 1
        worth = event_worth(state, card)
        if worth > best and can_play_event(state, card, face) and event_does_something(state, card):
            best = worth
    return best


@kernel
def score_events(state, mask, scores):
    """D08: prefers the most useful event; plays one without effect only if no other can be played."""
    for card in range(NUM_CARDS):
        if mask[Block.CARD + card]:
            idle = not event_does_something(state, card)
            scores[Block.CARD + card] = NEVER if idle else event_worth(state, card)
    scores[Block.VERB + Verb.DECLINE] = 4.0


@kernel
def score_discards(state, mask, scores):
    """D01 and costs: prefers the card with the lowest value."""
    for card in range(NUM_CARDS):
        if mask[Block.CARD + card]:
            scores[Block.CARD + card] = -event_worth(state, card) - 0.5 * COMBAT_WORTH[card]
    scores[Block.VERB + Verb.RANDOM_CARD] = -18.0


@kernel
def _worth_to(state, seat, card):
    """Value of a card in a hand; its event counts only if the seat may play it (R13.2.5)."""
    nations = EVENT_NATIONS[card]
    worth = 0.5 * COMBAT_WORTH[card]
    if nations == 0 or nations & nations_of(state, seat) != 0:
        worth += event_worth(state, card)
    return worth


@kernel
def _worth_of_giving(state, card):
    """Gain of the side if a card goes to the partner; of cards with equal gains, the less valuable one is
    given."""
    seat = int(state.seat)
    own = _worth_to(state, seat, card)
    return _worth_to(state, partner_of(state, seat), card) - own - _KEEP * own


@kernel
def score_offers(state, mask, scores):
    """R13.2.3: prefers the card with the largest gain in value for the side."""
    for card in range(NUM_CARDS):
        if mask[Block.CARD + card]:
            scores[Block.CARD + card] = _worth_of_giving(state, card)


@kernel
def score_exchange(state, scores):
    """R13.2.3: accepts, unless every card has a lower value for the partner."""
    best = NEVER
    seat = int(state.seat)
    hand = cards_in_hand(state, seat)
    while hand != 0:
        best = max(best, _worth_of_giving(state, first_card(side_of(seat)) + lowest_bit(hand)))
        hand &= hand - 1
    scores[Block.VERB + Verb.ACCEPT] = best
    scores[Block.VERB + Verb.DECLINE] = -_LEAST_LOSS


@kernel
def score_combat_cards(state, side, mask, scores, board):
    """D21: prefers a card whose effect in the battle has a higher value than its event, in a battle that
    matters."""
    for card in range(NUM_CARDS):
        if mask[Block.CARD + card]:
            event = board.weights[Weight.COMBAT_CARD] * event_worth(state, card)
            scores[Block.CARD + card] = COMBAT_WORTH[card] - event
    sorcerer = state.location[Character.WITCH_KING] == state.battle_origin and state.battle_round == 1
    scores[Block.VERB + Verb.DECLINE] = -2.0 if side == Side.SHADOW and sorcerer else 1.5


@kernel
def score_decks(state, side, scores):
    """D07: draws Character cards for the Free Peoples; for the Shadow Strategy cards at first, and Character
    cards when the Fellowship is near Mordor."""
    character = 2.0 if side == Side.FREE_PEOPLES else 1.0
    if side == Side.SHADOW and (state.mordor_step > 0 or state.progress + state.corruption > 9):
        character = 3.0
    if state.location[Character.GANDALF_GREY] != Location.IN_FELLOWSHIP and side == Side.FREE_PEOPLES:
        character = 1.0
    scores[Block.VERB + Verb.CHARACTER_DECK] = character
    scores[Block.VERB + Verb.STRATEGY_DECK] = 1.5
