"""Stores meetings (actions of people other than playing) in the file of tables."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Sequence

from wotr_experiments.table.meeting import Options, SocialAction, StoredSocialState
from wotr_experiments.table.store import Place, Store, Work

_DROP_TOKENS = "DELETE FROM tokens WHERE table_id = ? AND seat = ?"


def with_options(table: str, options: Options) -> Work:
    """Returns work that stores the options of a new table."""

    def work(connection: sqlite3.Connection) -> None:
        if options != Options():
            row = (table, json.dumps(options.to_dict()))
            connection.execute("INSERT INTO options VALUES (?, ?)", row)

    return work


def with_clock(table: str, clock: str, number: int, seconds: float | None) -> Work:
    """Returns work that stores the clock of a table, and the seconds used for an action."""

    def work(connection: sqlite3.Connection) -> None:
        connection.execute("INSERT OR REPLACE INTO clocks VALUES (?, ?)", (table, clock))
        connection.execute("DELETE FROM times WHERE table_id = ? AND number > ?", (table, number))
        if seconds is not None:
            connection.execute("INSERT OR REPLACE INTO times VALUES (?, ?, ?)", (table, number, seconds))

    return work


def with_deeds(table: str, serial: int, deeds: Sequence[SocialAction], over: bool) -> Work:
    """Returns work that stores deeds, the first with this serial number, and whether the game is over after
    them."""

    def work(connection: sqlite3.Connection) -> None:
        rows = [(table, number, *deed) for number, deed in enumerate(deeds, start=serial)]
        connection.executemany("INSERT INTO deeds VALUES (?, ?, ?, ?, ?, ?, ?)", rows)
        if over:
            connection.execute("UPDATE tables SET over = 1 WHERE id = ?", (table,))

    return work


def with_shortened(table: str, number: int) -> Work:
    """Returns work that shortens the stored meeting of a table, as ``SocialState.shorten`` does."""

    def work(connection: sqlite3.Connection) -> None:
        connection.execute("DELETE FROM times WHERE table_id = ? AND number > ?", (table, number))
        connection.execute("UPDATE deeds SET number = min(number, ?) WHERE table_id = ?", (number, table))

    return work


def with_name(table: str, seat: str, name: str) -> Work:
    """Returns work that stores the name of a person."""

    def work(connection: sqlite3.Connection) -> None:
        connection.execute("INSERT OR REPLACE INTO names VALUES (?, ?, ?)", (table, seat, name))

    return work


def with_only_token(table: str, digest: bytes, seat: str) -> Work:
    """Returns work that stores the token of a seat, and makes its earlier tokens invalid."""

    def work(connection: sqlite3.Connection) -> None:
        connection.execute(_DROP_TOKENS, (table, seat))
        connection.execute("INSERT INTO tokens VALUES (?, ?, ?, NULL)", (digest, table, seat))

    return work


def without_tokens(table: str, seat: str) -> Work:
    """Returns work that removes the tokens of a seat."""

    def work(connection: sqlite3.Connection) -> None:
        connection.execute(_DROP_TOKENS, (table, seat))

    return work


async def store_token(store: Store, table: str, digest: bytes, place: Place) -> None:
    """Stores a further token of a place, unless it is already stored; raises sqlite3.Error if this fails."""

    def work(connection: sqlite3.Connection) -> None:
        connection.execute("INSERT OR IGNORE INTO tokens VALUES (?, ?, ?, ?)", (digest, table, *place))

    await store.do(work)


async def load_meeting(store: Store, table: str) -> StoredSocialState:
    """Reads the stored data of a meeting; raises sqlite3.Error or ValueError if they are damaged."""

    def work(connection: sqlite3.Connection) -> StoredSocialState:
        def rows(columns: str, name: str, order: str = "table_id") -> Sequence[tuple]:
            query = f"SELECT {columns} FROM {name} WHERE table_id = ? ORDER BY {order}"
            return connection.execute(query, (table,)).fetchall()

        options = [Options.from_dict(json.loads(text)) for (text,) in rows("options", "options")]
        clocks = [text for (text,) in rows("clock", "clocks")]
        return StoredSocialState(
            options[0] if options else Options(),
            [SocialAction(*row) for row in rows(", ".join(SocialAction._fields), "deeds", "serial")],
            dict(rows("seat, name", "names")),
            clocks[0] if clocks else "",
            dict(rows("number, seconds", "times")),
        )

    return await store.do(work)
