"""Faults and what became of them."""

from __future__ import annotations

import collections
import dataclasses
import random
import tempfile
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import NamedTuple

import rich.table
import tqdm


class LostError(AssertionError):
    """Something was lost, or somebody was stopped who was not guilty; the message says what."""


def expect(holds: bool, what: str) -> None:
    """Raises ``LostError`` with these words if something does not hold."""
    if not holds:
        raise LostError(what)


class Fault(NamedTuple):
    """Something that goes wrong, tried many times."""

    name: str
    expected: str
    """The outcome, in words."""
    tries: int
    inject: Callable[[random.Random, Path], str]
    """One try, in a folder of its own: what came of it in a word; ``LostError`` if it is not as expected."""


@dataclasses.dataclass
class Row:
    """What became of the tries of one fault."""

    fault: Fault
    came: collections.Counter[str] = dataclasses.field(default_factory=collections.Counter)
    """Tries by what came of them."""
    lost: list[str] = dataclasses.field(default_factory=list)

    @property
    def tries(self) -> int:
        """Those made."""
        return self.came.total() + len(self.lost)


def run(faults: Iterable[Fault], seed: int, share: float = 1.0) -> list[Row]:
    """Injects faults, with a bar on stderr.

    Args:
        faults: one row each.
        seed: from which each try takes its own random numbers.
        share: of the tries of each; at least one is made.
    """
    rows = []
    for fault in faults:
        row = Row(fault)
        for number in tqdm.trange(max(1, round(share * fault.tries)), desc=fault.name, disable=None):
            with tempfile.TemporaryDirectory(prefix="wotr-fault-") as folder:
                try:
                    word = fault.inject(random.Random(f"{seed} {fault.name} {number}"), Path(folder))
                except LostError as error:
                    row.lost.append(f"try {number}: {error}")
                except Exception as error:
                    row.lost.append(f"try {number}: {type(error).__name__}: {error}")
                else:
                    row.came[word] += 1
        rows.append(row)
    return rows


def as_table(rows: Iterable[Row]) -> rich.table.Table:
    """For people."""
    table = rich.table.Table()
    for name in ("fault", "expected", "what came of it"):
        table.add_column(name)
    table.add_column("tries", justify="right")
    table.add_column("lost", justify="right")
    rows = list(rows)
    for row in rows:
        came = ", ".join(f"{word} {count}" for word, count in row.came.most_common())
        table.add_row(row.fault.name, row.fault.expected, came, str(row.tries), str(len(row.lost)))
    tries, lost = sum(row.tries for row in rows), sum(len(row.lost) for row in rows)
    table.add_row("all", "", "", str(tries), str(lost), style="bold")
    return table
