"""Events about figures that moved, came onto the board or left it, derived from two positions."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from wotr_env.games.war_of_the_ring.codes import Decision, Figure, Nation
from wotr_env.games.war_of_the_ring.components import NUM_REGIONS
from wotr_env.games.war_of_the_ring.events.types import (
    ElitesReduced,
    Event,
    Figures,
    FiguresLost,
    FiguresMoved,
    FiguresRecruited,
    FiguresReturned,
    Pool,
    RegularsPromoted,
)
from wotr_env.games.war_of_the_ring.state import NUM_FREE_PEOPLES, NUM_NATIONS

FIGURE_FIELDS = frozenset(
    f"{pool}{figure}"
    for pool in ("", "reinforcement_", "casualty_")
    for figure in ("regular", "elite", "leader")
)
"""The fields of ``STATE`` that count figures."""

_NUM_PLACES = NUM_REGIONS + len(Pool)


def figure_counts(state: np.void) -> np.ndarray:
    """The number of figures by place (the regions, then ``Pool``), nation and ``Figure``: ``int8[107, 8,
    3]``."""
    counts = np.zeros((_NUM_PLACES, NUM_NATIONS, len(Figure)), dtype=np.int8)
    for figure in Figure:
        name = figure.name.lower()
        here = state[name]
        counts[:NUM_REGIONS, : here.shape[1], figure] = here
        counts[Pool.REINFORCEMENTS, : here.shape[1], figure] = state[f"reinforcement_{name}"]
        counts[Pool.CASUALTIES, :NUM_FREE_PEOPLES, figure] = state[f"casualty_{name}"]
    return counts


def figures_of(counts: np.ndarray) -> tuple[Figures, ...]:
    """Counts by nation and ``Figure`` without the nations that have none."""
    return tuple(
        Figures(Nation(nation), *counts[nation].tolist())
        for nation in np.flatnonzero(counts.any(axis=1)).tolist()
    )


def figure_events(before: np.void, after: np.void, decision: Decision) -> Iterator[Event]:
    """Yields the events about all figures that one move changed.

    Args:
        before: the position before the move.
        after: the position after the move.
        decision: the decision of the move; it distinguishes disbanded figures of the Shadow from lost ones.
    """
    change = figure_counts(after) - figure_counts(before)
    routes: dict[tuple[int, int], np.ndarray] = {}
    for nation in np.flatnonzero(change.any(axis=(0, 2))).tolist():
        yield from _replaced(change[:, nation], Nation(nation))
        for figure in np.flatnonzero(change[:, nation].any(axis=0)).tolist():
            for route in _routes(change[:, nation, figure]):
                counts = routes.setdefault(route, np.zeros((NUM_NATIONS, len(Figure)), dtype=np.int8))
                counts[nation, figure] += 1
    for (origin, destination), counts in routes.items():
        yield _travel(origin, destination, figures_of(counts), decision)


def _travel(origin: int, destination: int, figures: tuple[Figures, ...], decision: Decision) -> Event:
    if origin < NUM_REGIONS and destination < NUM_REGIONS:
        return FiguresMoved(origin, destination, figures)
    if origin < NUM_REGIONS:
        free_peoples = figures[0].nation < NUM_FREE_PEOPLES
        spared = free_peoples and destination == Pool.REINFORCEMENTS
        return FiguresLost(origin, figures, Pool(destination), spared or decision == Decision.TRIM_ARMY)
    if destination < NUM_REGIONS:
        return FiguresRecruited(destination, figures, Pool(origin))
    return FiguresReturned(figures, Pool(origin), Pool(destination))


def _replaced(change: np.ndarray, nation: Nation) -> Iterator[Event]:
    """Events about Elites that became Regulars, and Regulars that became Elites. The function removes them
    from the change."""
    regulars, elites = change[:, Figure.REGULAR], change[:, Figure.ELITE]
    for region in np.flatnonzero((regulars * elites)[:NUM_REGIONS] < 0).tolist():
        reduced = elites[region] < 0
        lost, gained = (elites, regulars) if reduced else (regulars, elites)
        lost_to = next((pool for pool in Pool if lost[pool] > 0), None)
        gained_from = next((pool for pool in Pool if gained[pool] < 0), None)
        if lost_to is None or gained_from is None:
            continue
        count = min(-int(lost[region]), int(gained[region]), int(lost[lost_to]), -int(gained[gained_from]))
        for counts, place, sign in (
            (lost, region, 1),
            (lost, lost_to, -1),
            (gained, region, -1),
            (gained, gained_from, 1),
        ):
            counts[place] += sign * count
        kind = ElitesReduced if reduced else RegularsPromoted
        yield kind(region, nation, count, lost_to, gained_from)


def _routes(change: np.ndarray) -> Iterator[tuple[int, int]]:
    """The origin and destination of each figure of a kind: first between pools and regions, then from region
    to region."""
    left = {place: -int(change[place]) for place in np.flatnonzero(change < 0).tolist()}
    entered = {place: int(change[place]) for place in np.flatnonzero(change > 0).tolist()}
    for across in (True, False):
        for origin in left:
            for destination in entered:
                if across and (origin < NUM_REGIONS) == (destination < NUM_REGIONS):
                    continue
                count = min(left[origin], entered[destination])
                left[origin] -= count
                entered[destination] -= count
                yield from [(origin, destination)] * count
