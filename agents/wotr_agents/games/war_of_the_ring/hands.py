"""What the other side holds in games of two players, for beliefs (``wotr_agents.belief``).

Cards that come to a hand change places with cards that leave it. Since the model knows no more than the seat,
and the cards outside the hand were laid evenly, they are so afterwards, and the draw is exact: nothing has to
be weighted. A Combat card that lies face down stays as the world has it.
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
    """``int64[W, 2, 24]``: their numbers."""
    hidden: np.ndarray
    """``bool[W, 2, 24]``: those whose place the deciding seat does not know, a Combat card aside."""
    held: np.ndarray
    """``bool[W, 2, 24]``: those in the hand."""


def hidden_cards(zones: np.ndarray, seats: np.ndarray) -> Hidden:
    """What seats do not know of the other side in games of two players.

    Args:
        zones: ``int8[W, 96]``: where the cards are.
        seats: ``int64[W]``: who looks.
    """
    others = 1 - seats
    cards = (others * _CARDS_OF_A_SIDE)[:, None] + np.arange(_CARDS_OF_A_SIDE)
    theirs = np.take_along_axis(zones, cards, axis=1)
    held = theirs == (CardZone.HAND + others)[:, None]
    hidden = held | (theirs < CardZone.HAND) | (theirs == (CardZone.FACE_DOWN + others)[:, None])
    shape = (len(zones), DECKS_OF_A_SIDE, CARDS_PER_DECK)
    return Hidden(cards.reshape(shape), hidden.reshape(shape), held.reshape(shape))


def lay_hands(zones: np.ndarray, seats: np.ndarray, log_odds: np.ndarray, uniforms: np.ndarray) -> np.ndarray:
    """Where the cards are once the other side's hands are drawn anew: ``int8[W, 96]``.

    Args:
        zones: ``int8[W, 96]``: where they are in worlds of the seats.
        seats: ``int64[W]``: who looks.
        log_odds: ``float64[W, 96]``: of each card to be held.
        uniforms: ``float64[W, 48]``, from 0 up to 1, that the hands follow from.
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
    worlds["card_zone"] = lay_hands(worlds["card_zone"], seats, log_odds, uniforms)


HANDS = Hands(NUM_CARDS, _CARDS_OF_A_SIDE, _are_known, _lay)
