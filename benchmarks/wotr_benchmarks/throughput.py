"""Benchmarks of the rules on one core: decisions, observations, games, copies, worlds, and startup."""

from __future__ import annotations

import functools
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable

import numpy as np

from wotr_benchmarks.harness import SECONDS, Benchmark
from wotr_env import STATE, Ruleset, VectorGame
from wotr_env.games.war_of_the_ring.actions import NUM_ACTIONS
from wotr_env.games.war_of_the_ring.engine import kernel

BATCH = 256
SEED = 1

_DECISIONS = 4_000
_GAMES = 512
_COPIES = 20_000
_WORLDS = 200
_VECTOR_STEPS = 2_000
_MIDGAMES = 512
_MIDGAME_DECISIONS = 8_000
"""Twice the mean length of a random game."""

_START = """
import time
start = time.perf_counter()
from wotr_env import Game
game = Game(seed=1)
game.step(game.legal()[0])
print(time.perf_counter() - start)
"""

_COLD_SCRIPTED = """
import time
start = time.perf_counter()
from wotr_agents import make_bot
from wotr_env import VectorGame
from wotr_env.play.bots import view_of
game = VectorGame(1, seed=1)
game.step(make_bot("scripted", 1).act(view_of(game.states, game.masks)))
print(time.perf_counter() - start)
"""

_COLD_COMPILE = """
from wotr_agents.compiled import ensure_everything
print(ensure_everything())
"""


@functools.cache
def _midgames() -> VectorGame:
    games = VectorGame(_MIDGAMES, seed=SEED, observations=False)
    games.random_steps(_MIDGAME_DECISIONS)
    return games


def midgame_batch(num_games: int, threads: int = 1, observations: bool = True) -> VectorGame:
    """A batch with games at all stages of random play, the same mix for every batch size.

    Args:
        num_games: N; above 512, positions repeat, but the games diverge immediately because each makes its
            own random choices.
        threads: see ``VectorGame``.
        observations: see ``VectorGame``.
    """
    games = VectorGame(num_games, seed=SEED, threads=threads, observations=observations)
    source = _midgames()
    places = np.arange(num_games) % source.num_games
    games.restore({**games.snapshot(), "states": source.snapshot()["states"][places]})
    games.random_steps(1)
    return games


def memory_per_game(observations: bool = True) -> dict[str, float]:
    """Bytes of all arrays of a ``VectorGame`` per game."""
    games = VectorGame(_MIDGAMES, observations=observations)
    arrays = [*games._buffers, games._actions, games.masks]
    return {"memory_per_game": sum(array.nbytes for array in arrays) / games.num_games}


def random_decisions(
    num_games: int, steps: int, calls: int, threads: int = 1, observations: bool = True
) -> Callable[[], Callable[[], float]]:
    """Prepares ``calls`` calls of ``VectorGame.random_steps(steps)``, in decisions per second."""

    def prepare() -> Callable[[], float]:
        games = midgame_batch(num_games, threads, observations)

        def run() -> float:
            start = time.perf_counter()
            made = sum(games.random_steps(steps) for _ in range(calls))
            return made / (time.perf_counter() - start)

        return run

    return prepare


def _decisions() -> Callable[[], float]:
    return random_decisions(BATCH, _DECISIONS, 1, observations=False)()


def _masks() -> Callable[[], float]:
    return random_decisions(BATCH, 1, _VECTOR_STEPS, observations=False)()


def _observations() -> Callable[[], float]:
    return random_decisions(BATCH, 1, _VECTOR_STEPS)()


def _play_games() -> tuple[float, int]:
    """Plays complete random games; returns seconds and decisions."""
    ruleset = Ruleset.first_edition()
    states = np.zeros(_GAMES, dtype=STATE)
    masks = np.zeros((_GAMES, NUM_ACTIONS), dtype=np.bool_)
    uniform = np.zeros((2, NUM_ACTIONS), dtype=np.int8)
    streams = np.arange(_GAMES)
    made = 0
    start = time.perf_counter()
    kernel.new_games(states, masks, np.arange(_GAMES), ruleset.encode(), ruleset.max_turns)
    while (states["winner"] < 0).any():
        made += kernel.random_steps(states, masks, 1_000, streams, uniform)
    return time.perf_counter() - start, made


def _games() -> Callable[[], float]:
    kernel.ensure_compiled()
    return lambda: _GAMES / _play_games()[0]


def _state_copies() -> Callable[[], float]:
    games = VectorGame(BATCH, seed=SEED)
    states = games.states.copy()
    target = np.zeros_like(states)

    def run() -> float:
        start = time.perf_counter()
        kernel.copy_often(states, target, _COPIES)
        return BATCH * _COPIES / (time.perf_counter() - start)

    return run


