"""Consoles whose encodings lack characters of the game: everything is printed, JSON stays JSON."""

from __future__ import annotations

import json
import os
import subprocess
import sys

import pytest

from wotr_env import Game, GameRecord
from wotr_experiments.consoles import plain_character

ENCODINGS = ("ascii", "cp932")
RUN = """
import json, sys
from wotr_experiments.cli.main import main
for command in json.loads(sys.argv[1]):
    code = main(command)
    print(f"\\n=== {code} {' '.join(command)}", flush=True)
"""


@pytest.fixture(scope="module")
def commands(tmp_path_factory):
    """By what is run, a word that must be printed."""
    games = tmp_path_factory.mktemp("games") / "games.jsonl"
    game = Game(seed=3)
    for _ in range(60):
        game.step(game.legal()[-1])
    GameRecord.from_game(game, ("Éomer", "Saruman")).save(games)
    return [
        (["position"], "Barad-dur"),
        (["position", "--json"], None),
        (["rules", "--cards", "nazgûl"], "The Nazgul Strike!"),
        (["rules", "--cards", "nazgûl", "--json"], None),
        (["rules", "R7.4", "--json"], None),
        (["rules", "--options"], "Options of a ruleset"),
        (["replay", str(games)], "Eomer"),
        (["replay", str(games), "--at", "40"], "Eomer"),
        (["replay", str(games), "--json"], None),
        (["bots"], "scripted"),
        (["--help"], "Usage"),
    ]


@pytest.mark.parametrize("encoding", ENCODINGS)
def test_everything_is_printed_in_every_encoding(commands, encoding):
    tried = [command for command, _ in commands] + [["replay", "nobody-has-Théoden"]]
    done = subprocess.run(
        [sys.executable, "-c", RUN, json.dumps(tried)],
        env={**os.environ, "PYTHONIOENCODING": encoding},
        capture_output=True,
        check=False,
        timeout=300,
    )
    out, errors = done.stdout.decode(encoding), done.stderr.decode(encoding)
    assert done.returncode == 0 and "Traceback" not in errors, errors
    assert "wotr: nobody-has-Th" in errors
    shown = out.split("\n=== ")
    for (command, word), text, after in zip(commands, shown, shown[1:], strict=False):
        assert after.startswith(f"0 {command[0]}"), (command, after[:80])
        said = text.partition("\n")[2] if text is not shown[0] else text
        if word is None:
            assert json.loads(said)
        else:
            assert word in said, command
    if encoding == "ascii":
        assert "?" not in shown[0]


@pytest.mark.parametrize(
    ("character", "plain"),
    [("û", "u"), ("É", "E"), ("■", "#"), ("─", "-"), ("±", "+-"), ("½", "1/2"), ("魔", "?"), ("\udc80", "?")],
)
def test_characters_become_what_reads_best(character, plain):
    assert plain_character(character) == plain
