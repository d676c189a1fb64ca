"""Actions in words: as the player who chose knows them, and as the other seat may know them."""

from __future__ import annotations

import numpy as np

from wotr_env.actions import Block
from wotr_env.codes import CardZone, Decision, Verb
from wotr_env.components import CARD_NAMES, CHARACTER_NAMES, NATION_NAMES, REGION_NAMES
from wotr_env.words.decisions import decision_text, say
from wotr_env.words.names import FACE_NAMES

PUBLIC_ZONES = (CardZone.TABLE, CardZone.DISCARD, CardZone.IN_PLAY)
"""Where everybody sees a card."""
_FACE_DOWN_WORDS = {
    Decision.DISCARD_CARD: "discard a card face down",
    Decision.COMBAT_CARD: "commit a combat card face down",
}
_CHOICES_OF_HAND = (Decision.COMBAT_CARD, Decision.EVENT_CARD)
"""Asked only of a side with a fitting card in its hand: that it declines is not to be seen."""
_BARE_ANSWERS = frozenset(
    {"done", "no", "yes", *REGION_NAMES, *CARD_NAMES, *CHARACTER_NAMES, *NATION_NAMES, *FACE_NAMES}
)


def own_words(state: np.record, action: int) -> str:
    """An action in words, as its player knows it; a bare "no" or a bare name gets its question."""
    words = say(state, action)
    if words not in _BARE_ANSWERS and not words.isdigit():
        return words
    asked = decision_text(state).rstrip(".").partition(" to decide ")[2]
    asked, picking, picked = asked.partition("; picked: ")
    if picking:
        return f"{words}, with {picked}"
    return f"{asked}: {words}"


def public_words(before: np.record, after: np.record, action: int) -> str | None:
    """The same as the other seat may know it; None if it tells only of a choice in the hand."""
    decision = int(before["decision"])
    if action == Block.VERB + Verb.DECLINE and decision in _CHOICES_OF_HAND:
        return None
    if Block.CARD <= action < Block.CHARACTER:
        zones = [int(state["card_zone"][action - Block.CARD]) for state in (before, after)]
        if decision == Decision.COMBAT_CARD and zones[0] != CardZone.TABLE:
            return _FACE_DOWN_WORDS[Decision.COMBAT_CARD]
        if not any(zone in PUBLIC_ZONES for zone in zones):
            return _FACE_DOWN_WORDS.get(decision, "choose a card")
    return own_words(before, action)
