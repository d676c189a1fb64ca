"""The state of the Duel, and functions that read and change it."""

from __future__ import annotations

import numpy as np

from wotr_env.compiler.codes import Codes
from wotr_env.core.declared import CHANCE, StateField, state_of
from wotr_env.core.turns import turn_fields
from wotr_env.games.duel.components import (
    BANK,
    ENTRY,
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
    SUMMIT,
    UNITS,
)
from wotr_env.games.duel.kernels import kernel

MAX_STACK = 24
NUM_OPTIONS = 4
GOING_ON, DRAW = -1, 2
FELLOWSHIP, SAURON = 0, 1


class Place(Codes):
    """The public location of a card."""

    UNSEEN = 0  # where it was dealt: laid out, removed, or of a later chapter
    DISCARD = 1
    PLAYED = 2  # + seat


class Tile(Codes):
    """The location of a landmark."""

    STACK = 0
    SHOWN = 1
    TAKEN = 2  # + seat


class Ask(Codes):
    """Kinds of decisions."""

    TURN = 0
    BANNER = 1
    UNITS = 2
    MANEUVERS = 3
    RAZE = 4
    TOKEN = 5
    PILE = 6
    STRIP = 7
    REVIVE = 8
    AGAIN = 9
    NOTHING = 10  # the game is over


class Opt(Codes):
    """The indices of the options in ``options``."""

    ALL_TURNS = 0
    DECLINE = 1
    FREE_ORDER = 2
    REVIVE_TRIGGERS = 3
    MAX_TURNS = 4  # of a ruleset; a state has a field of this name


class Reason(Codes):
    """The reason why a game ended, as stored in a state."""

    NONE = 0
    RING_DESTROYED = 1
    RING_SEIZED = 2
    FELLOWSHIP_SUPPORT = 3
    SAURON_SUPPORT = 4
    FELLOWSHIP_CONQUEST = 5
    SAURON_CONQUEST = 6
    FELLOWSHIP_REGIONS = 7
    SAURON_REGIONS = 8
    SHARED = 9


FIELDS = (
    *CHANCE,
    StateField("left", 0, (1 << NUM_SLOTS) - 1, "slots with a card, a bit each", dtype=np.int32),
    *turn_fields(200, "turns that have ended"),
    StateField("seat", 0, 1, "whose turn it is: it makes all decisions"),
    StateField("winner", GOING_ON, DRAW, "-1: the game goes on; a seat, or 2: shared"),
    StateField("reason", 0, len(Reason) - 1, "why it is over, a Reason"),
    StateField("decision", 0, len(Ask) - 1, "the kind of the pending decision, an Ask"),
    StateField("chapter", 0, NUM_CHAPTERS - 1, "the chapter, from 0"),
    StateField("acting", 0, 1, "the seat has taken its card or landmark"),
    StateField("again", 0, 20, "further turns gained"),
    StateField("asked", 0, 1, "the question whether it wants them is settled"),
    StateField("stack_size", 0, MAX_STACK, "effects to come"),
    StateField("landmarks_drawn", 3, NUM_LANDMARKS, "how many of landmark_order are drawn"),
    StateField("options", 0, 1, "of the ruleset", (NUM_OPTIONS,)),
    StateField("deck", 0, NUM_CARDS - 1, "card in each slot, then those removed", (NUM_CHAPTERS, NUM_DEALT)),
    StateField("up", 0, 1, "slots of this chapter that are face up", (NUM_DEALT,)),
    StateField("place", 0, Place.PLAYED + 1, "the Place of each card", (NUM_CARDS,)),
    StateField("looked", 0, 1, "a seat has looked at the cards removed", (2, NUM_CHAPTERS)),
    StateField("landmark_order", 0, NUM_LANDMARKS - 1, "the landmarks as they are drawn", (NUM_LANDMARKS,)),
    StateField("landmark", 0, Tile.TAKEN + 1, "the Tile of each landmark", (NUM_LANDMARKS,)),
    StateField(
        "pile", -1, NUM_TOKENS - 1, "tokens of each race from the top; -1 below the last", (NUM_RACES, PILE)
    ),
    StateField("pile_size", 0, 3, "tokens left in each pile", (NUM_RACES,)),
    StateField("pile_seen", 0, 3, "tokens from the top that both know", (NUM_RACES,)),
    StateField("token", 0, 2, "who has each token: 0, or 1 + the seat", (NUM_TOKENS,)),
    StateField("council", 0, 1, "three different races have been used", (2,)),
    StateField("coins", 0, BANK, "coins of each side", (2,)),
    StateField("ring", 0, SUMMIT, "steps of each side on the ring track", (2,)),
    StateField("units", 0, UNITS, "units of each side in each region", (2, NUM_REGIONS)),
    StateField("fort", 0, 2, "whose fortress is in each region: 0, or 1 + the seat", (NUM_REGIONS,)),
    StateField("skills", None, None, "skills on grey cards without a choice, of each side", (2, NUM_SKILLS)),
    StateField("races", None, None, "races on green cards, of each side", (2, NUM_RACES)),
    StateField("stack", None, None, "effects to come, the next one last", (MAX_STACK, ENTRY)),
)
"""The fields of the record of a game."""
STATE = state_of(FIELDS)


@kernel
def push(state, kind, a, b, c, d):
    """Adds an effect that comes before all others."""
    size = int(state.stack_size)
    if size >= MAX_STACK:
        raise ValueError("too many effects wait for each other")
    row = state.stack[size]
    row[0] = kind
    row[1] = a
    row[2] = b
    row[3] = c
    row[4] = d
    state.stack_size = size + 1


@kernel
def pop(state):
    """Removes the next effect; unused places are zero."""
    size = int(state.stack_size) - 1
    row = state.stack[size]
    for place in range(ENTRY):
        row[place] = 0
    state.stack_size = size


@kernel
def gain(state, side, coins):
    """Takes coins from the bank, as many as the bank has (D10.1)."""
    bank = BANK - int(state.coins[0]) - int(state.coins[1])
    state.coins[side] += min(coins, bank)


@kernel
def supply(state, side):
    """The number of units of a side that are not on the board."""
    count = UNITS
    for region in range(NUM_REGIONS):
        count -= int(state.units[side, region])
    return count


@kernel
def has_token(state, side, token):
    """Whether a side has a token."""
    return state.token[token] == 1 + side
