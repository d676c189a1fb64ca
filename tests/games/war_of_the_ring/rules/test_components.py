"""The constant tables against the rules, and every mistake that the loaders must find in a component file."""

from __future__ import annotations

import copy

import numpy as np
import pytest

from wotr_env.games.war_of_the_ring import components
from wotr_env.games.war_of_the_ring.codes import (
    Character,
    Deck,
    Face,
    Icon,
    Nation,
    Region,
    Settlement,
    Side,
    TileKind,
    TileValue,
)
from wotr_env.games.war_of_the_ring.components import (
    CARD_ICON,
    DISTANCE,
    FELLOWSHIP_DISTANCE,
    FORTIFICATION,
    NEIGHBOUR_BITS,
    NEIGHBOURS,
    NUM_NEIGHBOURS,
    NUM_REGIONS,
    REGION_IDS,
    REGION_NATION,
    REGION_SIDE,
    SETTLEMENT,
    SETTLEMENT_INDEX,
    SETTLEMENT_REGIONS,
    UNREACHABLE,
    VICTORY_POINTS,
    DataError,
)
from wotr_env.games.war_of_the_ring.data import board, entry, pieces

BEHIND_THE_GATES = [Region.GORGOROTH, Region.BARAD_DUR, Region.NURN]


def region(name: str) -> int:
    return REGION_IDS.index(name)


def names(regions) -> set[str]:
    return {REGION_IDS[number] for number in regions}


def where(flags) -> set[str]:
    return names(np.flatnonzero(flags))


def within(start: str, borders: int) -> set[str]:
    return where(FELLOWSHIP_DISTANCE[region(start)] <= borders)


def exactly(start: str, borders: int) -> set[str]:
    return where(FELLOWSHIP_DISTANCE[region(start)] == borders)


# Tables.


def test_tables_are_read_only_contiguous_int64():
    tables = {name: value for name, value in vars(components).items() if isinstance(value, np.ndarray)}
    assert len(tables) > 30
    for name, table in tables.items():
        assert table.dtype == np.int64, name
        assert table.flags.c_contiguous, name
        assert not table.flags.writeable, name


def test_r2_1_map_has_105_regions_and_232_symmetric_borders():
    assert len(REGION_IDS) == len(set(REGION_IDS)) == len(Region) == NUM_REGIONS == 105
    assert NUM_NEIGHBOURS.sum() == 2 * 232
    for number in range(NUM_REGIONS):
        neighbours = NEIGHBOURS[number, : NUM_NEIGHBOURS[number]]
        assert (neighbours >= 0).all() and (NEIGHBOURS[number, NUM_NEIGHBOURS[number] :] == -1).all()
        assert all(number in NEIGHBOURS[neighbour] for neighbour in neighbours)


def test_region_codes_are_the_region_numbers():
    assert Region.MINAS_TIRITH == region("minas-tirith")
    assert Region.THE_SHIRE == region("the-shire")
    assert components.REGION_NAMES[Region.GREY_HAVENS] == "Grey Havens"


def test_neighbour_bits_are_the_neighbours():
    for number in range(NUM_REGIONS):
        low, high = (int(word) for word in NEIGHBOUR_BITS[number])
        members = {bit for bit in range(53) if low >> bit & 1}
        members |= {53 + bit for bit in range(53) if high >> bit & 1}
        assert members == set(NEIGHBOURS[number, : NUM_NEIGHBOURS[number]].tolist())


def test_r2_2_nations_own_their_regions_and_53_belong_to_none():
    assert (REGION_NATION == -1).sum() == 53
    assert REGION_NATION[region("osgiliath")] == -1
    assert REGION_NATION[region("edoras")] == Nation.ROHAN
    assert REGION_SIDE[region("edoras")] == Side.FREE_PEOPLES
    assert REGION_SIDE[region("orthanc")] == Side.SHADOW
    assert ((REGION_SIDE == -1) == (REGION_NATION == -1)).all()


