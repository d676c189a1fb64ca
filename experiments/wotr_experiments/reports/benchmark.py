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
    """An output of ``wotr bench --json``.

    Raises:
        CommandError: the file is not such an output.
        OSError: it cannot be read.
    """
    try:
        return Report.from_dict(json.loads(read_text(path)))
    except (AttributeError, KeyError, TypeError, ValueError, RecursionError):
        raise CommandError(f"{path} is not the output of wotr bench --json") from None


def check_can_plot(path: Path, what: str = "--plot") -> None:
    """Checks that a plot can be drawn, before minutes of measuring.

    Args:
        path: of the file.
        what: draws it, for words.

    Raises:
        CommandError: the suffix is neither ``.png`` nor ``.svg``, or matplotlib is not installed.
    """
    if path.suffix not in (".png", ".svg"):
        raise CommandError(f"{what} writes .png or .svg files, not {path.name}")
    if importlib.util.find_spec("matplotlib") is None:
        raise CommandError(f"{what} needs matplotlib: {how_to_install('plots')}")


def draw(report: Report, path: Path) -> None:
    """``report.plot``, with a CommandError if there is nothing to draw."""
    try:
        plot(report, path)
    except ValueError as error:
        raise CommandError(f"--plot: {error}") from None


def write_report(folder: Path, report: Report, order: list[str]) -> None:
    """Writes ``baseline.json``, ``table.md`` and, if it can be drawn, ``throughput.svg`` into a folder.

    Args:
        folder: made if it is not there. What only the baseline in it has is kept, if of the same machine.
        report: the measurements.
        order: the names of all benchmarks, as the files list them.

    Raises:
        CommandError: the baseline there is something else.
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
