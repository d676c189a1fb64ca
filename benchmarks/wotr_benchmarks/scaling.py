"""Benchmarks of the scaling of ``VectorGame`` with batch size and threads."""

from __future__ import annotations

import functools
from collections.abc import Callable

from wotr_benchmarks.harness import Benchmark
from wotr_benchmarks.throughput import memory_per_game, random_decisions

VECTOR = "VectorGame by batch and threads"
BATCHES = (64, 256, 1_024, 4_096, 16_384, 65_536)
THREADS = (1, 2)

_DECISIONS = 2**20
"""Number of decisions in a measured run, for any batch size."""
_ROLLOUT = 16

SERIES = {
    "rollout": f"{_ROLLOUT} random decisions in each game and call, no observations",
    "observed": "one random decision in each game and call, masks and observations written",
}
"""Descriptions of the series of the plot."""


def _prepare(series: str, batch: int, threads: int) -> Callable[[], float]:
    steps = _ROLLOUT if series == "rollout" else 1
    calls = max(1, _DECISIONS // (batch * steps))
    return random_decisions(batch, steps, calls, threads, observations=series == "observed")()


VECTOR_BENCHMARKS = tuple(
    Benchmark(
        f"{series}_{batch}x{threads}",
        "decisions/s",
        what,
        functools.partial(_prepare, series, batch, threads),
        batch,
        threads,
        group=VECTOR,
        details=functools.partial(memory_per_game, series == "observed"),
    )
    for series, what in SERIES.items()
    for threads in THREADS
    for batch in BATCHES
)
