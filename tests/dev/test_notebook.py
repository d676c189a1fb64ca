"""docs/notebook.ipynb: its cells run in order, and what they show is drawn as a notebook would draw it."""

from __future__ import annotations

import ast
import contextlib
import io
import json
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).parents[2]
NOTEBOOK = json.loads((ROOT / "docs" / "notebook.ipynb").read_text(encoding="utf-8"))
CELLS = ["".join(cell["source"]) for cell in NOTEBOOK["cells"] if cell["cell_type"] == "code"]
MOST_BYTES = 20_000


def run(cell: str, names: dict[str, Any]) -> Any:
    """Runs a cell as a notebook does; returns the value of its last line, if that is an expression."""
    tree = ast.parse(cell, "notebook.ipynb")
    last = tree.body.pop() if isinstance(tree.body[-1], ast.Expr) else None
    exec(compile(tree, "notebook.ipynb", "exec"), names)
    return (
        None if last is None else eval(compile(ast.Expression(last.value), "notebook.ipynb", "eval"), names)
    )


@pytest.fixture(scope="module")
def shown() -> tuple[str, list[Any]]:
    """What the cells print, and the values that they show."""
    names: dict[str, Any] = {}
    with contextlib.redirect_stdout(io.StringIO()) as printed:
        values = [run(cell, names) for cell in CELLS]
    return printed.getvalue(), values


def test_the_notebook_is_small_and_has_no_outputs():
    assert (ROOT / "docs" / "notebook.ipynb").stat().st_size < MOST_BYTES
    assert not any(cell.get("outputs") for cell in NOTEBOOK["cells"])
    assert len({cell["id"] for cell in NOTEBOOK["cells"]}) == len(NOTEBOOK["cells"])


def test_its_cells_run(shown):
    printed, _ = shown
    assert "there is no action 'character:gandalf'; names look like character:gandalf-" in printed
    assert "'free_peoples': 'scripted'" in printed


def test_what_cells_show_is_drawn(shown):
    _, values = shown
    drawn = [value._repr_html_() for value in values if value is not None and hasattr(value, "_repr_html_")]
    assert sum("<svg" in text for text in drawn) == 3
    assert sum(text.startswith("<table>") for text in drawn) == 4
    bots = next(value for value in values if isinstance(value, list) and "wins" in value[0])
    assert {row["bot"]: row["wins"] > 0.5 for row in bots} == {"scripted": True, "random": False}
