"""Exports games from their sources to a folder, which is renamed to its final name when it is complete."""

from __future__ import annotations

import contextlib
import dataclasses
import json
import os
import secrets
import shutil
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

from wotr_env.core.kind import GameKind
from wotr_env.play.games import DEFAULT_GAME
from wotr_experiments.arena.schedule import check_two_teams
from wotr_experiments.data.card import CARD, FORMAT, PAGE, Counts, card_of, card_page
from wotr_experiments.data.columns import TABLES, Column, decisions_columns, games_columns, turns_columns
from wotr_experiments.data.minari_view import FOLDER, MinariView, check_minari
from wotr_experiments.data.sources import SourceGame, Split, numbered
from wotr_experiments.data.tables import ValueBot, Wanted, tables_of
from wotr_experiments.data.values import rows_of
from wotr_experiments.data.write import Format, Writer, check_format, open_writer
from wotr_experiments.errors import CommandError
from wotr_experiments.files import write_json, write_text
from wotr_experiments.luck.measure import LuckMethod
from wotr_experiments.luck.values import open_value

AT_ONCE = 2**18
"""Approximate number of decisions that are replayed together and become a row group."""
_SLACK = 4
"""Games are replayed in step until the longest game ends. A group of games is full if its number of games
times the length of the longest one is this many times ``AT_ONCE``."""
_DESCRIPTION = "Games of War of the Ring as one seat sees them; see the card of the export."
LICENCE = "CC0-1.0"
"""The default licence: played choices are facts, and nobody owns a program's games. Give another licence if
people have played, or bots with other terms."""


@dataclasses.dataclass(frozen=True)
class Export:
    """The settings of an export.

    Raises:
        CommandError: the settings contradict each other.
    """

    tables: tuple[str, ...] = ()
    """Some of ``TABLES``; empty: all tables of the game. The table of games is always written."""
    form: Format = Format.PARQUET
    observations: bool = False
    masks: bool = False
    split: Split = dataclasses.field(default_factory=Split)
    licence: str = LICENCE
    minari: str | None = None
    """The name of a seat whose view is also written as Minari data sets."""
    luck: LuckMethod | None = None
    """The settings of the measurement of luck; None: luck is not measured."""

    def __post_init__(self) -> None:
        check_format(self.form)
        unknown = [name for name in self.tables if name not in TABLES]
        if unknown:
            raise CommandError(f"there is no table {unknown[0]!r}; there are {', '.join(TABLES)}")
        if self.minari is not None:
            check_minari()
        if not self.licence.strip():
            raise CommandError("--licence must name the licence of the data, such as CC0-1.0")
        if (self.observations or self.masks) and self.tables and "decisions" not in self.tables:
            raise CommandError(
                "--observations and --masks add columns to the table decisions; add decisions to --tables"
            )

    def tables_for(self, kind: GameKind) -> tuple[str, ...]:
        """The tables of a game, in order.

        Raises:
            CommandError: the table of turns is requested, but the game has no turns.
        """
        told = kind.name == DEFAULT_GAME
        if "turns" in self.tables and not told:
            raise CommandError(f"{kind.title} has no table turns; leave it out of --tables")
        wanted = {*(self.tables or TABLES), "games"} - (set() if told else {"turns"})
        return tuple(name for name in TABLES if name in wanted)


def export(
    sources: Sequence[Iterator[SourceGame]],
    out: Path,
    asked: Export,
    origins: Sequence[dict[str, Any]] = (),
    judge: ValueBot | None = None,
    on_games: Callable[[int, int], object] = lambda _games, _decisions: None,
) -> dict[str, Any]:
    """Writes a folder with the tables, ``card.json`` and a README.

    Args:
        sources: the games.
        out: the folder; it must not exist.
        asked: the settings.
        origins: descriptions of the sources of the games, for the card.
        judge: a bot whose values are written.
        on_games: called with the numbers of written games and decisions.

    Returns:
        The card.

    Raises:
        CommandError: ``out`` exists, there are no games, a source is damaged, or the luck of its games cannot
            be measured.
        RecordError: a record is damaged, or does not replay.
        BotError: the judge failed.
        OSError: a file cannot be written.
    """
    with unfinished(out) as folder:
        work = _Work(folder, asked, judge, on_games)
        for number, game in numbered(sources):
            work.add(number, game)
        kind, counts = work.finish()
        tables = {name: work.columns(kind, name) for name in asked.tables_for(kind)}
        values = None if judge is None else {"bot": judge.spec, "meaning": judge.meaning}
        card = card_of(kind, asked.form, asked.licence, tables, counts, origins, values)
        card["luck"] = None if asked.luck is None else asked.luck.to_dict()
        if work.minari is not None:
            card["minari"] = work.minari.finish()
        write_json(folder / CARD, {"format": FORMAT, **card})
        write_text(folder / PAGE, card_page(card))
    return card


