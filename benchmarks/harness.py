"""One harness for all measurements: warm-up, repeats, median and spread, and the machine measured."""

from __future__ import annotations

import dataclasses
import os
import platform
import statistics
from collections.abc import Callable
from typing import Any


@dataclasses.dataclass(frozen=True)
class Benchmark:
    """Something that can be measured."""

    name: str
    unit: str
    what: str
    """What is counted and what is included, in a line."""
    prepare: Callable[[], Callable[[], float]]
    """Makes everything ready and returns the function that measures once, in ``unit``."""
    batch: int = 1
    """Games advanced together."""
    threads: int = 1
    slow: bool = False
    """Measured only when asked for by name, and then once by default, without warm-up."""


@dataclasses.dataclass(frozen=True)
class Measurement:
    """The repeats of one benchmark."""

    name: str
    unit: str
    what: str
    batch: int
    threads: int
    runs: tuple[float, ...]
    """In the order measured, in ``unit``."""

    @property
    def median(self) -> float:
        """The median of the runs."""
        return statistics.median(self.runs)

    @property
    def spread(self) -> float:
        """(highest - lowest) / median of the runs."""
        return (max(self.runs) - min(self.runs)) / self.median

    def to_dict(self) -> dict[str, Any]:
        """For JSON."""
        return {
            **dataclasses.asdict(self),
            "runs": list(self.runs),
            "median": self.median,
            "spread": self.spread,
        }


def measure(benchmark: Benchmark, repeats: int) -> Measurement:
    """Measures a benchmark after one run of warm-up (slow ones without).

    Args:
        benchmark: what to measure.
        repeats: measured runs, >= 1.
    """
    run = benchmark.prepare()
    if not benchmark.slow:
        run()
    runs = tuple(run() for _ in range(repeats))
    return Measurement(
        benchmark.name, benchmark.unit, benchmark.what, benchmark.batch, benchmark.threads, runs
    )


def machine() -> dict[str, Any]:
    """What the measurements ran on: processor, cores that may be used, Python."""
    return {
        "processor": platform.processor() or platform.machine(),
        "cores": len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count(),
        "python": platform.python_version(),
        "system": platform.system(),
    }
