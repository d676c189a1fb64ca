"""Runs tournaments and comparisons on the command line: with live tables, a report, and a hint on how to
continue."""

from __future__ import annotations

import contextlib
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import tqdm

from wotr_experiments.arena.compare import run_compare
from wotr_experiments.arena.engines import WorkerPool
from wotr_experiments.arena.live import LiveCompare, LiveTournament
from wotr_experiments.arena.schedule import Tournament
from wotr_experiments.arena.sprt import Sprt
from wotr_experiments.arena.store import GAMES, read_store
from wotr_experiments.arena.tournament import run_tournament
from wotr_experiments.errors import CommandError
from wotr_experiments.reports.tournament import Replays, write_report


class RunResults(NamedTuple):
    """The results that are shown at the end of a run."""

    summary: dict[str, Any]
    thinking: dict[str, dict[str, Any]]
    """The thinking times by bot in this run (``ThinkingTimes.to_dict``); they are not reproducible."""


def run_tournament_live(tournament: Tournament, out: Path | None, crew: WorkerPool) -> RunResults:
    """``run_tournament`` with a live table on stderr.

    Raises:
        KeyboardInterrupt: after a message on how to continue.
    """
    watch = LiveTournament(tournament)
    with _explaining_interrupts(out, watch), watch.shown():
        summary = run_tournament(tournament, out, crew, watch)
    return RunResults(summary, watch.thinking_times.to_dict())


def run_compare_live(tournament: Tournament, sprt: Sprt, out: Path | None, crew: WorkerPool) -> RunResults:
    """``run_compare`` with the live test on stderr.

    Raises:
        KeyboardInterrupt: after a message on how to continue.
    """
    watch = LiveCompare(tournament)
    with _explaining_interrupts(out, watch), watch.shown():
        summary = run_compare(tournament, sprt, out, crew, watch)
    return RunResults(summary, watch.thinking_times.to_dict())


def write_report_with_progress(
    tournament: Tournament, summary: dict[str, Any], out: Path, replays: Replays
) -> None:
    """``write_report`` with a progress bar, and a message on stderr about the files."""
    with tqdm.tqdm(unit="page", desc="replays", disable=None, leave=False) as bar:

        def on_page(done: int, total: int) -> None:
            bar.total = total
            bar.update(done - bar.n)

        report = write_report(out, tournament, summary, replays, on_page)
    print(f"wotr: games and summary are in {out}; open {report} in a browser", file=sys.stderr)


@contextlib.contextmanager
def _explaining_interrupts(out: Path | None, watch: LiveTournament) -> Iterator[None]:
    try:
        yield
    except KeyboardInterrupt:
        if out is not None and not (out / GAMES).exists():
            print(f"wotr: no game has been played; {out} is unchanged", file=sys.stderr)
        elif out is not None:
            kept = watch.stored_games
            with contextlib.suppress(CommandError), read_store(out / GAMES) as store:
                kept = store.count()  # Ctrl-C may come before the watch is told
            games = f"{kept:,} of {watch.tournament.total:,} games"
            print(f"wotr: {out} keeps {games}; the same command continues from there", file=sys.stderr)
        raise