def _worlds() -> Callable[[], float]:
    games = midgame_batch(BATCH, observations=False)
    seats = games.seats.astype(np.int64)
    seeds = np.arange(BATCH)
    states = games.states.copy()

    def run() -> float:
        start = time.perf_counter()
        for _ in range(_WORLDS):
            kernel.sample_worlds(states, seats, seeds)
        return BATCH * _WORLDS / (time.perf_counter() - start)

    return run


def _vector_step() -> Callable[[], float]:
    games = midgame_batch(BATCH)
    generator = np.random.default_rng(SEED)

    def run() -> float:
        start = time.perf_counter()
        for _ in range(_VECTOR_STEPS):
            legal = np.flatnonzero(games.masks)
            counts = np.count_nonzero(games.masks, axis=1)
            chosen = (generator.random(BATCH) * counts).astype(np.int64)
            games.step(legal[np.cumsum(counts) - counts + chosen] % NUM_ACTIONS)
        return BATCH * _VECTOR_STEPS / (time.perf_counter() - start)

    return run


def _seconds_in_new_process(code: str, cache: str | None = None) -> float:
    environment = dict(os.environ)
    if cache is not None:
        environment["NUMBA_CACHE_DIR"] = cache
    done = subprocess.run(
        [sys.executable, "-c", code], env=environment, stdout=subprocess.PIPE, text=True, check=True
    )
    return float(done.stdout.split()[-1])


def _warm_start() -> Callable[[], float]:
    kernel.ensure_compiled()
    return lambda: _seconds_in_new_process(_START)


def _cold(code: str) -> Callable[[], Callable[[], float]]:
    """Prepares the measurement of a new process with an empty cache."""

    def run() -> float:
        with tempfile.TemporaryDirectory() as cache:
            return _seconds_in_new_process(code, cache)

    return lambda: run


CORE = "the rules, one core"
START = "starting up"

CORE_BENCHMARKS = (
    Benchmark(
        "decisions",
        "decisions/s",
        f"uniform random legal decisions in the kernel, {_DECISIONS:,} in each game and call: choice, rules, "
        "legal actions, auto-reset; no observations",
        _decisions,
        BATCH,
        group=CORE,
        details=lambda: memory_per_game(observations=False),
    ),
    Benchmark(
        "masks",
        "decisions/s",
        "the same, one decision in each game and call: the masks of the batch are there after every decision",
        _masks,
        BATCH,
        group=CORE,
        details=lambda: memory_per_game(observations=False),
    ),
    Benchmark(
        "observations",
        "decisions/s",
        "the same, masks and observations of the batch written at every decision",
        _observations,
        BATCH,
        group=CORE,
        details=memory_per_game,
    ),
    Benchmark(
        "vector_step",
        "decisions/s",
        "VectorGame.step with masks and observations, actions chosen by numpy, all Python included",
        _vector_step,
        BATCH,
        group=CORE,
        details=memory_per_game,
    ),
    Benchmark(
        "games",
        "games/s",
        f"{_GAMES} complete random games in the kernel, from set-up to victory, the longest included",
        _games,
        _GAMES,
        group=CORE,
        details=lambda: {"decisions_per_game": _play_games()[1] / _GAMES},
    ),
    Benchmark(
        "state_copies",
        "copies/s",
        f"states copied inside the kernel, {STATE.itemsize:,} bytes each",
        _state_copies,
        BATCH,
        group=CORE,
    ),
    Benchmark(
        "worlds",
        "worlds/s",
        "hidden cards, decks and chance of midgame states drawn anew in place for the deciding seat",
        _worlds,
        BATCH,
        group=CORE,
    ),
)
START_BENCHMARKS = (
    Benchmark(
        "warm_start",
        SECONDS,
        "import to the first step in a new process, compiled before; start of Python excluded",
        _warm_start,
        group=START,
    ),
    Benchmark(
        "cold_start",
        SECONDS,
        "the same with an empty cache: the rules are compiled",
        _cold(_START),
        threads=2,
        slow=True,
        group=START,
    ),
    Benchmark(
        "cold_scripted",
        SECONDS,
        "import to the first decision of the scripted bot, empty cache: all but the searches is compiled",
        _cold(_COLD_SCRIPTED),
        threads=2,
        slow=True,
        group=START,
    ),
    Benchmark(
        "cold_compile",
        SECONDS,
        "compiling rules, bots and searches in a new process with an empty cache; imports excluded",
        _cold(_COLD_COMPILE),
        threads=2,
        slow=True,
        group=START,
    ),
)
