"""Worlds by belief: the other side's hand drawn by a model, all else as in any world of the seat.

A world of a view has a hand drawn evenly from what the seat does not know. A hand by the model takes its
place: cards that come to the hand change places with cards that leave it. Since the model knows no more than
the seat, and the cards outside the hand were laid evenly, they are so afterwards, and the draw is exact:
nothing has to be weighted. A Combat card that lies face down stays as the world has it.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from wotr_agents.belief.hands import draw_hands
from wotr_agents.belief.model import Belief
from wotr_env.core.kind import copy_states
from wotr_env.games.war_of_the_ring.codes import CardZone
from wotr_env.games.war_of_the_ring.components import NUM_CARDS
from wotr_env.games.war_of_the_ring.options import Option
from wotr_env.games.war_of_the_ring.rules.seats import FEWEST_PLAYERS
from wotr_env.games.war_of_the_ring.state import CARDS_PER_DECK, NUM_DECKS, NUM_SIDES
from wotr_env.play.bots import BotView

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


def draw_worlds(view: BotView, k: int, generator: np.random.Generator, belief: Belief | None) -> np.ndarray:
    """States that the deciding seats cannot tell from the true ones: ``STATE[B, k]``.

    Args:
        view: offers worlds.
        k: worlds of each game.
        generator: draws them.
        belief: by which the other side's hand is drawn; None: ``view.worlds`` as they are. So are those of
            games of three or four players.

    Raises:
        BotError: the view offers no worlds.
    """
    worlds = view.worlds(k, generator)
    if belief is None or worlds.size == 0:
        return worlds
    uniforms = generator.random((len(worlds), k, _CARDS_OF_A_SIDE))
    games = np.flatnonzero(worlds["options"][:, 0, Option.PLAYERS] == FEWEST_PLAYERS)
    if games.size:
        if not worlds.flags.writeable:  # as they come into a process of a bot's own
            worlds = copy_states(worlds.reshape(-1)).reshape(worlds.shape)
        log_odds = belief.log_odds(view.observations[games])
        zones = worlds["card_zone"]
        seats = np.repeat(view.seats[games].astype(np.int64), k)
        laid = lay_hands(
            zones[games].reshape(-1, NUM_CARDS),
            seats,
            np.repeat(log_odds, k, axis=0),
            uniforms[games].reshape(-1, _CARDS_OF_A_SIDE),
        )
        zones[games] = laid.reshape(-1, k, NUM_CARDS)
    return worlds


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