def test_r2_3_settlements_and_fortifications():
    assert [(SETTLEMENT == kind).sum() for kind in (Settlement.STRONGHOLD, Settlement.CITY)] == [16, 6]
    assert (SETTLEMENT == Settlement.TOWN).sum() == 14
    assert where(FORTIFICATION) == {"fords-of-isen", "osgiliath"}
    assert (SETTLEMENT[FORTIFICATION == 1] == Settlement.NONE).all()
    assert len(SETTLEMENT_REGIONS) == components.NUM_SETTLEMENTS == 36
    assert (SETTLEMENT_INDEX[SETTLEMENT_REGIONS] == np.arange(36)).all()
    assert (SETTLEMENT_INDEX == -1).sum() == NUM_REGIONS - 36


def test_r2_4_victory_points():
    assert VICTORY_POINTS[REGION_SIDE == Side.FREE_PEOPLES].sum() == 20
    assert VICTORY_POINTS[REGION_SIDE == Side.SHADOW].sum() == 18
    assert (VICTORY_POINTS[SETTLEMENT == Settlement.STRONGHOLD] == 2).all()
    assert (VICTORY_POINTS[SETTLEMENT == Settlement.CITY] == 1).all()


def test_r2_9_inside_the_walls_of_mordor():
    walls = {"barad-dur", "gorgoroth", "minas-morgul", "morannon", "nurn"}
    assert where(components.IN_MORDOR) == walls


def test_r2_10_map_constants_of_cards():
    assert where(components.COASTAL) == {
        "forlindon", "grey-havens", "harlindon", "south-ered-luin", "minhiriath", "enedwaith",
        "druwaith-iaur", "andrast", "anfalas", "dol-amroth", "lamedon", "pelargir", "west-harondor", "umbar",
    }  # fmt: skip
    gondor = REGION_NATION == Nation.GONDOR
    assert where(gondor & (components.COASTAL == 1)) == {"anfalas", "dol-amroth", "lamedon", "pelargir"}
    assert where(components.EASTERN_EDGE) == {"east-rhun", "south-rhun", "khand", "far-harad"}
    assert (DISTANCE[region("moria")] <= 2).sum() == 15
    dunland = DISTANCE[[region("north-dunland"), region("south-dunland")]].min(axis=0)
    assert where(dunland <= 1) == {
        "cardolan", "hollin", "moria", "south-downs", "tharbad", "enedwaith", "gap-of-rohan", "north-dunland",
        "south-dunland",
    }  # fmt: skip


def test_r1_1_figures_of_the_box():
    free = components.NATION_SIDE == Side.FREE_PEOPLES
    units = components.TOTAL_REGULAR + components.TOTAL_ELITE
    assert (units[free].sum(), units[~free].sum()) == (75, 90)
    assert components.TOTAL_LEADER[: Nation.SAURON].sum() == 20
    assert components.TOTAL_LEADER[Nation.SAURON] == 8


@pytest.mark.parametrize("kind", ["REGULAR", "ELITE", "LEADER"])
def test_r3_8_setup_and_reinforcements_are_the_totals(kind):
    setup, reinforcement, total = (
        getattr(components, f"{part}_{kind}") for part in ("SETUP", "REINFORCEMENT", "TOTAL")
    )
    assert (setup.sum(axis=0) + reinforcement == total).all()


def test_r3_8_setup_of_single_regions():
    regular, elite, leader = components.SETUP_REGULAR, components.SETUP_ELITE, components.SETUP_LEADER
    erebor, osgiliath, morannon = Region.EREBOR, Region.OSGILIATH, Region.MORANNON
    assert (regular[erebor, Nation.DWARVES], elite[erebor, Nation.DWARVES]) == (1, 1)
    assert leader[erebor, Nation.DWARVES] == 1
    assert regular[osgiliath].tolist() == [0, 0, 2, 0, 0, 0, 0, 0]
    assert regular[morannon, Nation.SAURON] == 5
    assert leader[morannon, Nation.SAURON] == 1


