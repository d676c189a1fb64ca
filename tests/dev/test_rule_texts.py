"""``wotr rules`` tells rules in words, as pages of docs/ have them."""

from __future__ import annotations

import json
import re

from wotr_experiments.cli import main as cli
from wotr_experiments.rulebook.coverage import rule_titles, rule_titles_of_games
from wotr_experiments.rulebook.rule_texts import PAGE, rule_texts, texts_of

SAMPLE = """
- R1.1 D One *die* of [`a file`](../a.json):
  - red,
  - blue.
- R1.2 Two:
  - R1.2.1 Three (opt:`some_option`).
  - R1.2.2 Four.

- no rule

| id | question | decision |
|---|---|---|
| RU1 | Which \\| what? | both |
"""


def test_rules_are_found_in_lists_and_tables():
    assert texts_of(SAMPLE) == {
        "R1.1": "D One die of a file: - red, - blue.",
        "R1.2": "Two:",
        "R1.2.1": "Three (opt:some_option).",
        "R1.2.2": "Four.",
        "RU1": "Which | what?; both",
    }


def test_every_rule_has_words():
    of_games = [name for titles in rule_titles_of_games().values() for name in titles]
    assert [name for name in (*rule_titles(), *of_games) if not rule_texts().get(name)] == []


def test_a_rule_is_told_in_words(capsys):
    assert cli.main(["rules", "R7.4.1"]) == 0
    told = " ".join(capsys.readouterr().out.split())
    assert "R7.4.1: With one Muster result, the player chooses one of these: (a) 2 Regulars" in told
    assert cli.main(["rules", "R7.4.1", "--json"]) == 0
    (row,) = json.loads(capsys.readouterr().out)
    assert row["text"] == rule_texts()["R7.4.1"]


def test_rules_of_the_smaller_games_are_told_in_words(capsys):
    assert cli.main(["rules", "TT2.4"]) == 0
    assert "TT2.4: The card just put into the display is not taken back" in " ".join(
        capsys.readouterr().out.split()
    )


def test_words_that_no_title_has_are_looked_for_in_the_texts(capsys):
    assert cli.main(["rules", "siege", "leader", "--json"]) == 0
    rows = json.loads(capsys.readouterr().out)
    assert rows and all("siege" in (row["title"] + row["text"]).lower() for row in rows)


def test_many_rules_are_a_table_only(capsys):
    assert cli.main(["rules", "R7"]) == 0
    assert "chooses one of these" not in capsys.readouterr().out


def test_the_page_cites_nothing_that_a_reader_has_not():
    page = PAGE.read_text(encoding="utf-8")
    assert "editions.md" not in page and not re.search(r"\[FAQ|working spec", page, re.IGNORECASE)
