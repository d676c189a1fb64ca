"""Benchmark of the PettingZoo environment, compared with PettingZoo's chess: the same loop in the same run.

``python -m wotr_benchmarks.environments`` measures both. Chess needs ``pip install chess pygame-ce``.
"""

from __future__ import annotations

import importlib.util
import random
import statistics
import time
from collections.abc import Callable

import numpy as np
import pettingzoo

import wotr_env
from wotr_benchmarks.harness import Benchmark, Measurement, measure

REPEATS = 5
SEED = 1

_SECONDS = 2.0
_TURNS_PER_LOOK_AT_THE_CLOCK = 50

OURS = "pettingzoo"
CHESS = "pettingzoo_chess"
_CHESS_NEEDS = ("chess", "pygame")

_WHAT = "turns of {} through PettingZoo's env(): last(), a random legal action, step(), resets"


def measure_turns(env: pettingzoo.AECEnv, seconds: float, generator: random.Random) -> float:
    """Plays random legal actions for some seconds; returns agent steps per second.

    As in PettingZoo's ``performance_benchmark``, one agent step is ``last()``, the choice and ``step()``. A
    finished game is reset; resets count in the time, but not as steps.
    """
    env.reset(seed=SEED)
    turns = 0
    start = time.perf_counter()
    while time.perf_counter() - start < seconds:
        for _ in range(_TURNS_PER_LOOK_AT_THE_CLOCK):
            observation, _, terminated, truncated, _ = env.last()
            if terminated or truncated:
                env.reset()
                continue
            assert observation is not None
            env.step(generator.choice(np.flatnonzero(observation["action_mask"]).tolist()))
            turns += 1
    return turns / (time.perf_counter() - start)


def _turns(make: Callable[[], pettingzoo.AECEnv]) -> Callable[[], Callable[[], float]]:
    def prepare() -> Callable[[], float]:
        env = make()
        generator = random.Random(SEED)
        return lambda: measure_turns(env, _SECONDS, generator)

    return prepare


_OURS = Benchmark(OURS, "turns/s", _WHAT.format("War of the Ring"), _turns(wotr_env.env))
_CHESS = Benchmark(
    CHESS,
    "turns/s",
    _WHAT.format("chess_v6"),
    _turns(lambda: pettingzoo.make("aec", "classic/chess-v6")),
)


def missing_packages() -> list[str]:
    """The packages that the comparison with chess needs and that are not installed."""
    return [name for name in _CHESS_NEEDS if importlib.util.find_spec(name) is None]


def benchmarks(say: Callable[[str], object] = print) -> dict[str, Benchmark]:
    """The benchmarks by name; chess only if its packages are installed.

    Args:
        say: called with one line that gives the reason, if chess is left out.
    """
    missing = missing_packages()
    if missing:
        say(f"{CHESS} is skipped: {' and '.join(missing)} not installed (pip install chess pygame-ce)")
        return {OURS: _OURS}
    return {OURS: _OURS, CHESS: _CHESS}


def compare(
    repeats: int = REPEATS,
    on_done: Callable[[Measurement], object] = lambda _done: None,
    say: Callable[[str], object] = print,
) -> tuple[list[Measurement], float | None]:
    """Measures all benchmarks, one after the other.

    Args:
        repeats: number of measured runs of each benchmark, >= 1, after one warm-up run.
        on_done: called after each measurement.
        say: called with one line that gives the reason, if chess is left out.

    Returns:
        The measurements, and the ratio of our median to the median of chess; None without chess.
    """
    measurements = []
    for benchmark in benchmarks(say).values():
        measurements.append(measure(benchmark, repeats))
        on_done(measurements[-1])
    medians = [statistics.median(done.runs) for done in measurements]
    return measurements, medians[0] / medians[1] if len(medians) == 2 else None


if __name__ == "__main__":
    _, ratio = compare(
        on_done=lambda done: print(
            f"{done.name:16} {done.median:12,.0f} {done.unit}  +-{done.spread / 2:.0%}"
        )
    )
    if ratio is not None:
        print(f"ratio            {ratio:12,.1f}")
