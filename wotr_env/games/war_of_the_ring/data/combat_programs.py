"""The Combat halves of the event cards (``combat_programs.toml``), checked against ``event_cards.json``.

The file uses the words of rules 22.5 and 22.6. This module translates them to rows of numbers.
"""

from __future__ import annotations

from typing import Any, NamedTuple

from wotr_env.compiler.codes import Codes
from wotr_env.games.war_of_the_ring.codes import BattleStage, Character, Nation, Side
from wotr_env.games.war_of_the_ring.data.board import RegionEntry
from wotr_env.games.war_of_the_ring.data.entry import DataError, Entry, entries_of
from wotr_env.games.war_of_the_ring.data.pieces import CharacterEntry

FILE = "combat_programs.toml"
MAX_TESTS = 2
MAX_EFFECTS = 2
WINDOWS = (  # R7.9.4: W0, W1, W3, W5, W6, W8
    BattleStage.START_EFFECTS,
    BattleStage.MODIFIERS,
    BattleStage.BEFORE_REROLL,
    BattleStage.AFTER_ROLLS,
    BattleStage.BEFORE_CASUALTIES,
    BattleStage.AFTER_CASUALTIES,
)


class CombatTest(Codes):
    """A part of the condition of a Combat card; the comments list its numbers in brackets."""

    NONE = 0
    FELLOWSHIP_WITH_DEFENDER = 1
    CHARACTER = 2  # (set of characters) one of them fights on the own side
    LEADER_OR_COMPANION = 3
    FORFEITABLE = 4  # (set of characters) one of them fights and has Leadership to give up
    DEFENDER_IN = 5  # the regions of the title
    DEFENDER_NEAR = 6  # (region, distance)
    UNITS = 7  # (set of nations, Elites only) fight on the own side
    NAZGUL = 8  # a Nazgul or the Witch-king fights
    NAZGUL_LEADERSHIP = 9  # (least points)
    DEFENDS_FIELD = 10
    ASSAULT = 11


class CombatOp(Codes):
    """The operation of an effect (rules 22.5); the comments list its numbers in brackets."""

    NONE = 0
    ROLL_MOD = 1  # (Who, Amount) to every die of the Combat roll
    REROLL_MOD = 2  # (Who, Amount) to every die of the Leader re-roll
    CAP = 3  # (Who, Amount) dice at most
    FEWER = 4  # (Who, Amount) dice fewer, at least 1
    NO_REROLL = 5  # (Who)
    EXTRA_ATTACK = 6  # (Amount of dice, number needed or 0: base target of the battle)
    BONUS = 7  # (Amount) hits scored
    CONVERT = 8  # up to (Amount) own misses become hits
    SELF_HITS = 9  # the player takes 0 to (Amount) hits
    FORFEIT_CHARACTER = 10  # one of (set of characters)
    FORFEIT_ALL = 11  # all of (set of characters)
    FORFEIT_NAZGUL = 12  # (Amount) points, or 0: as many as the player likes, at least 1
    CANCEL = 13  # the rest of the enemy card
    MUTE = 14  # an enemy Companion
    SLAY = 15  # (own re-roll hits for a Leader, for a character, hits spent, optional)
    ABSORB = 16  # (Amount) enemy hits are cancelled
    ABSORB_BY_DEATH = 17  # of a Leader or Companion
    ESCAPE = 18
    ONES = 19  # natural 1s of the enemy hit him


class Who(Codes):
    OWN = 0
    ENEMY = 1
    BOTH = 2


class Amount(Codes):
    """Amounts that are not numbers."""

    CHOSEN = 100
    LEADERSHIP = 101
    ELITES = 102
    COMPANIONS = 103
    ANY = 104


class When(Codes):
    """The condition that must hold when an effect is resolved."""

    ALWAYS = 0
    OWN_MISSES = 1
    OWN_HITS = 2
    ENEMY_HITS = 3
    TWO_ENEMY_HITS = 4
    MORE_HITS = 5
    DOUBLE_UNITS = 6
    NAZGUL_LEAD = 7
    NO_ENEMY_CARD = 8


LEVEL = 100
"""An amount for SLAY: a character needs as many hits as its Level."""

