"""Characters, event cards, Hunt tiles and action dice, checked against rules R1, R5, R10 and R14.

Each ``load_*`` function takes the parsed JSON of a file and returns its entries, words turned into codes.
"""

from __future__ import annotations

from collections import Counter
from typing import Any, NamedTuple

from wotr_env.games.war_of_the_ring.codes import Character, Face, Icon, Nation, Side, TileKind, TileValue
from wotr_env.games.war_of_the_ring.data.board import NationEntry
from wotr_env.games.war_of_the_ring.data.entry import DataError, Entry, check_order, entries_of
from wotr_env.games.war_of_the_ring.data.wording import Wording, load_wording

DECKS = ("fp-char", "fp-strat", "sh-char", "sh-strat")
CARDS_PER_DECK = 24
DECK_ICONS = (  # R1.3
    {Icon.CHARACTER: 24},
    {Icon.ARMY: 8, Icon.MUSTER: 16},
    {Icon.CHARACTER: 24},
    {Icon.ARMY: 11, Icon.MUSTER: 13},
)
STANDARD_TILES = {  # R10.1.2: (value, Reveal icon) -> number of tiles
    (TileValue.EYE, True): 4,
    (3, False): 3,
    (2, False): 2,
    (2, True): 1,
    (1, False): 2,
    (1, True): 2,
    (0, True): 2,
}
FACES = {  # R5.3.1, R5.3.2
    "free_peoples_die": (
        Face.CHARACTER,
        Face.CHARACTER,
        Face.MUSTER,
        Face.ARMY_MUSTER,
        Face.EVENT,
        Face.WILL,
    ),
    "shadow_die": (Face.CHARACTER, Face.ARMY, Face.MUSTER, Face.ARMY_MUSTER, Face.EVENT, Face.EYE),
}
ANY_NATION = "any Free Peoples Nation"
UNLIMITED = "unlimited (flies)"


class CharacterEntry(NamedTuple):
    id: str
    name: str
    side: int
    level: int
    leadership: int
    activates: tuple[int, ...]
    captain_of_the_west: bool
    companion: bool
    wording: Wording


class TileEntry(NamedTuple):
    id: str
    name: str
    kind: int
    value: int
    """A number or ``TileValue``."""
    reveal: bool
    stop: bool


class CardEntry(NamedTuple):
    id: str
    name: str
    wording: Wording
    icon: int
    combat_name: str
    combat_wording: Wording


def load_characters(parsed: Any) -> list[CharacterEntry]:
    """The 13 playable characters of ``characters.json`` (the Ring-bearers are left out).

    Raises:
        DataError: an entry is malformed, or the characters are not the members of ``Character`` in order.
    """
    entries = [
        entry for entry in entries_of("characters.json", parsed) if entry.get("kind", str) != "ring_bearers"
    ]
    if len(entries) != len(Character):
        raise DataError(f"characters.json: all: must be {len(Character)} characters, not {len(entries)}")
    check_order(entries, Character)
    return [_load_character(entry) for entry in entries]


def _load_character(entry: Entry) -> CharacterEntry:
    kind = entry.get("kind", str)
    if kind not in ("companion", "companion_upgrade", "gollum", "minion"):
        raise entry.error(f"kind '{kind}' is not known")
    level = entry.get("level", int, str)
    if isinstance(level, str) and level != UNLIMITED:
        raise entry.error(f"'level' must be a number or '{UNLIMITED}', not '{level}'")
    abilities = [part.get("name", str) for part in entry.parts("abilities")]
    return CharacterEntry(
        id=entry.name,
        name=entry.get("name", str),
        side=entry.code("side", Side),
        level=0 if level == UNLIMITED else entry.number("level"),
        leadership=entry.number("leadership"),
        activates=_activated(entry),
        captain_of_the_west="Captain of the West" in abilities,
        companion=kind in ("companion", "companion_upgrade"),
        wording=load_wording(
            entry, "activates", "entry_condition", "die_bonus", "guide_ability", "abilities"
        ),
    )


def _activated(entry: Entry) -> tuple[int, ...]:
    """The nations that a Companion activates (R14.1-R14.9)."""
    words = entry.get("activates", str, type(None))
    free_peoples = [nation for nation in Nation if nation < Nation.SAURON]
    if words is None:
        return ()
    if words == ANY_NATION:
        return tuple(free_peoples)
    named = [nation for nation in free_peoples if words.removeprefix("the ").upper() == nation.name]
    if not named:
        raise entry.error(f"activates '{words}', which is no Free Peoples nation")
    return tuple(named)


def load_tiles(parsed: Any, cards: list[CardEntry]) -> list[TileEntry]:
    """The 24 Hunt tiles of ``hunt_tiles.json``, standard tiles first.

    Raises:
        DataError: an entry is malformed, or the tiles differ from R10.1.2 and R10.1.3.
    """
    file = Entry("hunt_tiles.json", "all", parsed)
    tiles: list[TileEntry] = []
    for entry in file.parts("standard"):
        tiles += _load_standard_tiles(entry)
    counts = Counter((tile.value, tile.reveal) for tile in tiles)
    if counts != STANDARD_TILES or any(tile.stop for tile in tiles):
        raise DataError(f"hunt_tiles.json: standard: must be the tiles of R10.1.2, not {dict(counts)}")
    names = {card.id: card.name for card in cards}
    for entry in entries_of("hunt_tiles.json", file.get("special", list)):
        tiles.append(_load_special_tile(entry, names))
    for kind in (TileKind.BLUE, TileKind.RED):
        count = sum(tile.kind == kind for tile in tiles)
        if count != 4:
            raise DataError(f"hunt_tiles.json: special: must be 4 {kind.name.lower()} tiles, not {count}")
    return tiles


