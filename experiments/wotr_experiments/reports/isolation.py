"""Measures the cost of isolation: the time per answer in this process and in a separate one, by batch size.

``python -m wotr_experiments.reports.isolation [--rounds N] [BOT...]`` prints the table of
``docs/isolation.md``. A bot in this process and an isolated bot with the same seed alternately receive
positions of random games. The table has the medians of all rounds, and the time to start the process.
"""

from __future__ import annotations

import contextlib
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np

from wotr_agents import BotError, BotView, make_bot
from wotr_env import VectorGame
from wotr_env.play.bots import view_of
from wotr_experiments.arena.schedule import MOST_AT_ONCE
from wotr_experiments.isolation.bots import IsolatedBot
from wotr_experiments.isolation.nursery import nursery
from wotr_experiments.reports.pages import report_parser

COMMAND = "python -m wotr_experiments.reports.isolation"
BOTS = ("random", "scripted", "mcts:sims=50")
AT_ONCE = (1, 64, MOST_AT_ONCE)
ROUNDS = 50
_MOST_SECONDS = 60.0
"""Time limit in seconds for the rounds of a row; there are at least three rounds."""
_SEED = 1
_PLAYED = 150
"""Number of random decisions before the positions."""
_HEAD = (
    "bot",
    "games at once",
    "answer, same process",
    "answer, isolated",
    "difference",
    "decisions per s, same process",
    "isolated",
)


def measure(spec: str, rounds: int) -> Iterator[list[str]]:
    """The rows of the table for a bot.

    Raises:
        BotError: there is no such bot.
    """
    here, there = make_bot(spec, _SEED), IsolatedBot(spec, _SEED, "war-of-the-ring")
    with contextlib.closing(there):
        there.make()
        for games in AT_ONCE:
            with VectorGame(games, _SEED, observations=False) as played:
                played.random_steps(_PLAYED)
                view = view_of(played.states, played.masks)
            times = _rounds(here.act, there.act, view, rounds)
            inside, apart = np.median(times, axis=0)
            yield [
                f"`{spec}`",
                f"{games}",
                _milliseconds(inside),
                _milliseconds(apart),
                _milliseconds(float(np.median(times[:, 1] - times[:, 0]))),
                f"{games / inside:,.0f}",
                f"{games / apart:,.0f}",
            ]


def _rounds(
    here: Callable[[BotView], Any], there: Callable[[BotView], Any], view: BotView, rounds: int
) -> np.ndarray:
    """Seconds in this process and in the separate one per round, after a warm-up round: ``float64[rounds,
    2]``."""
    start, found = time.perf_counter(), []
    _pair(here, there, view)
    while len(found) < rounds and (len(found) < 3 or time.perf_counter() - start < _MOST_SECONDS):
        found.append(_pair(here, there, view))
    return np.array(found)


def starting(spec: str) -> float:
    """Seconds until a new process has made its bot."""
    start = time.perf_counter()
    with contextlib.closing(IsolatedBot(spec, _SEED, "war-of-the-ring")) as bot:
        bot.make()
        return time.perf_counter() - start


def _pair(here: Callable[[BotView], Any], there: Callable[[BotView], Any], view: BotView) -> list[float]:
    found = []
    for act in (here, there):
        start = time.perf_counter()
        act(BotView(view.masks, view.seats, lambda: view.observations, view.worlds_from))
        found.append(time.perf_counter() - start)
    return found


def _milliseconds(seconds: float) -> str:
    return f"{1000 * seconds:.2f} ms"


def main(arguments: Sequence[str] | None = None) -> int:
    """The command line; returns the exit code."""
    parser = report_parser(COMMAND, __doc__, rounds=ROUNDS)
    parser.add_argument("bots", nargs="*", default=BOTS, metavar="BOT")
    options = parser.parse_args(arguments)
    try:
        for row in (_HEAD, ["---"] * len(_HEAD)):
            print(f"| {' | '.join(row)} |")
        for spec in options.bots:
            for row in measure(spec, max(1, options.rounds)):
                print(f"| {' | '.join(row)} |", flush=True)
        first = np.median([starting(options.bots[0]) for _ in range(5)])
        with nursery():
            starting(options.bots[0])
            further = np.median([starting(options.bots[0]) for _ in range(5)])
        print(f"\nStarting: {first:.1f} s, and {further:.3f} s where the nursery is there.")
    except BotError as error:
        print(f"wotr: {error}", file=sys.stderr)
        return 2
    return 0


if __name__ == "__main__":
    sys.exit(main())
