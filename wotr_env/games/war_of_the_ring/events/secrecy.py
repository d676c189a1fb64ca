"""The parts of a choice, or of the movement of a card, that other seats see (section 18 of the rules)."""

from __future__ import annotations

import numpy as np

from wotr_env.games.war_of_the_ring.actions import Block
from wotr_env.games.war_of_the_ring.codes import CardZone, Decision, Verb
from wotr_env.games.war_of_the_ring.events.types import CardPlace, Secrecy
from wotr_env.games.war_of_the_ring.options import Option

PUBLIC_ZONES = (CardZone.TABLE, CardZone.DISCARD, CardZone.IN_PLAY)
"""The zones in which all players see a card."""

_PUBLIC_PLACES = (CardPlace.TABLE, CardPlace.DISCARD, CardPlace.IN_PLAY)
_CHOICES_OF_HAND = (Decision.COMBAT_CARD, Decision.EVENT_CARD)
"""Decisions that are asked only of a seat with a suitable card in its hand; other seats must not see that it
declines."""


def secrecy_of(before: np.void, after: np.void, action: int) -> Secrecy:
    """The parts of a choice that other seats see, including a partner.

    Args:
        before: the position before the choice.
        after: a position after the choice.
        action: the chosen action.
    """
    decision = int(before["decision"])
    if action == Block.VERB + Verb.DECLINE and decision in _CHOICES_OF_HAND:
        return Secrecy.SECRET
    if not Block.CARD <= action < Block.CHARACTER:
        return Secrecy.OPEN
    zones = [int(state["card_zone"][action - Block.CARD]) for state in (before, after)]
    if decision == Decision.COMBAT_CARD:
        return Secrecy.OPEN if zones[0] == CardZone.TABLE else Secrecy.FACT
    return Secrecy.OPEN if any(zone in PUBLIC_ZONES for zone in zones) else Secrecy.FACT


def secrecy_of_card(state: np.void, origin: CardPlace, destination: CardPlace) -> Secrecy:
    """The information that other seats get about a card that moves from one place to another."""
    places = (origin, destination)
    if any(place in _PUBLIC_PLACES for place in places):
        return Secrecy.OPEN
    if CardPlace.COMMITTED in places and not state["options"][Option.COMBAT_CARD_BACK_VISIBLE]:
        return Secrecy.FACT
    return Secrecy.BACK
