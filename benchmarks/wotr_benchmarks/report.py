"""Reports of measurements as JSON, Markdown tables and plots."""

from __future__ import annotations

import dataclasses
import itertools
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from wotr_benchmarks.harness import Measurement
from wotr_benchmarks.noise import interval
from wotr_benchmarks.scaling import SERIES, VECTOR

FORMAT = 2
_QUIET = 0.97
"""A remark is added if the share of processor time is below this value."""
_SAME_MACHINE = ("processor", "cores", "system")


@dataclasses.dataclass
class Report:
    """Measurements, their machine, and skipped benchmarks."""

    machine: dict[str, Any]
    compile_seconds: float
    """Seconds of compilation before the first measurement, not included elsewhere; 0 if the machine code was
    cached."""
    measurements: list[Measurement] = dataclasses.field(default_factory=list)
    skipped: dict[str, str] = dataclasses.field(default_factory=dict)
    """Reasons for skipped benchmarks, by name."""
    provenance: dict[str, Any] = dataclasses.field(default_factory=dict)
    """Command, version and commit of the last measurement, if known."""

    def to_dict(self) -> dict[str, Any]:
        """The report for JSON."""
        return {
            "format": FORMAT,
            "machine": self.machine,
            "compile_seconds": self.compile_seconds,
            "measurements": [
                {**each.to_dict(), "interval_95": interval(each.runs)} for each in self.measurements
            ],
            "skipped": self.skipped,
            **({"provenance": self.provenance} if self.provenance else {}),
        }

    @classmethod
    def from_dict(cls, fields: Mapping[str, Any]) -> Report:
        """The inverse of ``to_dict``.

        Raises:
            KeyError, TypeError, ValueError: the data are not a report.
        """
        measurements = [Measurement.from_dict(each) for each in fields["measurements"]]
        seconds = float(fields.get("compile_seconds", 0.0))
        skipped, provenance = (dict(fields.get(name, {})) for name in ("skipped", "provenance"))
        return cls(dict(fields["machine"]), seconds, measurements, skipped, provenance)

    def by_name(self) -> dict[str, Measurement]:
        """The measurements by names of benchmarks."""
        return {each.name: each for each in self.measurements}

    def same_machine(self, other: Report) -> bool:
        """Whether processor, number of cores and system are the same."""
        return all(self.machine.get(name) == other.machine.get(name) for name in _SAME_MACHINE)

    def with_earlier(self, earlier: Report, order: list[str]) -> Report:
        """This report with further measurements of an earlier report of the same machine, in order of
        names."""
        if not self.same_machine(earlier):
            return self
        merged = {**earlier.by_name(), **self.by_name()}
        kept = [merged[name] for name in order if name in merged]
        skipped = {name: why for name, why in self.skipped.items() if name not in merged}
        seconds = self.compile_seconds or earlier.compile_seconds
        return Report(self.machine, seconds, kept, skipped, self.provenance)


def machine_line(report: Report) -> str:
    """A description of the machine in one line, for captions."""
    machine = report.machine
    caches = ", ".join(f"{level} {size}" for level, size in (machine.get("caches") or {}).items())
    packages = machine.get("packages") or {}
    versions = ", ".join(f"{name} {packages[name]}" for name in ("numpy", "numba") if name in packages)
    parts = [
        f"{machine.get('processor')}, {machine.get('cores')} cores",
        caches,
        f"{machine.get('system', '')} Python {machine.get('python')}".strip(),
        versions,
    ]
    return "; ".join(part for part in parts if part)


def groups(report: Report) -> dict[str, list[Measurement]]:
    """The measurements by group, in order."""
    found: dict[str, list[Measurement]] = {}
    for each in report.measurements:
        found.setdefault(each.group, []).append(each)
    return found


def remarks(measured: Measurement) -> str:
    """Remarks in words: memory, decisions per game, cores used by other processes."""
    details = dict(measured.details)
    parts = []
    if "memory_per_game" in details:
        parts.append(f"{details.pop('memory_per_game'):,.0f} bytes per game")
    parts += [f"{value:,.0f} {name.replace('_', ' ')}" for name, value in details.items()]
    if measured.quiet < _QUIET:
        parts.append(f"used only {measured.quiet:.0%} of its cores")
    return "; ".join(parts)


def figure(value: float) -> str:
    """A number rounded for people."""
    return f"{value:,.0f}" if value >= 100 else f"{value:.3g}"


def markdown(report: Report) -> str:
    """The report as Markdown: a table for each group."""
    lines = [f"Median of the runs; {machine_line(report)}. Measured with `wotr bench`."]
    for group, measurements in groups(report).items():
        lines += [
            "",
            f"**{group or 'benchmarks'}**",
            "",
            "| benchmark | median | spread | batch | threads | what |",
            "|---|---:|---:|---:|---:|---|",
        ]
        for each in measurements:
            what = "; ".join(part for part in (each.what, remarks(each)) if part)
            lines.append(
                f"| `{each.name}` | {figure(each.median)} {each.unit} | {each.spread:.0%} "
                f"| {each.batch:,} | {each.threads} | {what} |"
            )
    if report.skipped:
        lines += ["", *(f"- `{name}` skipped: {why}" for name, why in report.skipped.items())]
    return "\n".join(lines) + "\n"


def plot(report: Report, path: Path) -> None:
    """Draws throughput by batch size and threads; the suffix (``.png``, ``.svg``) decides the format.

    Raises:
        ImportError: matplotlib is not installed (the extra ``plots``).
        ValueError: there is no measurement to draw, or the suffix is not an image format.
    """
    from matplotlib.backends.backend_agg import FigureCanvasAgg  # pyright: ignore[reportMissingImports]
    from matplotlib.figure import Figure  # pyright: ignore[reportMissingImports]

    drawn = [each for each in report.measurements if each.group == VECTOR]
    if not drawn:
        raise ValueError("a plot needs the benchmarks of batch sizes: rollout_* and observed_*")
    page = Figure(figsize=(8, 4.5), layout="constrained")
    FigureCanvasAgg(page)
    axes = page.subplots()

    def kind(each: Measurement) -> tuple[str, int]:
        return each.name.rpartition("_")[0], each.threads

    for (series, threads), members in itertools.groupby(sorted(drawn, key=kind), key=kind):
        line = sorted(members, key=lambda each: each.batch)
        medians = [each.median for each in line]
        errors = [
            [each.median - min(each.runs) for each in line],
            [max(each.runs) - each.median for each in line],
        ]
        axes.errorbar(
            [each.batch for each in line],
            medians,
            errors,
            marker="o" if threads == 1 else "s",
            linestyle="-" if threads == 1 else "--",
            color=f"C{list(SERIES).index(series) if series in SERIES else len(SERIES)}",
            capsize=3,
            label=f"{series}, {threads} thread{'s' if threads > 1 else ''}",
        )
    axes.set_xscale("log", base=2)
    axes.set_ylim(bottom=0)
    axes.yaxis.set_major_formatter(lambda value, _position: f"{value / 1e6:.1f} M")
    axes.set_xlabel("games in the batch")
    axes.set_ylabel("decisions per second")
    axes.set_title(f"VectorGame; {report.machine.get('processor')}", fontsize="medium")
    axes.grid(alpha=0.3)
    axes.legend()
    page.savefig(path)
