"""The record of a game of the Duel, and the small helpers that read and write it."""

from __future__ import annotations

import numpy as np

from wotr_env.compiler.codes import Codes
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
    NUM_TOKENS,
    PILE,
    UNITS,
)
from wotr_env.games.duel.kernels import kernel

MAX_STACK = 24
NUM_OPTIONS = 4
GOING_ON, DRAW = -1, 2
FELLOWSHIP, SAURON = 0, 1

STATE = np.dtype(
    (
        np.record,
        [
            ("key", np.uint32, (2,)),  # of chance
            ("counter", np.uint32),
            ("left", np.int32),  # slots with a card, a bit each
            ("turn", np.int16),  # turns that have ended
            ("seat", np.int8),  # whose turn it is: it makes all decisions
            ("winner", np.int8),
            ("reason", np.int8),
            ("decision", np.int8),  # the kind of the pending one, an Ask
            ("chapter", np.int8),  # 0 to 2
            ("acting", np.int8),  # the seat has taken its card or landmark
            ("again", np.int8),  # further turns gained
            ("asked", np.int8),  # whether it wants them is settled
            ("stack_size", np.int8),
            ("landmarks_drawn", np.int8),
            ("options", np.int8, (NUM_OPTIONS,)),
            ("deck", np.int8, (NUM_CHAPTERS, NUM_DEALT)),  # card in each slot, then those removed
            ("up", np.int8, (NUM_DEALT,)),  # slots of this chapter that are face up
            ("place", np.int8, (NUM_CARDS,)),  # a Place
            ("looked", np.int8, (2, NUM_CHAPTERS)),  # a seat has looked at the cards removed
            ("landmark_order", np.int8, (NUM_LANDMARKS,)),
            ("landmark", np.int8, (NUM_LANDMARKS,)),  # a Tile
            ("pile", np.int8, (NUM_RACES, PILE)),  # tokens from the top; -1 below the last
            ("pile_size", np.int8, (NUM_RACES,)),
            ("pile_seen", np.int8, (NUM_RACES,)),  # tokens from the top that both know
            ("token", np.int8, (NUM_TOKENS,)),  # 0, or 1 + who has it
            ("council", np.int8, (2,)),  # three different races have been used
            ("coins", np.int8, (2,)),
            ("ring", np.int8, (2,)),  # steps
            ("units", np.int8, (2, NUM_REGIONS)),
            ("fort", np.int8, (NUM_REGIONS,)),  # 0, or 1 + whose
            ("skills", np.int8, (2, NUM_SKILLS)),  # of grey cards without a choice
            ("races", np.int8, (2, NUM_RACES)),  # symbols on green cards
            ("stack", np.int8, (MAX_STACK, ENTRY)),  # effects to come, the next one last
        ],
    )
)


class Place(Codes):
    """Where a card is, as both know it."""

    UNSEEN = 0  # where it was dealt: laid out, removed, or of a later chapter
    DISCARD = 1
    PLAYED = 2  # + seat


class Tile(Codes):
    """Where a landmark is."""

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
    """Places of the options."""

    ALL_TURNS = 0
    DECLINE = 1
    FREE_ORDER = 2
    REVIVE_TRIGGERS = 3


class Reason(Codes):
    """How a game ends; the reason of a state."""

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


@kernel
def push(state, kind, a, b, c, d):
    """Makes an effect the next one."""
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
    """The next effect is done; what is unused is zero."""
    size = int(state.stack_size) - 1
    row = state.stack[size]
    for place in range(ENTRY):
        row[place] = 0
    state.stack_size = size


@kernel
def gain(state, side, coins):
    """Coins from the bank, as many as it has (D10.1)."""
    bank = BANK - int(state.coins[0]) - int(state.coins[1])
    state.coins[side] += min(coins, bank)


@kernel
def supply(state, side):
    """Units of a side that are not on the board."""
    count = UNITS
    for region in range(NUM_REGIONS):
        count -= int(state.units[side, region])
    return count


@kernel
def has_token(state, side, token):
    """Whether a side has a token."""
    return state.token[token] == 1 + side
