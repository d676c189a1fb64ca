"""The components of the game as constant tables, built from the files of ``data/``.

Tables are read-only int64 arrays, which kernels take as constants. Regions, cards and characters are numbered
in file order; a *flag* is 0 or 1.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

from wotr_env.games.war_of_the_ring.codes import Nation, Region, Side
from wotr_env.games.war_of_the_ring.data import board, entry, pieces
from wotr_env.games.war_of_the_ring.data.board import ELITE, LEADER, NAZGUL, REGULAR
from wotr_env.games.war_of_the_ring.data.wording import Wording

DataError = entry.DataError

NUM_REGIONS = 105
NUM_CARDS = 96
NUM_TILES = 24
NUM_SETTLEMENTS = 36
ELVEN_RINGS = 3
MAX_DICE = 5  # of one roll: Combat, Hunt, attacks and hits by cards (R7.8.9, R10.3, R6.4.6)
MAX_CORRUPTION = 12
MAX_PROGRESS = 12
LAST_STEP = 6  # of the Mordor Track
ON_THE_TRACK = -1  # the figure of the Fellowship is in no region (R11.2.1)
NO_TILE = -1
UNREACHABLE = 99
"""The distance between regions that no path connects."""

_regions = board.load_regions(entry.read("regions.json"))
_nations = board.load_nations(entry.read("nations.json"), _regions)
_characters = pieces.load_characters(entry.read("characters.json"))
_cards = pieces.load_cards(entry.read("event_cards.json"))
_tiles = pieces.load_tiles(entry.read("hunt_tiles.json"), _cards)
_dice = pieces.load_dice(entry.read("action_dice.json"), _nations)


def _table(values: Iterable[Any]) -> np.ndarray:
    """The values as a read-only, C-contiguous int64 array."""
    table = np.array(list(values), dtype=np.int64)
    table.setflags(write=False)
    return table


# Regions.

REGION_IDS: tuple[str, ...] = tuple(region.id for region in _regions)
REGION_NAMES: tuple[str, ...] = tuple(region.name for region in _regions)
REGION_XY = _table(region.xy for region in _regions)
"""``int64[105, 2]``: position on the picture of the board, x to the right and y down."""

_PAD = [-1] * board.MAX_NEIGHBOURS
NEIGHBOURS = _table([*region.neighbours, *_PAD][: len(_PAD)] for region in _regions)
"""``int64[105, 8]``, padded with -1 (R2.1)."""
NUM_NEIGHBOURS = _table(len(region.neighbours) for region in _regions)

REGION_NATION = _table(region.nation for region in _regions)
"""``Nation`` or -1 (R2.2)."""
REGION_SIDE = _table(-1 if region.nation < 0 else _nations[region.nation].side for region in _regions)
"""``Side`` of the region's nation, or -1."""
SETTLEMENT = _table(region.settlement for region in _regions)
"""``Settlement``; a Fortification is not a Settlement (R0.6)."""
FORTIFICATION = _table(region.fortification for region in _regions)
VICTORY_POINTS = _table(region.victory_points for region in _regions)
COASTAL = _table(region.coastal for region in _regions)
"""Flag: whether the region is on the western sea (R2.10)."""
EASTERN_EDGE = _table(region.eastern_edge for region in _regions)
"""Flag: whether the region is on the eastern map edge, inside the Southron nation (R2.10)."""
IN_MORDOR = _table(region.in_mordor for region in _regions)
"""Flag: whether the region is inside the walls of the region Mordor (R2.9)."""

SETTLEMENT_REGIONS = _table(number for number, region in enumerate(_regions) if region.settlement)
"""``int64[36]``: the region of each Town, City and Stronghold."""


def _settlement_index() -> np.ndarray:
    index = np.full(NUM_REGIONS, -1)
    index[SETTLEMENT_REGIONS] = np.arange(NUM_SETTLEMENTS)
    return _table(index)


SETTLEMENT_INDEX = _settlement_index()
"""``int64[105]``: the index of the region in ``SETTLEMENT_REGIONS``, or -1."""

REGIONS_PER_WORD = 53


def _region_bits(sets: Sequence[Iterable[int]]) -> np.ndarray:
    bits = np.zeros((len(sets), 2), dtype=np.int64)
    for number, regions in enumerate(sets):
        for region in regions:
            word, bit = divmod(region, REGIONS_PER_WORD)
            bits[number, word] |= 1 << bit
    return _table(bits)


NEIGHBOUR_BITS = _region_bits([region.neighbours for region in _regions])
"""``int64[105, 2]``: the neighbours as a set; region r is bit r % 53 of word r // 53."""
NATION_BITS = _region_bits(
    [[number for number, region in enumerate(_regions) if region.nation == nation] for nation in Nation]
)
"""``int64[8, 2]``: the regions of each nation as a set, in the same form."""
SETTLEMENT_BITS = _region_bits(
    [[place for place in SETTLEMENT_REGIONS if REGION_NATION[place] == nation] for nation in Nation]
)
"""``int64[8, 2]``: the regions of each nation that have a Settlement, in the same form."""


def _distances(closed: Iterable[int] = ()) -> np.ndarray:
    """The minimal number of borders crossed between two regions, over paths that avoid the ``closed``
    regions."""
    distances = np.full((NUM_REGIONS, NUM_REGIONS), UNREACHABLE)
    np.fill_diagonal(distances, 0)
    for number, region in enumerate(_regions):
        distances[number, list(region.neighbours)] = 1
    for number in closed:
        distances[number, :] = distances[:, number] = UNREACHABLE
    for through in range(NUM_REGIONS):
        np.minimum(distances, distances[:, through, None] + distances[through], out=distances)
    return _table(distances)


