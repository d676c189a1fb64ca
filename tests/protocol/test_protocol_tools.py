"""The conformance tool, and our bots for other programs."""

from __future__ import annotations

import json
import math
import os
import shlex
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from tests.hidden_cards import middle_of_a_game
from tests.random_play import positions, refreshed
from tests.terminals import resumed_game
from tests.waiting import PATIENCE
from wotr_agents import make_bot
from wotr_agents.stdio import program
from wotr_agents.stdio.bot import program_seed
from wotr_env import Game, Ruleset
from wotr_env.core.codes import MAX_SEED
from wotr_env.play.bots import choose, view_of
from wotr_env.play.games import game_kind
from wotr_experiments.arena import check_protocol as checking
from wotr_experiments.arena.check_protocol import check_protocol
from wotr_experiments.cli import main as cli
from wotr_experiments.cli.serve_bot import BotServer
from wotr_experiments.errors import CommandError
from wotr_experiments.isolation.bots import Bots
from wotr_experiments.terminal.saves import SavedGame

NAUGHTY = Path(__file__).parents[1] / "naughty_program.py"
PLAIN = Path(__file__).parents[2] / "docs" / "protocol" / "plain_bot.py"
HELLO = {"type": "hello", "version": 1, "game": "war-of-the-ring", "seed": 1, "x-more": 0}


@pytest.fixture(autouse=True)
def patient(monkeypatch):
    """How a program ended is waited for, however long it takes to end."""
    monkeypatch.setattr(program, "_MOST_DYING", PATIENCE)


def naughty(deed):
    return f"stdio:{sys.executable} {NAUGHTY} {deed}"


def served(spec):
    """A bot of ours as a program."""
    paths = shlex.quote(os.environ["PYTHONPATH"])
    command = f"{sys.executable} -m wotr_experiments.cli.main serve-bot {spec}"
    return f"stdio:env PYTHONPATH={paths} {command},start=200"


@pytest.fixture(autouse=True, scope="module")
def paths():
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("PYTHONPATH", os.pathsep.join(map(os.path.abspath, sys.path)))
        yield


# --- The conformance tool. ---


@pytest.mark.parametrize("spec", [f"stdio:{sys.executable} {PLAIN}", naughty("all"), naughty("many")])
def test_programs_that_speak_the_protocol_pass(spec, monkeypatch):
    monkeypatch.setattr(checking, "_LEAVING", PATIENCE)
    monkeypatch.setattr(checking, "_ANSWER", PATIENCE)
    checks = check_protocol(spec, seed=1)
    assert all(each.passed for each in checks) and len(checks) == 11
    legal = next(each for each in checks if each.name == "legal actions")
    assert int(legal.found.split()[0]) > 100


def test_the_check_announces_each_game_of_each_seat(monkeypatch):
    conversations = []

    class Noting(program.Program):
        def __init__(self, command):
            super().__init__(command)
            conversations.append([])

        def say(self, message, until=math.inf):  # also what ``ask`` sends
            conversations[-1].append(message)
            super().say(message, until)

    monkeypatch.setattr(checking, "Program", Noting)
    check_protocol(f"stdio:{sys.executable} {PLAIN}", seed=1)
    assert len(conversations) == 2
    for messages in conversations:
        seats, decided = {}, 0
        for message in messages:
            if message["type"] == "new_game":
                seats[message["game"]] = message["seat"]
            for each in message.get("decisions", ()):
                assert seats[each["game"]] == each["seat"]
                decided += 1
        assert len(seats) == 2 and decided > 100
    (ended,) = (each for each in conversations[0] if each["type"] == "end_game")
    assert ended["winner"] in ("free_peoples", "shadow", "draw")


@pytest.mark.parametrize(
    ("deed", "failed", "words"),
    [
        ("version", "handshake", "speaks version 2"),
        ("garbage", "legal actions", "wrote a line that is not a JSON object"),
        ("illegal", "legal actions", "count:12 is illegal in decision"),
        ("unknown", "legal actions", "'fly-to-mordor', which is no action"),
        ("exit", "legal actions", "ended with exit code 7"),
        ("few", "legal actions", "answered with 0 actions instead of 1"),
    ],
)
def test_what_does_not_fit_is_found(deed, failed, words):
    last = check_protocol(naughty(deed), seed=1)[-1]
    assert (last.name, last.passed) == (failed, False) and words in last.found


def test_the_command_tells_and_fails(capsys):
    assert cli.main(["check-bot", "--protocol", "--json", naughty("few")]) == 2
    shown = capsys.readouterr()
    assert json.loads(shown.out)[-1]["passed"] is False
    assert "failed: legal actions" in shown.err
    assert cli.main(["check-bot", "--protocol", "random"]) == 2
    assert "--protocol is for stdio:COMMAND, not for random" in capsys.readouterr().err


# --- Our bots for other programs. ---


@pytest.mark.slow
def test_a_bot_behind_the_protocol_plays_as_it_does_here():
    states, masks = refreshed(positions("first")[::5].copy())
    keep = masks.any(axis=1)
    states, masks = states[keep], masks[keep]
    here, there = make_bot("scripted", program_seed(1, 0)), make_bot(served("scripted"), 1)
    try:
        one, other = (choose(bot, view_of(states, masks), "it") for bot in (here, there))
    finally:
        there.close()
    np.testing.assert_array_equal(one, other)


