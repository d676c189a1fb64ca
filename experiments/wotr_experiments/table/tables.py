"""All tables of a server, with their clients and bots."""

from __future__ import annotations

import asyncio
import logging
import secrets
import sqlite3
import time
from collections.abc import Awaitable, Callable, Mapping, Sequence
from typing import Any

import numpy as np

from wotr_agents import BotError, parse_spec
from wotr_agents.registry import is_built_in
from wotr_env.core.errors import IllegalAction
from wotr_env.core.kind import GameKind
from wotr_env.core.seats import check_seat
from wotr_env.core.spelling import known_names
from wotr_env.play.games import game_kind
from wotr_experiments.isolation.listing import ListedBot
from wotr_experiments.persons import PERSON
from wotr_experiments.table import bot_process
from wotr_experiments.table.clients import Client, catch_up
from wotr_experiments.table.clocks import Clock, steady_time
from wotr_experiments.table.game import Table
from wotr_experiments.table.limits import Limits, Rate
from wotr_experiments.table.meeting import Options, SocialState, StoredSocialState
from wotr_experiments.table.meeting_store import load_meeting, with_options
from wotr_experiments.table.messages import (
    VERSION,
    Act,
    ChoiceTree,
    Dice,
    Hint,
    Look,
    NewTable,
    Odds,
    Refused,
    Undo,
    refusing,
)
from wotr_experiments.table.new_tables import check_no_files, link_of, options_of, rules_of, seed_of
from wotr_experiments.table.store import Header, Listed, Place, Played, Store, TakenBack
from wotr_experiments.table.store_errors import digest_of, stored, undamaged
from wotr_experiments.table.viewer_messages import choice, choices_along
from wotr_experiments.table.viewers import Eyes, view_of_name
from wotr_experiments.table.workers import BotFailed, Workers

_LOG = logging.getLogger(__name__)
_HINT = 3.0
"""Seconds after which a bot is no longer asked for the continuation of its best choice."""
_MOMENT = 0.3
"""Seconds until clients see that a bot is thinking, and its choices so far are played."""


