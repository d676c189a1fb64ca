"""The command ``wotr bench``."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated

import tqdm
import typer
from rich.table import Table

from wotr_benchmarks import suite
from wotr_benchmarks.noise import Change, Verdict, compare
from wotr_benchmarks.report import Report, figure, groups, machine_line, markdown, remarks
from wotr_experiments.arena.result_tables import NOTHING
from wotr_experiments.cli.options import Json, print_json, print_tables
from wotr_experiments.errors import CommandError
from wotr_experiments.provenance import provenance
from wotr_experiments.reports.benchmark import check_can_plot, draw, read_report, slower_than, write_report


def bench(
    as_json: Json = False,
    only: Annotated[
        str | None,
        typer.Option(help="Name of one benchmark, or a pattern of names or groups, such as 'observed_*'."),
    ] = None,
    repeats: Annotated[
        int | None, typer.Option(min=1, help="Measured runs per benchmark. By default 5.")
    ] = None,
    against: Annotated[
        Path | None,
        typer.Option(
            help=(
                "Compare with an earlier report: a file with the output of --json. Exit code 1 means that a "
                "benchmark is slower."
            )
        ),
    ] = None,
    slow: Annotated[bool, typer.Option("--slow", help="Also run the slow benchmarks.")] = False,
    as_markdown: Annotated[
        bool, typer.Option("--markdown", help="Print Markdown instead of tables.")
    ] = False,
    picture: Annotated[
        Path | None,
        typer.Option("--plot", help="Draw speed by batch size and threads to this file, .png or .svg."),
    ] = None,
    out: Annotated[
        Path | None, typer.Option(help="Write baseline.json, table.md and throughput.svg to this folder.")
    ] = None,
    show: Annotated[
        Path | None,
        typer.Option(
            "--from", help="Show an earlier report (a file with the output of --json) and measure nothing."
        ),
    ] = None,
) -> None:
    """Measure the speed of this package and of other environments on this machine."""
    if as_json and as_markdown:
        raise CommandError("give --json or --markdown, not both")
    chosen = suite.choose(only, slow)
    if not chosen:
        raise CommandError(f"unknown benchmark {only!r}; known: {', '.join(suite.BENCHMARKS)}")
    earlier = None if against is None else read_report(against)
    if picture is not None:
        check_can_plot(picture)
    if show is not None:
        report = read_report(show)
    else:
        with tqdm.tqdm(total=len(chosen), unit="benchmark", disable=None, leave=False) as bar:
            report = suite.run_benchmarks(chosen, repeats, bar.set_postfix_str, lambda _name: bar.update())
        report.provenance = provenance()
    if out is not None:
        write_report(out, report, list(suite.BENCHMARKS))
    if picture is not None:
        draw(report, picture)
    for name, why in report.skipped.items():
        print(f"wotr: {name} is skipped: {why}", file=sys.stderr)
    if as_json:
        print_json(report.to_dict())
    elif as_markdown:
        print(markdown(report), end="")
    else:
        print_tables(*bench_tables(report, earlier))
    if earlier is None:
        return
    if not report.same_machine(earlier):
        print("wotr: the earlier measurements are from another machine and are not compared", file=sys.stderr)
    elif slower := slower_than(report, earlier):
        print(f"wotr: significantly slower than before: {', '.join(slower)}", file=sys.stderr)
        raise typer.Exit(1)


def bench_tables(report: Report, earlier: Report | None = None) -> list[Table]:
    """Tables of the measurements, one for each group, compared with an earlier report if there is one."""
    known = {} if earlier is None else earlier.by_name()
    tables = []
    for group, measurements in groups(report).items():
        table = Table(title=group or "benchmarks", title_justify="left")
        table.add_column("benchmark", no_wrap=True)
        compared = ["against"] if any(each.name in known for each in measurements) else []
        for column in ("median", "unit", "spread", "runs", "batch", "threads", "peak MB", *compared):
            table.add_column(column, justify="left" if column == "unit" else "right", no_wrap=True)
        table.add_column("measurement")
        for each in measurements:
            row = [
                each.name,
                figure(each.median),
                each.unit,
                f"{each.spread:.0%}",
                str(len(each.runs)),
                f"{each.batch:,}",
                str(each.threads),
                NOTHING if each.peak_memory is None else f"{each.peak_memory / 2**20:,.0f}",
            ]
            if compared:
                row.append(_change(compare(each, known[each.name])) if each.name in known else NOTHING)
            table.add_row(*row, "; ".join(part for part in (each.what, remarks(each)) if part))
        tables.append(table)
    if tables:
        tables[-1].caption = f"{machine_line(report)}; compiling took {report.compile_seconds:.0f} s"
    return tables


def _change(change: Change) -> str:
    colour = {Verdict.FASTER: "green", Verdict.SLOWER: "red", Verdict.SAME: "dim"}[change.verdict]
    return f"[{colour}]{change.speed:.2f}x {change.verdict}[/]"
