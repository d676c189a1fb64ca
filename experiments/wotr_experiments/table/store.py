"""Stores tables in one SQLite file. Every answered request is stored, even if the server crashes afterwards.

A table consists of its rules, seed, seats, actions and entered dice, which determine all positions. One
thread does all writing. Requests that wait at the same time share one transaction. The transaction is on the
disk before any of these requests is answered.
"""

from __future__ import annotations

import asyncio
import concurrent.futures
import contextlib
import json
import queue
import sqlite3
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import filelock

from wotr_experiments.databases import restrict, schema_by, schema_of
from wotr_experiments.errors import CommandError
from wotr_experiments.table.viewers import Link

FILE = "tables.sqlite"
FORMAT = 3
"""Format version of the file."""

_SCHEMA = """
CREATE TABLE file (format INTEGER NOT NULL);
CREATE TABLE tables (
    id TEXT PRIMARY KEY, game TEXT NOT NULL, rules INTEGER NOT NULL, ruleset TEXT NOT NULL,
    seed INTEGER NOT NULL, seats TEXT NOT NULL, study INTEGER NOT NULL, watch TEXT NOT NULL,
    pace REAL NOT NULL, secret BLOB NOT NULL, own_dice INTEGER NOT NULL,
    turn INTEGER NOT NULL, over INTEGER NOT NULL, changed REAL NOT NULL
);
CREATE INDEX by_change ON tables (changed, id);
CREATE TABLE tokens (
    digest BLOB PRIMARY KEY, table_id TEXT NOT NULL REFERENCES tables, seat TEXT, watch INTEGER
) WITHOUT ROWID;
CREATE TABLE actions (
    table_id TEXT NOT NULL REFERENCES tables, number INTEGER NOT NULL, action INTEGER NOT NULL,
    gesture INTEGER NOT NULL, tape BLOB NOT NULL, PRIMARY KEY (table_id, number)
) WITHOUT ROWID;
CREATE TABLE undos (
    table_id TEXT NOT NULL REFERENCES tables, serial INTEGER NOT NULL, seat TEXT NOT NULL,
    number INTEGER NOT NULL, taken TEXT NOT NULL, study INTEGER NOT NULL, PRIMARY KEY (table_id, serial)
) WITHOUT ROWID;
"""

_LATER = """
CREATE TABLE IF NOT EXISTS identities (
    table_id TEXT NOT NULL REFERENCES tables, seat TEXT NOT NULL, identity TEXT NOT NULL,
    PRIMARY KEY (table_id, seat)
) WITHOUT ROWID;
"""
"""The table that the oldest files lack."""

_LATEST = """
CREATE TABLE IF NOT EXISTS options (
    table_id TEXT NOT NULL PRIMARY KEY REFERENCES tables, options TEXT NOT NULL
) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS deeds (
    table_id TEXT NOT NULL REFERENCES tables, serial INTEGER NOT NULL, kind TEXT NOT NULL, seat TEXT NOT NULL,
    number INTEGER NOT NULL, about INTEGER NOT NULL, text TEXT NOT NULL, PRIMARY KEY (table_id, serial)
) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS names (
    table_id TEXT NOT NULL REFERENCES tables, seat TEXT NOT NULL, name TEXT NOT NULL,
    PRIMARY KEY (table_id, seat)
) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS clocks (
    table_id TEXT NOT NULL PRIMARY KEY REFERENCES tables, clock TEXT NOT NULL
) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS times (
    table_id TEXT NOT NULL REFERENCES tables, number INTEGER NOT NULL, seconds REAL NOT NULL,
    PRIMARY KEY (table_id, number)
) WITHOUT ROWID;
"""
"""The tables about people, which files of version 0.2.0 lack."""

DAMAGED = (AttributeError, LookupError, RecursionError, TypeError, ValueError)
"""Errors caused by damaged rows."""

Work = Callable[[sqlite3.Connection], Any]


def _nothing(connection: sqlite3.Connection) -> None:
    """Work that does nothing, for calls without further work."""