def test_r3_7_political_track():
    steps = dict(zip(Nation, components.START_STEPS_TO_WAR.tolist(), strict=True))
    assert steps == {
        Nation.DWARVES: 3,
        Nation.ELVES: 3,
        Nation.GONDOR: 2,
        Nation.NORTH: 3,
        Nation.ROHAN: 3,
        Nation.SAURON: 1,
        Nation.ISENGARD: 1,
        Nation.SOUTHRONS: 2,
    }
    active = {nation for nation in Nation if components.START_ACTIVE[nation]}
    assert active == {Nation.ELVES, Nation.SAURON, Nation.ISENGARD, Nation.SOUTHRONS}


def test_r14_characters():
    levels = dict(zip(Character, components.CHARACTER_LEVEL.tolist(), strict=True))
    leadership = dict(zip(Character, components.CHARACTER_LEADERSHIP.tolist(), strict=True))
    assert levels[Character.STRIDER] == levels[Character.MOUTH_OF_SAURON] == 3
    assert levels[Character.LEGOLAS] == 2 and levels[Character.PEREGRIN] == 1
    assert levels[Character.GOLLUM] == levels[Character.SARUMAN] == levels[Character.WITCH_KING] == 0
    assert leadership[Character.ARAGORN] == leadership[Character.WITCH_KING] == 2
    assert leadership[Character.SARUMAN] == 1 and leadership[Character.GOLLUM] == 0
    minions = {Character.WITCH_KING, Character.MOUTH_OF_SAURON, Character.SARUMAN}
    assert {who for who in Character if components.CHARACTER_SIDE[who] == Side.SHADOW} == minions
    not_companions = {who for who in Character if not components.IS_COMPANION[who]}
    assert not_companions == minions | {Character.GOLLUM}


def test_r14_0_1_captains_of_the_west():
    captains = {who.name for who in Character if components.CAPTAIN_OF_THE_WEST[who]}
    assert captains == {"GANDALF_GREY", "STRIDER", "BOROMIR", "LEGOLAS", "GIMLI", "ARAGORN"}


def test_r14_nations_activated():
    def activates(who: Character) -> set[Nation]:
        return {nation for nation in Nation if components.ACTIVATES[who, nation]}

    free_peoples = {nation for nation in Nation if nation < Nation.SAURON}
    assert activates(Character.STRIDER) == {Nation.NORTH}
    assert activates(Character.BOROMIR) == {Nation.GONDOR}
    assert activates(Character.LEGOLAS) == {Nation.ELVES}
    assert activates(Character.GIMLI) == {Nation.DWARVES}
    for who in ("GANDALF_GREY", "MERIADOC", "PEREGRIN", "GANDALF_WHITE", "ARAGORN"):
        assert activates(Character[who]) == free_peoples
    assert not components.ACTIVATES[Character.GOLLUM :].any()


def test_r1_3_cards():
    assert len(components.CARD_IDS) == len(set(components.CARD_IDS)) == 96
    assert components.CARD_IDS[24 * Deck.SHADOW_CHARACTER] == "sh-char-01"
    assert components.CARD_IDS[95] == "sh-strat-24"
    assert components.CARD_NAMES[0] == "Elven Cloaks"
    counts = [[(CARD_ICON[24 * deck :][:24] == icon).sum() for icon in Icon] for deck in Deck]
    assert counts == [[24, 0, 0], [0, 8, 16], [24, 0, 0], [0, 11, 13]]
    assert len(set(components.COMBAT_NAMES)) == 38


