"""Tables whose free seats anybody may take from a list."""

from __future__ import annotations

import contextlib
import json
import secrets
import sqlite3
import time
from typing import Any

from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import BaseRoute, Route

from wotr_env.play.games import game_kind
from wotr_experiments.table.bodies import read_body
from wotr_experiments.table.clients import Client
from wotr_experiments.table.game import Table
from wotr_experiments.table.guards import digest_of, stored
from wotr_experiments.table.limits import Rate
from wotr_experiments.table.meeting import TAKEN, Deed, Options
from wotr_experiments.table.meeting_store import store_token
from wotr_experiments.table.messages import Join, Refused, read_json
from wotr_experiments.table.sight import seats_shown
from wotr_experiments.table.store import DAMAGED, Place, Store
from wotr_experiments.table.tables import Tables

MOST_LISTED = 50
LONGEST_WAIT = 7 * 86_400.0
"""Seconds since the last change of a table after which it is not listed."""
_PER_SECOND, _AT_ONCE = 2.0, 50.0


class Lobby:
    """The tables of a server that wait for people.

    Args:
        tables: the tables of the server.
        store: their store.
    """

    def __init__(self, tables: Tables, store: Store) -> None:
        self._tables = tables
        self._store = store
        self._rate = Rate(_PER_SECOND, _AT_ONCE)

    async def sit_down(self, client: Client) -> None:
        """Called when a client is connected: its seat is no longer free."""
        table, seat = client.table, client.eyes.view
        if client.eyes.sits and seat is not None and table.ruleset.seats[seat].name in self._free(table):
            async with table.changing:
                await self._take(table, table.ruleset.seats[seat].name)

    async def join(self, name: str, seat: str) -> dict[str, str]:
        """Takes a free seat; returns its token.

        Raises:
            Refused: the seat is not free.
        """
        if not self._rate.take():
            raise Refused("full", "too many people are sitting down; try again")
        table = await self._tables.table(name)
        async with table.changing:
            if seat not in self._free(table):
                raise Refused("early", "this seat is not free, or not any more")
            token = secrets.token_urlsafe(16)
            with stored():
                await store_token(self._store, name, digest_of(token), Place(seat))
            await self._take(table, seat)
        return {"table": name, "seat": seat, "token": token}

    async def _take(self, table: Table, seat: str) -> None:
        if seat in self._free(table):
            with stored():
                await table.note(Deed(TAKEN, seat, table.line.number))

    @staticmethod
    def _free(table: Table) -> list[str]:
        if table.over:
            return []
        return [name for name in table.meeting.options.lobby if name not in table.meeting.taken]

    async def listed(self) -> list[dict[str, Any]]:
        """The tables with free seats; those first at which somebody waits, then the newest."""

        def work(connection: sqlite3.Connection) -> list[tuple[Any, ...]]:
            query = """
                SELECT id, game, ruleset, seats, study, options,
                    (SELECT json_group_array(seat) FROM deeds WHERE table_id = id AND kind = 'taken'),
                    (SELECT json_group_object(seat, name) FROM names WHERE table_id = id)
                FROM options JOIN tables ON id = table_id
                WHERE over = 0 AND changed > ? AND options NOT LIKE '%"lobby": []%'
                ORDER BY changed DESC LIMIT ?
            """
            return connection.execute(query, (time.time() - LONGEST_WAIT, 10 * MOST_LISTED)).fetchall()

        found = []
        for row in await self._store.do(work):
            with contextlib.suppress(*DAMAGED):
                if each := self._shown(*row):
                    found.append(each)
        return sorted(found, key=lambda each: not each["here"])[:MOST_LISTED]

    def _shown(
        self, name: str, game: str, rules: str, seats: str, study: int, options: str, taken: str, names: str
    ) -> dict[str, Any] | None:
        kind, chosen = game_kind(game), Options.from_dict(json.loads(options))
        ruleset, called = kind.ruleset.from_dict(json.loads(rules)), json.loads(names)
        free = [seat for seat in chosen.lobby if seat not in json.loads(taken)]
        if not free:
            return None
        shown = seats_shown(kind, ruleset, json.loads(seats))
        return {
            "id": name,
            "game": kind.title,
            "ruleset": ruleset.title,
            "study": bool(study),
            "clock": None if chosen.clock is None else chosen.clock._asdict(),
            "chat": chosen.chat,
            "here": self._tables.people_at(name),
            "free": free,
            "seats": [each | {"called": called.get(each["name"]) or None} for each in shown],
        }


def lobby_routes() -> list[BaseRoute]:
    """The requests of this module."""
    return [Route("/api/lobby", _list), Route("/api/tables/{id}/join", _join, methods=["POST"])]


async def _list(request: Request) -> Response:
    lobby: Lobby = request.app.state.lobby
    return JSONResponse({"tables": await lobby.listed()})


async def _join(request: Request) -> Response:
    lobby: Lobby = request.app.state.lobby
    wish = read_json(Join, await read_body(request, 1000))
    return JSONResponse(await lobby.join(request.path_params["id"], wish.seat), 201)
