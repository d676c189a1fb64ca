"""The scripted policy of the Duel: for every kind of decision, a score for each legal action.

The score of a turn is the gain of the deciding side minus a part of the best gain that remains for the
opponent. So a card has a higher score if the opponent wants it, and a lower one if it uncovers a good card.
"""

from __future__ import annotations

from wotr_agents.games.duel.items import (
    card_worth,
    chain_worth,
    landmark_worth,
    strip_worth,
    token_worth,
)
from wotr_agents.games.duel.kernels import kernel
from wotr_agents.games.duel.weights import Weight
from wotr_agents.games.duel.worth import (
    coins_worth,
    move_worth,
    placement_worth,
    raze_worth,
    removal_worth,
    turns_left,
)
from wotr_env.compiler.dispatch import dispatch
from wotr_env.games.duel.actions import NUM_ACTIONS, Act
from wotr_env.games.duel.components import (
    CHAIN_PLACE,
    GREY_CARDS,
    NUM_CARDS,
    NUM_LANDMARKS,
    NUM_MOVES,
    NUM_RACES,
    NUM_REGIONS,
    NUM_SLOTS,
    NUM_TOKENS,
    SLOT_COVER,
    Effect,
    Token,
)
from wotr_env.games.duel.costs import is_free, price
from wotr_env.games.duel.masks import accessible
from wotr_env.games.duel.state import Ask, Tile, has_token

ROOM = NUM_SLOTS
"""Size of the scratch array for the scores of a turn."""
_NUM_GREY = len(GREY_CARDS)


@kernel
def _cost_of(state, side, coins, weights):
    """Cost of paying this number of coins for a side, in points."""
    return coins_worth(state, int(state.coins[side]) - coins, coins, weights)


@kernel
def _sale(state, side, weights):
    """Value of discarding a card, in points."""
    coins = 1 + int(state.chapter)
    if has_token(state, side, Token.DOUBLE_DISCARD):
        coins *= 2
    return coins_worth(state, int(state.coins[side]), coins, weights)


@kernel
def _chance_of_card(state, side, card, weights):
    """Value of the best use of an available card for a side, in points: to play or to discard it."""
    best = _sale(state, side, weights)
    coins = price(state, side, card)
    free = is_free(state, side, card)
    if free or coins <= state.coins[side]:
        worth = card_worth(state, side, card, weights)
        if free:
            best = max(best, worth + chain_worth(state, side, weights))
        else:
            best = max(best, worth - _cost_of(state, side, coins, weights))
    return best


@kernel
def _chance_of_tile(state, side, tile, weights):
    """Value of a landmark for a side, less its price, in points; 0 if the side cannot pay for it."""
    coins = price(state, side, NUM_CARDS + tile)
    if coins > state.coins[side]:
        return 0.0
    return landmark_worth(state, side, tile, weights) - _cost_of(state, side, coins, weights)


@kernel
def _best_of_tiles(state, side, without, weights):
    """Value of the best landmark that is shown, except ``without``, for a side, in points."""
    best = 0.0
    for tile in range(NUM_LANDMARKS):
        if state.landmark[tile] == Tile.SHOWN and tile != without:
            best = max(best, _chance_of_tile(state, side, tile, weights))
    return best


@kernel
def _read_layout(state, side, room, weights):
    """Writes the value of each slot for a side that may take its card to the first numbers of ``room``."""
    chapter = int(state.chapter)
    for slot in range(NUM_SLOTS):
        if state.left >> slot & 1:
            room[slot] = weights[Weight.UNKNOWN]
            if state.up[slot]:
                room[slot] = _chance_of_card(state, side, int(state.deck[chapter, slot]), weights)


@kernel
def _best_of_layout(state, taken, room):
    """Highest value of a slot that is accessible after the card of slot ``taken`` is gone; -1: no card is
    gone."""
    left = int(state.left)
    if taken >= 0:
        left &= ~(1 << taken)
    best = 0.0
    for slot in range(NUM_SLOTS):
        if left >> slot & 1 and SLOT_COVER[int(state.chapter), slot] & left == 0:
            best = max(best, room[slot])
    return best


@kernel
def _score_card(state, side, card, scores, weights):
    """Scores the ways to use an accessible card: to play it, to play it free, and to discard it."""
    worth = card_worth(state, side, card, weights)
    coins = price(state, side, card)
    scores[Act.SELL + card] = _sale(state, side, weights)
    if coins <= state.coins[side]:
        scores[Act.PLAY + card] = worth - _cost_of(state, side, coins, weights)
    if is_free(state, side, card):
        scores[Act.CHAIN + CHAIN_PLACE[card]] = worth + chain_worth(state, side, weights)


