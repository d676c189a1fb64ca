"""Hints at the terminal: what their numbers are, and choices that are worth the same in one row."""

from __future__ import annotations

import io

import numpy as np
from rich.console import Console

from wotr_agents.random import RandomBot
from wotr_agents.registry import CHANCE, PROBABILITY
from wotr_env import Game
from wotr_env.play.bots import view_of
from wotr_experiments.terminal.hints import Hint, hint_of, table

VALUES = [("attack", 0.4971), ("wait", 0.49713), ("move", 0.31), ("pass", 0.0)]


def text_of(values, scale):
    console = Console(width=80, file=io.StringIO())
    console.print(table(values, scale))
    return [" ".join(line.split()) for line in console.file.getvalue().splitlines()]


def test_chances_are_in_percent_and_equal_ones_together():
    assert text_of(VALUES, CHANCE) == ["chance to win", "49.7% attack; wait", "31.0% move", "0.0% pass"]
    assert text_of(VALUES[:1], PROBABILITY) == ["how likely the bot plays it", "49.7% attack"]


def test_of_points_only_the_order_is_told():
    lines = text_of([("attack", 28.78), ("move", 9.0), ("wait", 9.0), ("pass", -3.0)], "score of its own")
    assert lines[0] == "best first; score of its own; only the order counts"
    assert lines[1:] == ["1. attack", "2. move; wait", "4. pass"]


def test_many_equal_choices_are_counted():
    values = [(f"choice {number}", 0.5) for number in range(16)]
    assert text_of(values, CHANCE)[1].endswith("choice 3 and 12 more")


def first_view():
    game = Game(seed=1)
    return view_of(np.array([game.state]), game.mask()[None])


def test_a_bot_that_explains_itself_thinks_once_for_a_hint():
    class Fickle(RandomBot):
        """Values another choice most each time that it is asked."""

        def __init__(self):
            self.thought = 0

        def explain(self, view):
            self.thought += 1
            legal = np.flatnonzero(view.masks[0]).tolist()
            return [[(action, 1.0) for action in legal[self.thought :] + legal[: self.thought]]]

        def act(self, view):
            raise AssertionError("it has been asked already")

    bot, view = Fickle(), first_view()
    hint = hint_of(bot, view, "random")
    assert bot.thought == 1
    assert hint.action == hint.values[0][0] == np.flatnonzero(view.masks[0])[1]


def test_a_bot_that_does_not_explain_itself_says_what_it_would_do():
    class Silent:
        def act(self, view):
            return np.array([np.flatnonzero(view.masks[0])[-1]])

    view = first_view()
    assert hint_of(Silent(), view, "random") == Hint(int(np.flatnonzero(view.masks[0])[-1]), [], "")
