"""Bots that attack whoever asks them, for tests; found as those of an installed package are."""

from __future__ import annotations

import gc
import os
import random
import signal
import sys
import time
from pathlib import Path

import numpy as np

from tests import toy_bots
from tests.clocks import tick
from tests.tools.faults.hostile import Deed, Hostile, descriptors
from tests.toy_games import HUNT
from tests.waiting import eventually
from wotr_agents import BotKind


class Inquirer(Hostile):
    """With deeds that tell of themselves."""

    def tell(self, words):
        path = Path(self.parameters.path)
        path.with_name(path.name + ".new").write_text(str(words))
        path.with_name(path.name + ".new").rename(path)

    def generator_exit(self, view):
        raise GeneratorExit("odd")

    def dice(self, view):
        self.tell(f"{np.random.random()} {random.random()}")

    def hang(self, view):
        """Moves a clock before it hangs."""
        tick(self.parameters.path)
        super().hang(view)

    def pause(self, view):
        """Moves a clock as a pause of all processes would."""
        tick(self.parameters.path)

    def sleep(self, view):
        time.sleep(600)

    def tell_and_hang(self, view):
        self.tell("it hangs")
        self.hang(view)

    def children(self, view):
        """A child, and a grandchild in a session of its own, live on."""
        if os.fork() == 0:
            os.setsid()
            if os.fork() == 0:
                self.tell(os.getpid())
            signal.signal(signal.SIGTERM, signal.SIG_IGN)
            time.sleep(600)
        eventually(Path(self.parameters.path).exists, "the grandchild")

    def sins(self, view):
        self.guess(view)
        self.talk(view)
        view.observations[:] = 7

    def guess(self, view):
        """Looks for the seed of the game among small ones, and plays as if it had found the right one."""
        HUNT.new_states(np.arange(500), HUNT.find_ruleset())

    def look(self, view):
        """Tells what it holds: descriptors, its session, and what is loaded of the arena."""
        arena = [name for name in sys.modules if name.startswith("wotr_experiments.arena")]
        types = {str(type(each).__module__) for each in gc.get_objects()}
        objects = [name for name in types if name.startswith("wotr_experiments.arena")]
        self.tell(f"{len(descriptors())} {os.getsid(0) == os.getpid()} {arena} {objects}")


HOSTILE = BotKind("hostile", "for tests", Deed, Inquirer, games=None)


def install(folder, monkeypatch):
    """Makes the bot and the toys known to this process and to those that it starts."""
    package = folder / "hostile-1.0.dist-info"
    package.mkdir()
    (package / "METADATA").write_text("Metadata-Version: 2.1\nName: hostile\nVersion: 1.0\n")
    (package / "entry_points.txt").write_text("[wotr.bots]\nhostile = tests.hostile_bots:HOSTILE\n")
    toy_bots.install(folder, monkeypatch)
