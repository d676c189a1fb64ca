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