@kernel
def _score_turn(state, side, scores, room, weights):
    """Scores each card and landmark: its value less a part of the best value that remains for the
    opponent."""
    other = 1 - side
    chapter = int(state.chapter)
    deny = weights[Weight.DENY]
    tiles = _best_of_tiles(state, other, -1, weights)
    _read_layout(state, other, room, weights)
    for slot in range(NUM_SLOTS):
        if accessible(state, slot):
            card = int(state.deck[chapter, slot])
            _score_card(state, side, card, scores, weights)
            left = 0.0
            if turns_left(state) > 1:
                left = deny * max(tiles, _best_of_layout(state, slot, room))
            scores[Act.SELL + card] -= left
            scores[Act.PLAY + card] -= left
            if CHAIN_PLACE[card] >= 0:
                scores[Act.CHAIN + CHAIN_PLACE[card]] -= left
    cards = _best_of_layout(state, -1, room)
    for tile in range(NUM_LANDMARKS):
        if state.landmark[tile] == Tile.SHOWN:
            worth = _chance_of_tile(state, side, tile, weights)
            left = max(cards, _best_of_tiles(state, other, tile, weights))
            scores[Act.LANDMARK + tile] = worth - deny * left


@kernel
def _score_places(state, side, scores, weights):
    """Scores the regions for the units of a red card or of another effect."""
    row = int(state.stack_size) - 1
    count = 1
    if state.stack[row, 0] == Effect.BANNER:
        count = int(state.stack[row, 1])
    for region in range(NUM_REGIONS):
        scores[Act.PLACE + region] = placement_worth(state, side, region, count, weights)


@kernel
def _score_maneuvers(state, side, mask, scores, weights):
    """Scores the removals, the moves, and the loss of a coin by the opponent."""
    for region in range(NUM_REGIONS):
        if mask[Act.REMOVE + region]:
            scores[Act.REMOVE + region] = removal_worth(state, side, region, weights)
    for move in range(NUM_MOVES):
        if mask[Act.MOVE + move]:
            scores[Act.MOVE + move] = move_worth(state, side, move, weights)
    if mask[Act.DRAIN]:
        scores[Act.DRAIN] = weights[Weight.DRAIN] * _cost_of(state, 1 - side, 1, weights)


@kernel
def _score_razes(state, side, mask, scores, weights):
    for region in range(NUM_REGIONS):
        if mask[Act.RAZE + region]:
            scores[Act.RAZE + region] = raze_worth(state, side, region, weights)


@kernel
def _score_tokens(state, side, mask, scores, weights):
    for token in range(NUM_TOKENS):
        if mask[Act.TOKEN + token]:
            scores[Act.TOKEN + token] = token_worth(state, side, token, weights)


@kernel
def _score_piles(state, side, scores, weights):
    """Scores each pile by the better of its first two tokens, as far as they are known."""
    for race in range(NUM_RACES):
        best = weights[Weight.TOKEN]
        for place in range(min(2, int(state.pile_seen[race]))):
            best = max(best, token_worth(state, side, int(state.pile[race, place]), weights))
        scores[Act.PILE + race] = best


@kernel
def _score_strips(state, side, mask, scores, weights):
    for place in range(_NUM_GREY):
        if mask[Act.STRIP + place]:
            scores[Act.STRIP + place] = strip_worth(state, side, GREY_CARDS[place], weights)


@kernel
def _score_revivals(state, side, mask, scores, weights):
    for card in range(NUM_CARDS):
        if mask[Act.REVIVE + card]:
            scores[Act.REVIVE + card] = card_worth(state, side, card, weights)


@kernel
def _score_again(scores):
    scores[Act.AGAIN] = 1.0


@dispatch(
    kernel,
    {
        Ask.TURN: _score_turn,
        Ask.BANNER: _score_places,
        Ask.UNITS: _score_places,
        Ask.MANEUVERS: _score_maneuvers,
        Ask.RAZE: _score_razes,
        Ask.TOKEN: _score_tokens,
        Ask.PILE: _score_piles,
        Ask.STRIP: _score_strips,
        Ask.REVIVE: _score_revivals,
        Ask.AGAIN: _score_again,
    },
)
def _score_decision(decision, state, side, mask, scores, room, weights):
    """Scores the actions of one kind of decision; the score of declining stays 0."""


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
    _score_decision(int(state.decision), state, int(state.seat), mask, scores, room, weights)
