"""The hidden hand of the other side in games of two players, for beliefs (``wotr_agents.belief``).

Cards that enter a hand exchange places with cards that leave it. The belief uses only information of the
deciding seat, and in a world the cards outside the hand have a uniformly random order. This order stays
uniform, so the draw is exact and needs no weights. A face-down Combat card stays as in the world.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from wotr_agents.belief.hands import Hands, draw_hands
from wotr_env.games.war_of_the_ring.codes import CardZone
from wotr_env.games.war_of_the_ring.components import NUM_CARDS
from wotr_env.games.war_of_the_ring.options import Option
from wotr_env.games.war_of_the_ring.rules.seats import FEWEST_PLAYERS
from wotr_env.games.war_of_the_ring.state import CARDS_PER_DECK, NUM_DECKS, NUM_SIDES

DECKS_OF_A_SIDE = NUM_DECKS // NUM_SIDES
_CARDS_OF_A_SIDE = DECKS_OF_A_SIDE * CARDS_PER_DECK


class Hidden(NamedTuple):
    """The cards of the other side in W states, by its decks: Character, Strategy."""

    cards: np.ndarray
    """``int64[W, 2, 24]``: the ids of the cards."""
    hidden: np.ndarray
    """``bool[W, 2, 24]``: the cards whose place the deciding seat does not know, except a Combat card."""
    held: np.ndarray
    """``bool[W, 2, 24]``: the cards in the hand."""


def hidden_cards(zones: np.ndarray, seats: np.ndarray) -> Hidden:
    """Returns the cards of the other side and which of them are hidden, in games of two players.

    Args:
        zones: ``int8[W, 96]``: the zone of each card.
        seats: ``int64[W]``: the observing seats.
    """
    others = 1 - seats
    cards = (others * _CARDS_OF_A_SIDE)[:, None] + np.arange(_CARDS_OF_A_SIDE)
    theirs = np.take_along_axis(zones, cards, axis=1)
    held = theirs == (CardZone.HAND + others)[:, None]
    hidden = held | (theirs < CardZone.HAND) | (theirs == (CardZone.FACE_DOWN + others)[:, None])
    shape = (len(zones), DECKS_OF_A_SIDE, CARDS_PER_DECK)
    return Hidden(cards.reshape(shape), hidden.reshape(shape), held.reshape(shape))


def deal_hands(
    zones: np.ndarray, seats: np.ndarray, log_odds: np.ndarray, uniforms: np.ndarray
) -> np.ndarray:
    """Resamples the other side's hands; returns the new zones of the cards: ``int8[W, 96]``.

    Args:
        zones: ``int8[W, 96]``: the zones of the cards in worlds of the seats.
        seats: ``int64[W]``: the observing seats.
        log_odds: ``float64[W, 96]``: log-odds that each card is held.
        uniforms: ``float64[W, 48]``: uniform random numbers in [0, 1).
    """
    cards, hidden, held = (each.reshape(-1, CARDS_PER_DECK) for each in hidden_cards(zones, seats))
    rows = np.repeat(np.arange(len(zones)), DECKS_OF_A_SIDE)[:, None]
    odds = np.where(hidden, np.exp(log_odds[rows, cards]), 0.0)
    drawn = draw_hands(odds, held.sum(axis=1), uniforms.reshape(-1, CARDS_PER_DECK))
    coming, leaving = drawn & ~held, held & ~drawn
    before = zones[rows, cards]
    after = before.copy()
    # As many come as leave, and they change places in the order of their numbers. The places of those that
    # come were laid evenly, so any order is as even.
    after[leaving] = before[coming]
    after[coming] = before[leaving]
    laid = zones.copy()
    laid[rows, cards] = after
    return laid


def _are_known(worlds: np.ndarray) -> np.ndarray:
    return worlds["options"][:, Option.PLAYERS] == FEWEST_PLAYERS


def _lay(worlds: np.ndarray, log_odds: np.ndarray, uniforms: np.ndarray) -> None:
    seats = worlds["seat"].astype(np.int64)
    worlds["card_zone"] = deal_hands(worlds["card_zone"], seats, log_odds, uniforms)


HANDS = Hands(NUM_CARDS, _CARDS_OF_A_SIDE, _are_known, _lay)