def test_r10_1_2_hunt_tiles():
    value, reveal = components.TILE_VALUE, components.TILE_REVEAL
    standard = components.TILE_KIND == TileKind.STANDARD
    assert standard.tolist() == [True] * 16 + [False] * 8
    eyes = standard & (value == TileValue.EYE)
    assert eyes.sum() == 4 and reveal[eyes].all()
    numbers = value[standard & (value != TileValue.EYE)]
    assert sorted(numbers.tolist()) == [0, 0, 1, 1, 1, 1, 2, 2, 2, 3, 3, 3]
    assert reveal[standard].sum() == 9
    assert components.TILE_IDS[0] == "tile-eye-r-1"
    assert len(set(components.TILE_IDS)) == 24


def test_r10_1_3_special_tiles():
    special = {
        name: (components.TILE_VALUE[tile], components.TILE_REVEAL[tile], components.TILE_STOP[tile])
        for tile, name in enumerate(components.TILE_IDS[16:], start=16)
    }
    assert special == {
        "tile-fp-1": (0, 0, 0),
        "tile-fp-2": (0, 0, 0),
        "tile-fp-3": (-2, 0, 0),
        "tile-fp-4": (-1, 0, 0),
        "tile-sh-1": (TileValue.DIE, 0, 1),
        "tile-sh-2": (TileValue.EYE, 1, 1),
        "tile-sh-3": (3, 0, 1),
        "tile-sh-4": (1, 1, 1),
    }


def test_r5_3_die_faces():
    free, shadow = (sorted(faces) for faces in components.DIE_FACES.tolist())
    assert free == [Face.CHARACTER, Face.CHARACTER, Face.MUSTER, Face.ARMY_MUSTER, Face.EVENT, Face.WILL]
    assert shadow == [Face.CHARACTER, Face.ARMY, Face.MUSTER, Face.ARMY_MUSTER, Face.EVENT, Face.EYE]


# Distances.


def test_distances_are_a_metric_on_a_connected_map():
    assert (DISTANCE == DISTANCE.T).all()
    assert DISTANCE.max() < UNREACHABLE
    assert (np.diag(DISTANCE) == 0).all()
    assert all((DISTANCE[number] == 1).sum() == NUM_NEIGHBOURS[number] for number in range(NUM_REGIONS))


def test_gx13_fellowship_at_helms_deep():
    assert exactly("helms-deep", 0) == {"helms-deep"}
    assert exactly("helms-deep", 1) == {"fords-of-isen", "westemnet"}
    assert exactly("helms-deep", 2) == {
        "druwaith-iaur", "eastemnet", "edoras", "fangorn", "folde", "gap-of-rohan", "orthanc",
    }  # fmt: skip


def test_gx14_regions_for_a_revealed_fellowship_at_helms_deep():
    free_settlement = (SETTLEMENT != Settlement.NONE) & (REGION_SIDE == Side.FREE_PEOPLES)
    assert within("helms-deep", 2) - where(free_settlement) == {
        "druwaith-iaur", "eastemnet", "fangorn", "fords-of-isen", "gap-of-rohan", "orthanc",
    }  # fmt: skip


def test_gx15_lorien_is_five_regions_from_rivendell_through_moria():
    path = ["rivendell", "fords-of-bruinen", "hollin", "moria", "dimrill-dale", "lorien"]
    distances = [FELLOWSHIP_DISTANCE[region("rivendell"), region(name)] for name in path]
    assert distances == [0, 1, 2, 3, 4, 5]


def test_gx18_woodland_realm_is_seven_regions_from_rivendell():
    assert DISTANCE[region("rivendell"), region("woodland-realm")] == 7


def test_gx43_fellowship_never_passes_the_gates():
    reach = within("dagorlad", 3)
    assert {"morannon", "minas-morgul"} <= reach
    assert not reach & names(BEHIND_THE_GATES)


