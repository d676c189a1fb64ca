"""Values of qualities and cards for a player of The Two Towers, in points."""

from __future__ import annotations

from wotr_agents.games.two_towers.kernels import kernel
from wotr_agents.games.two_towers.weights import Weight
from wotr_env.games.two_towers.components import (
    GANDALF,
    MOST_SYMBOLS,
    NUM_COLOURS,
    NUM_KINDS,
    NUM_LOCATIONS,
    NUM_QUALITIES,
)
from wotr_env.games.two_towers.state import NONE, row_size

NOW = 0
LATER = NUM_QUALITIES
KIND = 2 * NUM_QUALITIES
"""Offsets in ``room``: values of each quality at the next location, at later locations, and of each kind of
card."""
ROOM = KIND + NUM_KINDS


@kernel
def _token(state, location, symbol, weights):
    """Value of the tokens that a quality of a location can win."""
    if state.players == 2:
        return float(state.token[location, symbol])
    first = float(state.token[location, 0])
    return first + weights[Weight.SECOND] * float(state.token[location, 1])


@kernel
def read_needs(state, room, weights):
    """Writes the value of a card of each quality at the next location, and at all later ones together."""
    for place in range(KIND):
        room[place] = 0.0
    share = 1.0
    stage = int(state.stage)
    for location in range(stage, NUM_LOCATIONS):
        for symbol in range(MOST_SYMBOLS):
            quality = int(state.symbols[location, symbol])
            if quality != NONE:
                worth = share * _token(state, location, symbol, weights)
                if location == stage:
                    room[NOW + quality] += worth
                else:
                    room[LATER + quality] += worth
        share *= weights[Weight.LATER]


@kernel
def need(room, quality):
    """Value of a card of a quality at the next and all later locations."""
    return room[NOW + quality] + room[LATER + quality]


@kernel
def gandalf_worth(room, part):
    """Value of a Gandalf: the part ``part`` of the value of a card of the best quality."""
    best = 0.0
    for quality in range(NUM_QUALITIES):
        best = max(best, need(room, quality))
    return part * best


@kernel
def _fit(state, seat, colour, quality, room, weights):
    """Factor of how well a card fits the player's row and hand of its colour; 1 without other cards of the
    colour."""
    hand = state.hand[seat]
    first = NUM_QUALITIES * colour
    own = 1.0 + float(hand[first + quality])
    lies = int(state.quality[seat, colour])
    if lies == quality:
        return 1.0 + weights[Weight.PAIR] * (own - 1.0 + float(row_size(state, seat, colour)))
    if lies != NONE:
        held = float(row_size(state, seat, colour)) * need(room, lies)
        if own * need(room, quality) > held:
            return weights[Weight.SWITCH]
        return weights[Weight.BLOCKED]
    for other in range(NUM_QUALITIES):
        if other != quality and float(hand[first + other]) * need(room, other) > own * need(room, quality):
            return weights[Weight.OTHER]
    return 1.0 + weights[Weight.PAIR] * (own - 1.0)


@kernel
def read_cards(state, seat, room, weights):
    """Writes the value of one more card of each kind for a player."""
    for colour in range(NUM_COLOURS):
        for quality in range(NUM_QUALITIES):
            fit = _fit(state, seat, colour, quality, room, weights)
            room[KIND + NUM_QUALITIES * colour + quality] = fit * need(room, quality)
    room[KIND + GANDALF] = gandalf_worth(room, weights[Weight.GANDALF])


@kernel
def hidden_worth(state, seat, room, weights):
    """Mean value of a hidden card for a player, over all cards that the player has not seen."""
    cards = 0.0
    worth = 0.0
    for kind in range(NUM_KINDS):
        unseen = float(state.pile[kind])
        for other in range(int(state.players)):
            if other != seat:
                unseen += float(state.hand[other, kind]) - float(state.known[other, kind])
        cards += unseen
        worth += unseen * room[KIND + kind]
    if cards == 0.0:
        return 0.0
    return worth / cards + weights[Weight.SECRET]
