"""A person at the terminal, for tests: types lines that a function chooses, and reads what is shown."""

from __future__ import annotations

import functools
import io
import random

from rich.console import Console

from wotr_env.games.war_of_the_ring.game import WAR_OF_THE_RING
from wotr_experiments.isolation.bots import Isolation
from wotr_experiments.terminal import start
from wotr_experiments.terminal.match import Match
from wotr_experiments.terminal.saves import SavedGame
from wotr_experiments.terminal.screen import Screen

DICE_PROMPT = "Enter: computer"
new_game = functools.partial(start.new_game, WAR_OF_THE_RING)


def resumed_game(path, **options):
    """A game from a file, as ``wotr play --load`` continues it."""
    return start.resume(SavedGame.read(path), **options)


class Person:
    """A reader and a console in one.

    ``choose(person, prompt)`` gives the next line; it may look at ``screen`` and at ``new_text()``.
    """

    def __init__(self, choose):
        self.choose = choose
        self.output = io.StringIO()
        self.console = Console(file=self.output, width=200, highlight=False)
        self.screen = None
        self.completions = ()
        self.prompts = []
        self._seen = 0

    def read(self, prompt, completions):
        self.completions = completions
        self.prompts.append(prompt)
        line = self.choose(self, prompt)
        self.output.write(f"{prompt}{line}\n")
        return line

    @property
    def text(self):
        return self.output.getvalue()

    def new_text(self):
        """What was shown since the last call."""
        text = self.text[self._seen :]
        self._seen = len(self.text)
        return text

    def sit_down(self, saved, path):
        """A screen for this person; ``run()`` plays. All bots are in this process."""
        self.screen = Screen(Match(saved, Isolation("none")), self, self.console, path)
        return self.screen


def typing(lines):
    """Types lines in their order, then the input ends."""
    remaining = iter(lines)

    def choose(_person, _prompt):
        for line in remaining:
            return line
        raise EOFError

    return choose


def answering(seed, extra=None):
    """Answers at random, by number or by words, and rolls nothing; ``extra`` may give another line."""
    generator = random.Random(seed)

    def choose(person, prompt):
        if DICE_PROMPT in prompt:
            return ""
        if extra is not None and (line := extra(person, generator)) is not None:
            return line
        answer = generator.choice(person.screen.question.answers)
        return generator.choice([answer.label or answer.words, answer.words])

    return choose