def test_r9_5_8_regions_behind_the_gates_are_unreachable():
    assert (FELLOWSHIP_DISTANCE[BEHIND_THE_GATES] == UNREACHABLE).all()
    assert (FELLOWSHIP_DISTANCE[:, BEHIND_THE_GATES] == UNREACHABLE).all()
    others = np.setdiff1d(np.arange(NUM_REGIONS), BEHIND_THE_GATES)
    assert FELLOWSHIP_DISTANCE[np.ix_(others, others)].max() < UNREACHABLE
    assert (FELLOWSHIP_DISTANCE >= DISTANCE).all()
    assert DISTANCE[Region.MORANNON, Region.MINAS_MORGUL] < FELLOWSHIP_DISTANCE[
        Region.MORANNON, Region.MINAS_MORGUL
    ]  # fmt: skip


# Mistakes in the files. Each case breaks a copy of a file and gives the beginning of the error.

FILES = {
    file: entry.read(file)
    for file in (
        "regions.json",
        "nations.json",
        "characters.json",
        "event_cards.json",
        "hunt_tiles.json",
        "action_dice.json",
    )
}
REGIONS = board.load_regions(FILES["regions.json"])
NATIONS = board.load_nations(FILES["nations.json"], REGIONS)
CARDS = pieces.load_cards(FILES["event_cards.json"])
LOADERS = {
    "regions.json": board.load_regions,
    "nations.json": lambda parsed: board.load_nations(parsed, REGIONS),
    "characters.json": pieces.load_characters,
    "event_cards.json": pieces.load_cards,
    "hunt_tiles.json": lambda parsed: pieces.load_tiles(parsed, CARDS),
    "action_dice.json": lambda parsed: pieces.load_dice(parsed, NATIONS),
}


def follow(parsed, path):
    """What is at a path; in a list a word is an entry's id."""
    for step in path:
        if isinstance(parsed, list) and isinstance(step, str):
            parsed = next(item for item in parsed if item["id"] == step)
        else:
            parsed = parsed[step]
    return parsed


def set_to(*path_and_value):
    """A change that sets the value at a path."""
    *path, key, value = path_and_value

    def change(parsed):
        follow(parsed, path)[key] = value

    return change


def remove(*path):
    """A change that removes what is at a path."""

    def change(parsed):
        del follow(parsed, path[:-1])[path[-1]]

    return change


def remove_a_border(parsed):
    for one, other in (("bree", "buckland"), ("buckland", "bree")):
        follow(parsed, [one, "neighbours"]).remove(other)


def swap_first_two(parsed):
    parsed[0], parsed[1] = parsed[1], parsed[0]


