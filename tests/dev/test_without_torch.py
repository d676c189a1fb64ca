"""Without torch everything is played, measured and exported; only what learns needs it."""

from __future__ import annotations

import json
import subprocess
import sys

HIDDEN = """
import importlib.metadata, sys

sys.modules["torch"] = None
version = importlib.metadata.version

def without_torch(name):
    if name == "torch":
        raise importlib.metadata.PackageNotFoundError(name)
    return version(name)

importlib.metadata.version = without_torch
"""
"""Neither the module nor what is known of its package."""


def run(code, *arguments):
    command = [sys.executable, "-c", HIDDEN + code, *map(str, arguments)]
    return subprocess.run(command, capture_output=True, text=True, input="quit\\n")


def test_a_bot_by_a_network_needs_no_torch():
    done = run("""
from wotr_agents import make_bot
from wotr_env import VectorGame
from wotr_env.bots import view_of
bot, games = make_bot("net:zoo/laptop", 1), VectorGame(2, seed=1)
for _ in range(3):
    games.step(bot.act(view_of(games.states, games.masks)))
""")
    assert done.returncode == 0, done.stderr


def test_all_commands_but_those_that_learn_run_without_torch(tmp_path):
    short = "--max-turns 1 --workers 1"
    commands = [
        f"tournament random net:zoo/laptop --games 2 {short} --out {tmp_path}/t",
        f"compare scripted random --elo0 0 --elo1 100 --max-games 2 {short} --out {tmp_path}/c",
        f"study random --games 2 {short} --out {tmp_path}/s",
        f"text-tournament random random --games 2 --max-turns 1 --out {tmp_path}/x",
        f"export {tmp_path}/t --format csv --out {tmp_path}/e",
        "bench --only state_copies --repeats 1 --json",
        f"play --as shadow --against random --seed 4 --save {tmp_path}/p",
    ]
    code = f"""
from wotr_experiments.cli.main import main
for command in {commands!r}:
    if main(command.split()):
        sys.exit(command)
"""
    done = run(code)
    assert done.returncode == 0, done.stderr
    for folder in "tcsx":
        (entry,) = json.loads((tmp_path / folder / "provenance.json").read_text())
        assert entry["torch"] is None and entry["ended"], folder
    card = json.loads((tmp_path / "e" / "card.json").read_text())
    assert card["exported"]["torch"] is None


def test_what_learns_says_that_it_needs_torch(tmp_path):
    done = run("from wotr_experiments.cli.main import main; sys.exit(main(sys.argv[1:]))", "train", tmp_path)
    assert done.returncode == 2
    assert "this command needs torch" in done.stderr
