"""The seats that learn new information from a step of a game (section 18 of the rules)."""

from __future__ import annotations

import itertools

import numpy as np

from wotr_env.games.war_of_the_ring.codes import CardZone, Decision
from wotr_env.games.war_of_the_ring.events.secrecy import PUBLIC_ZONES
from wotr_env.games.war_of_the_ring.events.trace import Trace
from wotr_env.games.war_of_the_ring.seating import seats_of, side_of

_OWN_ZONES = (CardZone.HAND, CardZone.COMMITTED, CardZone.FACE_DOWN)
"""The zones of a seat whose cards are known only to this seat; the number of the seat is added."""


def learners(trace: Trace) -> frozenset[int]:
    """The seats that get new information from a step: information that does not follow from earlier knowledge
    and a public choice.

    All seats learn from a roll and from a tile. They also learn if another seat is asked, because some
    questions reveal information about a hand. They also learn if an opponent is not asked for a Combat card,
    because it has none to play (R7.9.2). From a card, all seats learn except those that knew the card
    already.

    Args:
        trace: the trace of a step.
    """
    seat = int(trace.before["seat"])
    everybody = frozenset(range(len(seats_of(trace.before))))
    tells_of_hand = _passes_combat_card(trace) or trace.asks_others()
    if tells_of_hand or int(trace.after["seat"]) != seat or any(trace.draws()):
        return everybody
    own = [zone + seat for zone in _OWN_ZONES]
    learned: frozenset[int] = frozenset()
    zones = np.asarray(trace.states["card_zone"])
    for before, after in itertools.pairwise(zones):
        moved = before != after
        if not moved.any():
            continue
        known = np.isin(before[moved], PUBLIC_ZONES)
        mine = np.isin(before[moved], own)
        to_public = np.isin(after[moved], PUBLIC_ZONES)
        to_own = np.isin(after[moved], own)
        if not (known | mine).all():
            return everybody  # drawn, or another seat's
        if not (known | to_own).all():
            learned |= everybody - {seat}  # shown or given
        if not (to_public | to_own).all():
            return everybody  # into a deck, which others draw from
    return learned


def _passes_combat_card(trace: Trace) -> bool:
    """Whether an opponent could be asked for a Combat card: after a choice of a Combat card, or before the
    choice of the defender."""
    if int(trace.before["decision"]) == Decision.COMBAT_CARD:
        return True
    after = trace.after
    defends = side_of(int(after["seat"])) != int(after["battle_attacker"])
    return int(after["decision"]) == Decision.COMBAT_CARD and defends
