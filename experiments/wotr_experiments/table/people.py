"""Handles requests of people at the tables of a server other than playing: resignations, draw offers, chat,
rematches."""

from __future__ import annotations

import asyncio
import base64
import contextlib
import hashlib
import hmac
import logging
import sqlite3
from collections.abc import Mapping, Sequence
from typing import Any

from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import BaseRoute, Route

from wotr_agents.registry import CHANCE
from wotr_experiments.chance import new_seed
from wotr_experiments.isolation.listing import ListedBot
from wotr_experiments.persons import PERSON
from wotr_experiments.table import bot_process
from wotr_experiments.table.clients import Client
from wotr_experiments.table.game import Table
from wotr_experiments.table.limits import Rate
from wotr_experiments.table.meeting import (
    AGREE,
    MOST_OF_NAME,
    REFUSE,
    REMATCH,
    TIME,
    SocialAction,
    clean,
)
from wotr_experiments.table.meeting_store import store_token, with_clock, with_name
from wotr_experiments.table.messages import (
    Again,
    Answer,
    Call,
    Offer,
    Refused,
    Resign,
    Say,
    Social,
    read_json,
)
from wotr_experiments.table.requests import read_body, token_of
from wotr_experiments.table.store import Place, Store
from wotr_experiments.table.store_errors import digest_of, stored
from wotr_experiments.table.tables import Tables
from wotr_experiments.table.workers import BotFailed, Workers

_LOG = logging.getLogger(__name__)
_TICK = 0.2
"""Seconds between two checks of the clocks."""
_PER_SECOND, _AT_ONCE = 0.5, 5.0
"""Average rate of these messages per client, and the largest burst."""


