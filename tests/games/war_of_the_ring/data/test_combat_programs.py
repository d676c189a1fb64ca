"""The file of the Combat halves: complete, and every mistake in it named."""

import copy

import pytest

from wotr_env.games.war_of_the_ring.cards.combat import (
    COMBAT_CONDITION,
    COMBAT_FROM_TABLE,
    COMBAT_INITIATIVE,
    COMBAT_PROGRAM,
    COMBAT_REGIONS,
    COMBAT_TITLE,
)
from wotr_env.games.war_of_the_ring.components import COMBAT_NAMES
from wotr_env.games.war_of_the_ring.data import board, entry, pieces
from wotr_env.games.war_of_the_ring.data.combat_programs import FILE, load_combat_programs

CARDS = entry.read("event_cards.json")
REGIONS = board.load_regions(entry.read("regions.json"))
CHARACTERS = pieces.load_characters(entry.read("characters.json"))
PROGRAMS = entry.read(FILE)
TITLES = list(PROGRAMS)


def test_tables():
    assert len(TITLES) == 38
    assert [TITLES[title] for title in COMBAT_TITLE] == list(COMBAT_NAMES)
    assert COMBAT_CONDITION.shape == (38, 2, 3) and COMBAT_PROGRAM.shape == (38, 2, 7)
    assert COMBAT_REGIONS.shape == (38, 105) and COMBAT_INITIATIVE.shape == (38, 2)
    mumakil = TITLES.index("Mûmakil")
    assert list(COMBAT_INITIATIVE[mumakil]) == [3, 5]
    assert [TITLES[title] for title in COMBAT_FROM_TABLE.nonzero()[0]] == ["Durin's Bane"]
    for table in (COMBAT_TITLE, COMBAT_PROGRAM, COMBAT_CONDITION, COMBAT_REGIONS, COMBAT_INITIATIVE):
        assert table.dtype == "int64" and not table.flags.writeable


def _set(*path):
    *keys, last, value = path

    def change(programs):
        for key in keys:
            programs = programs[key]
        programs[last] = value

    return change


def _effect(**fields):
    return lambda programs: programs["Daylight"]["effects"][0].update(fields)


def _test(**fields):
    return _set("Daylight", "condition", [fields])


@pytest.mark.parametrize(
    ("change", "problem"),
    [
        (lambda p: p.pop("Daylight"), "Daylight: is missing; it is the Combat title of fp-strat-"),
        (_set("Moonlight", {}), "Moonlight: is the Combat title of no event card"),
        (_set("Daylight", "side", "shadow"), "Daylight: side must be that of fp-strat-"),
        (_set("Daylight", "colour", 1), "Daylight: has a field 'colour' that means nothing here"),
        (_set("Daylight", "effects", []), "Daylight: must have at most 2 tests, and 1 to 2 effects"),
        (_effect(op="shine"), "Daylight: effects 0: op 'shine' is not known"),
        (_effect(op="none"), "Daylight: effects 0: op 'none' is not known"),
        (_effect(window="rolls"), "Daylight: effects 0: window must be one of start_effects, modifiers"),
        (_effect(window="noon"), "Daylight: effects 0: window 'noon' is not known"),
        (_effect(who="nobody"), "Daylight: effects 0: who 'nobody' is not known"),
        (_effect(when="never"), "Daylight: effects 0: when 'never' is not known"),
        (_effect(amount="lots"), "Daylight: effects 0: amount 'lots' is not known"),
        (_effect(amount=12), "Daylight: effects 0: amount must be from -9 to 9, not 12"),
        (_effect(target=4), "Daylight: effects 0: has a field 'target' that means nothing here"),
        (lambda p: p["Daylight"]["effects"][0].pop("who"), "Daylight: effects 0: has no 'who'"),
        (_test(test="sunny"), "Daylight: condition 0: test 'sunny' is not known"),
        (_test(test="character", characters=["sam"]), "Daylight: condition 0: character 'sam' is not known"),
        (_test(test="units", nations=["ents"], elites_only=True), "nation 'ents' is not known"),
        (_test(test="defender_near", region="bag-end", distance=1), "region 'bag-end' is not known"),
        (_test(test="nazgul_leadership", points="many"), "points 'many' is not known"),
        (
            lambda p: p["Mûmakil"]["effects"].pop(),
            "Mûmakil: has effects in 1 windows, but the card prints [3, 5]",
        ),
    ],
)
def test_mistakes_are_named(change, problem):
    programs = copy.deepcopy(PROGRAMS)
    change(programs)
    with pytest.raises(entry.DataError) as error:
        load_combat_programs(programs, CARDS, REGIONS, CHARACTERS)
    assert str(error.value).startswith("combat_programs.toml: ") and problem in str(error.value)
