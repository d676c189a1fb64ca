"""Faults and what became of them."""

from __future__ import annotations

import collections
import concurrent.futures
import dataclasses
import multiprocessing
import random
import tempfile
from collections.abc import Callable, Generator, Iterable
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


def run(faults: Iterable[Fault], seed: int, share: float = 1.0, jobs: int = 1) -> Generator[Row, None, None]:
    """Injects faults, with a bar on stderr, and gives each row when all its tries are made.

    Args:
        faults: one row each.
        seed: from which each try takes its own random numbers.
        share: of the tries of each; at least one is made.
        jobs: processes that try at the same time; 1: this one.
    """
    todo = [(fault, max(1, round(share * fault.tries))) for fault in faults]
    with tqdm.tqdm(total=sum(tries for _, tries in todo), disable=None) as bar:
        if jobs == 1:
            for fault, tries in todo:
                yield _row(fault, (_tried(fault, seed, number) for number in range(tries)), bar)
            return
        context = multiprocessing.get_context("spawn")
        with concurrent.futures.ProcessPoolExecutor(jobs, mp_context=context) as pool:
            try:
                begun = [
                    (fault, [pool.submit(_tried, fault, seed, number) for number in range(tries)])
                    for fault, tries in todo
                ]
                for fault, each in begun:
                    yield _row(fault, (future.result() for future in each), bar)
            finally:
                pool.shutdown(cancel_futures=True)


def _tried(fault: Fault, seed: int, number: int) -> tuple[str, str]:
    """What came of a try in a word, and what was lost."""
    with tempfile.TemporaryDirectory(prefix="wotr-fault-", ignore_cleanup_errors=True) as folder:
        try:
            return fault.inject(random.Random(f"{seed} {fault.name} {number}"), Path(folder)), ""
        except LostError as error:
            return "", f"try {number}: {error}"
        except Exception as error:
            return "", f"try {number}: {type(error).__name__}: {error}"


def _row(fault: Fault, tried: Iterable[tuple[str, str]], bar: tqdm.tqdm) -> Row:
    row = Row(fault)
    bar.set_description(fault.name)
    for word, lost in tried:
        if lost:
            row.lost.append(lost)
        else:
            row.came[word] += 1
        bar.update()
    return row


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
