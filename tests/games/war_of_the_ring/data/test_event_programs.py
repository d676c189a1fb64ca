"""The file of the events' programs: complete, and every mistake in it named."""

import copy

import pytest

from wotr_env.games.war_of_the_ring.cards.events import EVENT_CONDITIONS, EVENT_OPS
from wotr_env.games.war_of_the_ring.components import CARD_IDS
from wotr_env.games.war_of_the_ring.data import entry, pieces
from wotr_env.games.war_of_the_ring.data.event_programs import FILE, Condition, Op, load_event_programs

CARDS = pieces.load_cards(entry.read("event_cards.json"))
TILES = pieces.load_tiles(entry.read("hunt_tiles.json"), CARDS)
CHARACTERS = pieces.load_characters(entry.read("characters.json"))
PROGRAMS = entry.read(FILE)


def test_tables():
    assert EVENT_OPS.shape == (96, 4, 8) and EVENT_CONDITIONS.shape == (96, 2, 8)
    for table in (EVENT_OPS, EVENT_CONDITIONS):
        assert table.dtype == "int64" and not table.flags.writeable
    card = CARD_IDS.index("fp-char-11")
    assert list(EVENT_OPS[card, :3, 0]) == [Op.SEPARATE, Op.HEAL, Op.END]
    assert list(EVENT_CONDITIONS[card, :, 0]) == [Condition.IN_FELLOWSHIP, Condition.NONE]


def _program(*operations):
    return lambda programs: programs["fp-char-01"].update(program=list(operations))


def _condition(text):
    return lambda programs: programs["fp-char-01"].update(conditions=[text])


@pytest.mark.parametrize(
    ("change", "problem"),
    [
        (lambda p: p.update({"fp-char-25": {"program": ["table"]}}), "fp-char-25: there is no such card"),
        (lambda p: p.pop("sh-strat-24"), "sh-strat-24: needs 'program'"),
        (_program(), "fp-char-01: needs 'program'"),
        (lambda p: p["fp-char-01"].update(icon="army"), "fp-char-01: needs 'program'"),
        (_program("dance"), "fp-char-01: unknown operation 'dance'"),
        (_program(*["table"] * 5), "fp-char-01: more than 4 operations"),
        (_program("tile"), "fp-char-01: parameter 'tile' is missing"),
        (_program("tile tile-fp-9"), "fp-char-01: 'tile-fp-9' is no tile"),
        (_program("heal 1 guide=nobody"), "fp-char-01: 'nobody' is no character"),
        (_program("heal 1 amount=2"), "fp-char-01: unknown or repeated parameter 'amount'"),
        (_program("heal many"), "fp-char-01: 'many' is no number"),
        (_program("draw character 1 2"), "fp-char-01: too many parameters: '2'"),
        (_program("kill-leader valinor"), "fp-char-01: 'valinor' is no region"),
        (_condition("raining"), "fp-char-01: unknown condition 'raining'"),
        (_condition("active bree"), "fp-char-01: 'bree' is no nation"),
    ],
)
def test_mistakes_are_named(change, problem):
    programs = copy.deepcopy(PROGRAMS)
    change(programs)
    with pytest.raises(entry.DataError) as error:
        load_event_programs(programs, CARDS, TILES, CHARACTERS)
    assert str(error.value).startswith(f"{FILE}: {problem}")


@pytest.mark.parametrize("file", ["nowhere.toml", "nowhere.json"])
def test_a_missing_file_is_named(file):
    with pytest.raises(entry.DataError, match=f"{file}: cannot be read"):
        entry.read(file)