class Tables:
    """The tables of a server.

    Args:
        store: the store of the tables.
        workers: processes for bots.
        limits: the limits of the server.
        files: whether specs may name files; allowed only for people at this machine.
        bots: the allowed bots by name.
        now: the clock for time limits, in seconds.
    """

    def __init__(
        self,
        store: Store,
        workers: Workers,
        limits: Limits,
        files: bool,
        bots: Mapping[str, ListedBot],
        now: Callable[[], float] = steady_time,
    ) -> None:
        self.limits = limits
        self.now = now
        self.consult: Callable[[Table], Awaitable[None]] = _nobody
        """Called before each turn of a bot."""
        self._awake = now()
        self._store = store
        self._workers = workers
        self._files = files
        self._known = bots
        self._tables: dict[str, Table] = {}
        self._used: dict[str, float] = {}
        self._clients: dict[str, set[Client]] = {}
        self._bots: dict[str, asyncio.Task[None]] = {}
        self._hints: set[asyncio.Task[None]] = set()
        self._loading = asyncio.Lock()
        self._opened = Rate(limits.tables_per_second, limits.tables_at_once)

    # --- Tables. ---

    async def open(self, wanted: NewTable) -> tuple[Table, dict[str, str], list[str]]:
        """Opens a new table; returns the table with the tokens of its seats, by name, and of its spectator
        links.

        Raises:
            Refused: the settings are invalid.
        """
        kind, ruleset = rules_of(wanted)
        seats = self._seats(kind, ruleset, wanted.seats)
        watch = tuple(link_of(each, ruleset) for each in wanted.watch)
        if wanted.pace and PERSON in seats.values():
            raise Refused("message", "pace is only for tables without people")
        if wanted.own_dice and kind.given_chance is None:
            raise Refused("message", f"{kind.title} does not support own dice")
        if wanted.own_dice and PERSON not in seats.values():
            raise Refused("message", "own dice need a person at the table who enters them")
        options = options_of(wanted, seats)
        seed = seed_of(wanted)
        header = Header(
            "",
            kind.name,
            kind.rules_version,
            ruleset.to_dict(),
            seed,
            seats,
            wanted.study,
            watch,
            wanted.pace,
            b"",
            wanted.own_dice,
        )
        own = [name for name, who in seats.items() if who == PERSON and name not in options.lobby]
        tokens = {name: secrets.token_urlsafe(16) for name in own}
        links = [secrets.token_urlsafe(16) for _ in watch]
        places = {digest_of(token): Place(seat=name) for name, token in tokens.items()}
        places |= {digest_of(token): Place(watch=number) for number, token in enumerate(links)}
        return await self.add(header, options, places), tokens, links

    async def add(self, header: Header, options: Options, places: Mapping[bytes, Place]) -> Table:
        """Adds a table with a new id and a new secret.

        Args:
            header: the other settings.
            options: the settings about people.
            places: the places of the table's tokens, by digests of the tokens.

        Raises:
            Refused: there are too many tables, or the table cannot be stored.
        """
        self._make_room()
        if not self._opened.take() or await self._store.count() >= self.limits.stored:
            raise Refused("full", "too many tables are being opened here; try again later")
        header = header._replace(id=secrets.token_urlsafe(6), secret=secrets.token_bytes(32))
        table = self._table(header, (), (), {}, StoredSocialState(options))
        try:
            await self._store.add(header, places, table.progress, with_options(header.id, options))
        except sqlite3.Error as error:
            raise Refused("storage", f"the table could not be stored: {error}") from None
        self._keep(table)
        return table

    def _table(
        self,
        header: Header,
        played: Sequence[Played],
        undos: Sequence[TakenBack],
        identities: Mapping[str, str],
        kept: StoredSocialState,
    ) -> Table:
        def meeting(kind: GameKind, ruleset: Any, who: Mapping[str, str]) -> SocialState:
            rule, seats = kept.options.clock, len(ruleset.seats)
            clock = None if rule is None else Clock(rule, seats, self.now, kept.clock, self._awake)
            return SocialState(kind, ruleset, who, kept, clock)

        return Table(header, self._store, played, undos, identities, meeting)

    async def find(self, name: str, token: str) -> tuple[Table, Eyes]:
        """The table and the view of a token.

        Raises:
            Refused: there is no such table, or the table has no such token.
        """
        with undamaged(name):
            place = await self._store.place_of(name, digest_of(token))
        if place is None:
            raise Refused("table", "there is no such table, or the link is not complete")
        table = await self.table(name)
        with undamaged(name):
            if place.seat is not None:
                names = [each.name for each in table.ruleset.seats]
                return table, Eyes(names.index(place.seat), sits=True)
            link = table.header.watch[place.watch or 0]
            return table, Eyes(view_of_name(link.view, table.ruleset), delay=link.delay)

    async def table(self, name: str) -> Table:
        """A table, from memory or from the store.

        Raises:
            Refused: there is no such table, or the table is damaged.
        """
        async with self._loading:
            if name not in self._tables:
                with undamaged(name):
                    loaded = await self._store.load(name)
                if loaded is None:
                    raise Refused("table", "there is no such table")
                self._make_room()
                with undamaged(name):
                    self._keep(self._table(*loaded, await load_meeting(self._store, name)))
        self._used[name] = time.monotonic()
        return self._tables[name]

    def people_at(self, name: str) -> int:
        """The number of people who are connected to a table as players."""
        return len(self.here(self._tables[name])) if name in self._tables else 0

    async def rules_of(self, name: str) -> tuple[str, Any]:
        """The game of a table and its ruleset.

        Raises:
            Refused: there is no such table.
        """
        with undamaged(name):
            if (found := await self._store.rules_of(name)) is None:
                raise Refused("table", "there is no such table")
            game, ruleset = found
            return game, game_kind(game).ruleset.from_dict(ruleset)

    async def listed(self, after: str = "") -> tuple[list[Listed], str | None]:
        """The most recently changed tables, or those after a mark; and the mark for the next ones.

        Raises:
            Refused: the mark is invalid.
        """
        time_text, _, name = after.partition("~")
        try:
            before = (float(time_text), name) if after else None
        except ValueError:
            raise Refused("message", f"after is what a list gave as next, not {after[:100]!r}") from None
        tables = await self._store.latest(self.limits.listed, before)
        full = len(tables) == self.limits.listed
        return tables, f"{tables[-1].changed!r}~{tables[-1].id}" if full else None

    @property
    def in_memory(self) -> list[Table]:
        """The tables in memory."""
        return list(self._tables.values())

    def clients_of(self, table: Table) -> set[Client]:
        """The clients connected to a table."""
        return self._clients[table.id]

    async def close(self) -> None:
        """Stops all bots."""
        tasks = [*self._bots.values(), *self._hints]
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)

    def _keep(self, table: Table) -> None:
        self._tables[table.id] = table
        self._clients[table.id] = set()
        self._used[table.id] = time.monotonic()
        self._wake_bot(table)

    def _make_room(self) -> None:
        """Removes unused tables from memory, if there are too many.

        Raises:
            Refused: all tables are in use.
        """
        if len(self._tables) < self.limits.tables:
            return
        long_ago = time.monotonic() - self.limits.idle_seconds
        for name, table in list(self._tables.items()):
            idle = not self._clients[name] and name not in self._bots and not table.changing.locked()
            if idle and self._used[name] < long_ago:
                del self._tables[name], self._clients[name], self._used[name]
        if len(self._tables) >= self.limits.tables:
            raise Refused("full", f"{self.limits.tables} tables are in use; try again later")

    def _seats(self, kind: GameKind, ruleset: Any, wanted: dict[str, str]) -> dict[str, str]:
        """The players of the seats, in order."""
        names = [seat.name for seat in ruleset.seats]
        with refusing():
            found = {names[check_seat(name, ruleset.seats)]: who for name, who in wanted.items()}
        if not len(found) == len(wanted) == len(names):
            known = known_names(names)
            raise Refused("message", f"seats are {known}, not {', '.join(wanted) or 'none'}")
        for who in wanted.values():
            if who != PERSON:
                self.check_bot(who, kind)
        return {name: found[name] for name in names}

    def check_bot(self, spec: str, kind: GameKind) -> str:
        """Checks a bot; returns the meaning of its values, in words.

        Parameters of bots from other packages are checked only when the bot is made.

        Raises:
            Refused: the bot is unknown, does not play the game, or is not allowed here.
        """
        name, _, text = spec.partition(":")
        if is_built_in(spec):
            try:
                parse_spec(spec, kind.name)
            except BotError as error:
                raise Refused("bot", str(error)) from None
        if (bot := self._known.get(name)) is None:
            raise Refused("bot", f"unknown bot {name!r}; known: {', '.join(self._known)}")
        if not bot.plays(kind.name):
            raise Refused(
                "bot", f"bot {name} does not play {kind.name}; it plays {', '.join(bot.games or ())}"
            )
        if not self._files:
            check_no_files(bot, text)
        return bot.values

    # --- Clients. ---

    def join(self, client: Client) -> None:
        """Adds a client, as a player or a spectator.

        Raises:
            Refused: there are too many clients.
        """
        clients = self._clients[client.table.id]
        everybody = sum(map(len, self._clients.values()))
        if len(clients) >= self.limits.connections_of_table or everybody >= self.limits.connections:
            raise Refused("full", "too many are connected; try again later")
        clients.add(client)
        self._wake_bot(client.table)
        self._show(client.table)

    def leave(self, client: Client) -> None:
        """Removes a client."""
        self._clients[client.table.id].discard(client)
        self._used[client.table.id] = time.monotonic()
        self._show(client.table)

    def here(self, table: Table) -> set[int]:
        """The seats of connected people."""
        eyes = (client.eyes for client in self._clients[table.id])
        return {each.view for each in eyes if each.sits and each.view is not None}

    async def act(self, client: Client, said: Act) -> None:
        """Plays a gesture of a client.

        Raises:
            Refused: the gesture is not allowed; then nothing has changed.
        """
        table = client.table
        async with table.changing:
            self._check_hash(client, said.hash)
            self._check_turn(client)
            with stored():
                await table.play(said.actions)
            client.show()  # before the others
            self.changed(table)

    async def undo(self, client: Client, said: Undo) -> None:
        """Takes back the last gesture of a client.

        Raises:
            Refused: the undo is not allowed.
        """
        table = client.table
        async with table.changing:
            self._check_hash(client, said.hash)
            if not client.eyes.sits or client.eyes.view is None:
                raise Refused("undo", "a spectator cannot take choices back")
            with stored():
                await table.undo(client.eyes.view)
            for each in self._clients[table.id]:
                each.after = min(each.after, table.shown(each.eyes.delay))
            self.changed(table)

    async def dice(self, client: Client, said: Dice) -> None:
        """Enters random outcomes of a client for the pending choice.

        Raises:
            Refused: the client may not enter outcomes, or the outcomes are impossible; then the same outcomes
                are requested again.
        """
        table = client.table
        async with table.changing:
            self._check_hash(client, said.hash)
            if not client.eyes.sits:
                raise Refused("dice", "a spectator cannot roll dice")
            with stored():
                await table.enter(said.outcomes)
            self.changed(table)

    async def look(self, client: Client, said: Look) -> None:
        """Sends an earlier position to a client.

        Raises:
            Refused: there is no such position, or the view is not allowed.
        """
        table = client.table
        eyes = table.eyes_of_look(client.eyes, said)
        if said.after is not None and said.after < said.number:
            await catch_up(table, eyes.view, lambda: min(said.number, table.shown(eyes.delay)))
            eyes = table.eyes_of_look(client.eyes, said)  # somebody may have taken something back
        seat = client.eyes.view if client.eyes.sits else None
        client.tell(table.look(eyes, said, self.here(table), seat))

    def choice_tree(self, client: Client, said: ChoiceTree) -> None:
        """Sends the choice tree of the current question to a client.

        Raises:
            Refused: another seat decides.
        """
        self._check_hash(client, said.hash)
        self._check_turn(client)
        tree = client.table.choice_tree
        client.tell({"type": "choice_tree", "v": VERSION, "hash": said.hash, "choices": tree})

    def odds(self, client: Client, said: Odds) -> None:
        """Sends the odds of a battle to a client.

        Raises:
            Refused: there is no such battle, or the client has no side.
        """
        self._check_hash(client, said.hash)
        client.tell(client.table.odds(client.eyes, said))

    def hint(self, client: Client, said: Hint) -> None:
        """Asks a bot for a hint; the answer is sent later.

        Raises:
            Refused: another seat decides, a hint is pending already, or there is no such bot.
        """
        table = client.table
        self._check_hash(client, said.hash)
        self._check_turn(client)
        if client.asked_hint:
            raise Refused("busy", "your last hint is still being computed")
        self.check_bot(said.bot, table.kind)
        client.asked_hint = True
        task = asyncio.create_task(self._advise(client, said, table.line.state))
        self._hints.add(task)
        task.add_done_callback(self._hints.discard)

    def _check_hash(self, client: Client, digits: str) -> None:
        if digits != client.table.hash_for(client.eyes.delay):
            client.show()
            raise Refused("stale", "the table has changed in the meantime; look at it again")

    @staticmethod
    def _check_turn(client: Client) -> None:
        if not client.eyes.sits or client.eyes.view != client.table.seat:
            raise Refused("turn", "it is not your decision")
        if client.table.pending is not None:
            raise Refused("dice", "enter the dice first")

    async def _advise(self, client: Client, said: Hint, state: np.record) -> None:
        kind = client.table.kind
        try:
            arguments = (kind.name, said.bot, state.tobytes(), _HINT)
            advice = await self._workers.call(bot_process.advise, *arguments)
        except BotFailed as error:
            client.tell(Refused("bot", f"no hint of {said.bot}: {error}").message("hint"))
        else:
            actions = [
                {**_without_name(choice(kind, state, each)), "value": value} for each, value in advice.best
            ]
            client.tell(
                {
                    "type": "hint",
                    "v": VERSION,
                    "hash": said.hash,
                    "bot": said.bot,
                    "actions": actions,
                    "scale": advice.scale,
                    "line": choices_along(kind, state, advice.line),
                }
            )
        finally:
            client.asked_hint = False

    def _show(self, table: Table) -> None:
        for client in self._clients[table.id]:
            client.show()

    def _tell(self, table: Table, message: dict[str, Any]) -> None:
        for client in self._clients[table.id]:
            if not client.eyes.delay:  # it tells who decides now
                client.tell(message)

    # --- Bots. ---

    def changed(self, table: Table) -> None:
        """Shows a table to its clients after a change, and wakes its bot."""
        self._used[table.id] = time.monotonic()
        self._show(table)
        self._wake_bot(table)

    def _wake_bot(self, table: Table) -> None:
        """Starts the bots of a table, if one of them decides and none is playing."""
        if table.id not in self._bots and self._bot_may_play(table):
            self._bots[table.id] = task = asyncio.create_task(self._play_bots(table))
            task.add_done_callback(lambda done: self._bot_rests(table, done))

    def _bot_may_play(self, table: Table) -> bool:
        """Whether the deciding seat has a bot that is not stuck. If the table has a pace, bots play only
        while a client is connected."""
        if table.bot is None or table.seat in table.stuck:
            return False
        return not table.header.pace or bool(self._clients[table.id])

    def _bot_rests(self, table: Table, done: asyncio.Task[None]) -> None:
        del self._bots[table.id]
        if not done.cancelled() and (error := done.exception()) is not None:
            _LOG.error("the bots of table %s stopped", table.id, exc_info=error)
            if table.line.seat is not None:
                table.stuck.add(table.line.seat)
        if not self._workers.closed:
            self._wake_bot(table)

    async def _play_bots(self, table: Table) -> None:
        """Plays the bots of a table until a person decides, the game is over, or a bot must stop."""
        failures = 0
        while self._bot_may_play(table):
            await self.consult(table)
            if not self._bot_may_play(table):
                return
            spec, seat, asked = table.bot or "", table.line.seat, table.hash
            until = time.monotonic() + table.header.pace
            try:
                actions, identity = await self._turn_of(table, spec)
                await asyncio.sleep(until - time.monotonic())
                async with table.changing:
                    if table.hash != asked:
                        failures = 0
                        continue
                    if table.time_is_out:
                        return
                    with stored():
                        await table.note_identity(seat or 0, identity)
                        await table.play_bot(actions)
            except (BotFailed, IllegalAction, Refused) as error:
                if table.hash != asked:
                    continue
                failures += 1
                self._tell(table, _failure(table, seat or 0, spec, str(error), failures).message())
                if failures > 1:
                    table.stuck.add(seat or 0)
                    failures = 0
                self._show(table)
                continue
            failures = 0
            self._used[table.id] = time.monotonic()
            self._show(table)

    async def _turn_of(self, table: Table, spec: str) -> tuple[list[int], str]:
        """Returns the choices of the deciding bot, and its identity. Clients receive a message if the bot
        thinks for long."""
        patience = 0.0 if table.header.own_dice else _MOMENT  # of its choices only one can be played
        arguments = (table.kind.name, spec, table.line.state.tobytes(), patience)
        answer = asyncio.create_task(self._workers.call(bot_process.take_turn, *arguments))
        try:
            done, _ = await asyncio.wait({answer}, timeout=_MOMENT)
            if not done:
                name = table.ruleset.seats[table.line.seat or 0].name
                self._tell(table, {"type": "thinking", "v": VERSION, "seat": name})
            return await answer
        finally:
            answer.cancel()


def _failure(table: Table, seat: int, spec: str, why: str, failures: int) -> Refused:
    after = "it is restarted" if failures == 1 else "its seat is stuck"
    return Refused("bot", f"the bot {spec} of {table.ruleset.seats[seat].title} failed: {why}; {after}")


async def _nobody(table: Table) -> None:
    """Does nothing, for servers without people to consult."""


def _without_name(shown: dict[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in shown.items() if name != "name"}
