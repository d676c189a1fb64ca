"""Bots that fail, registered as those of an installed package."""

from __future__ import annotations

import dataclasses
import os
import time

import numpy as np

from wotr_agents import BotKind


@dataclasses.dataclass(frozen=True)
class BadParameters:
    how: str = "raises"
    once: str = ""
    """A file: it fails until there is one, and makes it."""


class BadBot:
    """Fails, the first time or always; else takes the first legal action."""

    def __init__(self, parameters, _seed):
        self.parameters = parameters

    def act(self, view):
        how, once = self.parameters.how, self.parameters.once
        if not once or not os.path.exists(once):
            if once:
                with open(once, "w"):
                    pass
            if how == "raises":
                raise ValueError("two\nlines")
            if how == "hangs":
                time.sleep(1000)
            if how == "dies":
                os._exit(3)
            return np.full(len(view.seats), -1)
        return view.masks.argmax(axis=1)


BAD = BotKind("bad", "for tests", BadParameters, BadBot, games=None)
