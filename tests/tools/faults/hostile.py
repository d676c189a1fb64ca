"""A bot that attacks whoever asks it, in one of many ways."""

from __future__ import annotations

import contextlib
import dataclasses
import os
import signal
import sys
import time

import numpy as np

from wotr_agents import BotKind
from wotr_env.play.bots import BotView


@dataclasses.dataclass(frozen=True)
class Deed:
    """What it does."""

    deed: str
    path: str = ""
    """Where it tells what it has found or done."""
    seat: int = -1
    """Where it does its deed; everywhere by default."""


class Hostile:
    """Does its deed when it is asked, and plays at random if it is still there.

    Args:
        parameters: see there.
        seed: of its choices.
    """

    def __init__(self, parameters: Deed, seed: int) -> None:
        self.parameters = parameters
        self.generator = np.random.default_rng(seed)

    def act(self, view: BotView) -> np.ndarray:
        """An action for each game: ``int64[B]``."""
        legal = view.masks.copy()
        if self.parameters.seat in (-1, *view.seats.tolist()):
            getattr(self, self.parameters.deed)(view)
        return np.where(legal, self.generator.random(legal.shape), -1.0).argmax(axis=1)

    def nothing(self, _view: BotView) -> None:
        """Does no harm."""

    def exit(self, _view: BotView) -> None:
        """Ends its process, with words that would clear a screen."""
        print("I leave\x1b[2J")
        sys.stdout.flush()
        os._exit(7)

    def kill(self, _view: BotView) -> None:
        """Kills itself."""
        os.kill(os.getpid(), signal.SIGKILL)

    def leave(self, _view: BotView) -> None:
        """Asks for the end of the program."""
        sys.exit("no more")

    def interrupt(self, _view: BotView) -> None:
        """Says that somebody pressed Ctrl-C."""
        raise KeyboardInterrupt

    def memory(self, _view: BotView) -> None:
        """Wants more memory than there is."""
        self.hoard = np.ones(2**37, dtype=np.uint8)

    def hang(self, _view: BotView) -> None:
        """Blocks all signals and never answers."""
        with contextlib.suppress(ValueError):
            signal.pthread_sigmask(signal.SIG_BLOCK, signal.valid_signals())
        signal.setitimer(signal.ITIMER_REAL, 0)
        while True:
            time.sleep(1)

    def twice(self, _view: BotView) -> None:
        """Both processes answer."""
        os.fork()

    def talk(self, _view: BotView) -> None:
        """Prints a lot."""
        print("to stdout", flush=True)
        print("x" * 300_000, file=sys.stderr)
        os.write(1, b"the last words\n")

    def shut(self, _view: BotView) -> None:
        """Closes all that is open."""
        os.closerange(0, 256)

    def move(self, _view: BotView) -> None:
        """Goes to another folder."""
        os.chdir("/")

    def tamper(self, view: BotView) -> None:
        """Writes into what it was given."""
        view.masks[:] = True
        view.observations[:] = 7

    def nonsense(self, _view: BotView) -> None:
        """Writes to all that is open."""
        for number in descriptors():
            if number > 2:
                with contextlib.suppress(OSError):
                    os.write(number, b"\xff" * 1000)


def descriptors() -> list[int]:
    """Those that are open, but for the one that lists them."""
    found = []
    for number in map(int, os.listdir("/proc/self/fd")):
        with contextlib.suppress(OSError):
            os.fstat(number)
            found.append(number)
    return found


HOSTILE = BotKind("hostile", "attacks whoever asks it", Deed, Hostile, games=None)