MISTAKES = {
    "regions.json": [
        (set_to("bree", "neighbours", ["bre"]), "bree: neighbour 'bre' is no region"),
        (set_to("bree", "neighbours", ["bree"]), "bree: neighbour 'bree' is itself or listed twice"),
        (set_to("bree", "neighbours", []), "bree: must have 1 to 8 neighbours, not 0"),
        (set_to("bree", "neighbours", [7]), "bree: 'neighbours' must be a list of words"),
        (set_to("bree", "neighbours", ["buckland"]), "north-downs: neighbour 'bree' does not list it"),
        (remove_a_border, "all: must be 232 borders, not 231"),
        (lambda parsed: parsed.append({**parsed[0], "id": "valinor"}), "all: must be 105 regions, not 106"),
        (lambda parsed: parsed.append(parsed[0]), "andrast: appears 2 times"),
        (set_to("bree", "nation", "bree-land"), "bree: nation 'bree-land' is not known"),
        (set_to("bree", "nation", None), "bree: has a Settlement but no nation"),
        (set_to("bree", "settlement", "village"), "bree: settlement 'village' is not known"),
        (set_to("bree", "settlement", None), "all: must be 14 of settlement 'town', not 13"),
        (set_to("osgiliath", "settlement", None), "all: must be 2 fortifications, not 1"),
        (set_to("dale", "victory_points", 2), "dale: must be worth 1 victory points, not 2"),
        (set_to("dale", "setup", "nation", None), "dale: setup: needs a nation exactly when"),
        (set_to("dale", "setup", "regular", -1), "dale: setup: 'regular' must be 0 or more, not -1"),
        (set_to("dale", "coastal", 0), "dale: 'coastal' must be bool, not 0"),
        (set_to("dale", "x", "left"), "dale: 'x' must be int, not 'left'"),
        (remove("dale", "setup"), "dale: has no 'setup'"),
        (remove("dale", "id"), "entry 11: has no 'id'"),
    ],
    "nations.json": [
        (remove("nations", "elves"), "all: must be the nations "),
        (set_to("nations", "elves", "side", "shadow"), "elves: is not of the side 'shadow'"),
        (set_to("nations", "elves", "side", "valar"), "elves: side 'valar' is not known"),
        (
            set_to("nations", "rohan", "political", "steps_to_war", 4),
            "rohan: political: 'steps_to_war' must be 1 to 3, not 4",
        ),
        (
            set_to("nations", "rohan", "starting_forces", "regular", 5),
            "rohan: starts with 5 regular, but the map places 4",
        ),
        (
            set_to("nations", "rohan", "reinforcements", "elite", 5),
            "rohan: elite: 1 at the start and 5 reinforcements are not the total of 5",
        ),
        (
            set_to("nations", "sauron", "total_figures", "nazgul", 9),
            "sauron: nazgul: 4 at the start and 4 reinforcements are not the total of 9",
        ),
        (
            set_to("nations", "rohan", "settlements", "city", ["edoras", "folde"]),
            "rohan: settlements: 'city' does not fit the map: folde",
        ),
        (set_to("nations", "rohan", "fortifications", []), "rohan: 'fortifications' does not fit"),
        (set_to("nations", "rohan", "regions", ["edoras"]), "rohan: 'regions' does not fit the map"),
        (set_to("nations", "rohan", "victory_points", 4), "rohan: must have 3 victory points"),
    ],
    "characters.json": [
        (remove(9), "all: must be 13 characters, not 12"),
        (swap_first_two, "strider: 'gandalf-grey' was expected here"),
        (set_to("gimli", "kind", "dwarf"), "gimli: kind 'dwarf' is not known"),
        (set_to("gimli", "level", "high"), "gimli: 'level' must be a number or "),
        (set_to("gimli", "leadership", None), "gimli: 'leadership' must be int, not None"),
        (set_to("gimli", "activates", "Moria"), "gimli: activates 'Moria', which is no "),
        (set_to("gimli", "abilities", 0, "name", 3), "gimli: abilities 0: 'name' must be str"),
        (
            set_to("witch-king", "variants", 1, "abilities", 0, "name", "Sorcery"),
            "witch-king: a variant must have 'when', as option=value, and change parts of the entry",
        ),
    ],
    "event_cards.json": [
        (remove(95), "sh-strat: must be 24 cards, not 23"),
        (swap_first_two, "fp-char-02: 'fp-char-01' was expected here"),
        (lambda parsed: parsed.append({"id": "promo-01"}), "promo-01: is of no deck"),
        (set_to("fp-char-05", "icon", "army"), "fp-char: must have the icons of R1.3, not "),
        (set_to("sh-strat-24", "icon", "army"), "sh-strat: must have the icons of R1.3, not "),
        (set_to("fp-char-05", "icon", "ring"), "fp-char-05: icon 'ring' is not known"),
        (set_to("fp-char-05", "number", 6), "fp-char-05: 'side', 'deck' and 'number' must be "),
        (set_to("fp-char-05", "effect", ""), "fp-char-05: has no words for its 'effect'"),
        (set_to("fp-char-05", "combat", None), "fp-char-05: 'combat' must be dict, not None"),
        (remove("fp-char-05", "combat", "name"), "fp-char-05: combat: has no 'name'"),
        (set_to("fp-char-05", "combat", "effect", ""), "fp-char-05: combat: has no words for its 'effect'"),
        (set_to("fp-char-19", "variants", 0, "when", "ents"), "fp-char-19: a variant must have 'when'"),
        (remove("fp-char-19", "variants", 0, "effect"), "fp-char-19: a variant must have 'when'"),
    ],
    "hunt_tiles.json": [
        (set_to("standard", 0, "count", 3), "standard: must be the tiles of R10.1.2, not "),
        (set_to("standard", 1, "stop", True), "standard: must be the tiles of R10.1.2, not "),
        (set_to("standard", 0, "value", "nose"), "all: standard 0: value 'nose' is not known"),
        (remove("special", 0), "special: must be 4 blue tiles, not 3"),
        (set_to("special", "tile-fp-1", "stop", True), "tile-fp-1: must be blue of the Free "),
        (set_to("special", "tile-sh-1", "side", "free_peoples"), "tile-sh-1: must be blue of "),
        (set_to("special", "tile-sh-1", "card", "fp-char-01"), "tile-sh-1: 'fp-char-01' is no "),
    ],
    "action_dice.json": [
        (set_to("shadow_die", 1, "character"), "shadow_die: must have the faces of R5.3, not "),
        (set_to("free_peoples_die", 5, "eye"), "free_peoples_die: must have the faces of R5.3"),
        (remove("political_track", "nations", 0), "all: political_track: 'elves' is not as in "),
        (
            set_to("political_track", "nations", 1, "active", True),
            "all: political_track: 'dwarves' is not as in nations.json",
        ),
    ],
}


