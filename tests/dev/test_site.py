"""The site of docs/: every page is in its navigation, it builds without a warning, its examples run."""

import importlib.util
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from wotr_env.games import game_kind
from wotr_experiments.cli import main as cli

ROOT = Path(__file__).parents[2]
DOCS, SITE = ROOT / "docs", ROOT / ".site" / "mkdocs.yml"
EXAMPLES = ("first-bot.md", "first-training.md")
PAGES = ("index.md", "first-game.md", *EXAMPLES)


def test_every_page_is_in_the_navigation_once():
    written = SITE.read_text(encoding="utf-8").split("\nnav:\n")[1]
    assert sorted(re.findall(r"[\w-]+\.md", written)) == sorted(page.name for page in DOCS.glob("*.md"))


@pytest.mark.skipif(importlib.util.find_spec("mkdocs") is None, reason="needs the extra docs")
def test_it_builds_without_a_warning(tmp_path):
    command = [sys.executable, "-m", "mkdocs", "build", "--strict", "-q", "-f", SITE, "-d", tmp_path / "site"]
    environment = {**os.environ, "NO_MKDOCS_2_WARNING": "1"}
    built = subprocess.run(command, capture_output=True, text=True, env=environment)
    assert built.returncode == 0, built.stdout + built.stderr
    api = (tmp_path / "site" / "api.html").read_text(encoding="utf-8")
    assert 'id="wotr_env.VectorGame"' in api and "threads" in api
    environments = (tmp_path / "site" / "environments.html").read_text(encoding="utf-8")
    assert "Legal Actions Mask" in environments


@pytest.mark.parametrize("page", EXAMPLES)
def test_examples_run(page, capsys):
    (example,) = re.findall(r"```python\n(.*?)```", (DOCS / page).read_text(encoding="utf-8"), re.DOTALL)
    exec(compile(example, page, "exec"), {})
    assert capsys.readouterr().out


@pytest.mark.parametrize("page", PAGES)
def test_commands_have_their_options(page, capsys):
    """Each command of the pages is one, and so are its options."""
    blocks = re.findall(r"```bash\n(.*?)```", (DOCS / page).read_text(encoding="utf-8"), re.DOTALL)
    commands = re.findall(r"wotr (\S+)(.*)", "\n".join(blocks))
    assert commands
    for name, rest in commands:
        assert cli.main([name, "--help"]) == 0
        told = capsys.readouterr().out
        for option in re.findall(r"--[\w-]+", rest.partition("#")[0]):
            assert option in told, f"wotr {name} has no {option}"


def test_sizes_of_the_environments():
    page = (DOCS / "environments.md").read_text(encoding="utf-8")
    rows = {
        "war-of-the-ring": "war_of_the_ring/wotr-v0",
        "duel": "lotr_duel-v0",
        "two-towers": "two_towers-v0",
    }
    for name, environment in rows.items():
        kind = game_kind(name)
        row = next(line for line in page.splitlines() if f"`{environment}`" in line)
        assert f"`int8` ({kind.layout.size},)" in row and row.endswith(f"| {kind.actions.size} |")
