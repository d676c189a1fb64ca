"""Compiling behind a game that somebody plays by hand."""

import subprocess
import sys

import pytest

from wotr_agents import compiled
from wotr_env.compiler.kernels import KernelSet


@pytest.fixture
def started(monkeypatch):
    """The commands that were started instead of others."""
    commands = []
    monkeypatch.setattr(KernelSet, "elsewhere", None)
    monkeypatch.setattr(subprocess, "Popen", lambda command, **_options: commands.append(command))
    return commands


def test_another_process_compiles(started, monkeypatch):
    monkeypatch.setattr(compiled, "everything_is_compiled", lambda: False)
    assert compiled.compile_elsewhere()
    assert started == [[sys.executable, "-m", "wotr_agents.compiled"]]


def test_nothing_is_started_where_everything_is_compiled(started, monkeypatch):
    monkeypatch.setattr(compiled, "everything_is_compiled", lambda: True)
    assert not compiled.compile_elsewhere()
    assert started == [] and KernelSet.elsewhere is None


@pytest.mark.parametrize(("spec", "they"), [("scripted", False), ("queller", False), ("mcts:sims=2", True)])
def test_bots_that_do_not_search_need_no_searches(spec, they):
    code = f"""
from wotr_agents import make_bot
from wotr_agents.search.kernels import SEARCHES
from wotr_env import VectorGame
from wotr_env.bots import view_of
games = VectorGame(1, seed=1)
games.step(make_bot({spec!r}, 1).act(view_of(games.states, games.masks)))
print(SEARCHES.interpreted or (SEARCHES.code is not None) == {they})
"""
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True).stdout == "True\n"
