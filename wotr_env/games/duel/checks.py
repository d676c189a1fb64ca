"""The invariants of positions of the Duel, also used to check external states."""

from __future__ import annotations

import numpy as np

from wotr_env.core.batches import Faults
from wotr_env.games.duel.components import (
    BANK,
    CARD_CHAPTER,
    CARD_RACE,
    CARD_SKILLS,
    ENTRY,
    FIRST_OF_CHAPTER,
    LANDMARK_REGION,
    NUM_CARDS,
    NUM_CHAPTERS,
    NUM_DEALT,
    NUM_LANDMARKS,
    NUM_RACES,
    NUM_REGIONS,
    NUM_SLOTS,
    NUM_TOKENS,
    PILE,
    SLOT_COVER,
    SLOT_UP,
    SUMMIT,
    TOKEN_RACE,
    UNITS,
    Effect,
)
from wotr_env.games.duel.state import GOING_ON, MAX_STACK, Ask, Place, Reason, Tile

_SLOTS, _DEALT = np.arange(NUM_SLOTS), np.arange(NUM_DEALT)
_CHAPTERS, _LANDMARKS = np.arange(NUM_CHAPTERS), np.arange(NUM_LANDMARKS)
_RACES = np.arange(NUM_RACES)
_RACE_OF_CARD = (CARD_RACE[:, None] == _RACES).astype(np.int64)
"""Whether a card is of a race: ``[NUM_CARDS, NUM_RACES]``."""
_LANDMARK_OF = np.array([LANDMARK_REGION.tolist().index(region) for region in range(NUM_REGIONS)])
_MOST_NUMBERS = {
    Effect.COINS: (9, 0, 0, 0),
    Effect.STEPS: (9, 0, 0, 0),
    Effect.UNITS_AT: (9, NUM_REGIONS - 1, 0, 0),
    Effect.UNITS: (9, 1, 0, 0),
    Effect.BANNER: (9, NUM_CARDS - 1, 0, 0),
    Effect.MANEUVERS: (9, 9, 9, 9),
    Effect.RALLY: (NUM_RACES - 1, 0, 0, 0),
    Effect.LOOK: (NUM_RACES - 1, 0, 0, 0),
    Effect.COUNCIL: ((1 << NUM_RACES) - 1, 0, 0, 0),
}
"""The largest values of the four numbers of an effect, where one is not 0 or 1."""
_MOST = np.array([_MOST_NUMBERS.get(effect, (1,) * (ENTRY - 1)) for effect in Effect])


def wrongs(states: np.ndarray) -> Faults:
    """Yields the faults of states (N) whose fields are all within their ranges."""
    yield from _wrong_cards(states)
    yield from _wrong_tiles(states)
    yield from _wrong_effects(states)
    yield f"there are only {BANK} coins", states["coins"].sum(axis=1) > BANK
    yield f"a side has only {UNITS} units", (states["units"].sum(axis=2) > UNITS).any(axis=1)
    both = states["units"].min(axis=1) > 0
    yield "units of both sides are in one region", np.any(both, axis=1)
    over = states["winner"] != GOING_ON
    unlike = (over != (states["reason"] != Reason.NONE)) | (over != (states["decision"] == Ask.NOTHING))
    yield "winner, reason and decision do not fit", unlike
    done = states["ring"].max(axis=1) == SUMMIT
    yield "a ring track is done, and the game goes on", ~over & done


def _wrong_cards(states: np.ndarray) -> Faults:
    chapter, place, deck = states["chapter"], states["place"], states["deck"]
    dealt = np.sort(deck, axis=2) == FIRST_OF_CHAPTER[:, None] + _DEALT
    for number in range(NUM_CHAPTERS):
        yield f"chapter {number + 1} is not dealt from its cards", ~dealt[:, number].all(axis=1)
    later = chapter[:, None] < CARD_CHAPTER
    yield "a card of a later chapter has been taken", (later & (place != Place.UNSEEN)).any(axis=1)
    yield from _wrong_layout(states)
    for side in range(2):
        mine = (place == Place.PLAYED + side).astype(np.int64)
        skills = (states["skills"][:, side] != mine @ CARD_SKILLS).any(axis=1)
        yield "the skills of a side are not those of its cards", skills
        races = (states["races"][:, side] != mine @ _RACE_OF_CARD).any(axis=1)
        yield "the races of a side are not those of its cards", races