@pytest.fixture(scope="module")
def server():
    with Bots() as bots:
        server = BotServer("scripted", bots)
        assert server.answer(json.dumps(HELLO).encode())["wants"] == ["position"]
        yield server


def asked(server, *decisions):
    return server.answer(json.dumps({"type": "decide", "id": 5, "decisions": decisions}).encode())


def test_whole_and_redacted_positions_are_answered_alike(server):
    game = middle_of_a_game()
    legal = [game.name_of(action) for action in game.legal()]
    answers = []
    for text in (game.position(), game.position(1)):
        server.answer(json.dumps(HELLO).encode())
        answers.append(asked(server, *[{"position": text, "legal": legal}] * 3))
    assert answers[0] == answers[1] and answers[0]["id"] == 5
    assert len(answers[0]["actions"]) == 3 and set(answers[0]["actions"]) <= set(legal)


@pytest.mark.parametrize("name", ["duel", "two-towers"])
def test_a_bot_serves_the_game_that_the_host_names(name):
    kind = game_kind(name)
    game = kind.game(1, kind.find_ruleset())
    legal = [kind.actions.names[action] for action in game.legal()]
    texts = [kind.positions.write(game.state, viewer) for viewer in (None, int(game.state["seat"]))]
    with Bots() as bots:
        server = BotServer("scripted", bots)
        assert server.answer(json.dumps(HELLO | {"game": name}).encode())["type"] == "ready"
        for text in texts:
            (action,) = asked(server, {"position": text, "legal": legal})["actions"]
            assert action in legal
        answer = asked(server, {"position": middle_of_a_game().position()})
    assert "it is a position of war-of-the-ring" in answer["message"]


@pytest.mark.parametrize(
    ("decision", "words"),
    [
        ({}, "decision 0 has no position"),
        ({"position": "x"}, "decision 0: not a position"),
        ({"position": "other seat"}, "seat 1 decides, but the position is the view of seat 0"),
        (
            {"position": "whole", "legal": ["verb:pass"]},
            "the host and this package disagree about legal actions: ",
        ),
        ([], "decision 0 has no position"),
    ],
)
def test_what_cannot_be_asked_is_told_and_the_bot_goes_on(server, decision, words):
    game = middle_of_a_game()
    if isinstance(decision, dict) and "position" in decision:
        texts = {"other seat": game.position(0), "whole": game.position()}
        decision = decision | {"position": texts.get(decision["position"], decision["position"])}
    answer = asked(server, decision)
    assert answer["type"] == "error" and words in answer["message"]
    assert asked(server, {"position": game.position()})["type"] == "actions"
    assert server.answer(b'{"type":"x-later"}') is None


@pytest.mark.parametrize(
    ("line", "words"),
    [
        (b"hello", "a line must be a JSON object"),
        (json.dumps(HELLO | {"version": 2}).encode(), "version 2 of wotr-stdio; this package speaks 1"),
        (json.dumps(HELLO | {"game": "chess"}).encode(), "the host plays 'chess'"),
        (json.dumps(HELLO | {"seed": -1}).encode(), "the seed must be a whole number"),
        (json.dumps(HELLO | {"seed": 2**63}).encode(), "from 0 to 2**63 - 1, not 9223372036854775808"),
        (b'{"type":"decide","id":1,"decisions":[]}', "the first message must be hello"),
    ],
)
def test_a_host_that_does_not_speak_it_is_told(line, words, monkeypatch, capfd):
    monkeypatch.setattr("wotr_experiments.cli.serve_bot._lines", lambda _source: iter([line]))
    assert cli.main(["serve-bot", "random"]) == 2
    error = capfd.readouterr().err
    assert words in error and error.splitlines()[-1].startswith("wotr: ")


def test_the_command_answers_and_ends():
    lines = [
        HELLO | {"seed": MAX_SEED},
        {"type": "decide", "id": 1, "decisions": [{"position": Game(1).position()}]},
    ]
    said = "".join(json.dumps(each) + "\n" for each in lines)
    command = [sys.executable, "-m", "wotr_experiments.cli.main", "serve-bot", "random"]
    done = subprocess.run(command, input=said, capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stderr
    assert [json.loads(line)["type"] for line in done.stdout.splitlines()] == ["ready", "actions"]


# --- Files of others. ---


def test_a_saved_game_starts_no_program_unasked(tmp_path):
    path, spec = tmp_path / "saved", naughty("many")
    SavedGame(0, ["", spec], 1, "scripted", False, Game(seed=1, ruleset=Ruleset()), []).write(path)
    with pytest.raises(CommandError, match="names a program"):
        resumed_game(path)
    assert resumed_game(path, against=spec).bots[1].startswith("stdio:")


@pytest.mark.parametrize(
    ("spec", "words"),
    [("foo", "unknown bot 'foo'"), ("random:x=1", "unknown parameter 'x'"), ("mcts:sims=many", "sims")],
)
def test_a_bot_that_cannot_be_is_refused_before_a_host_speaks(spec, words, capfd, monkeypatch):
    monkeypatch.setattr("wotr_experiments.cli.serve_bot._lines", None)  # nobody is heard
    assert cli.main(["serve-bot", spec]) == 2
    error = capfd.readouterr().err
    assert words in error and error.count("\n") == 1
