"""Reads and writes reports of benchmarks, with one-line errors."""

from __future__ import annotations

import importlib.util
import json
import sys
from pathlib import Path

from wotr_benchmarks.noise import Verdict, compare
from wotr_benchmarks.report import Report, markdown, plot
from wotr_env.core.values import read_text
from wotr_env.play.plugins import how_to_install
from wotr_experiments.errors import CommandError
from wotr_experiments.files import write_json, write_text

BASELINE = "baseline.json"
TABLE = "table.md"
PLOT = "throughput.svg"


def read_report(path: Path) -> Report:
    """Reads an output of ``wotr bench --json``.

    Raises:
        CommandError: the file is not an output of ``wotr bench --json``.
        OSError: the file cannot be read.
    """
    try:
        return Report.from_dict(json.loads(read_text(path)))
    except (AttributeError, KeyError, TypeError, ValueError, RecursionError):
        raise CommandError(f"{path} is not the output of wotr bench --json") from None


def check_can_plot(path: Path, what: str = "--plot") -> None:
    """Checks that a plot can be drawn, before minutes of measuring.

    Args:
        path: file of the plot.
        what: name of the option or command, for messages.

    Raises:
        CommandError: the suffix is neither ``.png`` nor ``.svg``, or matplotlib is not installed.
    """
    if path.suffix not in (".png", ".svg"):
        raise CommandError(f"{what} writes .png or .svg files, not {path.name}")
    if importlib.util.find_spec("matplotlib") is None:
        raise CommandError(f"{what} needs matplotlib: {how_to_install('plots')}")


def draw(report: Report, path: Path) -> None:
    """Calls ``report.plot``; raises CommandError if there is nothing to draw."""
    try:
        plot(report, path)
    except ValueError as error:
        raise CommandError(f"--plot: {error}") from None


def write_report(folder: Path, report: Report, order: list[str]) -> None:
    """Writes ``baseline.json``, ``table.md`` and, if possible, ``throughput.svg`` into a folder.

    Args:
        folder: the folder; it is created if needed. Measurements only in its old baseline are kept, if they
            are from the same machine.
        report: the measurements.
        order: the names of all benchmarks, in the order for the files.

    Raises:
        CommandError: ``baseline.json`` in the folder is not a report.
        OSError: a file cannot be written.
    """
    folder.mkdir(parents=True, exist_ok=True)
    if (folder / BASELINE).exists():
        report = report.with_earlier(read_report(folder / BASELINE), order)
    write_json(folder / BASELINE, report.to_dict())
    write_text(folder / TABLE, markdown(report))
    try:
        plot(report, folder / PLOT)
    except (ImportError, ValueError) as error:
        print(f"wotr: no plot: {error}", file=sys.stderr)


def slower_than(report: Report, earlier: Report) -> list[str]:
    """The names of the benchmarks that have become slower by more than noise."""
    known = earlier.by_name()
    return [
        each.name
        for each in report.measurements
        if each.name in known and compare(each, known[each.name]).verdict is Verdict.SLOWER
    ]
