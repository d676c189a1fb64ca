"""The lobby: tables with free seats that anybody may take."""

from __future__ import annotations

import contextlib
import json
import secrets
import sqlite3
import time
from collections.abc import Mapping
from typing import Any

from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import BaseRoute, Route

from wotr_env.play.games import game_kind
from wotr_experiments.table.clients import Client
from wotr_experiments.table.game import Table
from wotr_experiments.table.limits import Rate
from wotr_experiments.table.meeting import (
    LEFT,
    OF_SEATS,
    REFUSE,
    SAT,
    TAKEN,
    Options,
    SocialAction,
    taken_seats,
)
from wotr_experiments.table.meeting_store import with_clock, with_name, with_only_token, without_tokens
from wotr_experiments.table.messages import Join, Refused, read_json
from wotr_experiments.table.requests import read_body, token_of
from wotr_experiments.table.store import DAMAGED, Store
from wotr_experiments.table.store_errors import digest_of, stored
from wotr_experiments.table.tables import Tables
from wotr_experiments.table.viewer_messages import seats_shown

MOST_LISTED = 50
LONGEST_WAIT = 7 * 86_400.0
"""Seconds since the last change of a table after which it is not listed."""
LAPSE = 120.0
"""Seconds after which a seat is free again if the person who took it has never been connected."""
_PER_SECOND, _AT_ONCE = 2.0, 50.0
_GONE = "this link opens no seat any more: the seat was given back, or somebody else has taken it"


