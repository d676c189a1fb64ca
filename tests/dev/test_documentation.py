"""The generated pages in docs/ are up to date, and so are the sizes that other pages tell."""

from __future__ import annotations

import pytest

from wotr_benchmarks.throughput import memory_per_game
from wotr_env.actions import NUM_ACTIONS
from wotr_env.engine.layout import OBSERVATION_SIZE
from wotr_env.state import STATE
from wotr_experiments.dev.documentation import DOCS, PAGES

TOLD = [
    ("../README.md", f"| {OBSERVATION_SIZE:,} int8, everything a player"),
    ("../README.md", f"the whole game in one picture: {STATE.itemsize:,} bytes"),
    ("../README.md", f"the action space: {NUM_ACTIONS} places"),
    ("training.md", f"The network sees the {OBSERVATION_SIZE:,} numbers of an observation"),
    ("training.md", f"a score to each of the {NUM_ACTIONS} actions"),
]
"""What pages say of sizes that follow from the tables."""


@pytest.mark.parametrize("name", sorted(PAGES))
def test_pages_are_up_to_date(name):
    written = (DOCS / name).read_text(encoding="utf-8")
    assert written == PAGES[name](), "run python -m wotr_experiments.dev.documentation"


@pytest.mark.parametrize(("page", "words"), TOLD)
def test_sizes_are_those_of_today(page, words):
    assert words in (DOCS / page).read_text(encoding="utf-8")


def test_the_memory_of_a_game_is_that_of_today():
    all_buffers, unobserved = (memory_per_game(each)["memory_per_game"] for each in (True, False))
    words = f"{all_buffers:,.0f} bytes ({unobserved:,.0f} without observations)"
    assert words in (DOCS / "../README.md").read_text(encoding="utf-8")
