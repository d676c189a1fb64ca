"""The generated pages in docs/ are up to date, and so are the sizes that other pages tell."""

from __future__ import annotations

import re

import pytest
import typer
import typer.main

from tests.tools.documentation import DOCS, PAGES, PAGES_OF_GAMES, with_tables
from wotr_benchmarks.throughput import memory_per_game
from wotr_env.games.war_of_the_ring.actions import NUM_ACTIONS
from wotr_env.games.war_of_the_ring.engine.observation_layout import OBSERVATION_SIZE
from wotr_env.games.war_of_the_ring.state import STATE
from wotr_env.play.games import game_kind
from wotr_experiments.cli.main import app

TOLD = [
    ("architecture.md", f"one numpy record of {STATE.itemsize:,} bytes"),
    ("architecture.md", f"an action is one of {NUM_ACTIONS} numbers"),
    ("training.md", f"the {OBSERVATION_SIZE:,} numbers of an observation"),
    ("training.md", f"a score for each of the {NUM_ACTIONS} actions"),
]
"""What pages say of sizes that follow from the tables."""


@pytest.mark.parametrize("name", sorted(PAGES))
def test_pages_are_up_to_date(name):
    written = (DOCS / name).read_text(encoding="utf-8")
    assert written == PAGES[name](), "run python -m tests.tools.documentation"


@pytest.mark.parametrize("name", sorted(PAGES_OF_GAMES))
def test_tables_of_games_are_up_to_date(name):
    written = (DOCS / name).read_text(encoding="utf-8")
    assert with_tables(written, *PAGES_OF_GAMES[name]) == written, "run python -m tests.tools.documentation"
    assert with_tables(written.replace("| `decision` |", "| `x` |"), *PAGES_OF_GAMES[name]) == written


@pytest.mark.parametrize(("page", "words"), TOLD)
def test_sizes_are_those_of_today(page, words):
    assert words in (DOCS / page).read_text(encoding="utf-8")


def test_the_memory_of_a_game_is_that_of_today():
    all_buffers, unobserved = (memory_per_game(each)["memory_per_game"] for each in (True, False))
    words = f"{all_buffers:,.0f} bytes ({unobserved:,.0f} without observations)"
    assert words in (DOCS / "benchmarks.md").read_text(encoding="utf-8")
    assert f"| {all_buffers:,.0f} bytes |" in (DOCS / "../README.md").read_text(encoding="utf-8")


@pytest.mark.parametrize("name", ["war-of-the-ring", "duel", "two-towers"])
def test_the_readme_tells_the_sizes_of_a_game(name):
    lines = (DOCS / "../README.md").read_text(encoding="utf-8").splitlines()
    kind = game_kind(name)
    (row,) = (line for line in lines if f"| `{name}` |" in line)
    assert row.endswith(f"| {kind.layout.size:,} | {kind.actions.size} |")


def test_the_readme_tells_the_ratings_of_the_tournament():
    cross = (DOCS / "cross.md").read_text(encoding="utf-8").partition("## By side")[0]
    ratings = dict(re.findall(r"^\| `(.+)` \| ([+-]\d+) \(", cross, re.MULTILINE))
    lines = (DOCS / "../README.md").read_text(encoding="utf-8").splitlines()
    told = {}
    for line in lines:
        if found := re.match(r"\| (`.+?) \|.*\| Elo ([^;|]+)", line):
            told |= zip(re.findall(r"`(.+?)`", found[1]), re.findall(r"[+-]\d+", found[2]), strict=True)
    assert told == {name.replace("path=", ""): rating for name, rating in ratings.items()}


def test_the_readme_is_short():
    assert len((DOCS / "../README.md").read_text(encoding="utf-8").splitlines()) <= 120


def test_every_command_has_a_section_with_an_example():
    page = (DOCS / "commands.md").read_text(encoding="utf-8")
    names = typer.main.get_command(app).commands  # type: ignore[attr-defined]
    assert sorted(re.findall(r"^### wotr ([\w-]+)$", page, re.MULTILINE)) == sorted(names)
    for section in page.split("\n### ")[1:]:
        title, _, body = section.partition("\n")
        assert re.search(rf"^{title}|`{title}\s", body, re.MULTILINE), title