@contextlib.contextmanager
def unfinished(out: Path) -> Iterator[Path]:
    """A context with a new folder next to ``out``, which is renamed at the end, or deleted after an error.

    If the process is killed, the folder remains, with ``unfinished`` in its name.

    Raises:
        CommandError: ``out`` exists.
        OSError: the folder cannot be created.
    """
    _check_new(out)
    out.parent.mkdir(parents=True, exist_ok=True)
    folder = out.with_name(f"{out.name}.unfinished-{secrets.token_hex(4)}")
    folder.mkdir()
    try:
        yield folder
        _check_new(out)
        os.rename(folder, out)
    except BaseException:
        shutil.rmtree(folder, ignore_errors=True)
        raise


def _check_new(out: Path) -> None:
    if out.exists() or out.is_symlink():
        raise CommandError(f"{out} exists already; give another --out")


@dataclasses.dataclass
class _Pending:
    """Games of one part and one ruleset that will be replayed together."""

    numbers: list[int] = dataclasses.field(default_factory=list)
    games: list[SourceGame] = dataclasses.field(default_factory=list)
    decisions: int = 0
    longest: int = 0

    def add(self, number: int, game: SourceGame) -> None:
        length = len(game.record.actions)
        self.numbers.append(number)
        self.games.append(game)
        self.decisions += length
        self.longest = max(self.longest, length)

    @property
    def full(self) -> bool:
        return self.decisions >= AT_ONCE or self.longest * len(self.games) >= _SLACK * AT_ONCE


class _Work:
    """The files of an export while they grow."""

    def __init__(
        self,
        folder: Path,
        asked: Export,
        judge: ValueBot | None,
        on_games: Callable[[int, int], object],
    ) -> None:
        self._folder, self._asked, self._on_games = folder, asked, on_games
        self._judge = judge
        self._pending: dict[tuple[str, Any], _Pending] = {}
        self._writers: dict[tuple[str, str], Writer] = {}
        self._kind: GameKind | None = None
        self._counts = Counts(asked.split.names)
        self.minari = None
        if asked.minari is not None:
            # Minari reads a relative path from within the folder that it names.
            self.minari = MinariView((folder / FOLDER).absolute(), asked.minari, _DESCRIPTION)

    def columns(self, kind: GameKind, table: str) -> tuple[Column, ...]:
        """The columns of a table."""
        match table:
            case "games":
                return games_columns(kind, self._asked.luck is not None)
            case "turns":
                return turns_columns()
            case _:
                asked = self._asked
                judged, measured = self._judge is not None, asked.luck is not None
                return decisions_columns(kind, asked.observations, asked.masks, judged, measured)

    def add(self, number: int, game: SourceGame) -> None:
        """Adds a game."""
        if self._kind is None:
            self._kind = game.record.kind
            if self._judge is not None and self._judge.game != self._kind.name:
                raise CommandError(
                    f"the games are of {self._kind.name}, but the bot of --values plays "
                    f"{self._judge.game}; give --game"
                )
            if self._asked.luck is not None:
                open_value(self._asked.luck.value, self._kind)
            self._open(self._kind)
        if self._asked.luck is not None:
            check_two_teams(self._kind, game.record.ruleset, "luck needs games of two teams")
        key = self._asked.split.part(game.record), game.record.ruleset
        pending = self._pending.setdefault(key, _Pending())
        pending.add(number, game)
        if pending.full:
            self._write(key[0], self._pending.pop(key))

    def finish(self) -> tuple[GameKind, Counts]:
        """Writes the remaining games.

        Raises:
            CommandError: there were no games.
        """
        if self._kind is None:
            raise CommandError("there are no games to export")
        for (part, _), pending in self._pending.items():
            self._write(part, pending)
        for writer in self._writers.values():
            writer.close()
        return self._kind, self._counts

    def _open(self, kind: GameKind) -> None:
        about = {
            "format": str(FORMAT),
            "kind": kind.name,
            "observation_size": str(kind.layout.size),
            "actions": json.dumps(kind.actions.names),
        }
        for part in self._asked.split.names:
            (self._folder / part).mkdir()
            for table in self._asked.tables_for(kind):
                path = self._folder / part / f"{table}.{self._asked.form.value}"
                columns = self.columns(kind, table)
                self._writers[part, table] = open_writer(path, self._asked.form, columns, about)

    def _write(self, part: str, pending: _Pending) -> None:
        assert self._kind is not None
        tables = self._asked.tables_for(self._kind)
        asked = self._asked
        wanted = Wanted(
            "turns" in tables,
            "decisions" in tables,
            asked.observations,
            asked.masks,
            self._judge,
            asked.luck,
        )
        made = tables_of(pending.numbers, pending.games, wanted)
        for name, table in made.items():
            self._writers[part, name].write(table)
            self._counts.add(part, name, rows_of(table))
        if self.minari is not None:
            self.minari.write(part, pending.games)
        self._counts.add_games(part, [game.record for game in pending.games])
        self._on_games(len(pending.games), pending.decisions)
