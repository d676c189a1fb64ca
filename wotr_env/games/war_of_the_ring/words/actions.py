"""Actions in words, from the view of the deciding player and from the view of other seats."""

from __future__ import annotations

import numpy as np

from wotr_env.games.war_of_the_ring.codes import Decision
from wotr_env.games.war_of_the_ring.components import CARD_NAMES, CHARACTER_NAMES, NATION_NAMES, REGION_NAMES
from wotr_env.games.war_of_the_ring.events.secrecy import secrecy_of
from wotr_env.games.war_of_the_ring.events.types import Secrecy
from wotr_env.games.war_of_the_ring.words.decisions import decision_text, say
from wotr_env.games.war_of_the_ring.words.names import FACE_NAMES

_FACE_DOWN_WORDS: dict[int, str] = {
    Decision.DISCARD_CARD: "discard a card face down",
    Decision.COMBAT_CARD: "commit a combat card face down",
    Decision.OFFER_CARD: "give the partner a card",
}
_BARE_ANSWERS = frozenset(
    {"done", "no", "yes", *REGION_NAMES, *CARD_NAMES, *CHARACTER_NAMES, *NATION_NAMES, *FACE_NAMES}
)


def own_words(state: np.record, action: int) -> str:
    """An action in words, from the view of its player; a plain "no" or a plain name is shown with its
    question."""
    words = say(state, action)
    if words not in _BARE_ANSWERS and not words.isdigit():
        return words
    asked = decision_text(state).rstrip(".").partition(" to decide ")[2]
    asked, picking, picked = asked.partition("; picked: ")
    if picking:
        return f"{words}, with {picked}"
    return f"{asked}: {words}"


def public_words(before: np.record, after: np.record, action: int) -> str | None:
    """An action in words, from the view of other seats; None if it is a secret choice about the hand."""
    secrecy = secrecy_of(before, after, action)
    if secrecy == Secrecy.SECRET:
        return None
    if secrecy == Secrecy.FACT:
        return _FACE_DOWN_WORDS.get(int(before["decision"]), "choose a card")
    return own_words(before, action)
