"""The programs of the event cards (``event_programs.toml``), checked against the cards, tiles and characters.

Each word of a program stands for a ``Codes`` member; the kind of a parameter determines how its text is read.
The interpreter is ``rules/events/program.py``.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

from wotr_env.compiler.codes import Codes
from wotr_env.games.war_of_the_ring.codes import CardTile, Character, Nation, Region, Side
from wotr_env.games.war_of_the_ring.data.board import NUM_REGIONS
from wotr_env.games.war_of_the_ring.data.entry import DataError
from wotr_env.games.war_of_the_ring.data.pieces import CardEntry, CharacterEntry, TileEntry

FILE = "event_programs.toml"


class Op(Codes):
    """The operations of events (section 22.2 of the rules; some join several of its primitives).

    Each operation is implemented in its row of ``OPERATIONS``, collected in ``rules.events.program``.
    """

    END = 0
    TILE = 1
    TABLE = 2
    HEAL = 3
    ROLL_HEAL = 4
    ROLL_CORRUPT = 5
    GOLLUM_GUIDES = 6
    SEPARATE = 7
    CARRY_GROUP = 8
    MOVE_COMPANIONS = 9
    MIRROR_DIE = 10
    IF = 11
    CHALLENGE = 12
    ROUSE_DWARVES_ELVES_NORTH = 13
    EAGLES = 14
    ENTS = 15
    EXTRA_CARD = 16
    DEAD_MEN = 17
    RECRUIT = 18
    DRAW = 19
    PROMOTE_IN_ARMY = 20
    PROMOTE_ANYWHERE = 21
    ADVANCE = 22
    SET_WAR = 23
    COUNSEL = 24
    HITS = 25
    ATTACK = 26
    WOSES = 27
    MOVE_ARMIES = 28
    ARMY_ACTION = 29
    HUNT_TILE = 30
    MOVE_NAZGUL = 31
    SUMMON_OR_MOVE_NAZGUL = 32
    REVEAL = 33
    SHIFT_FIGURE = 34
    STRIKE = 35
    WOUND = 36
    LURE = 37
    BREAKING = 38
    LIDLESS_EYE = 39
    DREADFUL_SPELLS = 40
    VALINOR = 41
    KILL_LEADER = 42
    DAWN_LOST = 43
    STORMCROW = 44
    CORSAIRS = 45
    DUNLENDINGS = 46
    WITCH_KING_RETURNS = 47


class Condition(Codes):
    """The conditions of events and of ``if`` (section 22.1 of the rules)."""

    NONE = 0
    IN_FELLOWSHIP = 1
    IN_PLAY = 2
    AT = 3
    AT_NATION = 4
    LEADS_ARMY = 5
    ARMY_AT = 6
    ACTIVE = 7
    AT_WAR = 8
    ALL_SHADOW_AT_WAR = 9
    REVEALED = 10
    IN_PROGRESS = 11
    FIGURE_AT = 12
    FIGURE_CLEAR = 13
    NAZGUL_AT_FIGURE = 14
    HOLDS_ELVEN_STRONGHOLD = 15
    BESIEGED = 16
    POSSIBLE = 17
    VISITED = 18
    BESIEGES = 19


class Area(Codes):
    """The area in which an army must stand (``leads-army``)."""

    ANYWHERE = 0
    GONDOR_OR_ROHAN = 1
    OUTSIDE_FREE_PEOPLES = 2


class Place(Codes):
    """Places of recruits that are not single regions; a region is given by its number."""

    WITH_BOROMIR = NUM_REGIONS
    WITH_WITCH_KING = NUM_REGIONS + 1
    COAST_WITH_ARMY = NUM_REGIONS + 2
    EDORAS_OR_COMPANION = NUM_REGIONS + 3
    FREE_ROHAN_SETTLEMENT = NUM_REGIONS + 4
    WITH_SHADOW_ARMY = NUM_REGIONS + 5
    FREE_EASTERN_EDGE = NUM_REGIONS + 6
    SOUTHRON_SETTLEMENT = NUM_REGIONS + 7
    SAURON_STRONGHOLD = NUM_REGIONS + 8
    MOUNT_GRAM_OR_MORIA = NUM_REGIONS + 9


class ArmyChoice(Codes):
    """The Shadow armies from which ``hits`` may choose."""

    OF_TWO_NATIONS = 0
    NEAR_OSGILIATH = 1


class Need(Codes):
    """The figure that must be in a moving or attacking part."""

    NOBODY = 0
    LEADER = 1
    COMPANION = 2
    NAZGUL = 3
    WITCH_KING = 4


class AttackTarget(Codes):
    """The target of an attack by a card."""

    ANY = 0
    RELIEF = 1
    ASSAULT = 2


class AttackArmy(Codes):
    """The figures that the attacking army must contain."""

    ANY = 0
    WITCH_KING = 1
    ISENGARD = 2


class DeckKind(Codes):
    CHARACTER = 0
    STRATEGY = 1


class EventProgram(NamedTuple):
    card: str
    operations: list[list[int]]
    """``MAX_OPS`` rows: ``Op`` and parameters, ``WIDTH`` numbers; a row of zeros ends the program."""
    conditions: list[list[int]]
    """``MAX_CONDITIONS`` rows, all of which must hold: ``Condition`` and parameters."""
    nations: int
    """The nations of its side that the card names, one bit each; a Minion counts as the nation of the player
    who controls it."""


class _Words(NamedTuple):
    tiles: list[str]
    companions: int


def _word(codes: type[Codes], text: str) -> int:
    return int(codes[text.upper().replace("-", "_")])


def _reader(codes: type[Codes]) -> Callable[[str, _Words], int]:
    return lambda text, _: _word(codes, text)


def _characters(text: str, words: _Words) -> int:
    if text == "any-companion":
        return words.companions
    return sum(1 << _word(Character, name) for name in text.split("|"))


def _place(text: str, _: _Words) -> int:
    try:
        return _word(Region, text)
    except KeyError:
        return _word(Place, text)


_KINDS: dict[str, Callable[[str, _Words], int]] = {
    "number": lambda text, _: int(text),
    "characters": _characters,
    "character": _reader(Character),
    "nation": _reader(Nation),
    "side": _reader(Side),
    "region": _reader(Region),
    "place": _place,
    "tile": lambda text, words: words.tiles.index(text),
    "area": _reader(Area),
    "deck": _reader(DeckKind),
    "choice": _reader(ArmyChoice),
    "need": _reader(Need),
    "target": _reader(AttackTarget),
    "holds": _reader(AttackArmy),
    "hunt-card": _reader(CardTile),
}

# Parameters in the order of their columns: (name, kind, default); a parameter without default must be given.
_GUIDE = (("guide", "character", -1), ("guide-on", "number", 0))
_OPS: dict[Op, tuple[tuple[str, str, int | None], ...]] = {
    Op.TILE: (("tile", "tile", None),),
    Op.HEAL: (("amount", "number", None), ("guide", "character", -1), ("guide-amount", "number", 0)),
    Op.ROLL_HEAL: (("dice", "number", None), ("on", "number", None), *_GUIDE),
    Op.ROLL_CORRUPT: (("dice", "number", None), ("on", "number", None), *_GUIDE),
    Op.SEPARATE: (("extra", "number", None),),
    Op.CARRY_GROUP: (("extra", "number", 0), ("level", "number", 0)),
    Op.RECRUIT: (
        ("nation", "nation", None),
        ("regular", "number", 0),
        ("unit", "number", 0),
        ("elite", "number", 0),
        ("leader", "number", 0),
        ("at", "place", None),
        ("places", "number", 1),
    ),
    Op.DRAW: (("deck", "deck", None), ("cards", "number", None)),
    Op.PROMOTE_IN_ARMY: (("leader", "characters", None),),
    Op.PROMOTE_ANYWHERE: (("nation", "nation", None), ("units", "number", None)),
    Op.ADVANCE: (("nation", "nation", None),),
    Op.SET_WAR: (("nation", "nation", None),),
    Op.HITS: (("dice", "number", None), ("on", "number", None), ("army", "choice", None)),
    Op.ATTACK: (
        ("target", "target", None),
        ("army", "holds", 0),
        ("rounds", "number", 0),
        ("lock", "number", 0),
    ),
    Op.MOVE_ARMIES: (
        ("armies", "number", None),
        ("range", "number", 1),
        ("with", "need", 0),
        ("joining", "number", 0),
    ),
    Op.ARMY_ACTION: (("armies", "number", None), ("with", "need", None)),
    Op.HUNT_TILE: (("card", "hunt-card", None),),
    Op.LIDLESS_EYE: (("dice", "number", None),),
    Op.KILL_LEADER: (("region", "region", None),),
}
_CONDITIONS: dict[Condition, tuple[tuple[str, str, int | None], ...]] = {
    Condition.IN_FELLOWSHIP: (("characters", "characters", None),),
    Condition.IN_PLAY: (("character", "character", None),),
    Condition.AT: (("characters", "characters", None), ("regions", "regions", None)),
    Condition.AT_NATION: (("characters", "characters", None), ("nation", "nation", None)),
    Condition.LEADS_ARMY: (("characters", "characters", None), ("area", "area", None)),
    Condition.ARMY_AT: (("side", "side", None), ("region", "region", None)),
    Condition.ACTIVE: (("nation", "nation", None),),
    Condition.AT_WAR: (("nation", "nation", None),),
    Condition.FIGURE_AT: (("region", "region", None),),
    Condition.BESIEGED: (("region", "region", None),),
    Condition.BESIEGES: (("army", "holds", None),),
}


def columns(op: Op, *names: str) -> tuple[int, ...]:
    """The columns of an operation's row that hold its parameters.

    Args:
        op: the operation.
        names: the names of all its parameters in programs, in order.
    """
    known = tuple(name for name, _, _ in _OPS[op])
    if names != known:
        raise ValueError(f"the parameters of {op.name} are {known}, not {names}")
    return tuple(range(1, len(names) + 1))


MAX_OPS = 4
MAX_CONDITIONS = 2
WIDTH = 8  # code and at most seven parameters
NO_REGION = -1


def load_event_programs(
    parsed: Any, cards: list[CardEntry], tiles: list[TileEntry], characters: list[CharacterEntry]
) -> list[EventProgram]:
    """The program of each card, in the order of the cards.

    Args:
        parsed: the parsed ``event_programs.toml``.
        cards: the event cards, in order.
        tiles: the Hunt tiles, in order.
        characters: the characters, in the order of ``Character``.

    Raises:
        DataError: a program is invalid; the message names the card and the fault.
    """
    known = {card.id for card in cards}
    for name in parsed:
        if name not in known:
            raise DataError(f"{FILE}: {name}: there is no such card")
    words = _Words(
        [tile.id for tile in tiles],
        sum(1 << number for number, character in enumerate(characters) if character.companion),
    )
    return [_load_program(card.id, parsed.get(card.id), words) for card in cards]


def _load_program(card: str, fields: Any, words: _Words) -> EventProgram:
    where = f"{FILE}: {card}"
    known = {"program", "conditions", "names"}
    if not isinstance(fields, dict) or not fields.get("program") or set(fields) - known:
        raise DataError(f"{where}: needs 'program', may have 'conditions' and 'names', nothing else")
    operations = [_operation(where, text, words) for text in fields["program"]]
    conditions = [_condition(where, text, words) for text in fields.get("conditions", ())]
    if len(operations) > MAX_OPS or len(conditions) > MAX_CONDITIONS:
        raise DataError(f"{where}: more than {MAX_OPS} operations or {MAX_CONDITIONS} conditions")
    nations = _named(where, fields.get("names", ()), card.startswith("fp-"))
    return EventProgram(card, _filled(operations, MAX_OPS), _filled(conditions, MAX_CONDITIONS), nations)


def _named(where: str, names: Sequence[str], free_peoples: bool) -> int:
    """The nations of the card's own side that it names, one bit each."""
    nations = 0
    for name in names:
        try:
            nation = _word(Nation, name)
        except KeyError:
            raise DataError(f"{where}: {name!r} is no nation") from None
        if (nation <= Nation.ROHAN) != free_peoples:
            raise DataError(f"{where}: {name!r} is no nation of the card's side")
        nations |= 1 << nation
    return nations


