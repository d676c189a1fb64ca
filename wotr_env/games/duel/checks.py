"""The invariants of positions of the Duel, also used to check external states."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from wotr_env.games.duel.components import (
    BANK,
    CARD_CHAPTER,
    CARD_RACE,
    CARD_SKILLS,
    ENTRY,
    FIRST_OF_CHAPTER,
    LANDMARK_REGION,
    NUM_CARDS,
    NUM_DEALT,
    NUM_LANDMARKS,
    NUM_RACES,
    NUM_REGIONS,
    NUM_SLOTS,
    NUM_TOKENS,
    SLOT_COVER,
    SLOT_UP,
    SUMMIT,
    TOKEN_RACE,
    UNITS,
    Effect,
)
from wotr_env.games.duel.state import GOING_ON, Ask, Place, Reason, Tile


def wrongs(state: np.record) -> Iterator[str]:
    """Yields the faults of a state whose fields are all within their ranges."""
    yield from _wrong_cards(state)
    yield from _wrong_tiles(state)
    yield from _wrong_effects(state)
    if state["coins"].sum() > BANK:
        yield f"there are only {BANK} coins"
    if (state["units"].sum(axis=1) > UNITS).any():
        yield f"a side has only {UNITS} units"
    if (state["units"].min(axis=0) > 0).any():
        yield "units of both sides are in one region"
    over = state["winner"] != GOING_ON
    if over != (state["reason"] != Reason.NONE) or over != (state["decision"] == Ask.NOTHING):
        yield "winner, reason and decision do not fit"
    if not over and state["ring"].max() == SUMMIT:
        yield "a ring track is done, and the game goes on"


def _wrong_cards(state: np.record) -> Iterator[str]:
    chapter, place, left = int(state["chapter"]), state["place"], int(state["left"])
    for number, deck in enumerate(state["deck"]):
        if sorted(deck) != list(range(FIRST_OF_CHAPTER[number], FIRST_OF_CHAPTER[number] + NUM_DEALT)):
            yield f"chapter {number + 1} is not dealt from its cards"
            return
    if (place[CARD_CHAPTER > chapter] != Place.UNSEEN).any():
        yield "a card of a later chapter has been taken"
    for number in range(chapter + 1):
        there = place[state["deck"][number, :NUM_SLOTS]] == Place.UNSEEN
        wanted = [number == chapter and bool(left >> slot & 1) for slot in range(NUM_SLOTS)]
        if there.tolist() != wanted:
            yield "the layout does not fit the cards taken"
    for slot in range(NUM_SLOTS):
        lies = left >> slot & 1
        if lies and not state["up"][slot] and SLOT_UP[chapter, slot]:
            yield "a card that is laid face up is face down"
        covered = int(SLOT_COVER[chapter, slot]) & left
        if lies and covered and state["up"][slot] and not SLOT_UP[chapter, slot]:
            yield "a covered card is face up"
        if not lies and covered:
            yield "a card was taken from below another"
        if lies and not covered and not state["up"][slot] and not state["acting"]:
            yield "an accessible card is face down"
    if state["up"][NUM_SLOTS:].any():
        yield "a card removed is face up"
    for side in range(2):
        mine = place == Place.PLAYED + side
        if (state["skills"][side] != CARD_SKILLS[mine].sum(axis=0)).any():
            yield "the skills of a side are not those of its cards"
        races = np.bincount(CARD_RACE[mine & (CARD_RACE >= 0)], minlength=NUM_RACES)
        if (state["races"][side] != races).any():
            yield "the races of a side are not those of its cards"


def _wrong_tiles(state: np.record) -> Iterator[str]:
    order, drawn, tiles = state["landmark_order"], int(state["landmarks_drawn"]), state["landmark"]
    if sorted(order) != list(range(NUM_LANDMARKS)):
        yield "the landmarks are in no order"
    elif (tiles[order[:drawn]] == Tile.STACK).any() or (tiles[order[drawn:]] != Tile.STACK).any():
        yield "the stack of landmarks does not fit those drawn"
    for region in range(NUM_REGIONS):
        owner = int(state["fort"][region])
        if owner and tiles[list(LANDMARK_REGION).index(region)] != Tile.TAKEN + owner - 1:
            yield "a fortress stands without its landmark"
    for race in range(NUM_RACES):
        size = int(state["pile_size"][race])
        pile = state["pile"][race].tolist()
        free = [t for t in range(NUM_TOKENS) if TOKEN_RACE[t] == race and state["token"][t] == 0]
        if sorted(pile[:size]) != free or any(token != -1 for token in pile[size:]):
            yield "a pile of tokens does not fit those taken"
        if state["pile_seen"][race] > size:
            yield "more tokens of a pile are known than there are"


def _wrong_effects(state: np.record) -> Iterator[str]:
    size = int(state["stack_size"])
    stack = state["stack"]
    if stack[size:].any():
        yield "effects are left behind the last one"
    if size and not state["acting"]:
        yield "effects wait, and nothing was done"
    most = {
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
    for row in stack[:size].tolist():
        if not Effect.NONE < row[0] < len(Effect):
            yield "there is no such effect"
            return
        limits = most.get(Effect(row[0]), (1,) * (ENTRY - 1))
        if any(not 0 <= value <= limit for value, limit in zip(row[1:], limits, strict=True)):
            yield "an effect has numbers that it cannot have"
