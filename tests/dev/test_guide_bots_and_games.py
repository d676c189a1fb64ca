"""The guide to new bots and games is true: its files are written, its commands and examples run."""

from __future__ import annotations

import itertools
import json
import os
import re
import shlex
import subprocess
import sys
import tomllib
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from wotr_env.games.war_of_the_ring.game import WAR_OF_THE_RING
from wotr_experiments.arena.play import play_batch

GUIDE = (Path(__file__).parents[2] / "docs" / "bots-and-games.md").read_text(encoding="utf-8")
BLOCKS = re.findall(r"^```(\w+)(?: file=(\S+))?\n(.*?)^```$", GUIDE, flags=re.DOTALL | re.MULTILINE)
NAMES = dict.fromkeys(name for _, name, _ in BLOCKS if name)
FILES = {name: "\n".join(text for _, each, text in BLOCKS if each == name) for name in NAMES}
END = "the end of a command"
WOTR = f"""
import json, sys
from wotr_experiments.cli.main import main
for command in json.loads(sys.argv[1]):
    if code := main(command):
        sys.exit(code)
    print({END!r}, flush=True)
"""

PRINTED = {
    "wotr check-bot last:slips=0.3": "all 40 actions were legal",
    "wotr tournament last random": "2 games, seeds from a secret",
    "wotr tournament random last --game nim": "Nim: 40 games",
    "wotr check-bot random --game nim": "ms as Second",
    "wotr train nim-run --game nim": "",  # all of it goes to stderr
    "wotr tournament net:nim-run random --game nim": "Nim: 2 games",
    "python -m pytest": "1 passed",
}
"""What each command of the guide prints, by its beginning."""


def install(folder):
    """Writes the guide's package, and what pip would write of it."""
    for name, text in FILES.items():
        (folder / name).write_text(text, encoding="utf-8")
    project = tomllib.loads(FILES["pyproject.toml"])["project"]
    lines = []
    for group, entries in project["entry-points"].items():
        lines += [f"[{group}]", *(f"{name} = {value}" for name, value in entries.items())]
    installed = folder / f"{project['name']}.dist-info"
    installed.mkdir()
    (installed / "entry_points.txt").write_text("\n".join(lines) + "\n")
    about = f"Metadata-Version: 2.1\nName: {project['name']}\nVersion: {project['version']}\n"
    (installed / "METADATA").write_text(about)


@pytest.fixture(scope="module")
def run(tmp_path_factory):
    """Runs a command where the guide's package is installed; returns what it prints on stdout."""
    folder = tmp_path_factory.mktemp("guide")
    install(folder)
    paths = os.pathsep.join([str(folder), os.environ["PYTHONPATH"]])
    environment = {**os.environ, "PYTHONPATH": paths, "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"}

    def run(command):
        done = subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True)
        assert done.returncode == 0, f"{command}\n{done.stdout}{done.stderr}"
        return done.stdout

    return run


def outputs(run, lines):
    """What each of some lines of bash prints; successive commands of ``wotr`` share a process."""
    for is_wotr, together in itertools.groupby(lines, lambda line: line.startswith("wotr ")):
        commands = [shlex.split(line)[1:] for line in together]
        if is_wotr:
            yield from run([sys.executable, "-c", WOTR, json.dumps(commands)]).split(END)[:-1]
        else:
            yield from (run([sys.executable, *arguments]) for arguments in commands)


@pytest.mark.slow
def test_the_guide_runs_as_it_stands(run):
    unseen, lines = dict(PRINTED), []
    for language, name, text in [*BLOCKS, ("python", "", "")]:
        if language == "bash":
            lines += text.replace("\\\n", " ").splitlines()
        elif language == "python" and not name:
            for line, printed in zip(lines, outputs(run, lines), strict=True):
                assert unseen.pop(next(each for each in PRINTED if line.startswith(each))) in printed, line
            lines = []
            if text:
                assert "40 games of Nim" in run([sys.executable, "-c", text])
    assert not unseen


def test_the_game_is_short():
    assert FILES["nim.py"].count("\n") < 40


def test_code_of_the_guide_is_clean(run):
    sources = [name for name in FILES if name.endswith(".py")]
    ruff = [sys.executable, "-m", "ruff"]
    rules = ["--isolated", "--line-length", "110"]
    wanted = [
        "--select",
        "E,F,W,UP,B,N,C4,SIM,RUF",
        "--ignore",
        "RUF012",
    ]
    run([*ruff, "check", *rules, *wanted, *sources])
    run([*ruff, "format", "--check", *rules, *sources])


def test_the_bot_with_a_memory_counts_what_happens():
    module: dict[str, Any] = {}
    exec(FILES["watchful.py"], module)
    kind = module["WATCHFUL"]
    bot, counted = kind.build(kind.parameters(), 1), []

    class Watched:
        def act(self, view):
            again = bot.act(view)
            bot.watch(view.past)  # asked again
            for game, history in zip(view.past.games.tolist(), view.past.history(), strict=True):
                hunts = [each for each in history if each["kind"] == "rolled" and each["roll"] == "hunt"]
                assert bot.hunts[game] == len(hunts)
                counted.append(len(hunts))
            return again

    rules = WAR_OF_THE_RING.limited(WAR_OF_THE_RING.find_ruleset(), 6)
    seeds = np.arange(2, dtype=np.uint64)
    play_batch(WAR_OF_THE_RING, [Watched()], np.zeros((2, 2), dtype=np.int64), seeds, rules)
    assert max(counted) > 1
    assert len(bot.known) < 4  # games that are over are forgotten
