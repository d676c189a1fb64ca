"""Observations of the Duel: named parts, in which the seat's own side comes first (D11)."""

from __future__ import annotations

import numpy as np

from wotr_env.core.declared import places_of, size_of
from wotr_env.core.observation_layout import EntitySet, Field
from wotr_env.games.duel.components import (
    BANK,
    CHAINED,
    ENTRY,
    GREY_CARDS,
    MOVES,
    NUM_CARDS,
    NUM_CHAPTERS,
    NUM_DEALT,
    NUM_LANDMARKS,
    NUM_RACES,
    NUM_REGIONS,
    NUM_SKILLS,
    NUM_SLOTS,
    NUM_TOKENS,
    PILE,
    Token,
)
from wotr_env.games.duel.costs import is_free, price
from wotr_env.games.duel.kernels import kernel
from wotr_env.games.duel.masks import accessible
from wotr_env.games.duel.state import GOING_ON, NUM_OPTIONS, SAURON, Ask, Place, Tile, has_token, supply
from wotr_env.games.duel.victory import present, races_of

NUM_ASKS = len(Ask) - 1
_SEEN_STACK = 6

LAYOUT = (
    Field("decision", (NUM_ASKS,), "kind of the decision that the seat is asked, one-hot", "decider"),
    Field("side", (1,), "1: this seat is Sauron"),
    Field("to_move", (1,), "1: it is the turn of this seat"),
    Field("chapter", (NUM_CHAPTERS,), "one-hot"),
    Field("slots", (NUM_SLOTS, 3), "of the layout: a card lies there, face up, accessible"),
    Field("shown", (NUM_CARDS, 2), "the card lies face up in the layout, accessible"),
    Field("slot", (NUM_CARDS,), "1 + the slot of a card that lies face up", scale=0.1),
    Field("discard", (NUM_CARDS,), "the card is known to lie in the discard", "owner"),
    Field("played", (2, NUM_CARDS), "played by this seat, by the other"),
    Field(
        "price",
        (2, NUM_CARDS),
        "1 + coins of a card that lies face up, for this seat and the other",
        scale=0.4,
    ),
    Field("free", (2, NUM_CARDS), "a chain makes it free, for this seat and the other"),
    Field("landmark", (NUM_LANDMARKS, 3), "shown, of this seat, of the other"),
    Field("landmark_price", (2, NUM_LANDMARKS), "1 + coins of a landmark that is shown", scale=0.2),
    Field("token", (2, NUM_TOKENS), "of this seat, of the other"),
    Field("known_token", (NUM_TOKENS,), "1 + the place in its pile that both know", scale=0.5),
    Field("piles", (NUM_RACES,), "tokens left", scale=0.3),
    Field("council", (2,), "three different races have been used"),
    Field("coins", (2,), "of this seat, of the other", scale=0.15),
    Field("bank", (1,), "coins left", scale=0.05),
    Field("ring", (2,), "steps", scale=0.15),
    Field("skills", (2, NUM_SKILLS), "symbols without a choice", scale=0.5),
    Field("races", (2, NUM_RACES), "symbols on green cards", scale=0.7),
    Field("support", (2,), "different races, with the eagle", scale=0.4),
    Field("units", (2, NUM_REGIONS), "in each region", scale=0.4),
    Field("supply", (2,), "units left", scale=0.1),
    Field("forts", (2, NUM_REGIONS), "in each region"),
    Field("present", (2,), "regions", scale=0.3),
    Field("again", (1,), "further turns gained in this turn"),
    Field("looked", (2, NUM_CHAPTERS), "has looked at the cards removed from a chapter"),
    Field("pending", (_SEEN_STACK, ENTRY), "effects to come, the next first", scale=0.05),
    Field("options", (NUM_OPTIONS,), "of the ruleset"),
)
_NEAR = np.zeros((NUM_REGIONS, NUM_REGIONS), dtype=bool)
_NEAR[MOVES[:, 0], MOVES[:, 1]] = True
ENTITIES = (
    EntitySet(
        "cards",
        {"shown": 0, "slot": 0, "discard": 0, "played": 1, "price": 1, "free": 1},
        {
            "play": range(NUM_CARDS),
            "chain": CHAINED,
            "sell": range(NUM_CARDS),
            "revive": range(NUM_CARDS),
            "strip": GREY_CARDS,
        },
    ),
    EntitySet("landmarks", {"landmark": 0, "landmark_price": 1}, {"landmark": range(NUM_LANDMARKS)}),
    EntitySet("tokens", {"token": 1, "known_token": 0}, {"token": range(NUM_TOKENS)}),
    EntitySet("races", {"piles": 0, "races": 1}, {"pile": range(NUM_RACES)}),
    EntitySet(
        "regions",
        {"units": 1, "forts": 1},
        {block: range(NUM_REGIONS) for block in ("place", "remove", "raze")},
        _NEAR,
    ),
)
"""The objects of an observation for entity networks."""
OBSERVATION_SIZE = size_of(LAYOUT)
At = places_of(LAYOUT)
"""The index at which each part begins."""


