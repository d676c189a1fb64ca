"""Random outcomes in War of the Ring: dice, Hunt tiles, and the order of the decks."""

from __future__ import annotations

import numpy as np

from wotr_env.core.luck import NO_SOURCE, Luck, random_words, reseed_stream, shuffle_among
from wotr_env.games.war_of_the_ring.codes import Draw, Roll
from wotr_env.games.war_of_the_ring.state import CARDS_PER_DECK, MAX_DRAWS, NUM_DECKS, TAPE_SIZE

SOURCES = ("action dice", "Hunt rolls", "Hunt tiles", "combat", "event dice", "cards")
_CARDS = SOURCES.index("cards")
_SOURCE_OF = {
    Roll.ACTION_DIE: "action dice",
    Roll.COMBAT: "combat",
    Roll.COMBAT_REROLL: "combat",
    Roll.COMBAT_CARD: "combat",
    Roll.HUNT: "Hunt rolls",
    Roll.HUNT_REROLL: "Hunt rolls",
    Roll.HUNT_DAMAGE: "Hunt tiles",
    Roll.TILE: "Hunt tiles",
    Roll.COMPANION: "Hunt tiles",
    Roll.CARD: "cards",
    Roll.EVENT: "event dice",
}
_SOURCES = np.array(
    [SOURCES.index(_SOURCE_OF[roll]) if roll in _SOURCE_OF else NO_SOURCE for roll in Roll], dtype=np.int8
)
_MOST_STAGES = 8
"""Maximal number of stages of a step; further outcomes belong to the last stage."""


def _renew_stream(states: np.ndarray, seeds: np.ndarray) -> None:
    reseed_stream(states, seeds)
    states["tape"] = 0
    states["tape_position"] = 0
    states["tape_length"] = 0


def _renew(states: np.ndarray, seeds: np.ndarray) -> None:
    _renew_stream(states, seeds)
    cards = states["card_zone"].reshape(len(states) * NUM_DECKS, CARDS_PER_DECK)
    words = random_words(seeds, 1 + NUM_DECKS * CARDS_PER_DECK)[:, 1:].reshape(cards.shape)
    shuffle_among(cards, (cards >= 0) & (cards < CARDS_PER_DECK), words)
    states["card_zone"] = cards.reshape(states["card_zone"].shape)


def _drawn(states: np.ndarray) -> np.ndarray:
    """The sources of the outcomes of a step, in order: ``int8[N, MAX_DRAWS]``."""
    sources = _SOURCES[states["draws"][:, :, Draw.KIND]]
    sources[np.arange(MAX_DRAWS) >= states["num_draws"][:, None]] = NO_SOURCE
    return sources


def _stage_of(sources: np.ndarray) -> np.ndarray:
    """The stage that each outcome belongs to, from 0: ``int64[N, MAX_DRAWS]``."""
    changed = sources[:, 1:] != sources[:, :-1]
    stage = np.zeros(sources.shape, dtype=np.int64)
    np.cumsum(changed, axis=1, out=stage[:, 1:])
    return np.minimum(stage, _MOST_STAGES - 1)


def _stages(before: np.ndarray, after: np.ndarray) -> np.ndarray:
    """The stages of a step: consecutive outcomes for the same purpose form one stage, and cards drawn from
    the decks form the last stage."""
    sources = _drawn(after)
    stage = _stage_of(sources)
    found = np.full((len(after), _MOST_STAGES + 1), NO_SOURCE, dtype=np.int8)
    rows, places = (sources != NO_SOURCE).nonzero()
    found[rows[::-1], stage[rows, places][::-1]] = sources[rows, places][::-1]
    dealt = (before["deck_size"] != after["deck_size"]).any(axis=1).nonzero()[0]
    found[dealt, (found[dealt] != NO_SOURCE).sum(axis=1)] = _CARDS
    return found


def _repeat(states: np.ndarray, after: np.ndarray, stages: np.ndarray) -> None:
    sources = _drawn(after)
    given = (sources != NO_SOURCE) & (_stage_of(sources) < stages[:, None])
    lengths = np.minimum(given.sum(axis=1), TAPE_SIZE)
    states["tape"] = np.where(given, after["draws"][:, :, Draw.VALUE], 0)[:, :TAPE_SIZE]
    states["tape_length"] = lengths


assert MAX_DRAWS <= TAPE_SIZE
LUCK = Luck(SOURCES, _renew, _stages, _repeat, _renew_stream)
