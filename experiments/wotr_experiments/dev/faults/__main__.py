"""``python -m wotr_experiments.dev.faults``: injects every fault and prints the table."""

from __future__ import annotations

import importlib.util
import sys
from typing import Annotated

import rich.console
import typer

from wotr_experiments.dev.faults.bots import BOTS
from wotr_experiments.dev.faults.files import FILES
from wotr_experiments.dev.faults.runs import RUNS
from wotr_experiments.dev.faults.table import Fault, as_table, run


def main(
    share: Annotated[float, typer.Option(min=0.0, max=100.0, help="Of the tries of each fault.")] = 1.0,
    seed: Annotated[int, typer.Option(help="Of what is damaged, and when.")] = 1,
    only: Annotated[str, typer.Option(help="Faults with these words in their names.")] = "",
) -> None:
    """Injects faults into bots, files and runs; exit code 1 if anything is lost."""
    rows = []
    for fault in (*BOTS, *FILES, *RUNS, *_clusters()):
        if only in fault.name:
            rows += run([fault], seed, share)
            print(f"{fault.name}: {rows[-1].tries} tries, {len(rows[-1].lost)} lost", file=sys.stderr)
    rich.console.Console(width=None if sys.stdout.isatty() else 140).print(as_table(rows))
    lost = [f"{row.fault.name}, {words}" for row in rows for words in row.lost]
    print("\n".join(lost), file=sys.stderr)
    raise typer.Exit(1 if lost else 0)


def _clusters() -> list[Fault]:
    """Those of the engine ray, where it is installed."""
    if importlib.util.find_spec("ray") is None:
        print("ray is not installed, so its faults are left out", file=sys.stderr)
        return []
    from wotr_experiments.dev.faults.clusters import CLUSTERS

    return CLUSTERS


if __name__ == "__main__":
    typer.run(main)
