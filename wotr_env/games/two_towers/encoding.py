"""Observations of The Two Towers: named parts; players in turn order, with the observing seat first (TT8)."""

from __future__ import annotations

import numpy as np

from wotr_env.core.declared import places_of, size_of
from wotr_env.core.observation_layout import EntitySet, Field
from wotr_env.games.two_towers.components import (
    GANDALF,
    LAST_LOCATION,
    MOST_PLAYERS,
    MOST_SYMBOLS,
    MOST_TOKENS,
    NUM_COLOURS,
    NUM_KINDS,
    NUM_LOCATIONS,
    NUM_QUALITIES,
)
from wotr_env.games.two_towers.kernels import kernel
from wotr_env.games.two_towers.state import (
    GOING_ON,
    NONE,
    Ask,
    Opt,
    Phase,
    next_player,
    total,
    valid_cards,
)

NUM_ASKS = len(Ask) - 1
NUM_RULES = Opt.DRAWN_QUALITIES - Opt.MAY_DECLINE

LAYOUT = (
    Field("decision", (NUM_ASKS,), "kind of the decision that the seat is asked, one-hot", "decider"),
    Field("players", (MOST_PLAYERS,), "how many play, one-hot from 1"),
    Field("seat", (MOST_PLAYERS,), "number of this seat, one-hot"),
    Field("to_move", (MOST_PLAYERS,), "whose turn it is, one-hot"),
    Field("ring", (MOST_PLAYERS,), "who has the ring, one-hot"),
    Field("order", (MOST_PLAYERS,), "1 + the place in the turn order of this round", scale=0.5),
    Field("round", (NUM_LOCATIONS,), "one-hot"),
    Field("laying", (1,), "1: at the location, 0: on the path"),
    Field("spaces", (1,), "spaces of the path on which players still draw, including this space", scale=0.4),
    Field("acted", (1,), "players who have had their turn here"),
    Field("paths", (NUM_LOCATIONS,), "spaces before each location", scale=0.3),
    Field(
        "asked",
        (NUM_LOCATIONS, NUM_QUALITIES),
        "1 + the place of a quality at each location to come",
        scale=0.5,
    ),
    Field("worth", (NUM_LOCATIONS, NUM_QUALITIES), "the best token that a quality can win there", scale=0.3),
    Field("tokens", (NUM_LOCATIONS, MOST_TOKENS), "values at each location to come", scale=0.3),
    Field("points", (MOST_PLAYERS,), "of tokens", scale=0.1),
    Field("valid", (MOST_PLAYERS,), "cards in rows of the qualities asked at this location", scale=0.3),
    Field("shown", (MOST_PLAYERS,), "valid cards at the location scored last", scale=0.3),
    Field("rows", (MOST_PLAYERS, NUM_COLOURS, NUM_QUALITIES), "quality cards in each row", scale=0.5),
    Field("headed", (MOST_PLAYERS, NUM_COLOURS), "a Gandalf is at the head of the row"),
    Field("fresh", (NUM_COLOURS,), "rows of the deciding seat that were begun in this turn"),
    Field("hand", (NUM_KINDS,), "own cards by kind", "owner", scale=0.5),
    Field("hands", (MOST_PLAYERS,), "cards in hand", scale=0.2),
    Field("known", (MOST_PLAYERS, NUM_KINDS), "cards in hand that all have seen", scale=0.5),
    Field("display", (NUM_KINDS,), "cards that lie open, by kind", scale=0.5),
    Field("swapped", (NUM_KINDS,), "the card that was just put into the display, one-hot"),
    Field(
        "unseen",
        (NUM_KINDS,),
        "cards in the pile or in other hands that this seat has not seen there",
        "owner",
        scale=0.2,
    ),
    Field("pile", (1,), "cards in it", scale=0.02),
    Field("discard", (NUM_KINDS,), "cards put aside, by kind", scale=0.3),
    Field("renewed", (NUM_KINDS,), "cards of the renewed pile not drawn by this seat", "owner", scale=0.3),
    Field("drawn_since", (MOST_PLAYERS,), "hidden cards drawn from the renewed pile", scale=0.3),
    Field("rules", (NUM_RULES,), "options of the ruleset"),
)
ENTITIES = (
    EntitySet(
        "kinds",
        {"hand": 0, "display": 0, "swapped": 0, "unseen": 0, "discard": 0, "renewed": 0, "known": 1},
        {
            "take": (*range(NUM_KINDS), NONE),
            "swap": range(NUM_KINDS),
            "lay": range(GANDALF),
            "begin": range(GANDALF),
        },
    ),
    EntitySet(
        "locations",
        dict.fromkeys(("round", "paths", "asked", "worth", "tokens"), 0),
        near=np.eye(NUM_LOCATIONS, k=1, dtype=bool) | np.eye(NUM_LOCATIONS, k=-1, dtype=bool),
    ),
    EntitySet(
        "players",
        dict.fromkeys(
            (
                "to_move",
                "ring",
                "order",
                "points",
                "valid",
                "shown",
                "rows",
                "headed",
                "hands",
                "drawn_since",
            ),
            0,
        ),
    ),
)
"""The objects of an observation for entity networks."""
OBSERVATION_SIZE = size_of(LAYOUT)
At = places_of(LAYOUT)
"""The index at which each part begins."""


