"""``python -m tests.tools.faults``: injects every fault and prints the table."""

from __future__ import annotations

import importlib.util
import sys
from typing import Annotated

import rich.console
import typer

from tests.tools.faults.bots import BOTS
from tests.tools.faults.doors import DOORS
from tests.tools.faults.files import FILES
from tests.tools.faults.runs import RUNS
from tests.tools.faults.surroundings import SURROUNDINGS
from tests.tools.faults.table import Fault, as_table, run
from wotr_experiments.arena.engines import cores

FAULTS = (*RUNS, *BOTS, *SURROUNDINGS, *DOORS, *FILES)
"""Long ones first, so that all processes have something to do to the end."""


def main(
    share: Annotated[float, typer.Option(min=0.0, max=100.0, help="Of the tries of each fault.")] = 1.0,
    seed: Annotated[int, typer.Option(help="Of what is damaged, and when.")] = 1,
    only: Annotated[str, typer.Option(help="Faults with these words in their names.")] = "",
    jobs: Annotated[int, typer.Option(min=0, help="Tries at the same time; 0: one per core.")] = 0,
) -> None:
    """Injects faults into bots, files and runs; exit code 1 if anything is lost."""
    rows = []
    faults = [fault for fault in (*_clusters(), *FAULTS) if only in fault.name]
    for row in run(faults, seed, share, jobs or cores()):
        rows.append(row)
        print(f"{row.fault.name}: {row.tries} tries, {len(row.lost)} lost", file=sys.stderr)
    rich.console.Console(width=None if sys.stdout.isatty() else 140).print(as_table(rows))
    lost = [f"{row.fault.name}, {words}" for row in rows for words in row.lost]
    print("\n".join(lost), file=sys.stderr)
    raise typer.Exit(1 if lost else 0)


def _clusters() -> list[Fault]:
    """Those of the engine ray, where it is installed."""
    if importlib.util.find_spec("ray") is None:
        print("ray is not installed, so its faults are left out", file=sys.stderr)
        return []
    from tests.tools.faults.clusters import CLUSTERS

    return CLUSTERS


if __name__ == "__main__":
    typer.run(main)
