"""The cards of the chapter as a text picture, and the parts of the position that a player can look up."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from wotr_env.games.duel.components import (
    CARD_IDS,
    DATA,
    LANDMARK_IDS,
    LANDMARK_NAMES,
    NUM_CARDS,
    NUM_SLOTS,
    SLOT_COVER,
    SUMMIT,
)
from wotr_env.games.duel.drawing import ROWS, slot_place
from wotr_env.games.duel.facts import BONUSES, COLOURS, TOKENS, card_tip, landmark_tip, named, token_tip
from wotr_env.games.duel.words import prices

_STEP = 12
"""The number of characters between the centres of two neighbouring cards of a row."""
_WIDTH = _STEP * max(map(max, ROWS))
_KEY = "[ ] can be taken, ( ) is covered by cards of the row below, ? is face down"


def layout(state: np.record) -> str:
    """The cards on the table, from the far end; each card with its name and its colour.

    ::

              [c1-03]                 a card that can be taken
               grey
        (c1-13)      ?                one that is covered, and one face down
         blue
    """
    chapter, left = int(state["chapter"]), int(state["left"])
    rows = [[[" "] * _WIDTH, [" "] * _WIDTH] for _ in ROWS[chapter]]
    for slot in range(NUM_SLOTS):
        if not left >> slot & 1:
            continue
        across, row = slot_place(chapter, slot)
        card = int(state["deck"][chapter, slot])
        covered = int(SLOT_COVER[chapter, slot]) & left
        name, colour = "?", ""
        if state["up"][slot]:
            name = f"({CARD_IDS[card]})" if covered else f"[{CARD_IDS[card]}]"
            colour = DATA["cards"][card]["color"]
        for line, text in zip(rows[int(row)], (name, colour), strict=True):
            first = int(_WIDTH / 2 + across * _STEP - len(text) / 2)
            line[first : first + len(text)] = text
    lines = ["".join(line).rstrip() for row in rows for line in row]
    return "\n".join([_KEY, *filter(None, lines)]) if left else ""


def parts(state: np.record) -> Mapping[str, str]:
    """The texts about parts of the position that a player can look up, by the name of the part. A text has a
    title, and the price and the effect after a line break. The parts are cards, landmarks (by name and by
    id), tokens (by title and by id), colours and steps of the ring track. Prices are given for cards that lie
    face up and for landmarks that are shown.
    """
    now = prices(state).T.tolist()

    def price(item: int) -> list[int] | None:
        return now[item] if min(now[item]) >= 0 else None

    told = {name: card_tip(name, price(card)) for card, name in enumerate(CARD_IDS)}
    for tile, (name, title) in enumerate(zip(LANDMARK_IDS, LANDMARK_NAMES, strict=True)):
        told[title] = told[name] = landmark_tip(name, price(NUM_CARDS + tile))
    for name, (title, _) in TOKENS.items():
        told[title] = told[name] = token_tip(name)
    told |= {colour: f"{named(colour)} cards\nEach {text}." for colour, text in COLOURS.items()}
    for step, (_, text) in BONUSES.items():
        once = "" if step == SUMMIT else ", once for each side"
        told[f"step {step}"] = f"Step {step} of the ring track\n{named(text)}{once}."
    return told
