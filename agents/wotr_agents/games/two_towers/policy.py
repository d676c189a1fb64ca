"""The scripted policy of The Two Towers: for every kind of decision, a score for each legal action.

The value of a card depends on the tokens that its quality can win, more for near locations, and on how well
the card fits the player's other cards of its colour. Players lay cards where they can change the result, and
keep the others.
"""

from __future__ import annotations

from wotr_agents.games.two_towers.kernels import kernel
from wotr_agents.games.two_towers.weights import Weight
from wotr_agents.games.two_towers.worth import (
    KIND,
    LATER,
    NOW,
    gandalf_worth,
    hidden_worth,
    need,
    read_cards,
    read_needs,
)
from wotr_env.games.two_towers.actions import HIDDEN, NUM_ACTIONS, Act
from wotr_env.games.two_towers.components import GANDALF, NUM_COLOURS, NUM_KINDS, NUM_QUALITIES
from wotr_env.games.two_towers.masks import open_cards
from wotr_env.games.two_towers.state import NONE, Ask, cards_of, row_size, total, valid_cards

_IDLE = -1.0
"""The score of an action without effect; it is lower than the score of ending the decision."""


@kernel
def _best_open(state, room, without):
    """Highest value of a card in the display after one card of kind ``without`` is gone; 0 if none is
    left."""
    best = 0.0
    for kind in range(NUM_KINDS):
        cards = open_cards(state, kind)
        if kind == without:
            cards -= 1
        if cards > 0:
            best = max(best, room[KIND + kind])
    return best


@kernel
def _best_pair(state, room, hidden, without):
    """Highest value of two cards together, without cards of kind ``without`` from the display."""
    best = 2.0 * hidden if total(state.pile) + total(state.discard) >= 2 else 0.0
    for kind in range(NUM_KINDS):
        if kind != without and open_cards(state, kind) > 0:
            second = _best_open(state, room, kind)
            if second == room[KIND + kind] and state.display[kind] < 2:
                second = 0.0
                for other in range(NUM_KINDS):
                    if other != kind and other != without and open_cards(state, other) > 0:
                        second = max(second, room[KIND + other])
            best = max(best, room[KIND + kind] + max(second, hidden))
    return best


@kernel
def _score_draws(state, seat, mask, scores, room, weights):
    """Scores the draws of one card by its value, and exchanges of one card for two by the difference in
    value."""
    read_cards(state, seat, room, weights)
    hidden = hidden_worth(state, seat, room, weights)
    asked = int(state.decision)
    for kind in range(NUM_KINDS):
        if mask[Act.TAKE + kind]:
            worth = room[KIND + kind]
            if asked == Ask.FIRST:
                worth += max(_best_open(state, room, kind), hidden)
            scores[Act.TAKE + kind] = worth
        if mask[Act.SWAP + kind]:
            given = room[KIND + kind]
            if kind < GANDALF:
                given += weights[Weight.GIFT] * need(room, kind % NUM_QUALITIES)
            else:
                given += weights[Weight.GIFT] * given
            scores[Act.SWAP + kind] = _best_pair(state, room, hidden, kind) - given
    scores[HIDDEN] = 2.0 * hidden if asked == Ask.FIRST else hidden
    scores[Act.END] = _IDLE


@kernel
def _still_counts(state, seat, quality):
    """Whether one more card of a quality could still change who takes a token at the current location.

    The last player to lay cards knows the cards of all others.
    """
    if state.acted + 1 < state.players:
        return True
    stage = int(state.stage)
    for other in range(int(state.players)):
        if other != seat:
            if state.players == 2:
                if cards_of(state, other, quality) >= cards_of(state, seat, quality):
                    return True
            elif valid_cards(state, other, stage) >= valid_cards(state, seat, stage):
                return True
    return state.players == 2 and cards_of(state, seat, quality) == 0


@kernel
def _begin_worth(state, seat, colour, quality, room, weights):
    """Value of a new row: its cards in hand, less a part of the value of the cards that it blocks or
    replaces."""
    hand = state.hand[seat]
    first = NUM_QUALITIES * colour
    worth = float(hand[first + quality]) * (room[NOW + quality] + 0.5 * room[LATER + quality])
    other_worth = 0.0
    for other in range(NUM_QUALITIES):
        if other != quality:
            other_worth = max(other_worth, float(hand[first + other]) * need(room, other))
    worth -= weights[Weight.LOCK] * other_worth
    lies = int(state.quality[seat, colour])
    if lies != NONE:
        worth -= weights[Weight.GIVE_UP] * float(row_size(state, seat, colour)) * need(room, lies)
    return worth


@kernel
def _score_cards_laid(state, seat, mask, scores, room, weights):
    """Scores cards of the qualities of the current location while they can change the result; ending has
    score 0."""
    keep = gandalf_worth(room, weights[Weight.KEEP])
    for colour in range(NUM_COLOURS):
        for quality in range(NUM_QUALITIES):
            kind = NUM_QUALITIES * colour + quality
            if not mask[Act.LAY + kind]:
                continue
            worth = _IDLE
            if room[NOW + quality] > 0.0 and _still_counts(state, seat, quality):
                worth = room[NOW + quality]
                if state.quality[seat, colour] != quality:
                    worth = _begin_worth(state, seat, colour, quality, room, weights)
            scores[Act.LAY + kind] = worth
            scores[Act.BEGIN + kind] = worth + room[NOW + quality] - keep if worth > 0.0 else _IDLE
    scores[Act.END] = 0.0


@kernel
def score_legal_actions(state, mask, scores, room, weights):
    """Writes the score of every legal action; higher is better. Scores of illegal actions are undefined.

    Args:
        state: a state with a pending decision.
        mask: ``bool[NUM_ACTIONS]``: the legal actions.
        scores: ``float64[NUM_ACTIONS]``, written.
        room: ``float64[ROOM]``, scratch memory.
        weights: ``float64[NUM_WEIGHTS]``.
    """
    for action in range(NUM_ACTIONS):
        scores[action] = 0.0
    seat = int(state.seat)
    read_needs(state, room, weights)
    if state.decision == Ask.LAY:
        _score_cards_laid(state, seat, mask, scores, room, weights)
    else:
        _score_draws(state, seat, mask, scores, room, weights)
