"""Scoring of locations, losses, and the winner (TT4, TT6, TT7)."""

from __future__ import annotations

from wotr_env.games.two_towers.components import (
    MOST_SYMBOLS,
    MOST_TOKENS,
    NUM_COLOURS,
    NUM_QUALITIES,
)
from wotr_env.games.two_towers.kernels import kernel
from wotr_env.games.two_towers.state import (
    NONE,
    NUM_REASONS,
    Ask,
    Losses,
    Opt,
    Reason,
    asks_for,
    cards_of,
    drop_row,
    next_player,
    reshuffle,
    valid_cards,
)


@kernel
def _best_of(state, taken):
    """The player without a token (bits in ``taken``) with the most valid cards, the first in turn order if
    several have the most; or NONE."""
    best = NONE
    most = 0
    seat = int(state.starter)
    for _ in range(int(state.players)):
        if taken >> seat & 1 == 0 and state.shown[seat] > most:
            best = seat
            most = int(state.shown[seat])
        seat = next_player(state, seat)
    return best


@kernel
def _best_with(state, quality):
    """The player with the most cards of a quality, the first in turn order if several have the most; or
    NONE."""
    best = NONE
    most = 0
    seat = int(state.starter)
    for _ in range(int(state.players)):
        cards = cards_of(state, seat, quality)
        if cards > most:
            best = seat
            most = cards
        seat = next_player(state, seat)
    return best


@kernel
def _give_by_rank(state, location):
    """Gives the best token to the player with the most valid cards, and so on (TT4.2, TT4.3).

    Returns the players who took a token, one bit each.
    """
    taken = 0
    starter = int(state.starter)
    for token in range(int(state.players) - 1):
        best = _best_of(state, taken)
        if best == NONE:
            break
        state.points[best] += state.token[location, token]
        if token == 0:
            starter = best
        taken |= 1 << best
    state.starter = starter
    return taken


@kernel
def _lose_card(state, seat, colour):
    """Puts aside a quality card of a row, and also a Gandalf that is then alone (TT4.5)."""
    quality = int(state.quality[seat, colour])
    state.row[seat, colour] -= 1
    state.discard[NUM_QUALITIES * colour + quality] += 1
    if state.row[seat, colour] == 0:
        drop_row(state, seat, colour)


@kernel
def _give_by_symbol(state, location):
    """Gives the token of each quality, from the left, to the player who shows more cards of this quality
    (TT6.2).

    Returns the qualities whose tokens each player took; the first player has the lowest bits.
    """
    taken = 0
    starter = int(state.starter)
    for symbol in range(MOST_SYMBOLS):
        quality = int(state.symbols[location, symbol])
        if quality == NONE:
            break
        best = _best_with(state, quality)
        if best != NONE:
            state.points[best] += state.token[location, symbol]
            taken |= 1 << (MOST_SYMBOLS * best + symbol)
            last = symbol == MOST_SYMBOLS - 1 or state.symbols[location, symbol + 1] == NONE
            if last:
                starter = best
    state.starter = starter
    return taken


@kernel
def _lose_by_symbol(state, location, taken):
    """Puts aside a card of each row with a scored quality, by default in the rows of both players (TT6.3)."""
    every = (1 << MOST_SYMBOLS) - 1
    losses = int(state.options[Opt.LOSSES])
    for seat in range(2):
        own = taken >> (MOST_SYMBOLS * seat) & every
        for symbol in range(MOST_SYMBOLS):
            quality = int(state.symbols[location, symbol])
            loses = losses == Losses.ALL or own >> symbol & 1 == 1
            if losses == Losses.TAKERS and own != 0:
                loses = True
            if quality != NONE and loses:
                for colour in range(NUM_COLOURS):
                    if state.quality[seat, colour] == quality:
                        _lose_card(state, seat, colour)


@kernel
def _lose_by_rank(state, location, taken):
    """Puts aside a card of each scored row of the players who took a token (TT4.4)."""
    for seat in range(int(state.players)):
        if taken >> seat & 1:
            for colour in range(NUM_COLOURS):
                quality = int(state.quality[seat, colour])
                if quality != NONE and asks_for(state, location, quality):
                    _lose_card(state, seat, colour)


@kernel
def score_location(state):
    """Scores a location: gives the tokens and the ring, and puts cards aside (TT4, TT6)."""
    location = int(state.stage)
    for seat in range(int(state.players)):
        state.shown[seat] = valid_cards(state, seat, location)
    if state.players == 2:
        _lose_by_symbol(state, location, _give_by_symbol(state, location))
    else:
        _lose_by_rank(state, location, _give_by_rank(state, location))
    for token in range(MOST_TOKENS):
        state.token[location, token] = 0
    reshuffle(state)


@kernel
def end_game(state, first):
    """Ends the game. The winner has the most points, then the most valid cards at Minas Tirith, then was the
    first to lay cards there (TT7.1-TT7.3).

    Args:
        first: the player who was the first to lay cards at Minas Tirith.
    """
    best = first
    reason = Reason.POINTS
    seat = next_player(state, first)
    for _ in range(int(state.players) - 1):
        if state.points[seat] > state.points[best]:
            best = seat
            reason = Reason.POINTS
        elif state.points[seat] == state.points[best]:
            if state.shown[seat] > state.shown[best]:
                best = seat
                reason = Reason.CARDS  # ties before are settled by them too
            elif state.shown[seat] == state.shown[best]:
                reason = Reason.ORDER
            else:
                reason = max(reason, Reason.CARDS)
        seat = next_player(state, seat)
    state.winner = best
    state.reason = 1 + NUM_REASONS * best + reason
    state.decision = Ask.NOTHING
