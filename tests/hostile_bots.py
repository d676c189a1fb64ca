"""Bots that attack whoever asks them, for tests; found as those of an installed package are."""

from __future__ import annotations

import contextlib
import dataclasses
import gc
import os
import signal
import sys
import time
from pathlib import Path

import numpy as np

from tests import toy_bots
from tests.toy_games import HUNT
from wotr_agents import BotKind


@dataclasses.dataclass(frozen=True)
class Deed:
    deed: str
    path: str = ""
    """Where it tells what it has found or done."""
    seat: int = -1
    """Where it does its deed; everywhere by default."""


class Hostile:
    """Does its deed when it is asked, and plays at random if it is still there."""

    def __init__(self, parameters, seed):
        self.parameters = parameters
        self.generator = np.random.default_rng(seed)

    def act(self, view):
        if self.parameters.seat in (-1, *view.seats.tolist()):
            getattr(self, self.parameters.deed)(view)
        return np.where(view.masks, self.generator.random(view.masks.shape), -1.0).argmax(axis=1)

    def tell(self, words):
        Path(self.parameters.path).write_text(str(words))

    def nothing(self, view):
        """Does no harm."""

    def exit(self, view):
        print("I leave\x1b[2J")
        sys.stdout.flush()
        os._exit(7)

    def kill(self, view):
        os.kill(os.getpid(), signal.SIGKILL)

    def leave(self, view):
        sys.exit("no more")

    def interrupt(self, view):
        raise KeyboardInterrupt

    def generator_exit(self, view):
        raise GeneratorExit("odd")

    def memory(self, view):
        self.hoard = np.ones(2**37, dtype=np.uint8)

    def hang(self, view):
        with contextlib.suppress(ValueError):
            signal.pthread_sigmask(signal.SIG_BLOCK, signal.valid_signals())
        signal.setitimer(signal.ITIMER_REAL, 0)
        while True:
            time.sleep(1)

    def children(self, view):
        """A child, and a grandchild in a session of its own, live on."""
        if os.fork() == 0:
            os.setsid()
            if os.fork() == 0:
                self.tell(os.getpid())
            signal.signal(signal.SIGTERM, signal.SIG_IGN)
            time.sleep(600)
        while not Path(self.parameters.path).exists():
            time.sleep(0.01)

    def twice(self, view):
        """Both processes answer."""
        os.fork()

    def talk(self, view):
        print("to stdout")
        print("x" * 300_000, file=sys.stderr)
        os.write(1, b"the last words\n")

    def shut(self, view):
        os.closerange(0, 256)

    def move(self, view):
        os.chdir("/")

    def tamper(self, view):
        view.masks[:] = True
        view.observations[:] = 7

    def sins(self, view):
        self.guess(view)
        self.talk(view)
        view.observations[:] = 7

    def nonsense(self, view):
        for number in descriptors():
            if number > 2:
                with contextlib.suppress(OSError):
                    os.write(number, b"\xff" * 1000)

    def guess(self, view):
        """Looks for the seed of the game among small ones, and plays as if it had found the right one."""
        states = np.zeros(500, dtype=HUNT.state)
        masks = np.zeros((500, HUNT.actions.size), dtype=np.bool_)
        HUNT.kernels.start(states, masks, np.arange(500), HUNT.find_ruleset())

    def look(self, view):
        """Tells what it holds: descriptors, its session, and what is loaded of the arena."""
        arena = [name for name in sys.modules if name.startswith("wotr_experiments.arena")]
        types = {str(type(each).__module__) for each in gc.get_objects()}
        objects = [name for name in types if name.startswith("wotr_experiments.arena")]
        self.tell(f"{len(descriptors())} {os.getsid(0) == os.getpid()} {arena} {objects}")


def descriptors():
    """Those that are open, but for the one that lists them."""
    found = []
    for number in map(int, os.listdir("/proc/self/fd")):
        with contextlib.suppress(OSError):
            os.fstat(number)
            found.append(number)
    return found


HOSTILE = BotKind("hostile", "for tests", Deed, Hostile, games=None)


def install(folder, monkeypatch):
    """Makes the bot and the toys known to this process and to those that it starts."""
    package = folder / "hostile-1.0.dist-info"
    package.mkdir()
    (package / "METADATA").write_text("Metadata-Version: 2.1\nName: hostile\nVersion: 1.0\n")
    (package / "entry_points.txt").write_text("[wotr.bots]\nhostile = tests.hostile_bots:HOSTILE\n")
    toy_bots.install(folder, monkeypatch)
