"""How fast the rules are: decisions, games, copies, vector steps and starting up.

``python -m benchmarks.throughput`` measures all but the slow ones; ``wotr bench`` offers more.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable

import numpy as np

from benchmarks.harness import Benchmark, Measurement, measure
from wotr_env import STATE, Ruleset, VectorGame, kernel
from wotr_env.actions import NUM_ACTIONS
from wotr_env.compile import ensure_compiled

BATCH = 256
REPEATS = 5
SEED = 1

_DECISIONS = 2_000
_GAMES = 512
_COPIES = 20_000
_VECTOR_STEPS = 1_000

_WARM_START = """
import time
start = time.perf_counter()
from wotr_env import Game
game = Game(seed=1)
game.step(game.legal()[0])
print(time.perf_counter() - start)
"""

_COLD_COMPILE = """
from wotr_env import kernel
from wotr_env.compile import ensure_compiled
print(ensure_compiled(kernel.compile_all))
"""


def _decisions() -> Callable[[], float]:
    games = VectorGame(BATCH, seed=SEED)
    games.random_steps(_DECISIONS // 4)  # away from the openings, so that all phases of games are in the mix

    def run() -> float:
        start = time.perf_counter()
        made = games.random_steps(_DECISIONS)
        return made / (time.perf_counter() - start)

    return run


def _games() -> Callable[[], float]:
    ensure_compiled(kernel.compile_all)
    ruleset = Ruleset.first_edition()
    states = np.zeros(_GAMES, dtype=STATE)
    masks = np.zeros((_GAMES, NUM_ACTIONS), dtype=np.bool_)
    uniform = np.zeros((2, NUM_ACTIONS), dtype=np.int8)

    def run() -> float:
        seeds = np.arange(_GAMES)
        streams = np.arange(_GAMES)
        start = time.perf_counter()
        kernel.new_games(states, masks, seeds, ruleset.encode(), ruleset.max_turns)
        while (states["winner"] < 0).any():
            kernel.random_steps(states, masks, 1_000, streams, uniform)
        return _GAMES / (time.perf_counter() - start)

    return run


def _state_copies() -> Callable[[], float]:
    games = VectorGame(BATCH, seed=SEED)
    target = np.zeros_like(games.states)

    def run() -> float:
        start = time.perf_counter()
        kernel.copy_states(games.states, target, _COPIES)
        return BATCH * _COPIES / (time.perf_counter() - start)

    return run


def _vector_step() -> Callable[[], float]:
    games = VectorGame(BATCH, seed=SEED)
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
    ensure_compiled(kernel.compile_all)
    return lambda: _seconds_in_new_process(_WARM_START)


def _cold_compile() -> Callable[[], float]:
    def run() -> float:
        with tempfile.TemporaryDirectory() as cache:
            return _seconds_in_new_process(_COLD_COMPILE, cache)

    return run


BENCHMARKS: dict[str, Benchmark] = {
    benchmark.name: benchmark
    for benchmark in (
        Benchmark(
            "decisions",
            "decisions/s",
            "uniform random legal decisions in the kernel: choice, rules, mask, auto-reset; no observations",
            _decisions,
            BATCH,
        ),
        Benchmark(
            "games",
            "games/s",
            f"{_GAMES} complete random games in the kernel, from set-up to victory, the longest included",
            _games,
            _GAMES,
        ),
        Benchmark(
            "state_copies",
            "copies/s",
            f"states copied inside the kernel, {STATE.itemsize} bytes each",
            _state_copies,
            BATCH,
        ),
        Benchmark(
            "vector_step",
            "decisions/s",
            "VectorGame.step with random legal actions chosen by numpy, all Python included",
            _vector_step,
            BATCH,
        ),
        Benchmark(
            "warm_start",
            "s",
            "import to the first step in a new process, compiled before; start of Python excluded",
            _warm_start,
        ),
        Benchmark(
            "cold_compile",
            "s",
            "compiling everything in a new process with an empty cache; imports excluded",
            _cold_compile,
            slow=True,
        ),
    )
}
"""Every benchmark by name."""


def run_benchmarks(
    names: list[str],
    repeats: int | None = None,
    on_done: Callable[[Measurement], object] = lambda _done: None,
) -> list[Measurement]:
    """Measures benchmarks one after the other.

    Args:
        names: of ``BENCHMARKS``.
        repeats: measured runs of each; by default 5, and 1 for slow ones.
        on_done: called after each.
    """
    measurements = []
    for name in names:
        benchmark = BENCHMARKS[name]
        measurements.append(measure(benchmark, repeats or (1 if benchmark.slow else REPEATS)))
        on_done(measurements[-1])
    return measurements


if __name__ == "__main__":
    run_benchmarks(
        [name for name, benchmark in BENCHMARKS.items() if not benchmark.slow],
        on_done=lambda done: print(
            f"{done.name:14} {done.median:15,.1f} {done.unit}  +-{done.spread / 2:.0%}"
        ),
    )
