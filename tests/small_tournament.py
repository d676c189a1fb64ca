"""A tournament of a few short games, and its folder, for tests."""

from __future__ import annotations

import contextlib
import shutil
import sqlite3

import pytest

from wotr_env import Ruleset
from wotr_experiments.arena.engines import WorkerPool
from wotr_experiments.arena.schedule import Tournament
from wotr_experiments.arena.store import GAMES
from wotr_experiments.arena.tournament import run_tournament
from wotr_experiments.isolation.bots import Isolation

QUICK = Ruleset.first_edition(max_turns=3)
SMALL = Tournament(("random", "random"), games=8, seed=5, ruleset=QUICK, batch=2)
HERE = Isolation("none")
ALONE = WorkerPool("threads", 1, HERE)


@pytest.fixture(scope="module")
def finished(tmp_path_factory):
    """The folder of the small tournament, played to its end."""
    out = tmp_path_factory.mktemp("tournament")
    run_tournament(SMALL, out, ALONE)
    return out


@pytest.fixture
def folder(finished, tmp_path):
    """A copy to damage."""
    return shutil.copytree(finished, tmp_path / "copy")


def rows(folder, columns="*"):
    """The games of a folder, in order."""
    with contextlib.closing(sqlite3.connect(folder / GAMES)) as file:
        return file.execute(f"SELECT {columns} FROM games ORDER BY pairing, number").fetchall()


def damage(folder, statement):
    with contextlib.closing(sqlite3.connect(folder / GAMES)) as file, file:
        file.execute(statement)
