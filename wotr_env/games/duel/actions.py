"""The actions of the Duel by id, in blocks of objects."""

from __future__ import annotations

from wotr_env.core.declared import actions_of
from wotr_env.games.duel.components import (
    CARD_IDS,
    CHAINED,
    GREY_CARDS,
    LANDMARK_IDS,
    MOVES,
    RACES,
    REGIONS,
    TOKEN_IDS,
)

_NOTHING = ("",)
Act, ACTION_NAMES, BLOCKS = actions_of(
    {
        "play": CARD_IDS,  # an accessible card, paying
        "chain": [CARD_IDS[card] for card in CHAINED],  # an accessible card, free
        "sell": CARD_IDS,  # an accessible card is discarded for coins
        "landmark": LANDMARK_IDS,
        "revive": CARD_IDS,  # a card of the discard is played
        "place": REGIONS,  # units go to a region
        "move": [f"{REGIONS[start]}:{REGIONS[end]}" for start, end in MOVES],
        "remove": REGIONS,  # an enemy unit of a region
        "raze": REGIONS,  # the enemy fortress of a region
        "drain": _NOTHING,  # the opponent loses a coin
        "token": TOKEN_IDS,
        "pile": RACES,  # the race whose tokens are looked at
        "strip": [CARD_IDS[card] for card in GREY_CARDS],  # a grey card of the opponent
        "again": _NOTHING,
        "pass": _NOTHING,
    }
)
NUM_ACTIONS = len(ACTION_NAMES)