class Header(NamedTuple):
    """The constant settings of a table."""

    id: str
    game: str
    rules: int
    """``GameKind.rules_version``."""
    ruleset: dict[str, Any]
    seed: int
    seats: dict[str, str]
    """For each seat ``person`` or the spec of a bot."""
    study: bool
    watch: tuple[Link, ...]
    """The spectator links."""
    pace: float
    """Seconds between turns at a table with only bots; 0: no delay."""
    secret: bytes
    own_dice: bool = False
    """Whether people enter the random outcomes."""


class Place(NamedTuple):
    """The use of a token: a seat or a spectator link."""

    seat: str | None = None
    watch: int | None = None
    """The index of the link in ``Header.watch``."""


class Played(NamedTuple):
    """An action of a table."""

    action: int
    gesture: int
    """The number of the first action of its gesture."""
    tape: tuple[int, ...] = ()
    """The given random outcomes, each from 0 to 127."""


class TakenBack(NamedTuple):
    """Actions that a seat has taken back."""

    seat: str
    number: int
    """The number of remaining actions."""
    taken: tuple[int, ...]
    study: bool
    """Whether the actions had revealed something."""


class Listed(NamedTuple):
    """A table in the public list."""

    id: str
    game: str
    ruleset: str
    """The ruleset as stored JSON, like the seats."""
    seats: str
    study: bool
    turn: int
    over: bool
    changed: float
    """The time of the last change, in seconds since 1970."""


class Progress(NamedTuple):
    """The progress of a game, for the list."""

    turn: int
    over: bool


