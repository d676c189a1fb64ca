"""The games of a tournament in one SQLite file, a batch in one transaction.

A process that is killed leaves whole batches; a full disk leaves what was there before.
"""

from __future__ import annotations

import contextlib
import dataclasses
import json
import sqlite3
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import filelock

from wotr_env import GameRecord
from wotr_experiments.arena.games import FIELDS, PlayedGame
from wotr_experiments.errors import CommandError

GAMES = "games.sqlite"
"""The file in the folder of a tournament."""
FORMAT = 1
"""Of the file."""

_LOCK = ".lock"
_PATIENCE = 60.0
"""Seconds to wait for a process that reads the file at the moment."""
_HELP = "restore a copy of it, or give another --out"
_HEAD = b"SQLite format 3\0"
_SQL_TYPES = {"int": "INTEGER", "str": "TEXT"}
_COLUMNS = ", ".join(
    f"{field.name} {_SQL_TYPES[field.type]} NOT NULL" for field in dataclasses.fields(PlayedGame)
)
_SCHEMA = f"""
CREATE TABLE played (key TEXT PRIMARY KEY, value TEXT NOT NULL);
CREATE TABLE games ({_COLUMNS}, digest TEXT NOT NULL, PRIMARY KEY (pairing, number));
"""


class Store:
    """The games of one tournament, found and added; made by ``open_store``."""

    def __init__(self, path: Path, connection: sqlite3.Connection) -> None:
        self.path = path
        self._connection = connection

    def add(self, games: Sequence[PlayedGame]) -> None:
        """Adds the games of a batch, all or none.

        Raises:
            CommandError: they cannot be written, such as on a full disk; those added before are kept.
        """
        places = ", ".join("?" * (len(FIELDS) + 1))
        rows = [(*dataclasses.astuple(game), game.digest()) for game in games]
        with _explained(self.path), self._connection:
            self._connection.executemany(f"INSERT INTO games VALUES ({places})", rows)

    def games(self) -> list[PlayedGame]:
        """All games by pairing and number, with their records.

        Raises:
            CommandError: a game is not as it was stored.
        """
        query = f"SELECT {', '.join(FIELDS)}, digest FROM games ORDER BY pairing, number"
        found = []
        with _explained(self.path):
            for *values, digest in self._connection.execute(query):
                game = PlayedGame(*values)
                if game.digest() != digest:
                    where = f"game {game.number} of pairing {game.pairing}"
                    raise CommandError(f"{self.path} is damaged: {where} is not as it was stored; {_HELP}")
                found.append(game)
        return found

    def record(self, pairing: int, number: int) -> GameRecord:
        """The record of a game that is there."""
        with _explained(self.path):
            row = self._connection.execute(
                "SELECT record FROM games WHERE pairing = ? AND number = ?", (pairing, number)
            ).fetchone()
        return GameRecord.from_json(row[0], f"{self.path}, game {number} of pairing {pairing}")


@contextlib.contextmanager
def open_store(out: Path, played: dict[str, Any]) -> Iterator[Store]:
    """Makes or takes the folder of a tournament, for this process alone.

    Args:
        out: the folder, made if need be.
        played: what tells the tournament from others, for JSON.

    Raises:
        CommandError: ``out`` belongs to another tournament, another process is writing there, or the file is
            damaged or cannot be written.
        OSError: the folder cannot be made.
    """
    if out.exists() and not out.is_dir():
        raise CommandError(f"{out} is a file; --out names a folder")
    out.mkdir(parents=True, exist_ok=True)
    try:
        with filelock.FileLock(out / _LOCK, timeout=0):
            path = out / GAMES
            with _explained(path):
                connection = sqlite3.connect(path, timeout=_PATIENCE)
            with contextlib.closing(connection):
                with _explained(path):
                    _begin(path, connection, json.loads(json.dumps(played)))
                yield Store(path, connection)
    except filelock.Timeout:
        raise CommandError(f"another process writes to {out}; wait for it, or give another --out") from None


@contextlib.contextmanager
def read_store(path: Path) -> Iterator[Store]:
    """The games of a file, to be read only, also while another process adds to it.

    It is opened for writing, so that SQLite can undo what a killed process left half-written.

    Raises:
        CommandError: the file cannot be read.
    """
    with _explained(path):
        connection = sqlite3.connect(f"{path.absolute().as_uri()}?mode=rw", uri=True)
    with contextlib.closing(connection):
        yield Store(path, connection)


def load_records(path: Path) -> list[GameRecord]:
    """The records of a file: JSON Lines, or the games of a tournament in the order of its schedule.

    Raises:
        RecordError: the file cannot be read, or a record is damaged.
        CommandError: the file of a tournament is damaged.
    """
    if not _is_store(path):
        return GameRecord.load(path)
    with read_store(path) as store:
        return [store.record(game.pairing, game.number) for game in store.games()]


def _is_store(path: Path) -> bool:
    try:
        with path.open("rb") as file:
            return file.read(len(_HEAD)) == _HEAD
    except OSError:
        return False  # GameRecord.load says what is wrong


def _begin(path: Path, connection: sqlite3.Connection, played: dict[str, Any]) -> None:
    """Writes what is played into a new file, or compares it with what is there."""
    damage = [row[0] for row in connection.execute("PRAGMA quick_check(1)")]
    if damage != ["ok"]:
        raise CommandError(f"{path} is damaged: {damage[0]}; {_HELP}")
    tables = {row[0] for row in connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'")}
    if not tables:
        with connection:
            connection.executescript(f"BEGIN;{_SCHEMA}")
            wanted = {"format": FORMAT, **played}
            connection.executemany(
                "INSERT INTO played VALUES (?, ?)", [(key, json.dumps(wanted[key])) for key in wanted]
            )
        return
    if tables != {"played", "games"}:
        raise CommandError(f"{path} is not the file of a tournament; give another --out")
    found = {key: json.loads(value) for key, value in connection.execute("SELECT key, value FROM played")}
    for key, value in {"format": FORMAT, **played}.items():
        if found.get(key) != value:
            difference = f"its {key}: {json.dumps(found.get(key))}, asked for: {json.dumps(value)}"
            raise CommandError(f"{path.parent} holds another tournament ({difference}); give another --out")


@contextlib.contextmanager
def _explained(path: Path) -> Iterator[None]:
    """Turns errors of SQLite into one line for people."""
    try:
        yield
    except sqlite3.Error as error:
        code = getattr(error, "sqlite_errorcode", None)
        kept = "the games stored before are kept and the same command goes on from there"
        if code == sqlite3.SQLITE_FULL:
            raise CommandError(f"{path}: the disk is full; {kept}") from None
        if code in (sqlite3.SQLITE_NOTADB, sqlite3.SQLITE_CORRUPT):
            raise CommandError(f"{path} is damaged: {error}; {_HELP}") from None
        raise CommandError(f"{path}: {error}; {kept}") from None
    except (ValueError, TypeError) as error:
        if isinstance(error, CommandError):
            raise
        raise CommandError(f"{path} is damaged: {error}; {_HELP}") from None
