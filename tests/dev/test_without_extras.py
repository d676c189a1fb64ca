"""Without any extra everything is played, measured and exported; what needs one says which, in a line."""

from __future__ import annotations

import importlib.metadata
import json
import re
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest
from packaging.requirements import Requirement

from wotr_experiments.cli.main import COMMANDS

ROOT = Path(__file__).parents[2]
HIDING = """
import importlib.machinery, importlib.metadata, sys

hidden, kept = map(set, {names})
version = importlib.metadata.version

class Finder(importlib.machinery.PathFinder):
    @classmethod
    def find_spec(cls, name, path=None, target=None):
        return None if name.partition(".")[0] in hidden else super().find_spec(name, path, target)

def known(name):
    if name.lower().replace("_", "-") not in kept:
        raise importlib.metadata.PackageNotFoundError(name)
    return version(name)

sys.meta_path[:] = [Finder if each is importlib.machinery.PathFinder else each for each in sys.meta_path]
importlib.metadata.version = known
"""


def installed(names: list[str]) -> set[str]:
    """Distributions that come with these requirements, and with those that they have."""
    found: set[str] = set()
    wanted = [Requirement(name) for name in names]
    while wanted:
        requirement = wanted.pop()
        name = requirement.name.lower().replace("_", "-")
        if name in found:
            continue
        found.add(name)
        extras = ("", *requirement.extras)
        for each in map(Requirement, importlib.metadata.requires(name) or []):
            if each.marker is None or any(each.marker.evaluate({"extra": extra}) for extra in extras):
                wanted.append(each)
    return found


@pytest.fixture(scope="module")
def run():
    """Runs code in a process that has what a plain installation has, and no more."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    kept = installed(project["dependencies"]) | {project["name"]}
    hidden = [
        module
        for module, names in importlib.metadata.packages_distributions().items()
        if not kept & {name.lower().replace("_", "-") for name in names}
    ]
    assert {"torch", "msgspec", "pandas"} <= set(hidden) and "numpy" not in hidden
    hiding = HIDING.format(names=[hidden, sorted(kept)])

    def run(code: str) -> subprocess.CompletedProcess[str]:
        command = [sys.executable, "-c", hiding + code]
        return subprocess.run(command, capture_output=True, text=True, input="quit\n")

    return run


def test_a_bot_by_a_network_plays(run):
    done = run("""
from wotr_agents import make_bot
from wotr_env import VectorGame
from wotr_env.play.bots import view_of
bot, games = make_bot("net:zoo/laptop", 1), VectorGame(2, seed=1)
for _ in range(3):
    games.step(bot.act(view_of(games.states, games.masks)))
""")
    assert done.returncode == 0, done.stderr


SHORT = "--max-turns 1 --workers 1"
NEEDED = {
    "demo": ("learn", "--out {out}/d"),
    "train": ("learn", "{out}/r"),
    "exploit": ("learn", "scripted --out {out}/x"),
    "export-network": ("learn", "zoo/laptop {out}/n.pt2"),
    "serve": ("web", ""),
    "mcp": ("mcp", ""),
}
"""The commands that need an extra, and which."""
ENOUGH = {
    "warmup": "",
    "bots": "",
    "rules": "R7.9.2",
    "bench": "--only state_copies --repeats 1 --json",
    "play": "--as shadow --against random --seed 4 --save {out}/p",
    "tournament": f"random net:zoo/laptop --games 2 {SHORT} --out {{out}}/t",
    "compare": f"scripted random --elo0 0 --elo1 100 --max-games 2 {SHORT} --out {{out}}/c",
    "book": "{out}/b.txt --positions 1 --ruleset first:max_turns=3 --network zoo/laptop",
    "study": f"random --games 2 {SHORT} --out {{out}}/s",
    "text-tournament": "random random --games 2 --max-turns 1 --out {out}/l",
    "export": "{out}/t --format csv --out {out}/e",
    "replay": "{out}/t --record 1",
    "position": "{out}/t --record 1",
    "analyse": "{out}/t --record 1 --bot scripted --at 3",
    "check-bot": "random",
    "serve-bot": "random",
}
"""All others, with arguments for a short run; a folder of an earlier line serves later ones."""


def test_every_command_is_here():
    assert {name for group in COMMANDS.values() for name in group} == NEEDED.keys() | ENOUGH.keys()


@pytest.mark.slow
def test_commands_that_need_no_extra_run(run, tmp_path):
    commands = [f"{name} {arguments}".format(out=tmp_path) for name, arguments in ENOUGH.items()]
    done = run(f"""
from wotr_experiments.cli.main import main
from wotr_experiments.luck import open_positions
open_positions.AT_ONCE = 8
for command in {commands!r}:
    if main(command.split()):
        sys.exit(command)
""")
    assert done.returncode == 0, done.stderr
    for folder in "tcsl":
        (entry,) = json.loads((tmp_path / folder / "provenance.json").read_text())
        assert entry["torch"] is None and entry["ended"], folder
    card = json.loads((tmp_path / "e" / "card.json").read_text())
    assert card["exported"]["torch"] is None


def test_commands_that_need_an_extra_say_which(run, tmp_path):
    commands = [f"{name} {arguments}".format(out=tmp_path) for name, (_, arguments) in NEEDED.items()]
    done = run(f"""
from wotr_experiments.cli.main import main
for command in {commands!r}:
    assert main(command.split()) == 2, command
""")
    assert done.returncode == 0, done.stderr
    lines = done.stderr.splitlines()
    assert len(lines) == len(NEEDED), done.stderr
    for line, (extra, _) in zip(lines, NEEDED.values(), strict=True):
        assert re.search(rf"pip install '[^']*\[{extra}\]'", line), line
