"""Which cards a seat cannot know the place of, for tests of worlds and of what leaks."""

from __future__ import annotations

import functools

import numpy as np

from tests.random_play import positions
from wotr_env import Game
from wotr_env.games.war_of_the_ring.codes import CardZone
from wotr_env.games.war_of_the_ring.components import NUM_CARDS
from wotr_env.games.war_of_the_ring.state import CARDS_PER_DECK

DECK = np.arange(NUM_CARDS) // CARDS_PER_DECK
"""``int64[96]``: the deck of each card."""
SIDE = DECK // 2


def is_hidden(zones: np.ndarray, seat: int) -> np.ndarray:
    """Of the cards (..., 96) those whose place a seat does not know, a committed Combat card aside."""
    other = 1 - seat
    return (zones < CardZone.HAND) | (zones == CardZone.HAND + other) | (zones == CardZone.FACE_DOWN + other)


def in_hand(zones: np.ndarray) -> np.ndarray:
    """The zones with committed Combat cards counted as held."""
    return np.where(zones & ~1 == CardZone.COMMITTED, zones - CardZone.COMMITTED + CardZone.HAND, zones)


@functools.cache
def middle_of_a_game() -> Game:
    """A decision of the Shadow; the Free Peoples hold cards of both backs and have face-down discards."""
    for state in positions("first"):
        zones = state["card_zone"]
        held = [(zones[DECK == deck] == CardZone.HAND).sum() for deck in range(2)]
        thrown = (zones == CardZone.FACE_DOWN).sum()
        cards_left = state["deck_size"].min()
        if min(held) >= 2 and thrown >= 2 and cards_left >= 4 and state["seat"] == 1 and state["winner"] < 0:
            return Game.from_state(state)
    raise AssertionError("no such position")
