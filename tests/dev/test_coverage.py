"""The coverage table: how functions and tests are found by the rule ids that they name."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from wotr_env.games.war_of_the_ring.components import CARD_NAMES, COMBAT_NAMES
from wotr_experiments.rulebook.coverage import (
    CardCoverage,
    Coverage,
    card_coverage,
    cited,
    coverage,
    coverage_of_games,
    folder_of_rule_tests,
    named,
    rule_titles,
    rule_titles_of_games,
)

BOTH = "event test and combat test"
KNOWN = (
    "R2.5",
    "R2.6",
    "R7.4",
    "R7.4.1",
    "R7.4.2",
    "R7.4.3",
    "R8.0",
    "RU8",
    "RU9",
    "GX1",
    "GX37",
    "fp-char-05",
)

MODULE = '''"""A chapter (R2.5)."""

# About a table (R2.6).
TABLE = 1


def first(state):
    """Does it (R7.4.1-R7.4.3, RU8)."""
    return "R8.0"


# A note above a function: R8.0.
# It goes on: RU9.
@decorated
def second(state):
    return 0  # the rest of R2.5


class Thing:
    """Named in GX1."""

    def method(self):
        """See fp-char-05."""
'''

TESTS = '''
def test_R7_4_2_R7_4_3_two_figures():
    """Also RU8."""

class TestGroup:
    def test_GX37_split(self):
        pass

def helper_R2_5():
    pass
'''


@pytest.mark.parametrize(
    ("text", "ids"),
    [
        ("draws a card (R7.4.2).", {"R7.4.2"}),
        ("R7.4.1, R7.4.3 and RU8", {"R7.4.1", "R7.4.3", "RU8"}),
        ("R7.4.1-R7.4.3", {"R7.4.1", "R7.4.2", "R7.4.3"}),
        ("R7.4.1-3 of the rules", {"R7.4.1", "R7.4.2", "R7.4.3"}),
        ("R2.5-R2.6", {"R2.5", "R2.6"}),
        ("RU8-RU9", {"RU8", "RU9"}),
        ("R7.4.20, R7.4.9, XR7.4.1, R7", set()),
        ("the card fp-char-05", {"fp-char-05"}),
        ("fp-char-04-fp-char-06", {"fp-char-05"}),
    ],
)
def test_citations_in_text(text, ids):
    assert cited(text, KNOWN) == ids


@pytest.mark.parametrize(
    ("test", "ids"),
    [
        ("test_R7_4_2_two_regulars", {"R7.4.2"}),
        ("test_R7_4_2_R7_4_3_two", {"R7.4.2", "R7.4.3"}),
        ("test_R7_4_2_5_units_stay", {"R7.4.2"}),
        ("test_GX37_split_R2_5", {"GX37", "R2.5"}),
        ("test_fp_char_05_mithril", {"fp-char-05"}),
        ("test_GX370_R7_9_9_other", set()),
    ],
)
def test_ids_in_names_of_tests(test, ids):
    assert named(test, KNOWN) == ids


def test_functions_and_tests_are_attributed(tmp_path):
    package, tests = tmp_path / "package", tmp_path / "tests"
    (package / "rules").mkdir(parents=True)
    (package / "rules" / "chapter.py").write_text(MODULE)
    tests.mkdir()
    (tests / "test_chapter.py").write_text(TESTS)
    rows = {row.id: row for row in coverage(dict.fromkeys(KNOWN, "a title"), package, tests)}
    assert rows["R2.5"].functions == ("rules.chapter", "rules.chapter.second")
    assert rows["R2.6"].functions == ("rules.chapter",)
    for name in ("R7.4.1", "R7.4.2", "R7.4.3", "RU8"):
        assert rows[name].functions == ("rules.chapter.first",)
    assert rows["R8.0"].functions == rows["RU9"].functions == ("rules.chapter.second",)
    assert rows["GX1"].functions == ("rules.chapter.Thing",)
    assert rows["fp-char-05"].functions == ("rules.chapter.Thing.method",)
    assert rows["R7.4.2"].tests == rows["RU8"].tests == ("test_chapter.py::test_R7_4_2_R7_4_3_two_figures",)
    assert rows["GX37"].tests == ("test_chapter.py::test_GX37_split",)
    assert rows["R2.5"].tests == ()


def test_tests_are_those_of_the_checkout_or_came_with_the_package(tmp_path):
    package, here = tmp_path / "wotr_env", tmp_path / "rulebook"
    assert folder_of_rule_tests(package, here) == here / "rules_tests"
    (tmp_path / "pyproject.toml").write_text("")
    assert folder_of_rule_tests(package, here) == tmp_path / "tests" / "games" / "war_of_the_ring" / "rules"


@pytest.mark.parametrize("page", ["duel", "two-towers"])
def test_the_rules_of_other_games_are_those_of_their_pages_with_functions_and_tests(page):
    titles = rule_titles_of_games()[page]
    text = (Path(__file__).parents[2] / "docs" / f"{page}.md").read_text(encoding="utf-8")
    assert list(titles) == re.findall(r"^- \*\*((?:D|TT)\d+\.\d+)\*\*", text, re.MULTILINE)
    assert all(0 < len(title) <= 60 for title in titles.values())
    rows = {row.id: row for row in coverage_of_games() if row.id in titles}
    assert [row.id for row in rows.values() if row.missing] == []
    assert list(rows) == list(titles)


def test_a_missing_folder_of_tests_means_no_tests(tmp_path):
    assert coverage({"R2.5": "a title"}, tmp_path, tmp_path / "none")[0].tests == ()


@pytest.mark.parametrize(
    ("name", "functions", "tests", "missing"),
    [
        ("R2.5", ("f",), ("t",), ""),
        ("R2.5", (), ("t",), "function"),
        ("R2.5", ("f",), (), "test"),
        ("R2.5", (), (), "function and test"),
        ("GX1", (), ("t",), ""),
        ("RU8", (), (), "test"),
        ("fp-char-05", (), ("t",), "function"),
    ],
)
def test_what_an_id_lacks(name, functions, tests, missing):
    assert Coverage(name, "a title", functions, tests).missing == missing


def test_the_list_of_rules_is_complete_and_short():
    titles = rule_titles()
    assert len(titles) == 477
    assert all(0 < len(title) <= 60 for title in titles.values())
    assert len(set(titles.values())) == len(titles)
    chapters = {int(match[1]) for name in titles if (match := re.match(r"R(\d+)\.", name))}
    assert chapters == {*range(2, 15)}
    assert {f"GX{number}" for number in range(1, 45)} <= set(titles)


def cards(tests=None):
    return {row.id: row for row in (card_coverage(tests) if tests else card_coverage())}


def test_every_card_has_a_row_with_its_primitives():
    rows = cards()
    assert len(rows) == 96
    assert all(row.event and row.combat for row in rows.values())
    row = rows["fp-strat-07"]
    assert (row.title, row.combat_title) == (CARD_NAMES[30], COMBAT_NAMES[30])
    assert row.event == ("move-companions", "if at", "set-war")
    assert rows["fp-char-09"].combat == ("forfeit-character", "convert")
    assert rows["sh-char-12"].conditions == ("revealed",)


CARD_TESTS = '''
def test_fp_char_09_athelas():
    """Also fp-char-10."""


@pytest.mark.parametrize("card", ["sh-strat-01", "sh-strat-10"])
def test_deadly_strife(card):
    """No id here."""


@each(*cards("sh-char", 7, 16))
def test_combat_they_are_terrible(card):
    cards("sh-char", 8)
'''


def test_tests_of_cards_are_found_by_name_docstring_and_parameters(tmp_path):
    (tmp_path / "test_some.py").write_text(CARD_TESTS)
    (tmp_path / "test_combat_some.py").write_text("def test_sh_char_08_alone(): ...")
    of_a_chapter = '@pytest.mark.parametrize("card", ["fp-strat-01"])\ndef test_a_rule(card): ...'
    (tmp_path / "test_r06_cards.py").write_text(of_a_chapter)
    rows = cards(tmp_path)
    found = {name: (row.event_tests, row.combat_tests) for name, row in rows.items() if row.missing != BOTH}
    athelas = (("test_some.py::test_fp_char_09_athelas",), ())
    strife = (("test_some.py::test_deadly_strife",), ())
    terrible = ((), ("test_some.py::test_combat_they_are_terrible",))
    assert found == {
        "fp-char-09": athelas,
        "fp-char-10": athelas,
        "sh-strat-01": strife,
        "sh-strat-10": strife,
        "sh-char-07": terrible,
        "sh-char-16": terrible,
        "sh-char-08": ((), ("test_combat_some.py::test_sh_char_08_alone",)),
    }
    assert rows["fp-char-09"].missing == "combat test" and rows["sh-char-07"].missing == "event test"


def test_the_tests_of_both_halves_make_a_card_complete():
    card = CardCoverage("fp-char-01", "a title", (), ("tile",), "a title", ("bonus",), ("t",), ("t",))
    assert card.missing == ""
