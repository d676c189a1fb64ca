"""docs/data.ipynb: its cells run, and what is kept of their output are figures of docs/strength.md."""

from __future__ import annotations

import contextlib
import io
import json
from pathlib import Path

import pytest

from wotr_experiments.arena.engines import WorkerPool
from wotr_experiments.arena.schedule import Tournament
from wotr_experiments.arena.tournament import run_tournament
from wotr_experiments.data.export import Export, export
from wotr_experiments.data.sources import games_of
from wotr_experiments.isolation.bots import Isolation

ROOT = Path(__file__).parents[2]
NOTEBOOK = json.loads((ROOT / "docs" / "data.ipynb").read_text(encoding="utf-8"))
CELLS = ["".join(cell["source"]) for cell in NOTEBOOK["cells"] if cell["cell_type"] == "code"]


def outputs():
    """What the cells have printed when the notebook was written."""
    for cell in NOTEBOOK["cells"]:
        for output in cell.get("outputs", []):
            assert output["output_type"] == "stream", "nothing but text is kept"
            yield "".join(output["text"])


def test_its_cells_run(tmp_path, monkeypatch):
    bots = ("scripted", "random", "scripted")
    crew = WorkerPool("threads", 1, Isolation("none"))
    run_tournament(Tournament(bots, 6, 11, gauntlet=True), tmp_path / "runs" / "strength", crew)
    asked = Export(tables=("games", "turns"))
    export([games_of(tmp_path / "runs" / "strength")], tmp_path / "runs" / "data", asked)
    (tmp_path / "docs").mkdir()
    monkeypatch.chdir(tmp_path / "docs")
    names = {}
    with contextlib.redirect_stdout(io.StringIO()) as printed:
        for cell in CELLS:
            exec(compile(cell, "data.ipynb", "exec"), names)
    for words in ("12 games", "scripted as", "The Free Peoples win", "(100, 5145) int8"):
        assert words in printed.getvalue()


@pytest.mark.parametrize(
    "figure", ["97.6%", "100.0%", "75.6%", "64.1%", "The Free Peoples win 52.5%; median 10 turns"]
)
def test_its_output_has_the_figures_of_the_page(figure):
    assert any(figure in text for text in outputs())
    number = figure.split(";")[0].split()[-1].replace("100.0%", "100%")
    assert number in (ROOT / "docs" / "strength.md").read_text(encoding="utf-8")
