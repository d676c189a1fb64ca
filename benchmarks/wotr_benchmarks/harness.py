"""The harness of all measurements: warm-up, repeats, median and spread, memory, and machine data."""

from __future__ import annotations

import contextlib
import dataclasses
import datetime
import importlib.metadata
import os
import platform
import statistics
import sys
import time
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

REPEATS = 5
SECONDS = "s"
"""The only unit in which less is better."""

_PACKAGES = (
    "numba",
    "numpy",
    "pettingzoo",
    "torch",
    "chess",
    "open-spiel",
    "jax",
    "pgx",
    "catanatron",
)


def _nothing_missing() -> str | None:
    return None


def _no_details() -> dict[str, float]:
    return {}


@dataclasses.dataclass(frozen=True)
class Benchmark:
    """Something that can be measured."""

    name: str
    unit: str
    what: str
    """A line that describes the unit and the measured work."""
    prepare: Callable[[], Callable[[], float]]
    """Prepares everything, and returns a function that measures once, in ``unit``."""
    batch: int = 1
    """Number of games per batch."""
    threads: int = 1
    slow: bool = False
    """Whether the benchmark is measured only on request, by default once and without warm-up."""
    group: str = ""
    """The table of the benchmark."""
    missing: Callable[[], str | None] = _nothing_missing
    """The reason why it cannot be measured here, in one line; None if it can."""
    details: Callable[[], dict[str, float]] = _no_details
    """Returns further results from outside the measured runs; ``memory_per_game`` is in bytes for all
    buffers."""


@dataclasses.dataclass(frozen=True)
class Measurement:
    """The repeats of one benchmark."""

    name: str
    unit: str
    what: str
    batch: int
    threads: int
    runs: tuple[float, ...]
    """Results in measured order, in ``unit``."""
    group: str = ""
    warm_up: float = 0.0
    """Seconds for preparation and a warm-up run, including the compilation of other environments."""
    quiet: float = 1.0
    """Processor time / wall time of the runs, per thread; well below 1 means that other processes used the
    cores."""
    peak_memory: int | None = None
    """Peak memory of the process in bytes, including Python and libraries; None if unknown."""
    details: Mapping[str, float] = dataclasses.field(default_factory=dict)
    date: str = ""
    """The day of the measurement, ISO 8601."""

    @property
    def median(self) -> float:
        """The median of the runs."""
        return statistics.median(self.runs)

    @property
    def spread(self) -> float:
        """(highest - lowest) / median of the runs."""
        return (max(self.runs) - min(self.runs)) / self.median

    def to_dict(self) -> dict[str, Any]:
        """The measurement for JSON."""
        return {
            **dataclasses.asdict(self),
            "runs": list(self.runs),
            "median": self.median,
            "spread": self.spread,
        }

    @classmethod
    def from_dict(cls, fields: Mapping[str, Any]) -> Measurement:
        """The inverse of ``to_dict``.

        Raises:
            KeyError, TypeError, ValueError: the data are not a measurement.
        """
        known = {field.name for field in dataclasses.fields(cls)}
        values = {name: value for name, value in fields.items() if name in known}
        values["runs"] = tuple(float(run) for run in fields["runs"])
        made = cls(**values)
        if not made.runs or not all(run > 0 for run in made.runs):
            raise ValueError(f"{made.name}: the runs are numbers above 0, at least one")
        return made


def measure(benchmark: Benchmark, repeats: int) -> Measurement:
    """Measures a benchmark after one warm-up run (slow benchmarks without), on as many cores as the benchmark
    has threads.

    Args:
        benchmark: the benchmark.
        repeats: number of measured runs, >= 1.
    """
    with _on_cores(benchmark.threads):
        peak = _PeakMemory()
        start = time.perf_counter()
        run = benchmark.prepare()
        if not benchmark.slow:
            run()
        warm_up = time.perf_counter() - start
        start, used = time.perf_counter(), _processor_seconds()
        runs = tuple(run() for _ in range(repeats))
        wall = time.perf_counter() - start
        quiet = (_processor_seconds() - used) / max(wall * benchmark.threads, 1e-9)
        peak_memory = peak.read()
        details = benchmark.details()
    return Measurement(
        benchmark.name,
        benchmark.unit,
        benchmark.what,
        benchmark.batch,
        benchmark.threads,
        runs,
        group=benchmark.group,
        warm_up=warm_up,
        quiet=quiet,
        peak_memory=peak_memory,
        details=details,
        date=datetime.date.today().isoformat(),
    )


def machine() -> dict[str, Any]:
    """Data of the machine: processor, caches, usable cores, memory, versions, load."""
    return {
        "processor": _processor(),
        "caches": _caches(),
        "cores": _num_cores(),
        "memory_bytes": _memory_bytes(),
        "load": os.getloadavg()[0] if hasattr(os, "getloadavg") else None,
        "system": platform.system(),
        "python": platform.python_version(),
        "packages": dict(_versions()),
    }


def _num_cores() -> int:
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


@contextlib.contextmanager
def _on_cores(threads: int) -> Iterator[None]:
    """Restricts this thread and its new threads to some cores, if the system supports it (Linux)."""
    if not hasattr(os, "sched_setaffinity"):
        yield
        return
    allowed = os.sched_getaffinity(0)
    os.sched_setaffinity(0, sorted(allowed)[-threads:])
    try:
        yield
    finally:
        os.sched_setaffinity(0, allowed)


def _processor_seconds() -> float:
    """Processor seconds of this process and its finished children."""
    times = os.times()
    return time.process_time() + times.children_user + times.children_system


class _PeakMemory:
    """Peak memory of the process from now on; on systems other than Linux, since its start."""

    def __init__(self) -> None:
        with contextlib.suppress(OSError):
            Path("/proc/self/clear_refs").write_text("5", encoding="ascii")

    def read(self) -> int | None:
        """The peak in bytes."""
        with contextlib.suppress(OSError):
            for line in Path("/proc/self/status").read_text(encoding="ascii").splitlines():
                if line.startswith("VmHWM:"):
                    return int(line.split()[1]) * 1024
        try:
            import resource
        except ImportError:  # Windows
            return None
        peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
        return peak if sys.platform == "darwin" else peak * 1024


def _processor() -> str:
    with contextlib.suppress(OSError):
        for line in Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines():
            if line.startswith("model name"):
                return line.partition(":")[2].strip()
    return platform.processor() or platform.machine()


def _caches() -> dict[str, str]:
    """Cache sizes of the first core by level, such as ``L2: 1024K``; empty if unknown."""
    sizes = {}
    for folder in sorted(Path("/sys/devices/system/cpu/cpu0/cache").glob("index*")):
        with contextlib.suppress(OSError):
            level, kind, size = (
                (folder / name).read_text(encoding="ascii").strip() for name in ("level", "type", "size")
            )
            if kind != "Instruction":
                sizes[f"L{level}"] = size
    return sizes


def _memory_bytes() -> int | None:
    try:
        return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    except (AttributeError, ValueError, OSError):
        return None


def _versions() -> Iterator[tuple[str, str]]:
    for name in _PACKAGES:
        with contextlib.suppress(importlib.metadata.PackageNotFoundError):
            yield name, importlib.metadata.version(name)
