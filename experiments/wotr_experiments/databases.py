"""SQLite files that somebody else may have made: what is in them is read as rows of our tables or refused."""

from __future__ import annotations

import contextlib
import sqlite3

from wotr_env.core.values import MOST_BYTES


def restrict(connection: sqlite3.Connection) -> None:
    """No value is longer than a document may be, and what a schema calls has no effects."""
    connection.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, MOST_BYTES)
    connection.execute("PRAGMA trusted_schema = OFF")


def schema_of(connection: sqlite3.Connection) -> frozenset[tuple[str, ...]]:
    """All that a file has defined: type, name and how, without the indices that tables bring along."""
    query = "SELECT type, name, sql FROM sqlite_master WHERE sql IS NOT NULL OR type != 'index'"
    return frozenset(connection.execute(query))


def schema_by(script: str) -> frozenset[tuple[str, ...]]:
    """What a script defines in a new file; ours have no more, such as a trigger or a view without end."""
    with contextlib.closing(sqlite3.connect(":memory:")) as connection:
        connection.executescript(script)
        return schema_of(connection)
