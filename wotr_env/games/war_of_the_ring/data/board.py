"""The board and the nations: ``regions.json`` and ``nations.json``, checked against rules R1 to R3.

Each ``load_*`` function takes the parsed JSON of a file and returns its entries, words turned into codes.
"""

from __future__ import annotations

from typing import Any, NamedTuple

from wotr_env.games.war_of_the_ring.codes import Nation, Region, Settlement, Side
from wotr_env.games.war_of_the_ring.data.entry import DataError, Entry, check_order, entries_of

NUM_REGIONS = 105
NUM_BORDERS = 232
MAX_NEIGHBOURS = 8
SETTLEMENT_COUNTS = {Settlement.STRONGHOLD: 16, Settlement.CITY: 6, Settlement.TOWN: 14}  # R2.3
NUM_FORTIFICATIONS = 2
SETTLEMENT_POINTS = {  # R2.4
    Settlement.NONE: 0,
    Settlement.TOWN: 0,
    Settlement.CITY: 1,
    Settlement.STRONGHOLD: 2,
}
TOTAL_POINTS = {Side.FREE_PEOPLES: 20, Side.SHADOW: 18}  # R12.6
FIGURE_KINDS = ("regular", "elite", "leader", "nazgul")
REGULAR, ELITE, LEADER, NAZGUL = range(4)


class RegionEntry(NamedTuple):
    id: str
    name: str
    xy: tuple[int, int]
    nation: int
    """``Nation`` or -1."""
    settlement: int
    fortification: bool
    victory_points: int
    in_mordor: bool
    coastal: bool
    eastern_edge: bool
    neighbours: tuple[int, ...]
    setup_nation: int
    """``Nation`` of the figures placed here at the start, or -1."""
    setup: tuple[int, ...]
    """Number of figures placed here at the start, by ``FIGURE_KINDS``."""


class NationEntry(NamedTuple):
    id: str
    name: str
    side: int
    steps_to_war: int
    active: bool
    starting: tuple[int, ...]
    """The number of figures by ``FIGURE_KINDS``; ``reinforcements`` and ``total`` have the same form."""
    reinforcements: tuple[int, ...]
    total: tuple[int, ...]


def _figures(entry: Entry) -> tuple[int, ...]:
    return tuple(entry.number(kind) for kind in FIGURE_KINDS)


def load_regions(parsed: Any) -> list[RegionEntry]:
    """The 105 regions of ``regions.json``, in the order of ``Region``.

    Raises:
        DataError: an entry is malformed, or the map differs from chapter 2 of the rules.
    """
    entries = entries_of("regions.json", parsed)
    numbers = {entry.name: region for region, entry in enumerate(entries)}
    regions = [_load_region(entry, numbers) for entry in entries]
    _check_map(regions)
    check_order(entries, Region)
    return regions


def _load_region(entry: Entry, numbers: dict[str, int]) -> RegionEntry:
    neighbours = entry.strings("neighbours")
    for neighbour in neighbours:
        if neighbour not in numbers:
            raise entry.error(f"neighbour '{neighbour}' is no region")
        if neighbour == entry.name or neighbours.count(neighbour) > 1:
            raise entry.error(f"neighbour '{neighbour}' is itself or listed twice")
    if not 1 <= len(neighbours) <= MAX_NEIGHBOURS:
        raise entry.error(f"must have 1 to {MAX_NEIGHBOURS} neighbours, not {len(neighbours)}")

    nation = entry.optional_code("nation", Nation)
    fortification = entry.get("settlement", str, type(None)) == "fortification"
    settlement = Settlement.NONE
    if not fortification and entry.get("settlement", str, type(None)) is not None:
        settlement = entry.code("settlement", Settlement)
    if settlement and nation < 0:
        raise entry.error("has a Settlement but no nation")
    points = entry.number("victory_points")
    if points != SETTLEMENT_POINTS[settlement]:
        raise entry.error(f"must be worth {SETTLEMENT_POINTS[settlement]} victory points, not {points}")

    setup = entry.part("setup")
    setup_nation, figures = setup.optional_code("nation", Nation), _figures(setup)
    if (setup_nation >= 0) != any(figures):
        raise setup.error("needs a nation exactly when it has figures")
    return RegionEntry(
        id=entry.name,
        name=entry.get("name", str),
        xy=(entry.number("x"), entry.number("y")),
        nation=nation,
        settlement=settlement,
        fortification=fortification,
        victory_points=points,
        in_mordor=entry.get("in_mordor", bool),
        coastal=entry.get("coastal", bool),
        eastern_edge=entry.get("eastern_edge", bool),
        neighbours=tuple(numbers[neighbour] for neighbour in neighbours),
        setup_nation=setup_nation,
        setup=figures,
    )


