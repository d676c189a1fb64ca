"""The state of The Two Towers, and functions that read and change it.

Cards of one kind are identical. So a pile is stored as the number of cards of each kind, and a card is drawn
at random when it is needed.
"""

from __future__ import annotations

from wotr_env.compiler.codes import Codes
from wotr_env.core.declared import CHANCE, StateField, state_of
from wotr_env.core.turns import turn_fields
from wotr_env.games.two_towers.components import (
    BEST_TOKEN,
    COPIES,
    FEWEST_PLAYERS,
    GANDALF,
    LAST_LOCATION,
    LONGEST,
    MOST_PLAYERS,
    MOST_SYMBOLS,
    MOST_TOKENS,
    NUM_COLOURS,
    NUM_KINDS,
    NUM_LOCATIONS,
    NUM_QUALITIES,
    SHORTEST,
)
from wotr_env.games.two_towers.kernels import draw, kernel

GOING_ON = -1
NONE = -1
NUM_OPTIONS = 6 + NUM_LOCATIONS * MOST_SYMBOLS + NUM_LOCATIONS


class Ask(Codes):
    """Kinds of decisions."""

    DRAW = 0
    FIRST = 1  # of two cards, after one was put into the display
    SECOND = 2
    LAY = 3
    NOTHING = 4  # the game is over


class Phase(Codes):
    """The phases of a round."""

    WALK = 0
    LAY = 1


class Opt(Codes):
    """The indices of the options in ``options``."""

    PLAYERS = 0
    MAY_DECLINE = 1
    TAKE_BACK = 2
    LOSSES = 3  # a Losses
    DRAWN_QUALITIES = 4
    DRAWN_PATHS = 5
    SYMBOLS = 6  # and the others, -1 where there is none
    PATHS = 6 + NUM_LOCATIONS * MOST_SYMBOLS
    MAX_TURNS = 6 + NUM_LOCATIONS * MOST_SYMBOLS + NUM_LOCATIONS  # of a ruleset; a state has a field


class Losses(Codes):
    """Which of two players put cards aside after scoring, and from which rows (TT6.3)."""

    ALL = 0  # both, of each row of a quality that was scored
    TAKERS = 1  # who took a token, of each row of a quality that was scored
    WON = 2  # who took a token, of each row of the qualities whose token it took


class Reason(Codes):
    """The criterion that decided between the winner and the others. The field ``reason`` of a state also
    contains the winning player."""

    POINTS = 0
    CARDS = 1
    ORDER = 2


NUM_REASONS = len(Reason)

_MOST_CARDS = int(COPIES.max())
FIELDS = (
    *CHANCE,
    *turn_fields(MOST_PLAYERS * NUM_LOCATIONS * (LONGEST + 1), "turns of players that have ended"),
    StateField("seat", 0, MOST_PLAYERS - 1, "whose turn it is"),
    StateField("winner", GOING_ON, MOST_PLAYERS - 1, "-1: the game goes on, or the player who has won"),
    StateField("reason", 0, MOST_PLAYERS * NUM_REASONS, "1 + NUM_REASONS * winner + Reason"),
    StateField("decision", 0, len(Ask) - 1, "the kind of the pending decision, an Ask"),
    StateField("players", FEWEST_PLAYERS, MOST_PLAYERS, "how many play"),
    StateField("starter", 0, MOST_PLAYERS - 1, "the player who has the ring"),
    StateField("stage", 0, LAST_LOCATION, "the location that the marker walks to, 0 to 5"),
    StateField("space", 0, LONGEST, "the space of the path, from 0"),
    StateField("phase", 0, len(Phase) - 1, "a Phase"),
    StateField("acted", 0, MOST_PLAYERS, "players who have had their turn on this space or at this location"),
    StateField("swapped", 0, NUM_KINDS, "1 + the kind of the card just put into the display"),
    StateField("drawn", 0, 1, "cards drawn for the one put into the display"),
    StateField("options", None, None, "of the ruleset, an Opt each", (NUM_OPTIONS,)),
    StateField(
        "symbols",
        NONE,
        NUM_QUALITIES - 1,
        "qualities of each location from the left, or NONE",
        (NUM_LOCATIONS, MOST_SYMBOLS),
    ),
    StateField("path", SHORTEST, LONGEST, "spaces before each location", (NUM_LOCATIONS,)),
    StateField(
        "token",
        0,
        BEST_TOKEN,
        "values of tokens of each location: falling, or one for each symbol",
        (NUM_LOCATIONS, MOST_TOKENS),
    ),
    StateField("points", 0, BEST_TOKEN * NUM_LOCATIONS * 3, "points of each player", (MOST_PLAYERS,)),
    StateField("shown", 0, int(COPIES.sum()), "valid cards at the location scored last", (MOST_PLAYERS,)),
    StateField("hand", 0, _MOST_CARDS, "cards of each hand by kind", (MOST_PLAYERS, NUM_KINDS)),
    StateField("known", 0, _MOST_CARDS, "cards of each hand that all have seen", (MOST_PLAYERS, NUM_KINDS)),
    StateField("display", 0, _MOST_CARDS, "cards that lie open, by kind", (NUM_KINDS,)),
    StateField("pile", 0, _MOST_CARDS, "cards left, by kind", (NUM_KINDS,)),
    StateField("discard", 0, _MOST_CARDS, "cards put aside, by kind", (NUM_KINDS,)),
    StateField(
        "renewed", 0, _MOST_CARDS, "cards of the pile when it was renewed last, which all know", (NUM_KINDS,)
    ),
    StateField(
        "drew", 0, _MOST_CARDS, "hidden cards of it that a player has drawn since", (MOST_PLAYERS, NUM_KINDS)
    ),
    StateField(
        "revealed", 0, _MOST_CARDS, "cards not known that left the hand since", (MOST_PLAYERS, NUM_KINDS)
    ),
    StateField("row", 0, _MOST_CARDS, "quality cards in each row", (MOST_PLAYERS, NUM_COLOURS)),
    StateField(
        "quality", NONE, NUM_QUALITIES - 1, "the quality of each row, or NONE", (MOST_PLAYERS, NUM_COLOURS)
    ),
    StateField("gandalf", 0, 1, "a Gandalf is at the head of the row", (MOST_PLAYERS, NUM_COLOURS)),
    StateField("fresh", 0, 1, "the row was begun in this turn", (NUM_COLOURS,)),
)
"""The fields of the record of a game."""
STATE = state_of(FIELDS)