@kernel
def _encode_journey(state, observation):
    """Writes the locations, beginning with the next one."""
    observation[At.ROUND + int(state.stage)] = 1
    observation[At.LAYING] = state.phase
    if state.phase == Phase.WALK:
        observation[At.SPACES] = state.path[int(state.stage)] - state.space
    observation[At.ACTED] = state.acted
    for location in range(int(state.stage), NUM_LOCATIONS):
        observation[At.PATHS + location] = state.path[location]
        for token in range(MOST_TOKENS):
            observation[At.TOKENS + location * MOST_TOKENS + token] = state.token[location, token]
        for symbol in range(MOST_SYMBOLS):
            quality = int(state.symbols[location, symbol])
            if quality != NONE:
                place = location * NUM_QUALITIES + quality
                observation[At.ASKED + place] = 1 + symbol
                token = symbol if state.players == 2 else 0
                observation[At.WORTH + place] = state.token[location, token]


@kernel
def _encode_player(state, other, turn, observation):
    """Writes the cards in front of a player; ``turn`` is the index of the player in turn order from the
    observing seat."""
    observation[At.POINTS + turn] = state.points[other]
    observation[At.SHOWN + turn] = state.shown[other]
    if state.winner == GOING_ON:
        observation[At.VALID + turn] = valid_cards(state, other, min(int(state.stage), LAST_LOCATION))
    observation[At.HANDS + turn] = total(state.hand[other])
    observation[At.DRAWN_SINCE + turn] = total(state.drew[other])
    for kind in range(NUM_KINDS):
        observation[At.KNOWN + turn * NUM_KINDS + kind] = state.known[other, kind]
    for colour in range(NUM_COLOURS):
        place = turn * NUM_COLOURS + colour
        observation[At.HEADED + place] = state.gandalf[other, colour]
        quality = int(state.quality[other, colour])
        if quality != NONE:
            observation[At.ROWS + place * NUM_QUALITIES + quality] = state.row[other, colour]


@kernel
def _encode_cards(state, seat, observation):
    """Writes the own cards, the open cards, and the cards whose place is unknown."""
    for kind in range(NUM_KINDS):
        observation[At.HAND + kind] = state.hand[seat, kind]
        observation[At.DISPLAY + kind] = state.display[kind]
        observation[At.DISCARD + kind] = state.discard[kind]
        observation[At.RENEWED + kind] = state.renewed[kind] - state.drew[seat, kind]
        unseen = int(state.pile[kind])
        for other in range(int(state.players)):
            if other != seat:
                unseen += int(state.hand[other, kind]) - int(state.known[other, kind])
        observation[At.UNSEEN + kind] = unseen
    if state.swapped > 0:
        observation[At.SWAPPED + int(state.swapped) - 1] = 1
    observation[At.PILE] = total(state.pile)


@kernel
def encode(state, seat, observation):
    """Writes the complete observation of a seat."""
    for place in range(OBSERVATION_SIZE):
        observation[place] = 0
    if state.seat == seat and state.winner == GOING_ON:
        observation[At.DECISION + int(state.decision)] = 1
    observation[At.PLAYERS + int(state.players) - 1] = 1
    observation[At.SEAT + seat] = 1
    _encode_journey(state, observation)
    other = seat
    for turn in range(int(state.players)):
        observation[At.TO_MOVE + turn] = other == state.seat and state.winner == GOING_ON
        observation[At.RING + turn] = other == state.starter
        place = other - int(state.starter)
        if place < 0:
            place += int(state.players)
        observation[At.ORDER + turn] = 1 + place
        _encode_player(state, other, turn, observation)
        other = next_player(state, other)
    for colour in range(NUM_COLOURS):
        observation[At.FRESH + colour] = state.fresh[colour]
    _encode_cards(state, seat, observation)
    for option in range(NUM_RULES):
        observation[At.RULES + option] = state.options[Opt.MAY_DECLINE + option]