def _filled(rows: list[list[int]], count: int) -> list[list[int]]:
    """The rows, filled up with rows of zeros to ``count`` rows of ``WIDTH`` numbers."""
    rows = rows + [[]] * (count - len(rows))
    return [row + [0] * (WIDTH - len(row)) for row in rows]


def _parameters(
    where: str, given_words: list[str], names: tuple[tuple[str, str, int | None], ...], words: _Words
) -> list[int]:
    """Reads parameters by position or name into their columns; ``regions`` fills up to three columns."""
    given: dict[str, str] = {}
    for position, word in enumerate(given_words):
        name, _, value = word.rpartition("=")
        if not name:
            if position >= len(names):
                raise DataError(f"{where}: too many parameters: {word!r}")
            name = names[position][0]
        if name in given or name not in {known for known, _, _ in names}:
            raise DataError(f"{where}: unknown or repeated parameter {name!r}")
        given[name] = value
    row: list[int] = []
    for name, kind, default in names:
        if name not in given:
            if default is None:
                raise DataError(f"{where}: parameter {name!r} is missing")
            row.append(default)
            continue
        try:
            if kind == "regions":
                found = [_word(Region, text) for text in given[name].split("|")]
                row += found + [NO_REGION] * (3 - len(found))
            else:
                row.append(_KINDS[kind](given[name], words))
        except (KeyError, ValueError):
            raise DataError(f"{where}: {given[name]!r} is no {kind}") from None
    return row


def _condition(where: str, text: str, words: _Words) -> list[int]:
    word, *given = text.split()
    try:
        condition = Condition[word.upper().replace("-", "_")]
    except KeyError:
        raise DataError(f"{where}: unknown condition {word!r}") from None
    return [int(condition), *_parameters(where, given, _CONDITIONS.get(condition, ()), words)]


def _operation(where: str, text: str, words: _Words) -> list[int]:
    word, *given = text.split()
    try:
        op = Op[word.upper().replace("-", "_")]
    except KeyError:
        raise DataError(f"{where}: unknown operation {word!r}") from None
    if op == Op.IF:  # guards the operation that follows
        return [int(op), *_condition(where, " ".join(given), words)]
    return [int(op), *_parameters(where, given, _OPS.get(op, ()), words)]
