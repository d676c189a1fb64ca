"""All benchmarks by name, and measurement of a selection into one report.

``wotr bench`` is the command for this module.
"""

from __future__ import annotations

import dataclasses
import fnmatch
from collections.abc import Callable, Iterable

from wotr_benchmarks import environments
from wotr_benchmarks.bots import BOT_BENCHMARKS
from wotr_benchmarks.harness import REPEATS, Benchmark, machine, measure
from wotr_benchmarks.kinds import KIND_BENCHMARKS
from wotr_benchmarks.peers import PEER_BENCHMARKS
from wotr_benchmarks.report import Report
from wotr_benchmarks.scaling import VECTOR_BENCHMARKS
from wotr_benchmarks.throughput import CORE_BENCHMARKS, START_BENCHMARKS
from wotr_benchmarks.training import TRAINING_BENCHMARKS
from wotr_env.games.war_of_the_ring.engine import kernel

ENVIRONMENT = "PettingZoo"


def _ours_in_petting_zoo() -> Benchmark:
    ours = environments.benchmarks(say=lambda _line: None)[environments.OURS]
    return dataclasses.replace(ours, group=ENVIRONMENT)


BENCHMARKS: dict[str, Benchmark] = {
    benchmark.name: benchmark
    for benchmark in (
        *CORE_BENCHMARKS,
        *VECTOR_BENCHMARKS,
        _ours_in_petting_zoo(),
        *KIND_BENCHMARKS,
        *BOT_BENCHMARKS,
        *TRAINING_BENCHMARKS,
        *PEER_BENCHMARKS,
        *START_BENCHMARKS,
    )
}
"""All benchmarks by name, in the order of measurement."""


def choose(pattern: str | None = None, slow: bool = False) -> list[Benchmark]:
    """The benchmarks whose names or groups match a pattern such as ``observed_*``; may be empty.

    Args:
        pattern: pattern; by default all benchmarks except slow ones.
        slow: whether to include slow benchmarks.
    """
    if pattern is None:
        return [each for each in BENCHMARKS.values() if slow or not each.slow]
    return [
        each
        for each in BENCHMARKS.values()
        if fnmatch.fnmatchcase(each.name, pattern) or fnmatch.fnmatchcase(each.group, pattern)
    ]


def run_benchmarks(
    chosen: Iterable[Benchmark],
    repeats: int | None = None,
    on_start: Callable[[str], object] = lambda _name: None,
    on_done: Callable[[str], object] = lambda _name: None,
) -> Report:
    """Compiles the rules, then measures the benchmarks in order; skips those whose requirements are missing.

    Args:
        chosen: benchmarks to run.
        repeats: number of measured runs of each benchmark; by default 5, and 1 for slow benchmarks.
        on_start: called with the name before each benchmark.
        on_done: called with the name after each benchmark, including skipped ones.
    """
    report = Report(machine(), kernel.ensure_compiled())
    for benchmark in chosen:
        on_start(benchmark.name)
        missing = benchmark.missing()
        if missing is None:
            runs = repeats or (1 if benchmark.slow else REPEATS)
            report.measurements.append(measure(benchmark, runs))
        else:
            report.skipped[benchmark.name] = missing
        on_done(benchmark.name)
    return report
