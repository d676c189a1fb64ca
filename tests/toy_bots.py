"""The toys and bots for them, registered as an installed package would; worker processes find them too."""

from __future__ import annotations

import dataclasses
import os
import sys
from pathlib import Path

import numpy as np

from tests.toy_games import HuntOnly
from tests.toy_race import JUMP
from wotr_agents import BotKind
from wotr_agents.registry import bot_plugins
from wotr_env.play.games import game_plugins


@dataclasses.dataclass(frozen=True)
class OracleParameters:
    quits: int = -1
    """The seat in which it answers with an illegal action."""


class Oracle:
    """Plays the hunt as well as can be."""

    def __init__(self, parameters, seed):
        hunt = HuntOnly(1, seed)
        self.quits = parameters.quits
        policy = hunt.optimal_policy().argmax(axis=1)
        seen = (row.tobytes() for row in hunt.tables.all_observations)
        self.best = dict(zip(seen, policy.tolist(), strict=True))

    def act(self, view):
        actions = np.array([self.best[row.tobytes()] for row in view.observations])
        return np.where(view.seats == self.quits, view.masks.shape[1], actions)


ORACLE = BotKind("oracle", "for tests", OracleParameters, Oracle, games=("hunt-only",))


@dataclasses.dataclass(frozen=True)
class BookParameters:
    path: str


class Book:
    """Plays the action of the largest number in its file, byte by byte."""

    def __init__(self, parameters, seed):
        self.worth = np.frombuffer(Path(parameters.path).read_bytes(), dtype=np.uint8)

    def act(self, view):
        worth = np.resize(self.worth, view.masks.shape[1]).astype(int)
        return np.where(view.masks, worth, -1).argmax(axis=1)


BOOK = BotKind(
    "book",
    "for tests",
    BookParameters,
    Book,
    games=("hunt-only",),
    files=lambda parameters: [Path(parameters.path)],
)


class Leaper:
    """Always jumps in a race."""

    def __init__(self, parameters, seed):
        self.quits = parameters.quits

    def act(self, view):
        return np.where(view.seats == self.quits, view.masks.shape[1], JUMP)


LEAPER = BotKind("leaper", "for tests", OracleParameters, Leaper, games=("race",))

_ENTRY_POINTS = """[wotr.games]
hunt-only = tests.toy_games:HUNT
two-step-bandit = tests.toy_games:BANDIT
race = tests.toy_race:RACE

[wotr.bots]
oracle = tests.toy_bots:ORACLE
book = tests.toy_bots:BOOK
leaper = tests.toy_bots:LEAPER
"""


def install(folder, monkeypatch):
    """Makes the toys and the bot known to this process and to those that it starts."""
    package = folder / "toys-1.0.dist-info"
    package.mkdir()
    (package / "METADATA").write_text("Metadata-Version: 2.1\nName: toys\nVersion: 1.0\n")
    (package / "entry_points.txt").write_text(_ENTRY_POINTS)
    root = Path(__file__).parents[1]
    paths = [str(folder), *(str(root / name) for name in ("", "agents", "experiments", "benchmarks"))]
    monkeypatch.setattr(sys, "path", [*paths, *sys.path])
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join(paths))
    forget()


def forget():
    """Bots and games are looked for anew."""
    bot_plugins.cache_clear()
    game_plugins.cache_clear()