class Lobby:
    """The tables of a server that wait for people.

    Args:
        tables: the tables of the server.
        store: the store of these tables.
    """

    def __init__(self, tables: Tables, store: Store) -> None:
        self._tables = tables
        self._store = store
        self._rate = Rate(_PER_SECOND, _AT_ONCE)
        self._since: dict[tuple[str, str], float] = {}
        """The time since which a seat, given by table and name, waits for its person; not stored."""

    async def sit_down(self, client: Client, token: str) -> None:
        """Called when a client is connected. If its seat is of the lobby, the seat now belongs to the client.

        Raises:
            Refused: somebody else has taken the seat in the meantime.
        """
        table, seat = client.table, client.eyes.view
        if not client.eyes.sits or seat is None:
            return
        name = table.ruleset.seats[seat].name
        if table.over or name not in table.meeting.options.lobby:
            return
        async with table.changing:
            if await self._store.place_of(table.id, digest_of(token)) is None:
                raise Refused("table", _GONE)
            if not table.meeting.taken.get(name):
                with stored():
                    await table.note(SocialAction(SAT, name, table.line.number))
                self._since.pop((table.id, name), None)

    async def join(self, name: str, seat: str) -> dict[str, str]:
        """Takes a free seat; returns its token.

        Raises:
            Refused: the seat is not free.
        """
        if not self._rate.take():
            raise Refused("full", "too many people are sitting down; try again")
        table = await self._tables.table(name)
        async with table.changing:
            if table.over or seat not in self._free(name, table.meeting.options, table.meeting.taken):
                raise Refused("early", "this seat is not free, or not any more")
            token = secrets.token_urlsafe(16)
            with stored():
                only = with_only_token(name, digest_of(token), seat)
                await table.note(SocialAction(TAKEN, seat, table.line.number), also=[only])
            self._since[name, seat] = self._tables.now()
            self._dismiss(table, seat)
        return {"table": name, "seat": seat, "token": token}

    async def leave(self, name: str, token: str) -> None:
        """Releases a seat of the lobby; its token is then invalid.

        Raises:
            Refused: the seat is not of the lobby, or has already decided something.
        """
        table, eyes = await self._tables.find(name, token)
        async with table.changing:
            if not eyes.sits or eyes.view is None or not table.may_be_left(eyes.view):
                raise Refused("early", "only a seat from the list can be given back, until its first choice")
            meeting, number = table.meeting, table.line.number
            seat = table.ruleset.seats[eyes.view].name
            own = [each.serial for each in meeting.proposals if each.seat == eyes.view]
            deeds = [
                *(SocialAction(REFUSE, seat, number, serial) for serial in own),
                SocialAction(LEFT, seat, number),
            ]
            also = [with_name(name, seat, ""), without_tokens(name, seat)]
            clock = meeting.clock
            if clock is not None and clock.begun:
                clock = clock.copy()
                clock.wait()
                also.append(with_clock(name, clock.to_json(), number, None))
            with stored():
                await table.note(*deeds, also=also)
            meeting.names.pop(seat, None)
            meeting.clock = clock
            self._dismiss(table, seat)
            self._tables.changed(table)

    def _dismiss(self, table: Table, seat: str) -> None:
        """Ends the connections of the earlier person at a seat."""
        for client in list(self._tables.clients_of(table)):
            if client.eyes.sits and table.ruleset.seats[client.eyes.view or 0].name == seat:
                client.end(Refused("table", _GONE))
                self._tables.leave(client)

    def _free(self, table: str, options: Options, taken: Mapping[str, bool]) -> list[str]:
        """The free seats of a table that is not over; ``taken`` is as in ``SocialState.taken``."""
        return [seat for seat in options.lobby if seat not in taken or self._has_lapsed(table, seat, taken)]

    def _has_lapsed(self, table: str, seat: str, taken: Mapping[str, bool]) -> bool:
        if taken[seat]:
            return False
        now = self._tables.now()
        return now - self._since.setdefault((table, seat), now) >= LAPSE

    async def listed(self) -> list[dict[str, Any]]:
        """The tables with free seats: tables with a waiting person first, then the newest tables."""

        def work(connection: sqlite3.Connection) -> list[tuple[Any, ...]]:
            query = """
                SELECT id, game, ruleset, seats, study, options,
                    (SELECT json_group_array(json_array(kind, seat)) FROM (
                        SELECT kind, seat FROM deeds WHERE table_id = id AND kind IN (?, ?, ?) ORDER BY serial
                    )),
                    (SELECT json_group_object(seat, name) FROM names WHERE table_id = id)
                FROM options JOIN tables ON id = table_id
                WHERE over = 0 AND changed > ? AND options NOT LIKE '%"lobby": []%'
                ORDER BY changed DESC LIMIT ?
            """
            values = (*OF_SEATS, time.time() - LONGEST_WAIT, 10 * MOST_LISTED)
            return connection.execute(query, values).fetchall()

        over = {table.id for table in self._tables.in_memory if table.over}
        self._since = {key: since for key, since in self._since.items() if key[0] not in over}
        found = []
        for row in await self._store.do(work):
            with contextlib.suppress(*DAMAGED):
                if each := self._shown(*row):
                    found.append(each)
        return sorted(found, key=lambda each: not each["here"])[:MOST_LISTED]

    def _shown(
        self, name: str, game: str, rules: str, seats: str, study: int, options: str, deeds: str, names: str
    ) -> dict[str, Any] | None:
        kind, chosen = game_kind(game), Options.from_dict(json.loads(options))
        ruleset, called = kind.ruleset.from_dict(json.loads(rules)), json.loads(names)
        free = self._free(name, chosen, taken_seats(json.loads(deeds)))
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
    return [
        Route("/api/lobby", _list),
        Route("/api/tables/{id}/join", _join, methods=["POST"]),
        Route("/api/tables/{id}/leave", _leave, methods=["POST"]),
    ]


async def _list(request: Request) -> Response:
    lobby: Lobby = request.app.state.lobby
    return JSONResponse({"tables": await lobby.listed()})


async def _join(request: Request) -> Response:
    lobby: Lobby = request.app.state.lobby
    wish = read_json(Join, await read_body(request, 1000))
    return JSONResponse(await lobby.join(request.path_params["id"], wish.seat), 201)


async def _leave(request: Request) -> Response:
    lobby: Lobby = request.app.state.lobby
    await lobby.leave(request.path_params["id"], token_of(request))
    return JSONResponse({})
