"""Stores the games of a tournament in one SQLite file, one transaction per batch.

The table of games contains the numbers of bots; the view ``named_games`` contains their names, for people.

After a kill, whole batches remain; on a full disk, the old contents remain.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import sqlite3
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import filelock

from wotr_env import GameRecord
from wotr_env.core.kind import GameKind
from wotr_env.core.read_errors import reason
from wotr_env.core.spelling import counted
from wotr_env.core.values import open_file
from wotr_env.play.games import game_kind
from wotr_experiments.arena.played_games import PlayedGame
from wotr_experiments.arena.schedule import bot_names, new_secret
from wotr_experiments.databases import restrict, schema_by, schema_of
from wotr_experiments.errors import CommandError, one_line
from wotr_experiments.files import CONFIG

GAMES = "games.sqlite"
"""The file in the folder of a tournament."""
FORMAT = 5
"""The format of the file."""

_LOCK = ".lock"
_PATIENCE = 60.0
"""Seconds to wait for a process that is reading the file."""
_HELP = "restore a copy of it, or give another --out"
_HEAD = b"SQLite format 3\0"
_PLAYED = "CREATE TABLE played (key TEXT PRIMARY KEY, value TEXT NOT NULL)"
_BOTS = "CREATE TABLE bots (number INTEGER PRIMARY KEY, name TEXT NOT NULL)"


_TITLES = {"compare": "comparison", "study": "study"}
"""What a folder holds, by ``kind``, if it is not a tournament."""
_NOT_SHOWN = ("pairing", "number", "seed", "record", "digest")
"""Columns that are not shown to people."""


class _Rows:
    """The table of games of one ruleset: a row has the common columns and the game's own columns.

    Columns named after the seats have the indices of the players. Winners and quitters are names of seats,
    separated by spaces.
    """

    def __init__(self, kind: GameKind, ruleset: Any) -> None:
        self.kind = kind
        self.own = [column.name for column in kind.columns]
        self._seats = [seat.name for seat in ruleset.seats]
        types = dict.fromkeys(("pairing", "number", *self._seats, "seed"), "INTEGER")
        types |= dict.fromkeys(("winner", "winners", "reason", "forfeit", "quitter", "message"), "TEXT")
        types |= dict.fromkeys((*self.own, "decisions"), "INTEGER") | {"record": "TEXT", "digest": "TEXT"}
        self.columns = tuple(types)
        columns = ", ".join(f"{name} {sql_type} NOT NULL" for name, sql_type in types.items())
        self.schema = f"CREATE TABLE games ({columns}, PRIMARY KEY (pairing, number))"
        names = {
            seat: f"(SELECT name FROM bots WHERE bots.number = games.{seat}) AS {seat}"
            for seat in self._seats
        }
        shown = [str(names.get(name, name)) for name in self.columns if name not in _NOT_SHOWN]
        game = "row_number() OVER (ORDER BY pairing, number) AS game"
        ordered = "FROM games ORDER BY pairing, number"
        self.names = f"{_BOTS};CREATE VIEW named_games AS SELECT {game}, {', '.join(shown)} {ordered}"
        """The default for files that have no names."""
        self._winners = [kind.winner_name(winner) for winner in range(len(kind.teams) + 1)]
        self._same: dict[Any, Any] = {}
        """Cache of frequent values, to share them in memory."""

    def row(self, game: PlayedGame) -> tuple[int | str, ...]:
        """A game for the table, with its digest."""
        winners = " ".join(self._seats[seat] for seat in game.winners)
        quitter = "" if game.quitter is None else self._seats[game.quitter]
        how = (self._winners[game.winner], winners, game.reason, game.forfeit, quitter, game.message)
        own = (game.columns[name] for name in self.own)
        values = (
            game.pairing,
            game.number,
            *game.players,
            game.seed,
            *how,
            *own,
            game.decisions,
            game.record,
        )
        return (*values, _digest(values))

    def game(self, row: tuple[Any, ...]) -> PlayedGame | None:
        """The inverse of ``row``, without the record; None if a value has changed since the game was
        stored."""
        if _digest(row[:-1]) != row[-1]:
            return None
        pairing, number, *rest = row
        players, rest = rest[: len(self._seats)], rest[len(self._seats) :]
        seed, winner, winners, reason, forfeit, quitter, message, *own, decisions, _, _ = rest
        won = tuple(self._seats.index(name) for name in winners.split())
        same = self._same.setdefault
        return PlayedGame(
            pairing=pairing,
            number=number,
            players=same(tuple(players), tuple(players)),
            seed=seed,
            winner=self._winners.index(winner),
            winners=same(won, won),
            reason=same(reason, reason),
            forfeit=same(forfeit, forfeit),
            quitter=self._seats.index(quitter) if quitter else None,
            message=message,
            columns=dict(zip(self.own, own, strict=True)),
            decisions=decisions,
            record="",
        )


def _rows_of(played: Mapping[str, Any]) -> _Rows:
    kind = game_kind(played["game"])
    return _Rows(kind, kind.ruleset.from_dict(played["ruleset"]))


def _digest(values: tuple[Any, ...]) -> str:
    """32 hex digits that change with any of the values."""
    return hashlib.blake2b("\0".join(map(str, values)).encode(), digest_size=16).hexdigest()


class Store:
    """The stored games of one tournament; made by ``open_store``."""

    def __init__(
        self, path: Path, connection: sqlite3.Connection, rows: _Rows, played: Mapping[str, Any]
    ) -> None:
        self.path = path
        self.played = played
        """The definition of the tournament, with its secret if there is no seed."""
        self._connection = connection
        self._rows = rows

    def add(self, games: Sequence[PlayedGame]) -> None:
        """Adds the games of a batch, all or none.

        Raises:
            CommandError: the games cannot be written, such as on a full disk; stored games are kept.
        """
        rows = [self._rows.row(game) for game in games]
        places = ", ".join("?" * len(self._rows.columns))
        with _explained(self.path), self._connection:
            self._connection.executemany(f"INSERT INTO games VALUES ({places})", rows)

    def games(self) -> list[PlayedGame]:
        """All games by pairing and number, without their records, which take most of the memory.

        Raises:
            CommandError: a game has changed since it was stored.
        """
        query = f"SELECT {', '.join(self._rows.columns)} FROM games ORDER BY pairing, number"
        with _explained(self.path):
            return [self._game(row) for row in self._connection.execute(query)]

    def game_at(self, place: int) -> PlayedGame | None:
        """One game without its record, by its index (from 0) in the order of the schedule; None if there are
        fewer games.

        Raises:
            CommandError: the game has changed since it was stored.
        """
        columns = ", ".join(self._rows.columns)
        query = f"SELECT {columns} FROM games ORDER BY pairing, number LIMIT 1 OFFSET ?"
        with _explained(self.path):
            row = self._connection.execute(query, (place,)).fetchone()
        return None if row is None else self._game(row)

    def _game(self, row: tuple[Any, ...]) -> PlayedGame:
        game = self._rows.game(row)
        if game is None:
            where = f"game {row[1]} of pairing {row[0]}"
            raise CommandError(f"{self.path} is damaged: {where} has changed since it was stored; {_HELP}")
        return game

    def count(self) -> int:
        """The number of games.

        Raises:
            CommandError: the games cannot be read.
        """
        with _explained(self.path):
            return int(self._connection.execute("SELECT COUNT(*) FROM games").fetchone()[0])

    def record(self, pairing: int, number: int) -> GameRecord:
        """The record of a stored game."""
        with _explained(self.path):
            row = self._connection.execute(
                "SELECT record FROM games WHERE pairing = ? AND number = ?", (pairing, number)
            ).fetchone()
        return GameRecord.from_json(row[0], f"{self.path}, game {number} of pairing {pairing}")

    def record_at(self, place: int) -> GameRecord | None:
        """The record of one game, by its index (from 0) in the order of the schedule; None if there are fewer
        games."""
        query = "SELECT pairing, number FROM games ORDER BY pairing, number LIMIT 1 OFFSET ?"
        with _explained(self.path):
            row = self._connection.execute(query, (place,)).fetchone()
        return None if row is None else self.record(*row)


@contextlib.contextmanager
def open_store(out: Path, played: dict[str, Any]) -> Iterator[Store]:
    """Opens or creates the folder of a tournament, for this process only.

    Args:
        out: the folder; created if needed.
        played: the definition of the tournament, for JSON; ``game`` is the name of its kind, ``ruleset`` the
            options of its ruleset. If ``played`` has neither ``seed`` nor ``secret``, the stored secret or a
            new secret is added.

    Raises:
        CommandError: ``out`` contains another tournament, or this one with more games; another process is
            writing to it; or the file is damaged or cannot be written.
        OSError: the folder cannot be made.
    """
    if out.exists() and not out.is_dir():
        raise CommandError(f"{out} is a file; --out names a folder")
    if (out / CONFIG).exists() and not (out / GAMES).exists():
        raise CommandError(f"{out} holds a training run; give another --out")
    out.mkdir(parents=True, exist_ok=True)
    try:
        with filelock.FileLock(out / _LOCK, timeout=0):
            path = out / GAMES
            with _explained(path):
                connection = _connected(path)
            with contextlib.closing(connection):
                rows = _rows_of(played)
                with _explained(path):
                    begun = _begin(path, connection, json.loads(json.dumps(played)), rows)
                yield Store(path, connection, rows, begun)
    except filelock.Timeout:
        raise CommandError(f"another process writes to {out}; wait for it, or give another --out") from None


@contextlib.contextmanager
def read_store(path: Path) -> Iterator[Store]:
    """Opens the games of a file for reading, even while another process writes to it.

    The file is opened for writing, so that SQLite can roll back a transaction of a killed process.

    Raises:
        CommandError: the file cannot be read.
    """
    with _explained(path):
        connection = _connected(path, "?mode=rw")
    with contextlib.closing(connection):
        with _explained(path):
            _check_tables(path, connection)
            found = _read_played(connection)
        _check_format(path, found)
        try:
            rows = _rows_of(found)
        except (AttributeError, KeyError, TypeError, ValueError) as error:
            raise CommandError(f"{path}: {reason(error)}") from None
        with _explained(path):
            _check_schema(path, connection, rows)
        yield Store(path, connection, rows, found)


def load_records(path: Path) -> list[GameRecord]:
    """The records of a file: JSON Lines, or the games of a tournament in the order of its schedule.

    Raises:
        RecordError: the file cannot be read, or a record is damaged.
        CommandError: the file of a tournament is damaged.
    """
    if not is_store(path):
        return GameRecord.load(path)
    with read_store(path) as store:
        return [store.record(game.pairing, game.number) for game in store.games()]


def load_record(path: Path, number: int) -> GameRecord:
    """One record of ``load_records``. Other records of a tournament, and later JSON lines, are not read.

    Args:
        path: path of the file.
        number: number of the game, from 1.

    Raises:
        RecordError, CommandError: as ``load_records``, or there are fewer games.
    """
    if is_store(path):
        with read_store(path) as store:
            record, games = store.record_at(number - 1), store.count()
    else:
        record, games = None, 0
        for games, each in enumerate(GameRecord.read(path), start=1):
            if games == number:
                record = each
                break
    if record is None:
        raise CommandError(f"{path} has {counted(games, 'game')}; there is no game {number}")
    return record


def is_store(path: Path) -> bool:
    """Whether a file contains the games of a tournament."""
    try:
        with open_file(path) as file:
            return file.read(len(_HEAD)) == _HEAD
    except OSError:
        return False  # GameRecord.load says what is wrong


def _connected(path: Path, how: str = "") -> sqlite3.Connection:
    """Opens a file; anything but a regular file is refused before SQLite waits for it."""
    if path.exists() and not path.is_file():
        raise CommandError(f"{path} is not a file")
    connection = sqlite3.connect(f"{path.absolute().as_uri()}{how}", timeout=_PATIENCE, uri=True)
    try:
        restrict(connection)
    except sqlite3.Error:
        connection.close()
        raise
    return connection


def _check_tables(path: Path, connection: sqlite3.Connection) -> None:
    """Checks that the file has the tables of a tournament of any game, and nothing else."""
    found = {each[:2] for each in schema_of(connection)}
    if found - {("table", "bots"), ("view", "named_games")} != {("table", "played"), ("table", "games")}:
        raise CommandError(f"{path} is not the file of a tournament; give another --out")


def _check_schema(path: Path, connection: sqlite3.Connection, rows: _Rows) -> bool:
    """Checks that the tables match this tournament; returns whether they have the names of the bots."""
    found, games = schema_of(connection), f"{_PLAYED}; {rows.schema}"
    named = found == schema_by(f"{games}; {rows.names}")
    if not named and found != schema_by(games):
        raise CommandError(f"{path} is damaged: its tables are not those of its game; {_HELP}")
    return named


def _read_played(connection: sqlite3.Connection) -> dict[str, Any]:
    """Reads the definition of the tournament."""
    return {key: json.loads(value) for key, value in connection.execute("SELECT key, value FROM played")}


def _check_format(path: Path, found: dict[str, Any]) -> None:
    if found.get("format") != FORMAT:
        raise CommandError(
            f"{path} is of another version of this package (format {found.get('format')}, this one reads and "
            f"writes {FORMAT}); give another --out"
        )


def _begin(path: Path, connection: sqlite3.Connection, played: dict[str, Any], rows: _Rows) -> dict[str, Any]:
    """Writes the definition into a new file, or compares it with the stored one; returns the stored
    definition."""
    any_secret = played["seed"] is None and played["secret"] is None
    damage = [row[0] for row in connection.execute("PRAGMA quick_check(1)")]
    if damage != ["ok"]:
        raise CommandError(f"{path} is damaged: {one_line(damage[0])}; {_HELP}")
    if not schema_of(connection):
        with connection:
            connection.executescript(f"BEGIN;{_PLAYED};{rows.schema};")
            _name_bots(connection, played, rows)
            wanted = {"format": FORMAT, **played} | ({"secret": new_secret()} if any_secret else {})
            connection.executemany(
                "INSERT INTO played VALUES (?, ?)", [(key, json.dumps(wanted[key])) for key in wanted]
            )
        return wanted
    _check_tables(path, connection)
    found = _read_played(connection)
    _check_format(path, found)
    longer = _is_longer(played, found)
    for key, value in played.items():
        if key == "games" and longer:
            continue
        if found.get(key) != value and not (key == "secret" and any_secret and found.get("seed") is None):
            difference = f"its {key}: {json.dumps(found.get(key))}, asked for: {json.dumps(value)}"
            what = _TITLES.get(str(found.get("kind")), "tournament")
            raise CommandError(f"{path.parent} holds another {what} ({difference}); give another --out")
    if longer:
        with connection:
            connection.execute(
                "UPDATE played SET value = ? WHERE key = 'games'", (json.dumps(played["games"]),)
            )
        found["games"] = played["games"]
    if not _check_schema(path, connection, rows):
        with connection:
            connection.execute("BEGIN")
            _name_bots(connection, found, rows)
    return found


def _is_longer(played: Mapping[str, Any], found: Mapping[str, Any]) -> bool:
    """Whether more games are requested than the stored tournament has."""
    games = found.get("games")
    both = found.get("kind") == played["kind"] == "tournament"
    return both and isinstance(games, int) and games < played["games"]


def _name_bots(connection: sqlite3.Connection, played: Mapping[str, Any], rows: _Rows) -> None:
    """Adds the names of the bots within a transaction."""
    for statement in rows.names.split(";"):
        connection.execute(statement)
    connection.executemany("INSERT INTO bots VALUES (?, ?)", enumerate(bot_names(played["bots"])))


@contextlib.contextmanager
def _explained(path: Path) -> Iterator[None]:
    """Converts errors of SQLite to one-line errors."""
    try:
        yield
    except sqlite3.Error as error:
        code = getattr(error, "sqlite_errorcode", None)
        kept = "the stored games are kept, and the same command continues from there"
        if code == sqlite3.SQLITE_FULL:
            raise CommandError(f"{path}: the disk is full; {kept}") from None
        if code in (sqlite3.SQLITE_NOTADB, sqlite3.SQLITE_CORRUPT):
            raise CommandError(f"{path} is damaged: {error}; {_HELP}") from None
        raise CommandError(f"{path}: {error}; {kept}") from None
    except (ValueError, TypeError, RecursionError) as error:
        if isinstance(error, CommandError):
            raise
        raise CommandError(f"{path} is damaged: {reason(error)}; {_HELP}") from None
