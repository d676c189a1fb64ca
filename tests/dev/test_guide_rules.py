"""The guide to changing the rules, followed edit by edit in a copy of the sources."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
GUIDE = (ROOT / "docs" / "changing-the-rules.md").read_text(encoding="utf-8")
RECIPES = dict(re.findall(r"^## ([^\n]+)\n(.*?)(?=^## |\Z)", GUIDE, flags=re.MULTILINE | re.DOTALL))
LINES = re.MULTILINE | re.DOTALL
EDIT = re.compile(r"^In `([^`]+)`, (after|instead of) `([^`]+)`:\n\n```\w+\n(.*?)```$", LINES)
CHECK = re.compile(r"^```python check\n(.*?)```$", LINES)


def follow(recipe: str, folder: Path) -> None:
    """Makes the edits of a recipe in a copy of the sources."""
    for package in ("wotr_env", "tests"):
        shutil.copytree(ROOT / package, folder / package, ignore=shutil.ignore_patterns("__pycache__"))
    for file, how, anchor, text in EDIT.findall(recipe):
        path = folder / file
        source = path.read_text(encoding="utf-8")
        assert source.count(anchor) == 1, f"{file}: {anchor!r}"
        text = text.rstrip("\n")
        path.write_text(source.replace(anchor, f"{anchor}\n{text}" if how == "after" else text), "utf-8")


@pytest.mark.parametrize("name", RECIPES)
def test_a_recipe_works_as_it_is_written(name, tmp_path):
    edits, checks = EDIT.findall(RECIPES[name]), CHECK.findall(RECIPES[name])
    assert edits and len(checks) == 1 and RECIPES[name].count("```") == 2 * (len(edits) + 1)
    environment = {**os.environ, "NUMBA_DISABLE_JIT": "1", "PYTHONPATH": str(tmp_path)}
    command = [sys.executable, "-c", checks[0]]
    before = {**environment, "PYTHONPATH": str(ROOT)}
    unchanged = subprocess.run(command, cwd=ROOT, env=before, capture_output=True, text=True, check=False)
    assert unchanged.returncode != 0, "the check passes without the edits"
    follow(RECIPES[name], tmp_path)
    done = subprocess.run(command, cwd=tmp_path, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