_TEST_WORDS = {
    CombatTest.CHARACTER: ("characters",),
    CombatTest.FORFEITABLE: ("characters",),
    CombatTest.DEFENDER_IN: ("nations", "regions"),
    CombatTest.DEFENDER_NEAR: ("region", "distance"),
    CombatTest.UNITS: ("nations", "elites_only"),
    CombatTest.NAZGUL_LEADERSHIP: ("points",),
}
_OP_WORDS = {
    CombatOp.ROLL_MOD: ("who", "amount"),
    CombatOp.REROLL_MOD: ("who", "amount"),
    CombatOp.CAP: ("who", "amount"),
    CombatOp.FEWER: ("who", "amount"),
    CombatOp.NO_REROLL: ("who",),
    CombatOp.EXTRA_ATTACK: ("amount", "target"),
    CombatOp.BONUS: ("amount",),
    CombatOp.CONVERT: ("amount",),
    CombatOp.SELF_HITS: ("amount",),
    CombatOp.FORFEIT_CHARACTER: ("characters",),
    CombatOp.FORFEIT_ALL: ("characters",),
    CombatOp.FORFEIT_NAZGUL: ("amount",),
    CombatOp.SLAY: ("leader_at", "character_at", "cost", "optional"),
    CombatOp.ABSORB: ("amount",),
}

WINDOW, OP, WHEN, FIRST, SECOND, THIRD, FOURTH = range(7)
"""The columns of a row of ``CombatProgram.effects``."""


class CombatProgram(NamedTuple):
    title: str
    side: int
    from_table: bool
    condition: list[list[int]]
    """``MAX_TESTS`` rows: test and two numbers."""
    regions: tuple[int, ...]
    """The regions for ``DEFENDER_IN``."""
    effects: list[list[int]]
    """``MAX_EFFECTS`` rows of ``WINDOW``..``FOURTH``."""
    initiative: list[int]
    """The printed number of each effect (second edition)."""


def load_combat_programs(
    parsed: Any, cards: Any, regions: list[RegionEntry], characters: list[CharacterEntry]
) -> tuple[list[CombatProgram], list[int]]:
    """The programs in the order of the file, and the title of each card as an index of that list.

    Args:
        parsed: the parsed ``combat_programs.toml``.
        cards: the parsed ``event_cards.json``.
        regions: the regions of the board, in order.
        characters: the characters, in the order of ``Character``.

    Raises:
        DataError: a word is unknown, a field is missing or superfluous, or no card has a title.
    """
    printed = [(card, card.part("combat")) for card in entries_of("event_cards.json", cards)]
    named = {combat.get("name", str): (card, combat) for card, combat in printed}
    words = _Words(
        {region.id: number for number, region in enumerate(regions)},
        [region.nation for region in regions],
        sum(1 << number for number, character in enumerate(characters) if character.companion),
    )
    programs = []
    for title, fields in parsed.items():
        entry = Entry(FILE, title, fields)
        if title not in named:
            raise entry.error("is the Combat title of no event card")
        programs.append(_load_program(entry, *named[title], words))
    order = {program.title: number for number, program in enumerate(programs)}
    for title, (card, _) in named.items():
        if title not in order:
            raise DataError(f"{FILE}: {title}: is missing; it is the Combat title of {card.name}")
    return programs, [order[combat.get("name", str)] for _, combat in printed]


class _Words(NamedTuple):
    regions: dict[str, int]
    region_nations: list[int]
    companions: int


def _only(entry: Entry, *keys: str) -> None:
    """Checks that an entry has no fields other than ``keys``."""
    for key in entry.fields:
        if key not in keys:
            raise entry.error(f"has a field '{key}' that means nothing here")


