"""A position of the Duel from the view of a viewer, as plain data (D11)."""

from __future__ import annotations

from typing import Any

import numpy as np

from wotr_env.core.seats import check_viewer
from wotr_env.games.duel import words
from wotr_env.games.duel.components import (
    CARD_CHAPTER,
    CARD_IDS,
    LANDMARK_IDS,
    NUM_CARDS,
    NUM_SLOTS,
    PILE,
    RACES,
    REGIONS,
    SIDES,
    SKILL_NAMES,
    SLOT_COVER,
    TOKEN_IDS,
)
from wotr_env.games.duel.ruleset import SEATS
from wotr_env.games.duel.state import GOING_ON, Place, Tile


def picture(state: np.record, viewer: int | None) -> dict[str, Any]:
    """Returns the information that a viewer sees (``wotr_env.core.kind.check_viewer``).

    Args:
        state: the state of a game.
        viewer: the viewer.

    Returns:
        ``chapter`` (1 to 3); ``turn`` (from 1); ``over``; ``seat``: the seat whose turn it is; ``words``: the
            decision or the end; ``slots``: for each slot None, or ``card`` (an id, None if the viewer does
            not know it), ``up``, ``covered_by`` (slots of the cards that lie on it), ``price``; ``discard``:
            the ids of the cards that the viewer knows to be in the discard; ``landmarks``: the shown
            landmarks, ``id`` and ``price``; ``piles``: for each race ``left`` and ``known``, ids from the
            top; ``regions``: for each region ``units`` of both sides and ``fortress``, a side or None;
            ``sides``: for each side ``title``, ``coins``, ``ring``, ``skills`` by name, ``cards``, ``races``
            by name, ``tokens``, ``landmarks``. Prices are the coins for each side.

    Raises:
        ValueError: there is no such viewer.
    """
    viewer = check_viewer(viewer, SEATS)
    prices = words.prices(state)
    return {
        "chapter": int(state["chapter"]) + 1,
        "turn": int(state["turn"]) + 1,
        "over": bool(state["winner"] != GOING_ON),
        "seat": SIDES[int(state["seat"])],
        "words": words.decision(state),
        "slots": _slots(state, viewer, prices),
        "discard": [CARD_IDS[card] for card in _discard(state, viewer)],
        "landmarks": [
            {"id": LANDMARK_IDS[tile], "price": prices[:, NUM_CARDS + tile].tolist()}
            for tile in np.flatnonzero(state["landmark"] == Tile.SHOWN)
        ],
        "piles": {race: _pile(state, number, viewer) for number, race in enumerate(RACES)},
        "regions": {
            name: {
                "units": state["units"][:, number].tolist(),
                "fortress": [None, *SIDES][int(state["fort"][number])],
            }
            for number, name in enumerate(REGIONS)
        },
        "sides": {name: _side(state, side) for side, name in enumerate(SIDES)},
    }


def _slots(state: np.record, viewer: int | None, prices: np.ndarray) -> list[dict[str, Any] | None]:
    chapter, left = int(state["chapter"]), int(state["left"])
    slots: list[dict[str, Any] | None] = []
    for slot in range(NUM_SLOTS):
        if not left >> slot & 1:
            slots.append(None)
            continue
        card, up = int(state["deck"][chapter, slot]), bool(state["up"][slot])
        cover = int(SLOT_COVER[chapter, slot]) & left
        slots.append(
            {
                "card": CARD_IDS[card] if up or viewer is None else None,
                "up": up,
                "covered_by": [other for other in range(NUM_SLOTS) if cover >> other & 1],
                "price": prices[:, card].tolist() if up else None,
            }
        )
    return slots


def _discard(state: np.record, viewer: int | None) -> list[int]:
    """The numbers of the cards that were discarded, and of the removed cards that the viewer knows
    (D11.2)."""
    known = state["place"] == Place.DISCARD
    chapter = int(state["chapter"])
    past = CARD_CHAPTER < chapter
    looked = viewer is None or (viewer >= 0 and state["looked"][viewer, chapter])
    unseen = state["place"] == Place.UNSEEN
    found = known | (past & unseen)
    if looked:
        removed = state["deck"][chapter, NUM_SLOTS:]
        found[removed[unseen[removed]]] = True
    return np.flatnonzero(found).tolist()


def _pile(state: np.record, race: int, viewer: int | None) -> dict[str, Any]:
    left = int(state["pile_size"][race])
    known = left if viewer is None else min(PILE, int(state["pile_seen"][race]))
    return {"left": left, "known": [TOKEN_IDS[token] for token in state["pile"][race, :known]]}


def _side(state: np.record, side: int) -> dict[str, Any]:
    played = np.flatnonzero(state["place"] == Place.PLAYED + side)
    return {
        "title": SEATS[side].title,
        "coins": int(state["coins"][side]),
        "ring": int(state["ring"][side]),
        "skills": dict(zip(SKILL_NAMES, state["skills"][side].tolist(), strict=True)),
        "cards": [CARD_IDS[card] for card in played],
        "races": dict(zip(RACES, state["races"][side].tolist(), strict=True)),
        "tokens": [TOKEN_IDS[token] for token in np.flatnonzero(state["token"] == 1 + side)],
        "landmarks": [LANDMARK_IDS[tile] for tile in np.flatnonzero(state["landmark"] == Tile.TAKEN + side)],
    }