class Store:
    """The file of tables, made by ``open_store``. Awaiting a call raises its SQLite errors."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._jobs: queue.SimpleQueue[tuple[Work, concurrent.futures.Future[Any]] | None]
        self._jobs = queue.SimpleQueue()
        self._opened: concurrent.futures.Future[None] = concurrent.futures.Future()
        self._thread = threading.Thread(target=self._work, name="store of tables", daemon=True)
        self._thread.start()
        self._opened.result()

    async def add(
        self, header: Header, tokens: Mapping[bytes, Place], progress: Progress, also: Work = _nothing
    ) -> None:
        """Adds a table, and the place that each token gives access to, by the digest of the token. The work
        ``also`` is done in the same transaction."""

        def work(connection: sqlite3.Connection) -> None:
            row = (
                *header[:3],
                json.dumps(header.ruleset),
                header.seed,
                json.dumps(header.seats),
                header.study,
                json.dumps(header.watch),
                header.pace,
                header.secret,
                header.own_dice,
                *progress,
                time.time(),
            )
            connection.execute(f"INSERT INTO tables VALUES ({', '.join('?' * len(row))})", row)
            rows = [(digest, header.id, *place) for digest, place in tokens.items()]
            connection.executemany("INSERT INTO tokens VALUES (?, ?, ?, ?)", rows)
            also(connection)

        await self.do(work)

    async def append(
        self, table: str, first: int, played: Sequence[Played], progress: Progress, also: Work = _nothing
    ) -> None:
        """Adds actions to a table.

        Args:
            table: the id of the table.
            first: the number of the first action, from 1.
            played: the actions.
            progress: the progress after these actions.
            also: work to do in the same transaction.
        """

        def work(connection: sqlite3.Connection) -> None:
            rows = [
                (table, number, each.action, each.gesture, bytes(each.tape))
                for number, each in enumerate(played, start=first)
            ]
            connection.executemany("INSERT INTO actions VALUES (?, ?, ?, ?, ?)", rows)
            _note(connection, table, progress)
            also(connection)

        await self.do(work)

    async def take_back(
        self, table: str, serial: int, undo: TakenBack, progress: Progress, also: Work = _nothing
    ) -> None:
        """Removes the last actions of a table, and stores the seat that took them back.

        Args:
            table: the id of the table.
            serial: the number of the undo, from 1.
            undo: the actions taken back.
            progress: the progress after the undo.
            also: work to do in the same transaction.
        """

        def work(connection: sqlite3.Connection) -> None:
            connection.execute("DELETE FROM actions WHERE table_id = ? AND number > ?", (table, undo.number))
            row = (table, serial, undo.seat, undo.number, json.dumps(undo.taken), undo.study)
            connection.execute("INSERT INTO undos VALUES (?, ?, ?, ?, ?, ?)", row)
            _note(connection, table, progress)
            also(connection)

        await self.do(work)

    async def note_identity(self, table: str, seat: str, identity: str) -> None:
        """Stores the identity of a seat's bot."""

        def work(connection: sqlite3.Connection) -> None:
            connection.execute("INSERT OR REPLACE INTO identities VALUES (?, ?, ?)", (table, seat, identity))

        await self.do(work)

    async def load(self, table: str) -> tuple[Header, list[Played], list[TakenBack], dict[str, str]] | None:
        """A table with its actions, undos and identities; None if there is no such table."""

        def work(connection: sqlite3.Connection) -> Any:
            columns = ", ".join(Header._fields)
            row = connection.execute(f"SELECT {columns} FROM tables WHERE id = ?", (table,)).fetchone()
            if row is None:
                return None
            values = dict(zip(Header._fields, row, strict=True))
            values |= {name: json.loads(values[name]) for name in ("ruleset", "seats")}
            values |= {
                "study": bool(values["study"]),
                "own_dice": bool(values["own_dice"]),
                "watch": tuple(Link(*link) for link in json.loads(values["watch"])),
            }
            played = connection.execute(
                "SELECT action, gesture, tape FROM actions WHERE table_id = ? ORDER BY number", (table,)
            ).fetchall()
            undos = connection.execute(
                "SELECT seat, number, taken, study FROM undos WHERE table_id = ? ORDER BY serial", (table,)
            )
            found = connection.execute("SELECT seat, identity FROM identities WHERE table_id = ?", (table,))
            identities = dict(found.fetchall())
            return (
                Header(**values),
                [Played(action, gesture, tuple(tape)) for action, gesture, tape in played],
                [TakenBack(seat, to, tuple(json.loads(taken)), bool(s)) for seat, to, taken, s in undos],
                identities,
            )

        return await self.do(work)

    async def rules_of(self, table: str) -> tuple[str, dict[str, Any]] | None:
        """The game and the ruleset of a table; None if there is no such table."""

        def work(connection: sqlite3.Connection) -> Any:
            row = connection.execute("SELECT game, ruleset FROM tables WHERE id = ?", (table,)).fetchone()
            return row and (row[0], json.loads(row[1]))

        return await self.do(work)

    async def place_of(self, table: str, digest: bytes) -> Place | None:
        """The place of a token; None if the table has no such token."""

        def work(connection: sqlite3.Connection) -> Place | None:
            query = "SELECT seat, watch FROM tokens WHERE digest = ? AND table_id = ?"
            row = connection.execute(query, (digest, table)).fetchone()
            return row and Place(*row)

        return await self.do(work)

    async def latest(self, most: int, before: tuple[float, str] | None = None) -> list[Listed]:
        """The most recently changed tables; with ``before``, the time and id of a table, those after this
        table in the list."""

        def work(connection: sqlite3.Connection) -> list[Listed]:
            columns = ", ".join(Listed._fields)
            where, values = ("", ()) if before is None else ("WHERE (changed, id) < (?, ?)", before)
            query = f"SELECT {columns} FROM tables {where} ORDER BY changed DESC, id DESC LIMIT ?"
            return [
                Listed(key, game, ruleset, seats, bool(study), turn, bool(over), changed)
                for key, game, ruleset, seats, study, turn, over, changed in connection.execute(
                    query, (*values, most)
                )
            ]

        return await self.do(work)

    async def count(self) -> int:
        """The number of tables."""
        return await self.do(lambda each: each.execute("SELECT count(*) FROM tables").fetchone()[0])

    def close(self) -> None:
        """Finishes pending work, and closes the file."""
        self._jobs.put(None)
        self._thread.join()

    async def do_all(self, *works: Work) -> None:
        """Does several pieces of work in one transaction; if one of them fails, none is done."""

        def work(connection: sqlite3.Connection) -> None:
            for each in works:
                each(connection)

        await self.do(work)

    async def do(self, work: Work) -> Any:
        """Does work in a transaction; returns its result, or raises its error."""
        done: concurrent.futures.Future[Any] = concurrent.futures.Future()
        self._jobs.put((work, done))
        return await asyncio.shield(asyncio.wrap_future(done))

    def _work(self) -> None:
        try:
            connection = sqlite3.connect(self.path, isolation_level=None)
            _begin(self.path, connection)
        except Exception as error:
            self._opened.set_exception(error)
            return
        self._opened.set_result(None)
        with contextlib.closing(connection):
            while (job := self._jobs.get()) is not None:
                batch = [job]
                while not self._jobs.empty() and (job := self._jobs.get()) is not None:
                    batch.append(job)
                if len(batch) == 1 or not _commit(connection, batch):
                    for each in batch:
                        _commit(connection, [each], last=True)
                if job is None:
                    return


