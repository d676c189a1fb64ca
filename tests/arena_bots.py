"""Bots that misbehave or are weak on purpose, for tests of the arena; worker processes find them too."""

from __future__ import annotations

import dataclasses
import json
import os
import sys
import time
import zlib
from pathlib import Path

import numpy as np

from wotr_agents import BotKind
from wotr_agents.registry import bot_plugins
from wotr_env.games.war_of_the_ring.actions import ACTION_NAMES, NUM_ACTIONS

_WALK = (
    "plan:move-fellowship",
    "plan:hide-fellowship",
    "verb:accept",
    "verb:both-hobbits",
    "verb:sacrifice-guide",
    "region:morannon",
    "region:minas-morgul",
    "face:character",
    "face:will",
)


@dataclasses.dataclass(frozen=True)
class Rate:
    rate: float = 1.0


@dataclasses.dataclass(frozen=True)
class Flag:
    path: str


@dataclasses.dataclass(frozen=True)
class Once:
    path: str = ""


class RandomChoices:
    """Plays at random; subclasses misbehave now and then."""

    def __init__(self, parameters, seed):
        self.parameters = parameters
        self.generator = np.random.default_rng(seed)

    def act(self, view):
        weights = self.generator.random(view.masks.shape)
        return np.where(view.masks, weights, -1.0).argmax(axis=1)


class Quitter(RandomChoices):
    """Answers with an illegal action in a share of its decisions."""

    def act(self, view):
        quits = self.generator.random(len(view.seats)) < self.parameters.rate
        return np.where(quits, NUM_ACTIONS, super().act(view))


class Crasher(RandomChoices):
    """Fails where a Shadow seat is among those that it is asked for."""

    def act(self, view):
        if (view.seats == 1).any():
            raise RuntimeError("no idea\nwhat to do")
        return super().act(view)


class Mumbler(RandomChoices):
    """Answers with numbers that are no integers."""

    def act(self, view):
        return super().act(view) + 0.5


class Sleeper(RandomChoices):
    """Needs a long time for its first answer and hides from every exception that it may."""

    def act(self, view):
        try:
            time.sleep(self.parameters.rate)
        except Exception:
            time.sleep(3600)
        return super().act(view)


class Slowstarter(RandomChoices):
    """Its first answer in a process takes long."""

    started = False
    sleep = time.sleep

    def act(self, view):
        if not Slowstarter.started:
            Slowstarter.started = True
            Slowstarter.sleep(self.parameters.rate)
        return super().act(view)


class Walker(RandomChoices):
    """Moves the Fellowship, declares it and enters Mordor when it can."""

    def act(self, view):
        wanted = np.isin(ACTION_NAMES, _WALK)
        weights = self.generator.random(view.masks.shape) + wanted
        return np.where(view.masks, weights, -1.0).argmax(axis=1)


class Killer(RandomChoices):
    """Ends its process the first time; always if the path is ``always``."""

    def act(self, view):
        path = Path(self.parameters.path)
        if self.parameters.path == "always" or not path.exists():
            if self.parameters.path != "always":
                path.write_text("")
            os._exit(7)
        return super().act(view)


class Noter:
    """Plays by nothing but what it is told of the past, however often it was made; it may die on the way."""

    def __init__(self, parameters, _seed):
        self.path = parameters.path

    def act(self, view):
        if view.past is None:
            return view.masks.argmax(axis=1)
        past = view.past
        several = len(view.seats) > 1  # so that none is lost: each is asked again alone
        if self.path and several and past.decisions.max() > 20 and not Path(self.path).exists():
            Path(self.path).write_text("")
            os._exit(7)
        told = zip(past.games.tolist(), past.decisions.tolist(), past.events(), past.history(), strict=True)
        drawn = [zlib.crc32(json.dumps(each).encode()) for each in told]
        legal = [np.flatnonzero(mask) for mask in view.masks]
        return np.array([each[n % len(each)] for each, n in zip(legal, drawn, strict=True)])


class Needy(RandomChoices):
    """Takes it for granted that it is told."""

    def act(self, view):
        assert len(view.past.games) == len(view.seats)
        return super().act(view)


class Reader(RandomChoices):
    """Reads the environment."""

    def act(self, view):
        assert os.environ["WOTR_READER"] == "here"
        return super().act(view)


class Unmade:
    def __init__(self, _parameters, seed):
        if seed:
            raise FileNotFoundError("no weights")

    def act(self, view):
        raise AssertionError("never asked")


QUITTER = BotKind("quitter", "for tests", Rate, Quitter)
CRASHER = BotKind("crasher", "for tests", Rate, Crasher)
MUMBLER = BotKind("mumbler", "for tests", Rate, Mumbler)
SLEEPER = BotKind("sleeper", "for tests", Rate, Sleeper)
KILLER = BotKind("killer", "for tests", Flag, Killer)
SLOWSTARTER = BotKind("slowstarter", "for tests", Rate, Slowstarter)
WALKER = BotKind("walker", "for tests", Rate, Walker)
NOTER = BotKind("noter", "for tests", Once, Noter)
NEEDY = BotKind("needy", "for tests", Rate, Needy)
READER = BotKind("reader", "for tests", Rate, Reader)
UNMADE = BotKind("unmade", "for tests", Rate, Unmade)

_ENTRY_POINTS = """[wotr.bots]
quitter = tests.arena_bots:QUITTER
crasher = tests.arena_bots:CRASHER
mumbler = tests.arena_bots:MUMBLER
sleeper = tests.arena_bots:SLEEPER
killer = tests.arena_bots:KILLER
slowstarter = tests.arena_bots:SLOWSTARTER
walker = tests.arena_bots:WALKER
noter = tests.arena_bots:NOTER
needy = tests.arena_bots:NEEDY
reader = tests.arena_bots:READER
unmade = tests.arena_bots:UNMADE
"""


def install(folder, monkeypatch):
    """Makes the bots known to this process and to those that it starts, as an installed package would."""
    package = folder / "arena_bots-1.0.dist-info"
    package.mkdir()
    (package / "METADATA").write_text("Metadata-Version: 2.1\nName: arena-bots\nVersion: 1.0\n")
    (package / "entry_points.txt").write_text(_ENTRY_POINTS)
    monkeypatch.setattr(sys, "path", [str(folder), *sys.path])
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join([str(folder), os.environ["PYTHONPATH"]]))
    bot_plugins.cache_clear()
