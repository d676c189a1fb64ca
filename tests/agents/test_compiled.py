"""Compiling behind a game that somebody plays by hand."""

import os
import subprocess
import sys

import pytest

from wotr_agents import compiled
from wotr_agents.compiled import SEARCHES
from wotr_env.compiler.code_cache import CodeCache
from wotr_env.compiler.kernels import KernelSet
from wotr_env.play.games import DEFAULT_GAME


class Process:
    """One that was started, and runs until it is told an exit code."""

    code = None

    def poll(self):
        return self.code


@pytest.fixture
def started(monkeypatch, tmp_path):
    """The commands that were started instead of others; nothing is compiled."""
    commands = []
    process = Process()

    def start(command, **_options):
        commands.append(command)
        return process

    monkeypatch.setattr(KernelSet, "background_compiler", None)
    monkeypatch.setattr(subprocess, "Popen", start)
    monkeypatch.setattr(compiled, "_LOOK_AGAIN", 0)
    monkeypatch.setattr(compiled, "everything_is_compiled", lambda: False)
    for each in SEARCHES.with_needed():
        monkeypatch.setenv("NUMBA_CACHE_DIR", str(tmp_path))
        monkeypatch.setitem(vars(each), "kept", CodeCache(f"{each.name}-of-a-test"))
        monkeypatch.setattr(each, "is_compiled", lambda: False)
    return commands, process


COMMAND = [sys.executable, "-m", "wotr_agents.compiled"]


def test_another_process_compiles(started):
    commands, process = started
    assert compiled.start_background_compiler(DEFAULT_GAME) and compiled.start_background_compiler(
        DEFAULT_GAME
    )
    assert commands == [COMMAND]
    assert KernelSet.background_compiler.is_compiling()
    process.code = 1
    assert not KernelSet.background_compiler.is_compiling()


def test_nothing_is_started_where_everything_is_compiled(started, monkeypatch):
    monkeypatch.setattr(compiled, "everything_is_compiled", lambda: True)
    assert not compiled.start_background_compiler(DEFAULT_GAME)
    assert started[0] == [] and KernelSet.background_compiler is None


def test_nothing_is_started_for_small_games(started):
    assert not compiled.start_background_compiler("duel")
    assert started[0] == [] and KernelSet.background_compiler is None


def test_nothing_is_started_before_it_is_wanted(started):
    assert compiled.defer_compilation(DEFAULT_GAME)
    assert started[0] == [] and KernelSet.background_compiler.is_compiling()
    assert compiled.start_background_compiler(DEFAULT_GAME)
    assert started[0] == [COMMAND]


@pytest.mark.parametrize("what", ["lock", "behind"])
def test_nothing_is_started_while_somebody_compiles_but_once_he_left_something(started, what):
    with SEARCHES.kept.try_claim(what) as free:
        assert free and compiled.start_background_compiler(DEFAULT_GAME)
        assert started[0] == [] and KernelSet.background_compiler.is_compiling()
    assert KernelSet.background_compiler.is_compiling()
    assert started[0] == [COMMAND]


def test_one_process_at_a_time_compiles_behind_games(started, monkeypatch):
    times = []
    monkeypatch.setattr(compiled, "ensure_everything", lambda: times.append(compiled.compile_in_background()))
    compiled.compile_in_background()
    assert times == [None]


def test_who_compiles_behind_a_game_does_not_stand_behind_those_who_wait_for_it():
    code = "import os; from wotr_agents import compiled; compiled.compile_in_background(); print(os.nice(0))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True)
    assert int(done.stdout) == os.nice(0)


def test_bots_that_do_not_search_need_no_searches():
    code = """
from wotr_agents import make_bot
from wotr_agents.compiled import SEARCHES
from wotr_env import VectorGame
from wotr_env.play.bots import view_of
games = VectorGame(1, seed=1)
for spec in ("scripted", "queller", "mcts:sims=2"):
    games.step(make_bot(spec, 1).act(view_of(games.states, games.masks)))
    print(SEARCHES.code is not None)
"""
    environment = {name: value for name, value in os.environ.items() if name != "NUMBA_DISABLE_JIT"}
    done = subprocess.run([sys.executable, "-c", code], env=environment, capture_output=True, text=True)
    assert done.stdout.split() == ["False", "False", "True"]