@kernel
def _encode_layout(state, seat, observation):
    chapter = int(state.chapter)
    for slot in range(NUM_SLOTS):
        if int(state.left) >> slot & 1 == 0:
            continue
        observation[At.SLOTS + 3 * slot] = 1
        if state.up[slot] == 0:
            continue
        card = int(state.deck[chapter, slot])
        observation[At.SLOTS + 3 * slot + 1] = 1
        observation[At.SHOWN + 2 * card] = 1
        observation[At.SLOT + card] = 1 + slot
        if accessible(state, slot):
            observation[At.SLOTS + 3 * slot + 2] = 1
            observation[At.SHOWN + 2 * card + 1] = 1
        for turn in range(2):
            side = seat ^ turn
            observation[At.PRICE + turn * NUM_CARDS + card] = 1 + price(state, side, card)
            if is_free(state, side, card):
                observation[At.FREE + turn * NUM_CARDS + card] = 1


@kernel
def _encode_cards(state, seat, observation):
    for card in range(NUM_CARDS):
        place = int(state.place[card])
        if place == Place.DISCARD:
            observation[At.DISCARD + card] = 1
        elif place >= Place.PLAYED:
            observation[At.PLAYED + (seat ^ (place - Place.PLAYED)) * NUM_CARDS + card] = 1
    for chapter in range(int(state.chapter) + 1):
        if chapter < state.chapter or state.looked[seat, chapter]:
            for place in range(NUM_SLOTS, NUM_DEALT):
                card = int(state.deck[chapter, place])
                if state.place[card] == Place.UNSEEN:
                    observation[At.DISCARD + card] = 1


@kernel
def _encode_tiles(state, seat, observation):
    for tile in range(NUM_LANDMARKS):
        where = int(state.landmark[tile])
        if where == Tile.SHOWN:
            observation[At.LANDMARK + 3 * tile] = 1
            for turn in range(2):
                coins = price(state, seat ^ turn, NUM_CARDS + tile)
                observation[At.LANDMARK_PRICE + turn * NUM_LANDMARKS + tile] = 1 + coins
        elif where >= Tile.TAKEN:
            observation[At.LANDMARK + 3 * tile + 1 + (seat ^ (where - Tile.TAKEN))] = 1
    for token in range(NUM_TOKENS):
        if state.token[token] > 0:
            observation[At.TOKEN + (seat ^ (int(state.token[token]) - 1)) * NUM_TOKENS + token] = 1
    for race in range(NUM_RACES):
        observation[At.PILES + race] = state.pile_size[race]
        for place in range(PILE):
            if place < state.pile_seen[race]:
                observation[At.KNOWN_TOKEN + int(state.pile[race, place])] = 1 + place


@kernel
def _encode_side(state, turn, side, observation):
    observation[At.COUNCIL + turn] = state.council[side]
    observation[At.COINS + turn] = state.coins[side]
    observation[At.RING + turn] = state.ring[side]
    observation[At.SUPPLY + turn] = supply(state, side)
    observation[At.PRESENT + turn] = present(state, side)
    observation[At.SUPPORT + turn] = races_of(state, side) + has_token(state, side, Token.EAGLE)
    for skill in range(NUM_SKILLS):
        observation[At.SKILLS + turn * NUM_SKILLS + skill] = state.skills[side, skill]
    for race in range(NUM_RACES):
        observation[At.RACES + turn * NUM_RACES + race] = state.races[side, race]
    for region in range(NUM_REGIONS):
        observation[At.UNITS + turn * NUM_REGIONS + region] = state.units[side, region]
        if state.fort[region] == 1 + side:
            observation[At.FORTS + turn * NUM_REGIONS + region] = 1
    for chapter in range(NUM_CHAPTERS):
        observation[At.LOOKED + turn * NUM_CHAPTERS + chapter] = state.looked[side, chapter]


@kernel
def encode(state, seat, observation):
    """Writes the complete observation of a seat."""
    for place in range(OBSERVATION_SIZE):
        observation[place] = 0
    mine = state.seat == seat and state.winner == GOING_ON
    if mine:
        observation[At.DECISION + int(state.decision)] = 1
        observation[At.TO_MOVE] = 1
    observation[At.SIDE] = seat == SAURON
    observation[At.CHAPTER + int(state.chapter)] = 1
    observation[At.AGAIN] = state.again
    observation[At.BANK] = BANK - int(state.coins[0]) - int(state.coins[1])
    _encode_layout(state, seat, observation)
    _encode_cards(state, seat, observation)
    _encode_tiles(state, seat, observation)
    for turn in range(2):
        _encode_side(state, turn, seat ^ turn, observation)
    size = int(state.stack_size)
    for place in range(min(size, _SEEN_STACK)):
        for number in range(ENTRY):
            observation[At.PENDING + place * ENTRY + number] = state.stack[size - 1 - place, number]
    for option in range(NUM_OPTIONS):
        observation[At.OPTIONS + option] = state.options[option]