def _check_map(regions: list[RegionEntry]) -> None:
    if len(regions) != NUM_REGIONS:
        raise DataError(f"regions.json: all: must be {NUM_REGIONS} regions, not {len(regions)}")
    for number, region in enumerate(regions):
        for neighbour in region.neighbours:
            if number not in regions[neighbour].neighbours:
                raise DataError(
                    f"regions.json: {region.id}: neighbour '{regions[neighbour].id}' does not list it back"
                )
    borders = sum(len(region.neighbours) for region in regions) // 2
    if borders != NUM_BORDERS:
        raise DataError(f"regions.json: all: must be {NUM_BORDERS} borders, not {borders}")
    for settlement, expected in SETTLEMENT_COUNTS.items():
        count = sum(region.settlement == settlement for region in regions)
        if count != expected:
            word = settlement.name.lower()
            raise DataError(f"regions.json: all: must be {expected} of settlement '{word}', not {count}")
    forts = sum(region.fortification for region in regions)
    if forts != NUM_FORTIFICATIONS:
        raise DataError(f"regions.json: all: must be {NUM_FORTIFICATIONS} fortifications, not {forts}")


def load_nations(parsed: Any, regions: list[RegionEntry]) -> list[NationEntry]:
    """The 8 nations of ``nations.json``, in the order of ``Nation``.

    Raises:
        DataError: an entry is malformed, or does not fit the figures and Settlements on the map.
    """
    file = Entry("nations.json", "all", parsed)
    entries = file.get("nations", dict)
    words = {nation.name.lower() for nation in Nation}
    if set(entries) != words:
        wrong = ", ".join(sorted(set(entries) ^ words))
        raise file.error(f"must be the nations {', '.join(sorted(words))}; missing or unknown: {wrong}")
    nations = []
    for nation in Nation:
        word = nation.name.lower()
        nations.append(_load_nation(Entry("nations.json", word, entries[word]), nation, regions))
    for side, expected in TOTAL_POINTS.items():
        mine = [nation for nation in Nation if nations[nation].side == side]
        points = sum(region.victory_points for region in regions if region.nation in mine)
        if points != expected:
            raise file.error(f"{side.name.lower()} must have {expected} victory points, not {points}")
    return nations


def _load_nation(entry: Entry, nation: Nation, regions: list[RegionEntry]) -> NationEntry:
    side = entry.code("side", Side)
    if side != (nation >= Nation.SAURON):
        raise entry.error(f"is not of the side '{side.name.lower()}'")
    political = entry.part("political")
    steps = political.number("steps_to_war")
    if not 1 <= steps <= 3:
        raise political.error(f"'steps_to_war' must be 1 to 3, not {steps}")

    starting = _figures(entry.part("starting_forces"))
    reinforcements = _figures(entry.part("reinforcements"))
    total = _figures(entry.part("total_figures"))
    on_map = [region for region in regions if region.setup_nation == nation]
    for kind, word in enumerate(FIGURE_KINDS):
        placed = sum(region.setup[kind] for region in on_map)
        if placed != starting[kind]:
            raise entry.error(f"starts with {starting[kind]} {word}, but the map places {placed}")
        if starting[kind] + reinforcements[kind] != total[kind]:
            raise entry.error(
                f"{word}: {starting[kind]} at the start and {reinforcements[kind]} reinforcements "
                f"are not the total of {total[kind]}"
            )
    if (total[LEADER] and side == Side.SHADOW) or (total[NAZGUL] and nation != Nation.SAURON):
        raise entry.error("only the Free Peoples have Leaders and only Sauron has Nazgul")
    _check_lands(entry, nation, regions)
    return NationEntry(
        id=entry.name,
        name=entry.get("name", str),
        side=side,
        steps_to_war=steps,
        active=political.get("active", bool),
        starting=starting,
        reinforcements=reinforcements,
        total=total,
    )


def _check_lands(entry: Entry, nation: Nation, regions: list[RegionEntry]) -> None:
    """Checks that the lists of regions and Settlements agree with the map."""
    mine = [region for region in regions if region.nation == nation]
    settlements = entry.part("settlements")
    lists = [(entry, "regions", {region.id for region in mine})]
    lists += [(entry, "fortifications", {region.id for region in mine if region.fortification})]
    for kind in SETTLEMENT_COUNTS:
        of_kind = {region.id for region in mine if region.settlement == kind}
        lists.append((settlements, kind.name.lower(), of_kind))
    for holder, key, expected in lists:
        if wrong := set(holder.strings(key)) ^ expected:
            raise holder.error(f"'{key}' does not fit the map: {', '.join(sorted(wrong))}")
    points = sum(region.victory_points for region in mine)
    if entry.number("victory_points") != points:
        raise entry.error(f"must have {points} victory points, as on the map")
