"""Benchmarks of games other than War of the Ring on one core, through the interface of ``GameKind``.

Random play in compiled code is also measured, if the game supports it.
"""

from __future__ import annotations

import dataclasses
import functools
import random
import time
from collections.abc import Callable

import numpy as np

from wotr_benchmarks.environments import measure_turns
from wotr_benchmarks.harness import Benchmark
from wotr_env.core.kind import GameKind
from wotr_env.envs import kind_pettingzoo
from wotr_env.games.duel.batches import KERNELS as DUEL
from wotr_env.games.two_towers.batches import KERNELS as TWO_TOWERS
from wotr_env.play.games import game_kind

BATCH = 256
SEED = 1

_DECISIONS = 4_000
_CALLS = 2_000
_WORLDS = 200
_GAMES = 2_048
_SECONDS = 2.0

RandomPlay = Callable[[np.ndarray, np.ndarray, np.ndarray, np.ndarray, int], int]
"""A function that plays random decisions in each game: states, masks, seeds (``int64[N]``), options, number
of decisions."""


@dataclasses.dataclass(frozen=True)
class _Measured:
    """A measured game."""

    kind: GameKind
    mix: int
    """Number of random decisions before the measurement, so that the games of a batch are at all stages: at
    least twice the mean length."""
    play: RandomPlay

    def options(self) -> np.ndarray:
        """The default ruleset in the form for kernels."""
        return self.kind.find_ruleset().encode()

    def batch(self, size: int) -> tuple[np.ndarray, np.ndarray]:
        """A batch of games at all stages of random play, and their masks."""
        kind = self.kind
        states, masks = kind.new_states(np.arange(size), kind.find_ruleset())
        self.play(states, masks, np.arange(size), self.options(), self.mix)
        return states, masks


def _random_decisions(game: _Measured, steps: int, calls: int, observed: bool) -> Callable[[], float]:
    states, masks = game.batch(BATCH)
    options = game.options()
    streams = np.arange(BATCH)

    def run() -> float:
        start = time.perf_counter()
        for call in range(calls):
            game.play(states, masks, streams + BATCH * call, options, steps)
            if observed:
                game.kind.kernels.observe(states, states["seat"])
        return BATCH * steps * calls / (time.perf_counter() - start)

    return run


def _games(game: _Measured) -> Callable[[], float]:
    """Plays complete games; counts the games that end in batches at all stages."""
    states, masks = game.batch(_GAMES)
    options = game.options()
    streams = np.arange(_GAMES)
    steps = max(1, _DECISIONS // 4)

    def run() -> float:
        start = time.perf_counter()
        ended = game.play(states, masks, streams, options, steps)
        return ended / (time.perf_counter() - start)

    return run


def _worlds(game: _Measured) -> Callable[[], float]:
    states, _ = game.batch(BATCH)
    seats = states["seat"].astype(np.int64)
    seeds = np.arange(BATCH)

    def run() -> float:
        start = time.perf_counter()
        for _ in range(_WORLDS):
            game.kind.kernels.sample_worlds(states, seats, seeds)
        return BATCH * _WORLDS / (time.perf_counter() - start)

    return run


def _vector_step(game: _Measured) -> Callable[[], float]:
    game.kind.kernels.prepare()
    games = game.kind.games(BATCH, SEED, game.kind.find_ruleset())
    generator = np.random.default_rng(SEED)
    size = game.kind.actions.size

    def run() -> float:
        start = time.perf_counter()
        for _ in range(_CALLS):
            legal = np.flatnonzero(games.masks)
            counts = np.count_nonzero(games.masks, axis=1)
            chosen = (generator.random(BATCH) * counts).astype(np.int64)
            games.step(legal[np.cumsum(counts) - counts + chosen] % size)
        return BATCH * _CALLS / (time.perf_counter() - start)

    return run


def _turns(game: _Measured) -> Callable[[], float]:
    env = kind_pettingzoo.env(game=game.kind)
    generator = random.Random(SEED)
    return lambda: measure_turns(env, _SECONDS, generator)


_WHAT: dict[str, tuple[str, str, Callable[[_Measured], Callable[[], float]], int]] = {
    "decisions": (
        "decisions/s",
        "uniform random legal decisions in the kernel: choice, rules, legal actions, the next game",
        lambda game: _random_decisions(game, _DECISIONS, 1, False),
        BATCH,
    ),
    "masks": (
        "decisions/s",
        "the same, one decision in each game and call",
        lambda game: _random_decisions(game, 1, _CALLS, False),
        BATCH,
    ),
    "observations": (
        "decisions/s",
        "the same, and then the observations of the batch in a call of their own",
        lambda game: _random_decisions(game, 1, _CALLS, True),
        BATCH,
    ),
    "vector_step": (
        "decisions/s",
        "the game's batch with masks and observations, actions chosen by numpy, all Python included",
        _vector_step,
        BATCH,
    ),
    "games": ("games/s", "random games that end, in batches at all stages of play", _games, _GAMES),
    "worlds": (
        "worlds/s",
        "what the deciding seat does not know drawn anew in place, states at all stages",
        _worlds,
        BATCH,
    ),
    "pettingzoo": (
        "turns/s",
        "turns through PettingZoo's env(): last(), a random legal action, step(), resets",
        _turns,
        1,
    ),
}


def _benchmarks(game: _Measured) -> list[Benchmark]:
    name, title = game.kind.name, game.kind.title
    return [
        Benchmark(
            f"{name}_{row}",
            unit,
            f"{title}: {what}",
            functools.partial(prepare, game),
            batch,
            group=f"{title}, one core",
        )
        for row, (unit, what, prepare, batch) in _WHAT.items()
    ]


MEASURED = (
    _Measured(game_kind("duel"), mix=400, play=DUEL.play_at_random),
    _Measured(game_kind("two-towers"), mix=400, play=TWO_TOWERS.play_at_random),
)
"""The measured games."""
KIND_BENCHMARKS = tuple(benchmark for game in MEASURED for benchmark in _benchmarks(game))
