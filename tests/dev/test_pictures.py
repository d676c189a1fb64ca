"""Pictures of the documentation show the game of today, or stand beside how they were measured."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from tests.browsers import browser as browser
from tests.tools import documentation, pictures
from wotr_env.games.war_of_the_ring.render import style

ROOT = Path(__file__).parents[2]
DRAWN = {"docs/map.png", "docs/architecture.svg"}
"""The tests draw them again."""
TAKEN = {"docs/table.png"}
"""A test takes them again in a browser."""
BY_COMMAND = {f"docs/table-{name}.png" for name in ("duel", "phone", "towers", "tablet", "luck")}
"""``python -m tests.tools.table_pictures`` takes them; nothing compares them yet."""
MEASURED = {
    "benchmarks/throughput.svg": ("docs/benchmarks.md", "wotr bench --slow --out benchmarks"),
    "docs/calibration.png": ("docs/calibration.md", "seed 20261124"),
    "docs/training.png": ("agents/wotr_agents/zoo/laptop.md", "decisions 96000000"),
}
"""Plots of measurements, which stay as they were measured: the page that says how, and its words."""
STUDY = [path.relative_to(ROOT).as_posix() for path in sorted((ROOT / "docs" / "study").iterdir())]
MEASURED |= dict.fromkeys(STUDY, ("docs/study.md", "wotr study net:path=zoo/wide --games 2000"))


def test_every_picture_is_held_by_something():
    tracked = subprocess.run(["git", "ls-files"], cwd=ROOT, capture_output=True, text=True).stdout.split("\n")
    if tracked == [""]:
        pytest.skip("needs a git checkout")
    found = {name for name in tracked if re.search(r"\.(png|svg|jpg|gif|webp)$", name)}
    assert {name for name in found if "/static/" not in name} == DRAWN | TAKEN | BY_COMMAND | MEASURED.keys()


@pytest.mark.parametrize("picture", sorted(MEASURED))
def test_a_plot_is_shown_beside_how_it_was_measured(picture):
    page, words = MEASURED[picture]
    assert words in (ROOT / page).read_text(encoding="utf-8")


def test_the_map_is_the_one_that_is_drawn_today():
    kept = np.asarray(Image.open(documentation.DOCS / documentation.MAP).convert("RGB"))
    drawn = np.asarray(pictures.draw_map().convert("RGB"))
    assert np.array_equal(kept, drawn), "run python -m tests.tools.documentation"


def test_few_colours_keep_those_of_the_nations():
    whole = np.asarray(Image.fromarray(pictures.position(pictures.SHADOW).render(pictures.SHADOW).image))
    few = np.asarray(pictures.draw_map().convert("RGB"))
    assert np.abs(whole.astype(int) - few).max() < 32
    for colour in style.NATION_COLOURS.values():
        rgb = [int(colour[place : place + 2], 16) for place in (1, 3, 5)]
        assert (np.abs(few.astype(int) - rgb).max(axis=2) < 20).any(), colour


@pytest.mark.slow
def test_the_picture_of_the_table_shows_the_page_of_today(browser, tmp_path):
    for name in ("starlette", "uvicorn", "websockets"):
        pytest.importorskip(name, reason="needs the extra web")
    from tests.tools import table_picture
    from tests.tools.live_table import LiveServer

    kept = Image.open(table_picture.PICTURE).convert("RGB")
    with LiveServer(tmp_path).running() as server:
        taken = table_picture.take(browser, server)
    assert table_picture.differing(kept, taken) <= table_picture.AS_GOOD_AS_THE_SAME, (
        "run python -m tests.tools.table_picture"
    )


def test_a_picture_of_the_table_in_other_colours_differs():
    table_picture = pytest.importorskip("tests.tools.table_picture", reason="needs playwright")
    kept = Image.open(table_picture.PICTURE).convert("RGB")
    pixels = np.asarray(kept).copy()
    elves = [int(style.NATION_COLOURS["elves"][place : place + 2], 16) for place in (1, 3, 5)]
    counters = np.abs(pixels.astype(int) - elves).max(axis=2) < 12
    assert counters.sum() > 500
    pixels[counters] = (0x3F, 0x6E, 0x5B)
    assert table_picture.differing(kept, Image.fromarray(pixels)) > table_picture.AS_GOOD_AS_THE_SAME
