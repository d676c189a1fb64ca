"""Random outcomes in the Duel: everything is shuffled at the start and revealed later."""

from __future__ import annotations

import numpy as np

from wotr_env.core.luck import NO_SOURCE, Luck, random_words, reseed_stream, shuffle_among
from wotr_env.games.duel.components import (
    NUM_CHAPTERS,
    NUM_DEALT,
    NUM_LANDMARKS,
    NUM_RACES,
    NUM_SLOTS,
    PILE,
)
from wotr_env.games.duel.state import Place

SOURCES = ("cards", "landmarks", "tokens")
_CARDS, _LANDMARKS, _TOKENS = range(len(SOURCES))


def _unknown_cards(states: np.ndarray) -> np.ndarray:
    """Whether the card dealt to a place is unknown to both sides (``worlds.is_hidden``): ``bool[N, 3,
    23]``."""
    chapter = np.arange(NUM_CHAPTERS)
    later = chapter > states["chapter"][:, None]
    unseen = (
        np.take_along_axis(
            states["place"], states["deck"].reshape(len(states), -1).astype(np.int64), axis=1
        ).reshape(states["deck"].shape)
        == Place.UNSEEN
    )
    down = np.broadcast_to((states["up"] == 0)[:, None, :], unseen.shape).copy()
    nobody_looked = (states["looked"] == 0).all(axis=1)
    down[:, :, NUM_SLOTS:] = nobody_looked[:, :, None]
    now = (chapter == states["chapter"][:, None])[:, :, None]
    return later[:, :, None] | (now & unseen & down)


def _renew(states: np.ndarray, seeds: np.ndarray) -> None:
    number = len(states)
    reseed_stream(states, seeds)
    cards, tiles, tokens = NUM_CHAPTERS * NUM_DEALT, NUM_LANDMARKS, NUM_RACES * PILE
    words = random_words(seeds, 1 + cards + tiles + tokens)[:, 1:]
    of_cards, of_tiles, of_tokens = np.split(words, [cards, cards + tiles], axis=1)
    unknown = _unknown_cards(states).reshape(-1, NUM_DEALT)
    deck = states["deck"].reshape(-1, NUM_DEALT)
    shuffle_among(deck, unknown, of_cards.reshape(deck.shape))
    states["deck"] = deck.reshape(number, NUM_CHAPTERS, NUM_DEALT)
    order = states["landmark_order"].copy()
    shuffle_among(order, np.arange(NUM_LANDMARKS) >= states["landmarks_drawn"][:, None], of_tiles)
    states["landmark_order"] = order
    place = np.arange(PILE)
    below = (place >= states["pile_seen"][:, :, None]) & (place < states["pile_size"][:, :, None])
    pile = states["pile"].reshape(-1, PILE)
    shuffle_among(pile, below.reshape(pile.shape), of_tokens.reshape(pile.shape))
    states["pile"] = pile.reshape(number, NUM_RACES, PILE)


def _stages(before: np.ndarray, after: np.ndarray) -> np.ndarray:
    """The stage of each step: the components that the step reveals, cards before landmarks before tokens."""
    source = np.full(len(after), NO_SOURCE, dtype=np.int8)
    source[(before["pile_seen"] != after["pile_seen"]).any(axis=1)] = _TOKENS
    source[before["landmarks_drawn"] != after["landmarks_drawn"]] = _LANDMARKS
    turned = (before["up"] != after["up"]).any(axis=1) | (before["chapter"] != after["chapter"])
    looked = (before["looked"] != after["looked"]).any(axis=(1, 2))
    source[turned | looked] = _CARDS
    return source[:, None]


LUCK = Luck(SOURCES, _renew, _stages)
