"""The map in words."""

from __future__ import annotations

from wotr_env.core.spelling import counted
from wotr_env.games.war_of_the_ring.codes import Settlement
from wotr_env.games.war_of_the_ring.components import (
    FORTIFICATION,
    NATION_NAMES,
    NEIGHBOURS,
    NUM_REGIONS,
    REGION_NAMES,
    REGION_NATION,
    SETTLEMENT,
    VICTORY_POINTS,
)


def board() -> str:
    """One line for each region: its nation, its Settlement or Fortification, its victory points, and its
    neighbours."""
    return "\n".join(f"{REGION_NAMES[region]}: {region_words(region)}" for region in range(NUM_REGIONS))


def region_words(region: int) -> str:
    """``Gondor, Stronghold, 2 points; next to Anorien, Osgiliath``."""
    nation, settlement, points = (int(table[region]) for table in (REGION_NATION, SETTLEMENT, VICTORY_POINTS))
    parts = [
        NATION_NAMES[nation] if nation >= 0 else "no nation",
        Settlement(settlement).name.title() if settlement != Settlement.NONE else "",
        "Fortification" if FORTIFICATION[region] else "",
        counted(points, "point") if points else "",
    ]
    borders = ", ".join(REGION_NAMES[each] for each in NEIGHBOURS[region] if each >= 0)
    return f"{', '.join(filter(None, parts))}; next to {borders}"