def _commit(
    connection: sqlite3.Connection,
    batch: Sequence[tuple[Work, concurrent.futures.Future[Any]]],
    last: bool = False,
) -> bool:
    """Runs pieces of work in one transaction; returns whether it succeeded. Reports failures if ``last``."""
    try:
        connection.execute("BEGIN IMMEDIATE")
        results = [work(connection) for work, _ in batch]
        connection.execute("COMMIT")
    except Exception as error:
        with contextlib.suppress(sqlite3.Error):
            connection.execute("ROLLBACK")
        if last:
            for _, done in batch:
                done.set_exception(error)
        return False
    for (_, done), result in zip(batch, results, strict=True):
        done.set_result(result)
    return True


def _note(connection: sqlite3.Connection, table: str, progress: Progress) -> None:
    connection.execute(
        "UPDATE tables SET turn = ?, over = ?, changed = ? WHERE id = ?", (*progress, time.time(), table)
    )


def _begin(path: Path, connection: sqlite3.Connection) -> None:
    """Prepares a new file, or checks an existing one."""
    restrict(connection)
    connection.execute("PRAGMA journal_mode = WAL")
    connection.execute("PRAGMA synchronous = FULL")
    if not schema_of(connection):
        connection.executescript(
            f"BEGIN; {_SCHEMA} {_LATER} {_LATEST} INSERT INTO file VALUES ({FORMAT}); COMMIT;"
        )
        return
    known = (_SCHEMA, _SCHEMA + _LATER, _SCHEMA + _LATER + _LATEST)
    ours = schema_of(connection) in map(schema_by, known)
    found = connection.execute("SELECT format FROM file").fetchone() if ours else None
    if found != (FORMAT,):
        raise CommandError(f"{path} is not a file of tables of this version; give another --folder")
    connection.executescript(_LATER + _LATEST)


@contextlib.contextmanager
def open_store(folder: Path) -> Iterator[Store]:
    """Opens the tables of a folder, exclusively for this process.

    Raises:
        CommandError: another process uses the folder, or the file is damaged or has another version.
        OSError: the folder cannot be created.
    """
    if folder.exists() and not folder.is_dir():
        raise CommandError(f"{folder} is a file; --folder names a folder")
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / FILE
    if path.exists() and not path.is_file():
        raise CommandError(f"{path} is not a file; give another --folder")
    try:
        with filelock.FileLock(folder / ".lock", timeout=0):
            try:
                store = Store(path)
            except sqlite3.Error as error:
                raise CommandError(f"{path} cannot be opened: {error}; give another --folder") from None
            try:
                yield store
            finally:
                store.close()
    except filelock.Timeout:
        raise CommandError(f"another server uses the tables of {folder}; give another --folder") from None
