"""Runs a study on the command line: writes games, figures and pages to a folder, with progress bars on
stderr."""

from __future__ import annotations

import contextlib
import dataclasses
import json
import shlex
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import tqdm

from wotr_experiments.arena.engines import WorkerPool
from wotr_experiments.arena.played_games import PlayedGame
from wotr_experiments.arena.schedule import ending
from wotr_experiments.arena.store import GAMES, read_store
from wotr_experiments.arena.tournament import TournamentObserver
from wotr_experiments.errors import CommandError
from wotr_experiments.files import write_json
from wotr_experiments.games.war_of_the_ring.reports.study.writing import check_page, write_study
from wotr_experiments.games.war_of_the_ring.study.counts import game_statistics
from wotr_experiments.games.war_of_the_ring.study.luck import luck_statistics
from wotr_experiments.games.war_of_the_ring.study.options import Variant, option_row, variants
from wotr_experiments.games.war_of_the_ring.study.sides import (
    FixedSidesTournament,
    play_sides,
    read_event_histories,
)
from wotr_experiments.luck.measure import DEFAULT_SAMPLES
from wotr_experiments.provenance import PROVENANCE, read_provenance

FIGURES = "figures.json"
"""The file of the figures in the folder of a study."""
FORMAT = 1
"""The format of the file."""
OPTIONS = "options"
"""The folder of the games with a changed option; each option and value has its own subfolder."""


def run_study(
    sides: FixedSidesTournament,
    out: Path,
    crew: WorkerPool,
    options: Sequence[str] | None = None,
    option_games: int = 0,
    page: Path | None = None,
) -> dict[str, Any]:
    """Plays the missing games of a study, and writes its figures and pages.

    Args:
        sides: the games.
        out: the folder; created if needed.
        crew: the workers that play.
        options: names of the options to change; empty: all disputed options; None: no options.
        option_games: number of games with each changed option; rounded up to whole batches, at most all
            games.
        page: the path for a copy of the page in Markdown, with its plots.

    Returns:
        The figures, as in ``figures.json``.

    Raises:
        CommandError, BotError, RecordError, OSError: errors of ``play_sides``.
        KeyboardInterrupt: after a message on how to continue.
    """
    changed = [] if options is None else variants(sides.ruleset, options)
    check_page(page)
    with _going_on(out):
        games = _play(sides, out, crew, "games")
        with tqdm.tqdm(total=len(games), desc="figures", unit="game", disable=None) as bar:
            figures = game_statistics(read_event_histories(out, len(games), crew.workers, bar.update))
        number = min(sides.games, -(-option_games // sides.batch) * sides.batch)
        rows = [_option(sides, variant, games[:number], out, crew) for variant in changed]
    study = {
        "format": FORMAT,
        "free_peoples": sides.bots[0],
        "shadow": sides.bots[1],
        "seed": sides.seed,
        "ruleset": sides.ruleset.title,
        "rules_version": sides.kind.rules_version,
        "command": command_of(sides, options, option_games),
        **figures,
        **({} if sides.luck is None else {"luck": luck_statistics(games, sides.luck)}),
        "options": rows,
    }
    study = json.loads(json.dumps(study))  # as whoever reads the file has it
    write_json(out / FIGURES, study)
    for path in write_study(study, out, page, read_provenance(out / PROVENANCE)):
        print(f"wotr: {path}", file=sys.stderr)
    return study


def _option(
    sides: FixedSidesTournament, variant: Variant, base: Sequence[PlayedGame], out: Path, crew: WorkerPool
) -> dict[str, Any]:
    """The row of a changed option; its games have the seeds of the first games."""
    changed = dataclasses.replace(sides, games=len(base), ruleset=variant.ruleset, luck=None)
    return option_row(variant, base, _play(changed, out / OPTIONS / variant.name, crew, variant.name))


def command_of(sides: FixedSidesTournament, options: Sequence[str] | None, option_games: int) -> str:
    """The command that produces these figures."""
    first, second = sides.bots
    words = ["wotr", "study", first, *([second] if second != first else [])]
    words += ["--games", str(sides.games), "--seed", str(sides.seed)]
    rules = sides.kind.find_ruleset()
    if sides.ruleset != ending(sides.kind, rules):
        changes = (f"{name}={str(value).lower()}" for name, value in sides.ruleset.to_dict().items())
        words += ["--ruleset", f"first:{','.join(changes)}"]
    if sides.luck is not None:
        words += ["--luck", sides.luck.value]
        words += ["--luck-samples", str(sides.luck.again)] if sides.luck.again != DEFAULT_SAMPLES else []
    if options is not None:
        words += [word for name in options for word in ("--option", name)] or ["--options"]
        words += ["--option-games", str(option_games)] if option_games != sides.games else []
    return shlex.join(words)


class _Bar(TournamentObserver):
    """A progress bar of games."""

    def __init__(self, bar: tqdm.tqdm) -> None:
        self._bar = bar
        self._measuring: tqdm.tqdm | None = None

    def measured(self, games: int, missing: int) -> None:
        if self._measuring is None:
            self._measuring = tqdm.tqdm(total=missing, desc="luck", unit="game", disable=None, leave=False)
        self._measuring.update(games - self._measuring.n)
        if games == missing:
            self._measuring.close()

    def begin(self, found: list[PlayedGame]) -> None:
        self._bar.update(len(found))

    def ended(self, games: int) -> None:
        self._bar.update(games)


def _play(sides: FixedSidesTournament, out: Path, crew: WorkerPool, name: str) -> list[PlayedGame]:
    with tqdm.tqdm(total=sides.games, desc=name, unit="game", disable=None) as bar:
        return play_sides(sides, out, crew, _Bar(bar))


@contextlib.contextmanager
def _going_on(out: Path) -> Iterator[None]:
    try:
        yield
    except KeyboardInterrupt:
        kept = 0
        with contextlib.suppress(CommandError), read_store(out / GAMES) as store:
            kept = store.count()
        print(f"wotr: {out} keeps {kept:,} games; the same command continues from there", file=sys.stderr)
        raise