@pytest.mark.parametrize(
    ("file", "change", "problem"),
    [(file, change, problem) for file, mistakes in MISTAKES.items() for change, problem in mistakes],
    ids=lambda part: part if isinstance(part, str) else "",
)
def test_mistake_in_a_file_is_named(file, change, problem):
    parsed = copy.deepcopy(FILES[file])
    change(parsed)
    with pytest.raises(DataError) as caught:
        LOADERS[file](parsed)
    message = str(caught.value)
    assert message.startswith(f"{file}: {problem}")
    assert "\n" not in message


@pytest.mark.parametrize("file", LOADERS)
@pytest.mark.parametrize("parsed", [None, 7, [], {}, [3], "text"])
def test_file_of_another_shape_is_refused(file, parsed):
    with pytest.raises(DataError, match=f"^{file}: "):
        LOADERS[file](parsed)


def test_only_sauron_has_nazgul_and_only_the_free_peoples_leaders():
    regions, nations = copy.deepcopy(FILES["regions.json"]), copy.deepcopy(FILES["nations.json"])
    set_to("orthanc", "setup", "nazgul", 1)(regions)
    set_to("nations", "isengard", "starting_forces", "nazgul", 1)(nations)
    set_to("nations", "isengard", "total_figures", "nazgul", 1)(nations)
    with pytest.raises(DataError, match=r"^nations.json: isengard: only the Free Peoples have Leaders"):
        board.load_nations(nations, board.load_regions(regions))


def test_victory_points_of_a_side():
    regions, nations = copy.deepcopy(FILES["regions.json"]), copy.deepcopy(FILES["nations.json"])
    for name, kind, points in (("dale", "town", 0), ("nurn", "city", 1)):
        set_to(name, "settlement", kind)(regions)
        set_to(name, "victory_points", points)(regions)
    for nation, kind, members in (
        ("north", "city", ["the-shire"]),
        ("north", "town", ["bree", "carrock", "dale"]),
        ("sauron", "city", ["angmar", "nurn"]),
        ("sauron", "town", []),
    ):
        set_to("nations", nation, "settlements", kind, members)(nations)
    set_to("nations", "north", "victory_points", 1)(nations)
    set_to("nations", "sauron", "victory_points", 14)(nations)
    with pytest.raises(DataError, match=r"^nations.json: all: free_peoples must have 20 victory"):
        board.load_nations(nations, board.load_regions(regions))


def test_missing_file_is_named():
    with pytest.raises(DataError, match=r"^maps.json: cannot be read"):
        entry.read("maps.json")
