"""SQLite files from untrusted sources: only the expected tables are accepted."""

from __future__ import annotations

import contextlib
import sqlite3

from wotr_env.core.values import MOST_BYTES


def restrict(connection: sqlite3.Connection) -> None:
    """Limits the length of values, and disables functions with side effects in the schema."""
    connection.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, MOST_BYTES)
    connection.execute("PRAGMA trusted_schema = OFF")


def schema_of(connection: sqlite3.Connection) -> frozenset[tuple[str, ...]]:
    """The schema of a file: type, name and SQL of each object, without automatic indices."""
    query = "SELECT type, name, sql FROM sqlite_master WHERE sql IS NOT NULL OR type != 'index'"
    return frozenset(connection.execute(query))


def schema_by(script: str) -> frozenset[tuple[str, ...]]:
    """The schema that a script creates. A file of this package may contain nothing but this schema: for
    example, no trigger and no endless view."""
    with contextlib.closing(sqlite3.connect(":memory:")) as connection:
        connection.executescript(script)
        return schema_of(connection)
