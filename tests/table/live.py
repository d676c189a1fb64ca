"""Positions of the web table to open in a browser, for tests."""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterable

import numpy as np

from tests.tools.live_table import LiveServer, LiveTable
from tests.web_tables import PEOPLE, SHORT
from wotr_env.games.war_of_the_ring.choice_tree import choice_tree
from wotr_env.games.war_of_the_ring.game import WAR_OF_THE_RING
from wotr_env.play.games import game_kind
from wotr_experiments.table.line import Line

NAMES = WAR_OF_THE_RING.actions.names
IDS = {name: number for number, name in enumerate(NAMES)}


def first_choice(line: Line, rng: np.random.Generator) -> int:
    """The first legal choice."""
    return line.legal[0]


def any_choice(line: Line, rng: np.random.Generator) -> int:
    """A legal choice by chance."""
    return int(rng.choice(line.legal))


def choices(game: str, ruleset: str, seed: int) -> list[int]:
    """Choices by chance up to the end of a game."""
    kind = game_kind(game)
    line, rng = Line(kind, kind.find_ruleset(ruleset), seed), np.random.default_rng(seed)
    while not line.over:
        line.step(any_choice(line, rng))
    return line.actions


def decision(line: Line) -> str:
    """The name of the kind of the pending decision."""
    return WAR_OF_THE_RING.decision(line.state)


@functools.cache
def reach(
    wanted: Callable[[Line], bool],
    ruleset: str = SHORT,
    seeds: Iterable[int] = range(1, 200),
    most: int = 60,
    choose: Callable[[Line, np.random.Generator], int] = first_choice,
) -> tuple[int, list[int]]:
    """A seed and the actions after which a position is as wanted, at the first such place; searched once."""
    for seed in seeds:
        line, rng = (
            Line(WAR_OF_THE_RING, WAR_OF_THE_RING.find_ruleset(ruleset), seed),
            np.random.default_rng(seed),
        )
        while not line.over and line.number < most:
            if wanted(line):
                return seed, line.actions
            line.step(choose(line, rng))
    raise AssertionError("no seed leads there")


def open_at(server: LiveServer, wanted: Callable[[Line], bool], **how) -> LiveTable:
    """A table of two people in such a position."""
    seed, actions = reach(wanted, **how)
    return server.open(PEOPLE, how.get("ruleset", SHORT), seed, actions)


def ends(line: Line) -> list[list[str]]:
    """Where the choices of a position lead, each as the names on the path."""
    found: list[list[str]] = []

    def walk(choices: list[dict], before: list[str]) -> None:
        for choice in choices:
            names = [*before, NAMES[choice["id"]], *(NAMES[each] for each in choice.get("forced", ()))]
            if choice.get("choices"):
                walk(choice["choices"], names)
            else:
                found.append(names)

    walk(choice_tree(line.state), [])
    return found