def _tile_value(entry: Entry) -> int:
    value = entry.get("value", int, str)
    return entry.code("value", TileValue) if isinstance(value, str) else value


def _load_standard_tiles(entry: Entry) -> list[TileEntry]:
    value, reveal, stop = _tile_value(entry), entry.get("reveal", bool), entry.get("stop", bool)
    word = str(entry.get("value", int, str))
    label = f"tile-{word}-r" if reveal else f"tile-{word}"
    name = word.capitalize() + (", Reveal" if reveal else "")
    return [
        TileEntry(f"{label}-{number}", name, TileKind.STANDARD, value, reveal, stop)
        for number in range(1, entry.number("count") + 1)
    ]


def _load_special_tile(entry: Entry, card_names: dict[str, str]) -> TileEntry:
    kind, side = entry.code("colour", TileKind), entry.code("side", Side)
    stop = entry.get("stop", bool)
    if (kind == TileKind.RED) != (side == Side.SHADOW) or stop != (kind == TileKind.RED):
        raise entry.error("must be blue of the Free Peoples, or red with a Stop icon of the Shadow")
    card, name = entry.get("card", str), entry.get("card_name", str)
    if card_names.get(card) != name:
        raise entry.error(f"'{card}' is no event card named '{name}'")
    return TileEntry(entry.name, name, kind, _tile_value(entry), entry.get("reveal", bool), stop)


def load_cards(parsed: Any) -> list[CardEntry]:
    """The 96 event cards of ``event_cards.json``: four decks of 24, in the order of ``Deck``.

    Raises:
        DataError: an entry is malformed, or the decks differ from R1.3.
    """
    entries = entries_of("event_cards.json", parsed)
    for number, deck in enumerate(DECKS):
        first = number * CARDS_PER_DECK
        expected = [f"{deck}-{card:02}" for card in range(1, CARDS_PER_DECK + 1)]
        mine = [entry for entry in entries if entry.name.startswith(f"{deck}-")]
        if len(mine) != CARDS_PER_DECK:
            raise DataError(f"event_cards.json: {deck}: must be {CARDS_PER_DECK} cards, not {len(mine)}")
        for entry, name in zip(entries[first : first + CARDS_PER_DECK], expected, strict=True):
            if entry.name != name:
                raise entry.error(f"'{name}' was expected here")
    if len(entries) != len(DECKS) * CARDS_PER_DECK:
        raise entries[-1].error(f"is of no deck; the decks are {', '.join(DECKS)}")
    cards = [_load_card(entry, number) for number, entry in enumerate(entries)]
    for number, deck in enumerate(DECKS):
        first = number * CARDS_PER_DECK
        icons = Counter(Icon(card.icon) for card in cards[first : first + CARDS_PER_DECK])
        if icons != DECK_ICONS[number]:
            words = ", ".join(f"{count} {icon.name.lower()}" for icon, count in icons.items())
            raise DataError(f"event_cards.json: {deck}: must have the icons of R1.3, not {words}")
    return cards


def _load_card(entry: Entry, number: int) -> CardEntry:
    deck, place = divmod(number, CARDS_PER_DECK)
    kind = "strategy" if deck % 2 else "character"
    printed = (entry.code("side", Side), entry.get("deck", str), entry.number("number"))
    if printed != (deck // 2, kind, place + 1):
        raise entry.error("'side', 'deck' and 'number' must be those of its id")
    combat = entry.part("combat")
    for half in (entry, combat):
        if not half.get("effect", str):
            raise half.error("has no words for its 'effect'")
    return CardEntry(
        id=entry.name,
        name=entry.get("name", str),
        wording=load_wording(entry, "precondition", "effect", "discard_condition"),
        icon=entry.code("icon", Icon),
        combat_name=combat.get("name", str),
        combat_wording=load_wording(combat, "precondition", "effect"),
    )


def load_dice(parsed: Any, nations: list[NationEntry]) -> list[list[int]]:
    """The six faces of each side's action die (``action_dice.json``), as ``Face``.

    Raises:
        DataError: the faces differ from R5.3, or the political track differs from ``nations.json``.
    """
    file = Entry("action_dice.json", "all", parsed)
    faces = []
    for die, expected in FACES.items():
        words = ["will" if word == "will_of_the_west" else word for word in file.strings(die)]
        if sorted(words) != sorted(face.name.lower() for face in expected):
            raise DataError(f"action_dice.json: {die}: must have the faces of R5.3, not {', '.join(words)}")
        faces.append([int(Face[word.upper()]) for word in words])
    track = file.part("political_track")
    printed = {}
    for entry in track.parts("nations"):
        state = (entry.code("side", Side), entry.number("steps_to_war"), entry.get("active", bool))
        printed[entry.code("nation", Nation)] = state
    for nation in Nation:
        known = nations[nation]
        if printed.get(nation) != (known.side, known.steps_to_war, known.active):
            raise track.error(f"'{known.id}' is not as in nations.json")
    return faces
