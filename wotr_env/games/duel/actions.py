"""The actions of the Duel by id, in blocks of objects."""

from __future__ import annotations

import itertools

from wotr_env.compiler.codes import Codes
from wotr_env.games.duel.components import (
    CARD_IDS,
    CHAINED,
    GREY_CARDS,
    LANDMARK_IDS,
    MOVES,
    NUM_CARDS,
    NUM_LANDMARKS,
    NUM_MOVES,
    NUM_RACES,
    NUM_REGIONS,
    NUM_TOKENS,
    RACES,
    REGIONS,
    TOKEN_IDS,
)

_SIZES = {
    "play": NUM_CARDS,
    "chain": len(CHAINED),
    "sell": NUM_CARDS,
    "landmark": NUM_LANDMARKS,
    "revive": NUM_CARDS,
    "place": NUM_REGIONS,
    "move": NUM_MOVES,
    "remove": NUM_REGIONS,
    "raze": NUM_REGIONS,
    "drain": 1,
    "token": NUM_TOKENS,
    "pile": NUM_RACES,
    "strip": len(GREY_CARDS),
    "again": 1,
    "pass": 1,
}
_FIRSTS = dict(zip(_SIZES, itertools.accumulate([0, *_SIZES.values()]), strict=False))
NUM_ACTIONS = sum(_SIZES.values())
BLOCKS = {name: range(first, first + _SIZES[name]) for name, first in _FIRSTS.items()}


class Act(Codes):
    """The first action of each block."""

    PLAY = _FIRSTS["play"]  # an accessible card, paying
    CHAIN = _FIRSTS["chain"]  # an accessible card, free
    SELL = _FIRSTS["sell"]  # an accessible card is discarded for coins
    LANDMARK = _FIRSTS["landmark"]
    REVIVE = _FIRSTS["revive"]  # a card of the discard is played
    PLACE = _FIRSTS["place"]  # units go to a region
    MOVE = _FIRSTS["move"]
    REMOVE = _FIRSTS["remove"]  # an enemy unit of a region
    RAZE = _FIRSTS["raze"]  # the enemy fortress of a region
    DRAIN = _FIRSTS["drain"]  # the opponent loses a coin
    TOKEN = _FIRSTS["token"]
    PILE = _FIRSTS["pile"]  # the race whose tokens are looked at
    STRIP = _FIRSTS["strip"]  # a grey card of the opponent
    AGAIN = _FIRSTS["again"]
    PASS = _FIRSTS["pass"]


_MEMBERS = {
    "play": CARD_IDS,
    "chain": [CARD_IDS[card] for card in CHAINED],
    "sell": CARD_IDS,
    "landmark": LANDMARK_IDS,
    "revive": CARD_IDS,
    "place": REGIONS,
    "move": [f"{REGIONS[start]}:{REGIONS[end]}" for start, end in MOVES],
    "remove": REGIONS,
    "raze": REGIONS,
    "token": TOKEN_IDS,
    "pile": RACES,
    "strip": [CARD_IDS[card] for card in GREY_CARDS],
}
ACTION_NAMES = tuple(
    f"{block}:{member}" if member else block for block in _SIZES for member in _MEMBERS.get(block, [""])
)