class People:
    """Handles the requests of people at all tables other than playing.

    Args:
        tables: the tables of the server.
        store: the store of these tables.
        workers: processes for bots.
        bots: the allowed bots by name.
    """

    def __init__(self, tables: Tables, store: Store, workers: Workers, bots: Mapping[str, ListedBot]) -> None:
        self._tables = tables
        self._store = store
        self._workers = workers
        self._bots = bots
        self._rates: dict[Client, Rate] = {}
        self._watching = asyncio.create_task(self._watch())
        tables.consult = self._consult

    async def close(self) -> None:
        """Stops checking the clocks."""
        self._watching.cancel()
        await asyncio.gather(self._watching, return_exceptions=True)

    # --- Clients. ---

    async def join(self, client: Client) -> None:
        """Called when a client has connected; starts the clock if all people are connected."""
        table = client.table
        clock = table.meeting.clock
        if clock is not None and not clock.begun and table.meeting.people <= self._tables.here(table):
            async with table.changing:
                clock = table.meeting.clock
                if clock is not None and not clock.begun:
                    clock = clock.copy()
                    clock.begin()
                    with stored():
                        await self._store.do(with_clock(table.id, clock.to_json(), table.line.number, None))
                    table.meeting.clock = clock
                    self._tables.changed(table)

    def leave(self, client: Client) -> None:
        """Called when a client has gone."""
        self._rates.pop(client, None)

    async def hear(self, client: Client, said: Social) -> None:
        """Handles the request of a client.

        Raises:
            Refused: the request is impossible; then nothing has changed.
        """
        table, seat = client.table, client.eyes.view
        if not client.eyes.sits or seat is None:
            raise Refused("turn", "only a seat may do that")
        if not self._rates.setdefault(client, Rate(_PER_SECOND, _AT_ONCE)).take():
            raise Refused("busy", "not so fast: wait a few seconds")
        async with table.changing:
            if isinstance(said, Call):
                await self._call(table, seat, said)
                return
            meeting, number = table.meeting, table.line.number
            if isinstance(said, Say):
                deed = meeting.say(seat, said.text, number)
                with stored():
                    await table.note(deed)
                for each in self._tables.clients_of(table):
                    each.call()
                return
            if table.over:
                raise Refused("turn", "the game is over")
            match said:
                case Resign():
                    deed = meeting.resign(seat, number)
                case Offer():
                    deed = meeting.offer(seat, number)
                case Answer():
                    deed = meeting.answer(seat, said.proposal, said.agree, number)
            with stored():
                await table.note(deed)
            try:
                await self._decline(table)
            except sqlite3.Error as error:  # the deed is done; the bot declines before its next decision
                _LOG.warning("that a bot of table %s declines a draw cannot be stored: %s", table.id, error)
            self._tables.changed(table)

    async def _call(self, table: Table, seat: int, said: Call) -> None:
        name = clean(said.name, MOST_OF_NAME, "a name")
        place = table.ruleset.seats[seat].name
        if table.meeting.names.get(place, "") == name:
            return
        with stored():
            await self._store.do(with_name(table.id, place, name))
        table.meeting.names[place] = name
        self._tables.changed(table)

    # --- Bots, and clocks. ---

    async def _decline(self, table: Table) -> None:
        """Has a bot without winning chances decline a draw that is offered to it."""
        for seat, each in enumerate(table.ruleset.seats):
            proposal = table.meeting.draw_waits_for(seat)
            if proposal is not None and table.player(seat) != PERSON and not self._weighs(table, seat):
                await table.note(SocialAction(REFUSE, each.name, table.line.number, proposal.serial))

    def _weighs(self, table: Table, seat: int) -> bool:
        """Whether the bot of a seat reports winning chances."""
        bot = self._bots.get(table.player(seat).partition(":")[0])
        return bot is not None and bot.values == CHANCE

    async def _consult(self, table: Table) -> None:
        """Asks the deciding bot about a draw that is offered to it.

        The bot accepts if its winning chance is lower than its share of a draw, which is one half in a game
        of two teams. A bot without winning chances declines.
        """
        seat, asked = table.seat, table.hash
        if seat is None or (proposal := table.meeting.draw_waits_for(seat)) is None:
            return
        spec, state = table.player(seat), table.line.state.tobytes()
        share = 1 / len({each.team for each in table.ruleset.seats})
        chance = None
        if self._weighs(table, seat):
            with contextlib.suppress(BotFailed):
                best = await self._workers.call(bot_process.review, table.kind.name, spec, state, None)
                chance = best[0][1]
        kind = AGREE if chance is not None and chance < share else REFUSE
        async with table.changing:
            if table.hash == asked and table.meeting.draw_waits_for(seat) == proposal:
                deed = SocialAction(kind, table.ruleset.seats[seat].name, table.line.number, proposal.serial)
                with stored():
                    await table.note(deed)
                self._tables.changed(table)

    async def _watch(self) -> None:
        """Ends games in which the time of a seat has run out."""
        while True:
            await asyncio.sleep(_TICK)
            for table in self._tables.in_memory:
                if table.time_is_out:
                    try:
                        await self._end_by_time(table)
                    except sqlite3.Error as error:
                        _LOG.warning("the end of table %s cannot be stored: %s", table.id, error)

    async def _end_by_time(self, table: Table) -> None:
        async with table.changing:
            seat = None if table.meeting.clock is None else table.meeting.clock.fallen
            if seat is not None and not table.over:
                await table.note(SocialAction(TIME, table.ruleset.seats[seat].name, table.line.number))
                self._tables.changed(table)

    # --- The next game. ---

    async def rematch(self, name: str, token: str, swap: bool) -> dict[str, Any]:
        """Opens the next table of the same people, or finds it; returns the place of a token there.

        The token of the new place is derived from the old token, so the store holds only its digest.

        Args:
            name: id of the table that is over.
            token: a token of this table.
            swap: whether the players change sides, if the next table is not yet open.

        Raises:
            Refused: the game is not over, or a spectator asks before any player.
        """
        table, eyes = await self._tables.find(name, token)
        place = await self._store.place_of(name, digest_of(token)) or Place()
        async with table.changing:
            if not table.over:
                raise Refused("early", "the game is not over")
            if table.meeting.rematch is None:
                if not eyes.sits or eyes.view is None:
                    raise Refused("early", "the players have not opened a next table")
                await self._open_next(table, eyes.view, swap)
        following = table.meeting.rematch or ""
        known, _, swapped = following.partition(" ")
        seats = [each.name for each in table.ruleset.seats]
        seat = place.seat
        if seat is not None and swapped:
            seat = seats[swapped_seats(table)[seats.index(seat)]]
        fresh = hmac.digest(token.encode(), f"rematch {known}".encode(), hashlib.sha256)
        text = base64.urlsafe_b64encode(fresh[:16]).decode().rstrip("=")
        with stored():
            await store_token(self._store, known, digest_of(text), Place(seat, place.watch))
        return {"table": known, "seat": seat, "token": text}

    async def _open_next(self, table: Table, seat: int, swap: bool) -> None:
        names = [each.name for each in table.ruleset.seats]
        order = swapped_seats(table) if swap else range(len(names))
        players = {names[to]: table.header.seats[names[place]] for place, to in enumerate(order)}
        header = table.header._replace(seats={name: players[name] for name in names}, seed=new_seed())
        options = table.meeting.options._replace(lobby=())
        following = await self._tables.add(header, options, {})
        text = f"{following.id} swapped" if swap else following.id
        with stored():
            await table.note(SocialAction(REMATCH, names[seat], table.line.number, text=text))
        self._tables.changed(table)


def swapped_seats(table: Table) -> Sequence[int]:
    """For each seat, the seat to which its player moves when sides are changed.

    If all teams have the same number of seats, each team takes the seats of the next team. Otherwise each
    player takes the next seat.
    """
    teams: dict[int, list[int]] = {}
    for seat, each in enumerate(table.ruleset.seats):
        teams.setdefault(each.team, []).append(seat)
    sides = list(teams.values())
    count = len(table.ruleset.seats)
    if len({len(side) for side in sides}) > 1:
        return [(seat + 1) % count for seat in range(count)]
    moves = dict(
        pair
        for side, following in zip(sides, [*sides[1:], sides[0]], strict=True)
        for pair in zip(side, following, strict=True)
    )
    return [moves[seat] for seat in range(count)]


def people_routes() -> list[BaseRoute]:
    """The requests of this module."""
    return [Route("/api/tables/{id}/rematch", _rematch, methods=["POST"])]


async def _rematch(request: Request) -> Response:
    people: People = request.app.state.people
    token = token_of(request)
    wish = read_json(Again, await read_body(request, 1000))
    return JSONResponse(await people.rematch(request.path_params["id"], token, wish.swap))