@kernel
def total(counts):
    """The number of cards of a pile, from its counts by kind."""
    cards = 0
    for kind in range(NUM_KINDS):
        cards += int(counts[kind])
    return cards


@kernel
def take_any(state, counts):
    """Takes a card from a pile that is not empty; all cards are equally likely. Returns the kind of the
    card."""
    place = draw(state, total(counts))
    for kind in range(NUM_KINDS):
        place -= int(counts[kind])
        if place < 0:
            counts[kind] -= 1
            return kind
    return NONE


@kernel
def reshuffle(state):
    """Makes a new pile from the cards put aside if the pile is empty; all players know these cards (TT5.1,
    TT8.3)."""
    if total(state.pile) == 0 and total(state.discard) > 0:
        for kind in range(NUM_KINDS):
            state.pile[kind] = state.discard[kind]
            state.renewed[kind] = state.discard[kind]
            state.discard[kind] = 0
            for seat in range(int(state.players)):
                state.drew[seat, kind] = 0
                state.revealed[seat, kind] = 0


@kernel
def only_kind(counts):
    """The kind of all cards of a pile, from its counts by kind; NONE if there are several kinds, or no
    cards."""
    found = NONE
    for kind in range(NUM_KINDS):
        if counts[kind] > 0:
            if found != NONE:
                return NONE
            found = kind
    return found


@kernel
def next_player(state, seat):
    """The next player to the left."""
    return (seat + 1) % int(state.players)


@kernel
def asks_for(state, location, quality):
    """Whether a location scores a quality."""
    for symbol in range(MOST_SYMBOLS):
        if state.symbols[location, symbol] == quality:
            return True
    return False


@kernel
def row_size(state, seat, colour):
    """The number of cards of a row, including the Gandalf at its head."""
    return int(state.row[seat, colour]) + int(state.gandalf[seat, colour])


@kernel
def cards_of(state, seat, quality):
    """The number of cards in a player's rows of a quality."""
    cards = 0
    for colour in range(NUM_COLOURS):
        if state.quality[seat, colour] == quality:
            cards += row_size(state, seat, colour)
    return cards


@kernel
def valid_cards(state, seat, location):
    """The number of cards in a player's rows of the qualities that a location scores (TT4.1)."""
    cards = 0
    for quality in range(NUM_QUALITIES):
        if asks_for(state, location, quality):
            cards += cards_of(state, seat, quality)
    return cards


@kernel
def drop_row(state, seat, colour):
    """Puts aside a whole row."""
    quality = int(state.quality[seat, colour])
    if quality != NONE:
        state.discard[NUM_QUALITIES * colour + quality] += state.row[seat, colour]
        state.discard[GANDALF] += state.gandalf[seat, colour]
    state.row[seat, colour] = 0
    state.gandalf[seat, colour] = 0
    state.quality[seat, colour] = NONE
