"""Cards on the table (R6.5): the rules that each card changes.

A rule that a table card changes calls ``on_table`` in its own module. This module names the cards and
contains the conditions that several chapters use. Effects of table cards that are not part of another rule
(lapses, buy-offs, draws, losses) are in ``table.play``.
"""

from __future__ import annotations

import numpy as np

from wotr_env.compiler.codes import Codes
from wotr_env.games.war_of_the_ring.codes import CardZone, Nation, Region, Side
from wotr_env.games.war_of_the_ring.components import CARD_IDS, NUM_REGIONS
from wotr_env.games.war_of_the_ring.kernels import kernel


class Modifier(Codes):
    """The cards that stay on the table, as card numbers."""

    MITHRIL_COAT = CARD_IDS.index("fp-char-05")  # another tile (R10.5.2)
    AXE_AND_BOW = CARD_IDS.index("fp-char-06")  # Hunt damage -1 (R10.5.3)
    HORN_OF_GONDOR = CARD_IDS.index("fp-char-07")  # Hunt damage -1 (R10.5.3)
    WIZARDS_STAFF = CARD_IDS.index("fp-char-08")  # no tile (R10.5.1)
    LAST_BATTLE = CARD_IDS.index("fp-strat-01")  # the die of a Fellowship move is no Hunt die (R9.4.4)
    POWER_TOO_GREAT = CARD_IDS.index("fp-strat-02")  # regions closed to Shadow armies (R7.8.8)
    TOM_BOMBADIL = CARD_IDS.index("fp-strat-03")  # regions closed to Shadow armies (R7.8.8)
    WORN_WITH_SORROW = CARD_IDS.index("sh-char-15")  # a card is lost with a Companion (R10.6.3)
    FLOCKS_OF_CREBAIN = CARD_IDS.index("sh-char-16")  # Hunt dice +1 (R10.3.5)
    BALROG = CARD_IDS.index("sh-char-17")  # a tile for a way through Moria (R9.5.5)
    PALANTIR = CARD_IDS.index("sh-char-21")  # a card for an event by an Event die
    WORMTONGUE = CARD_IDS.index("sh-char-22")  # Rohan stays passive (R8.2.1)
    DENETHORS_FOLLY = CARD_IDS.index("sh-strat-03")  # no Free Peoples Combat card at Minas Tirith (R7.9.2)
    THREATS_AND_PROMISES = CARD_IDS.index("sh-strat-05")  # no Muster advance of a passive nation (R8.3)


_CLOSED = {
    Modifier.POWER_TOO_GREAT: (Region.LORIEN, Region.RIVENDELL, Region.GREY_HAVENS),
    Modifier.TOM_BOMBADIL: (Region.OLD_FOREST, Region.THE_SHIRE, Region.BUCKLAND),
}


def _closing_cards() -> np.ndarray:
    cards = np.full(NUM_REGIONS, -1, dtype=np.int64)
    for card, regions in _CLOSED.items():
        cards[list(regions)] = card
    cards.setflags(write=False)
    return cards


CLOSING_CARD = _closing_cards()
"""``int64[105]``: the card that closes a region to Shadow armies, or -1."""


@kernel
def on_table(state, card):
    """Whether a card is on the table and has an effect (R6.5.1, R6.5.2)."""
    return state.card_zone[card] == CardZone.TABLE


@kernel
def discard_from_table(state, card):
    """Moves a table card that was used, paid off or has lapsed to the public discards (R6.5.4, R6.1.1)."""
    if on_table(state, card):
        state.card_zone[card] = CardZone.DISCARD


@kernel
def closed_to_armies(state, side, region):
    """Whether A Power Too Great or The Power of Tom Bombadil forbids Shadow armies to enter or attack a
    region (R7.8.8).

    Armies that are already in the region stay; Nazgul and Minions that move alone are not stopped
    (fp-strat-02, fp-strat-03). An advance after a battle needs no check, because no attack is possible.
    """
    return side == Side.SHADOW and CLOSING_CARD[region] >= 0 and on_table(state, CLOSING_CARD[region])


@kernel
def closed_to_retreats(state, side, region):
    """Whether The Power of Tom Bombadil forbids retreats of Shadow armies to a region; the other card does
    not (fp-strat-03)."""
    return CLOSING_CARD[region] == Modifier.TOM_BOMBADIL and closed_to_armies(state, side, region)


@kernel
def is_spellbound(state, nation):
    """Whether Wormtongue prevents armies and cards from making a nation (Rohan) active (R8.2.1,
    sh-char-22)."""
    return nation == Nation.ROHAN and on_table(state, Modifier.WORMTONGUE)


@kernel
def is_threatened(state, nation):
    """Whether Threats and Promises forbids a Muster advance of a passive nation (RG20, sh-strat-05)."""
    return state.active[nation] == 0 and on_table(state, Modifier.THREATS_AND_PROMISES)