def _wrong_layout(states: np.ndarray) -> Faults:
    """Checks which cards of the layout are taken and which are face up."""
    chapter, left = states["chapter"], states["left"].astype(np.int64)[:, None]
    slots = states["deck"][:, :, :NUM_SLOTS]
    there = states["place"][np.arange(len(states))[:, None, None], slots] == Place.UNSEEN
    lies = left >> _SLOTS & 1 > 0
    now, begun = (chapter[:, None] == _CHAPTERS), (chapter[:, None] >= _CHAPTERS)
    unlike = (there != (now[..., None] & lies[:, None])).any(axis=2)
    yield "the layout does not fit the cards taken", (begun & unlike).any(axis=1)
    up, laid_up = states["up"][:, :NUM_SLOTS] > 0, SLOT_UP[chapter] > 0
    covered = SLOT_COVER[chapter] & left > 0
    yield "a card that is laid face up is face down", (lies & ~up & laid_up).any(axis=1)
    yield "a covered card is face up", (lies & covered & up & ~laid_up).any(axis=1)
    yield "a card was taken from below another", (~lies & covered).any(axis=1)
    free = (lies & ~covered & ~up).any(axis=1) & (states["acting"] == 0)
    yield "an accessible card is face down", free
    yield "a card removed is face up", states["up"][:, NUM_SLOTS:].any(axis=1)


def _wrong_tiles(states: np.ndarray) -> Faults:
    order, drawn, tiles = states["landmark_order"], states["landmarks_drawn"], states["landmark"]
    yield "the landmarks are in no order", (np.sort(order) != _LANDMARKS).any(axis=1)
    in_stack = tiles[np.arange(len(states))[:, None], order] == Tile.STACK
    wrong = (in_stack != (drawn[:, None] <= _LANDMARKS)).any(axis=1)
    yield "the stack of landmarks does not fit those drawn", wrong
    fort = states["fort"]
    without = (fort > 0) & (tiles[:, _LANDMARK_OF] != Tile.TAKEN + fort - 1)
    yield "a fortress stands without its landmark", without.any(axis=1)
    pile, size = states["pile"], states["pile_size"]
    of_pile = size[..., None] > np.arange(PILE)
    held = (pile[..., None] == np.arange(NUM_TOKENS)) & of_pile[..., None]
    free = (TOKEN_RACE == _RACES[:, None]) & (states["token"] == 0)[:, None]
    unlike = (held.sum(axis=2) != free).any(axis=2) | ((pile >= 0) != of_pile).any(axis=2)
    yield "a pile of tokens does not fit those taken", unlike.any(axis=1)
    yield "more tokens of a pile are known than there are", (states["pile_seen"] > size).any(axis=1)


def _wrong_effects(states: np.ndarray) -> Faults:
    stack, size = states["stack"], states["stack_size"]
    waits = size[:, None] > np.arange(MAX_STACK)
    yield "effects are left behind the last one", (stack.any(axis=2) & ~waits).any(axis=1)
    yield "effects wait, and nothing was done", (size > 0) & (states["acting"] == 0)
    kind, values = stack[:, :, 0], stack[:, :, 1:]
    known = (kind > Effect.NONE) & (kind < len(Effect))
    yield "there is no such effect", (waits & ~known).any(axis=1)
    beyond = ((values < 0) | (values > _MOST[np.where(known, kind, 0)])).any(axis=2)
    yield "an effect has numbers that it cannot have", (waits & known & beyond).any(axis=1)
