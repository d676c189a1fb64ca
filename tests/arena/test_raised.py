"""What a bot raises is told with the place in its own code, its traceback, and what it was asked."""

from __future__ import annotations

import re

import numpy as np
import pytest

from tests import arena_bots
from wotr_env import VectorGame
from wotr_env.play.bots import IllegalAnswerError, choose, view_of
from wotr_experiments.arena.check_bot import check_bot
from wotr_experiments.bot_errors import own_traceback, raised
from wotr_experiments.cli import main as cli
from wotr_experiments.isolation.bots import Isolation

CRASH = re.compile(
    r"RuntimeError: no idea what to do \(arena_bots\.py, line \d+, in act\) "
    r"\(game 1 and 1 others, step \d+: Shadow to .+\)\n"
)


@pytest.fixture(autouse=True)
def installed(tmp_path, monkeypatch):
    arena_bots.install(tmp_path, monkeypatch)


@pytest.mark.parametrize("isolate", ["none", "all"])
def test_check_bot_shows_the_traceback_and_the_question(isolate):
    found = check_bot("crasher", 2, 20, 1, isolation=Isolation(isolate))[0]
    assert (found.name, found.passed) == ("legal actions", False)
    assert CRASH.match(found.found), found.found
    lines = found.found.splitlines()[1:]
    assert 'raise RuntimeError("no idea' in "\n".join(lines)
    assert len([line for line in lines if line.startswith("  File ")]) == 1  # nothing of who asked it


@pytest.mark.parametrize("isolate", ["none", "all"])
def test_check_bot_names_what_is_illegal(isolate, capsys):
    found = check_bot("quitter:rate=1", 2, 5, 1, isolation=Isolation(isolate))[0]
    assert re.fullmatch(
        r"bot quitter:rate=1 chose the illegal action \d+ for seat 0, which is none "
        r"\(game 1, step 1: Free Peoples to decide .+\)",
        found.found,
    ), found.found
    command = ["check-bot", "crasher", "--games", "2", "--decisions", "20", "--seed", "1"]
    assert cli.main([*command, "--isolate", isolate]) == 2
    said = capsys.readouterr()
    assert "arena_bots.py" in said.out and "step" in said.out
    assert said.err.splitlines()[-1] == "wotr: bot crasher failed: legal actions"


def test_check_bot_says_that_act_answered_with_what_is_no_row_of_integers():
    found = check_bot("mumbler", 4, 5, 1, isolation=Isolation("all"))[0]
    assert found.found.startswith(
        "act answered with float64 of shape (4,), not with 4 integers (game 1 and 3"
    )


def test_the_place_is_in_the_bots_folder_and_not_in_what_it_calls():
    def act():
        return np.array([1, 2]).reshape(3)

    with pytest.raises(ValueError) as caught:
        act()
    assert re.search(r"\(test_raised\.py, line \d+, in act\)$", raised(caught.value))
    assert "in act" in own_traceback(caught.value)
    assert raised(KeyError("rohan")) == "KeyError: 'rohan'"
    assert own_traceback(KeyError("rohan")) == ""


def test_an_error_without_words_of_its_own_is_named():
    class OddError(Exception):
        def __str__(self):
            raise RuntimeError

    assert raised(OddError()) == "OddError"


def test_long_tracebacks_are_cut_at_the_top():
    def deeper(depth):
        if depth:
            return deeper(depth - 1)
        raise RecursionError("deep")

    with pytest.raises(RecursionError) as caught:
        deeper(200)
    text = own_traceback(caught.value)
    assert len(text) < 1_600
    assert text.endswith('raise RecursionError("deep")')


def test_an_illegal_answer_knows_its_game_and_action():
    games = VectorGame(2, seed=1)
    first = int(games.masks[0].argmax())
    assert not games.masks[1, 0]

    class Half:
        def act(self, view):
            return np.array([first, 0])

    with pytest.raises(IllegalAnswerError) as caught:
        choose(Half(), view_of(games.states, games.masks), "half")
    assert (caught.value.row, caught.value.action) == (1, 0)