DISTANCE = _distances()
"""``int64[105, 105]``: the number of borders crossed on the shortest path."""
FELLOWSHIP_DISTANCE = _distances([Region.GORGOROTH, Region.BARAD_DUR, Region.NURN])
"""``int64[105, 105]``: the same without the regions behind the gates; the distance from and to these regions
is 99 (R9.5.8)."""

# Nations.

_LEADER_NATIONS = tuple(nation for nation in Nation if nation <= Nation.SAURON)


def _leaders(figures: tuple[int, ...]) -> int:
    """The number of Leaders and Nazgul together; no nation has both."""
    return figures[LEADER] + figures[NAZGUL]


def _setup(kind: int) -> np.ndarray:
    table = np.zeros((NUM_REGIONS, len(_LEADER_NATIONS if kind == LEADER else Nation)), dtype=np.int64)
    for number, region in enumerate(_regions):
        if 0 <= region.setup_nation < table.shape[1]:
            figures = _leaders(region.setup) if kind == LEADER else region.setup[kind]
            table[number, region.setup_nation] = figures
    return _table(table)


SETUP_REGULAR = _setup(REGULAR)
"""``int64[105, 8]``: Regulars on the board at the start (R3.8), by nation."""
SETUP_ELITE = _setup(ELITE)
SETUP_LEADER = _setup(LEADER)
"""``int64[105, 6]``: Leaders at the start; column 5 (Sauron) holds the Nazgul."""
REINFORCEMENT_REGULAR = _table(nation.reinforcements[REGULAR] for nation in _nations)
REINFORCEMENT_ELITE = _table(nation.reinforcements[ELITE] for nation in _nations)
REINFORCEMENT_LEADER = _table(_leaders(_nations[nation].reinforcements) for nation in _LEADER_NATIONS)
TOTAL_REGULAR = _table(nation.total[REGULAR] for nation in _nations)
"""``int64[8]``: the total number of Regulars of each nation (R1.1)."""
TOTAL_ELITE = _table(nation.total[ELITE] for nation in _nations)
TOTAL_LEADER = _table(_leaders(_nations[nation].total) for nation in _LEADER_NATIONS)
NATION_NAMES: tuple[str, ...] = tuple(nation.name for nation in _nations)
NATION_SIDE = _table(nation.side for nation in _nations)
NATIONS_OF = _table(
    sum(1 << number for number, nation in enumerate(_nations) if nation.side == side) for side in Side
)
"""``int64[2]``: the nations of each side, one bit each."""
OPEN_AT_PEACE = _table(
    (1 << len(Nation)) - 1 if region.nation < 0 else 1 << region.nation for region in _regions
)
"""``int64[105]``: the nations whose units may enter the region while they are at peace, one bit each
(R7.5.9)."""
START_STEPS_TO_WAR = _table(nation.steps_to_war for nation in _nations)
"""``int64[8]``: steps to war at the start (R3.7)."""
START_ACTIVE = _table(nation.active for nation in _nations)

# Characters.

CHARACTER_NAMES: tuple[str, ...] = tuple(character.name for character in _characters)
CHARACTER_WORDINGS: tuple[Wording, ...] = tuple(character.wording for character in _characters)
"""For each character, in our words: the nations that it activates, how it enters, its effect as Guide, and
its abilities."""
CHARACTER_LEVEL = _table(character.level for character in _characters)
"""``int64[13]``; 0 for characters that do not walk: Gollum, Saruman and the Witch-king, who flies."""
CHARACTER_LEADERSHIP = _table(character.leadership for character in _characters)
CHARACTER_SIDE = _table(character.side for character in _characters)
CHARACTERS_OF = _table(
    sum(1 << who for who, character in enumerate(_characters) if character.side == side) for side in Side
)
"""``int64[2]``: the characters of each side, one bit each."""
ACTIVATES = _table([nation in character.activates for nation in Nation] for character in _characters)
"""``int64[13, 8]`` flags: the nations that a Companion activates (R14.1-R14.9)."""
CAPTAIN_OF_THE_WEST = _table(character.captain_of_the_west for character in _characters)
"""``int64[13]`` flags: whether the character adds 1 Combat strength (R14.0.1)."""
IS_COMPANION = _table(character.companion for character in _characters)
"""``int64[13]`` flags for the seven Companions and the two upgrades, not for Gollum."""
COMPANIONS = sum(1 << int(character) for character in np.flatnonzero(IS_COMPANION))
"""The set of all Companions, one bit each."""

# Hunt tiles: the 16 standard ones first.

TILE_IDS: tuple[str, ...] = tuple(tile.id for tile in _tiles)
TILE_NAMES: tuple[str, ...] = tuple(tile.name for tile in _tiles)
TILE_VALUE = _table(tile.value for tile in _tiles)
"""``int64[24]``: damage (negative heals, R10.1.3) or ``TileValue``."""
TILE_REVEAL = _table(tile.reveal for tile in _tiles)
TILE_STOP = _table(tile.stop for tile in _tiles)
TILE_KIND = _table(tile.kind for tile in _tiles)

# Event cards: card c belongs to deck c // 24.

CARD_IDS: tuple[str, ...] = tuple(card.id for card in _cards)
CARD_NAMES: tuple[str, ...] = tuple(card.name for card in _cards)
CARD_WORDINGS: tuple[Wording, ...] = tuple(card.wording for card in _cards)
"""Condition, effect and discard condition of each event, in our words."""
COMBAT_NAMES: tuple[str, ...] = tuple(card.combat_name for card in _cards)
COMBAT_WORDINGS: tuple[Wording, ...] = tuple(card.combat_wording for card in _cards)
CARD_ICON = _table(card.icon for card in _cards)

# Action dice.

DIE_FACES = _table(_dice)
"""``int64[2, 6]``: the faces of each side's action die (R5.3)."""
