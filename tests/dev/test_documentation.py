"""The generated pages in docs/ are up to date, and so are the sizes that other pages tell."""

from __future__ import annotations

import pytest

from tests.tools.documentation import DOCS, PAGES, PAGES_OF_GAMES, with_tables
from wotr_benchmarks.throughput import memory_per_game
from wotr_env.games.war_of_the_ring.actions import NUM_ACTIONS
from wotr_env.games.war_of_the_ring.engine.layout import OBSERVATION_SIZE
from wotr_env.games.war_of_the_ring.state import STATE

TOLD = [
    ("../README.md", f"| {OBSERVATION_SIZE:,} int8, everything a player"),
    ("../README.md", f"one record of {STATE.itemsize:,} bytes, an action one of\n{NUM_ACTIONS} places"),
    ("architecture.md", f"the whole game in one picture: {STATE.itemsize:,} bytes"),
    ("architecture.md", f"the action space: {NUM_ACTIONS} places"),
    ("training.md", f"The network sees the {OBSERVATION_SIZE:,} numbers of an observation"),
    ("training.md", f"a score to each of the {NUM_ACTIONS} actions"),
]
"""What pages say of sizes that follow from the tables."""


@pytest.mark.parametrize("name", sorted(PAGES))
def test_pages_are_up_to_date(name):
    written = (DOCS / name).read_text(encoding="utf-8")
    assert written == PAGES[name](), "run python -m tests.tools.documentation"


@pytest.mark.parametrize("name", sorted(PAGES_OF_GAMES))
def test_tables_of_games_are_up_to_date(name):
    written = (DOCS / name).read_text(encoding="utf-8")
    assert with_tables(written, PAGES_OF_GAMES[name]) == written, "run python -m tests.tools.documentation"
    assert with_tables(written.replace("| `decision` |", "| `x` |"), PAGES_OF_GAMES[name]) == written


@pytest.mark.parametrize(("page", "words"), TOLD)
def test_sizes_are_those_of_today(page, words):
    assert words in (DOCS / page).read_text(encoding="utf-8")


def test_the_memory_of_a_game_is_that_of_today():
    all_buffers, unobserved = (memory_per_game(each)["memory_per_game"] for each in (True, False))
    words = f"{all_buffers:,.0f} bytes ({unobserved:,.0f} without observations)"
    assert words in (DOCS / "../README.md").read_text(encoding="utf-8")