def _load_program(entry: Entry, card: Entry, combat: Entry, words: _Words) -> CombatProgram:
    _only(entry, "side", "condition", "effects", "from_table")
    side = entry.code("side", Side)
    if side != card.code("side", Side):
        raise entry.error(f"side must be that of {card.name}")
    tests, effects = entry.parts("condition"), entry.parts("effects")
    if len(tests) > MAX_TESTS or not 1 <= len(effects) <= MAX_EFFECTS:
        raise entry.error(f"must have at most {MAX_TESTS} tests, and 1 to {MAX_EFFECTS} effects")
    rows = [_load_effect(effect, words) for effect in effects]
    condition = [_load_test(test, words) for test in tests]
    within: set[int] = set()
    for test in tests:
        if test.get("test", str) == "defender_in":
            within |= _region_set(test, words)
    return CombatProgram(
        title=entry.name,
        side=side,
        from_table="from_table" in entry.fields and entry.get("from_table", bool),
        condition=condition + [[0, 0, 0]] * (MAX_TESTS - len(tests)),
        regions=tuple(sorted(within)),
        effects=rows + [[-1] + [0] * FOURTH] * (MAX_EFFECTS - len(rows)),
        initiative=_initiative(entry, combat, rows),
    )


def _initiative(entry: Entry, combat: Entry, rows: list[list[int]]) -> list[int]:
    """The number of each effect; a card with two numbers has one for each of its windows."""
    value = combat.get("initiative_2e", int, list)
    windows = sorted({row[WINDOW] for row in rows})
    if type(value) is int:
        numbers = [value] * len(rows)
    elif len(value) == len(windows):
        numbers = [value[windows.index(row[WINDOW])] for row in rows]
    else:
        raise entry.error(f"has effects in {len(windows)} windows, but the card prints {value}")
    return numbers + [0] * (MAX_EFFECTS - len(rows))


def _load_test(entry: Entry, words: _Words) -> list[int]:
    test = entry.code("test", CombatTest)
    fields = _TEST_WORDS.get(test, ())
    _only(entry, "test", *fields)
    if test == CombatTest.DEFENDER_IN:
        return [test, 0, 0]
    numbers = [_number(entry, field, words) for field in fields]
    return [test, *numbers, 0, 0][:3]


def _load_effect(entry: Entry, words: _Words) -> list[int]:
    window, op = entry.code("window", BattleStage), entry.code("op", CombatOp)
    if window not in WINDOWS:
        raise entry.error(f"window must be one of {', '.join(stage.name.lower() for stage in WINDOWS)}")
    if op == CombatOp.NONE:
        raise entry.error("op 'none' is not known")
    fields = _OP_WORDS.get(op, ())
    _only(entry, "window", "op", "when", *fields)
    when = entry.code("when", When) if "when" in entry.fields else When.ALWAYS
    numbers = [_number(entry, field, words) for field in fields]
    return [window, op, when, *numbers, 0, 0, 0, 0][: FOURTH + 1]


def _number(entry: Entry, field: str, words: _Words) -> int:
    """A field of a test or an effect as a number."""
    if field == "who":
        return entry.code("who", Who)
    if field == "characters":
        return _character_set(entry, words)
    if field == "nations":
        return sum(1 << nation for nation in _nations(entry))
    if field == "region":
        return _region(entry, entry.get("region", str), words)
    if field in ("elites_only", "optional"):
        return entry.get(field, bool)
    word = entry.get(field, int, str)
    if type(word) is int:
        if not -9 <= word <= 9:
            raise entry.error(f"{field} must be from -9 to 9, not {word}")
        return word
    if (field, word) == ("target", "base"):
        return 0
    if (field, word) == ("character_at", "level"):
        return LEVEL
    if field == "amount":
        return entry.code("amount", Amount)
    raise entry.error(f"{field} '{word}' is not known")


def _character_set(entry: Entry, words: _Words) -> int:
    if entry.get("characters", str, list) == "companions":
        return words.companions
    names = entry.strings("characters")
    for name in names:
        if name.upper() not in Character.__members__:
            raise entry.error(f"character '{name}' is not known")
    return sum(1 << Character[name.upper()] for name in names)


def _nations(entry: Entry) -> list[int]:
    names = entry.strings("nations")
    for name in names:
        if name.upper() not in Nation.__members__:
            raise entry.error(f"nation '{name}' is not known")
    return [int(Nation[name.upper()]) for name in names]


def _region(entry: Entry, name: str, words: _Words) -> int:
    if name not in words.regions:
        raise entry.error(f"region '{name}' is not known")
    return words.regions[name]


def _region_set(entry: Entry, words: _Words) -> set[int]:
    nations = _nations(entry)
    named = {_region(entry, name, words) for name in entry.strings("regions")}
    return named | {number for number, nation in enumerate(words.region_nations) if nation in nations}
