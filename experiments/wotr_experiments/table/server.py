"""The server of the web table: pages, lists and files over HTTP, tables over WebSockets."""

from __future__ import annotations

import asyncio
import contextlib
import dataclasses
import functools
import ipaddress
import json
import logging
from collections.abc import AsyncIterator, Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.middleware import Middleware
from starlette.middleware.gzip import GZipMiddleware
from starlette.requests import Request
from starlette.responses import JSONResponse, PlainTextResponse, Response
from starlette.routing import BaseRoute, Route, WebSocketRoute
from starlette.types import ASGIApp, Message, Receive, Scope, Send
from starlette.websockets import WebSocket, WebSocketDisconnect

from wotr_agents.networks.files import zoo_of
from wotr_agents.registry import CHANCE, built_in_kinds, starts_program
from wotr_env.core.kind import GameKind
from wotr_env.play.games import DEFAULT_GAME, game_kind, game_kinds
from wotr_experiments import games
from wotr_experiments.isolation.bots import Isolation
from wotr_experiments.isolation.listing import ListedBot, listed_bots
from wotr_experiments.table.analysis_board.answers import AnalysisBoard, board_routes
from wotr_experiments.table.clients import Client
from wotr_experiments.table.clocks import steady_time
from wotr_experiments.table.game import Table
from wotr_experiments.table.limits import Limits, Rate
from wotr_experiments.table.lobby import Lobby, lobby_routes
from wotr_experiments.table.luck import LuckService, luck_routes
from wotr_experiments.table.messages import (
    VERSION,
    Act,
    Beat,
    ChoiceTree,
    Dice,
    Hello,
    Hint,
    Look,
    NewTable,
    Odds,
    Refused,
    Undo,
    Window,
    read_json,
    read_message,
    to_json,
    type_of,
)
from wotr_experiments.table.new_tables import players
from wotr_experiments.table.pages import missing_page, page_routes
from wotr_experiments.table.people import People, people_routes
from wotr_experiments.table.preparing import RulesCompiler
from wotr_experiments.table.reports import Reports, report_routes
from wotr_experiments.table.requests import read_body, token_of
from wotr_experiments.table.store import DAMAGED, open_store
from wotr_experiments.table.tables import Tables
from wotr_experiments.table.tournaments import Folders, tournament_routes
from wotr_experiments.table.viewer_messages import board_of, is_shown, seats_shown
from wotr_experiments.table.viewers import Eyes, form_of_name
from wotr_experiments.table.workers import Workers

_LOG = logging.getLogger(__name__)

POLICY = "; ".join(
    (
        "default-src 'none'",
        "script-src 'self'",
        "style-src 'self'",
        "img-src 'self'",
        "font-src 'self'",
        "connect-src 'self'",
        "base-uri 'self'",
        "form-action 'none'",
        "frame-ancestors 'none'",
    )
)
"""Content-Security-Policy: only resources of this server, nothing inline."""

_HEADERS = {
    "content-security-policy": POLICY,
    "x-content-type-options": "nosniff",
    "referrer-policy": "no-referrer",
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
    "cache-control": "no-cache",
}
_PARTS = (b"text/javascript", b"text/css")
_PAGE_HEADERS = [(name.encode(), value.encode()) for name, value in _HEADERS.items()]
_PART_HEADERS = [
    (name, value)
    for name, value in _PAGE_HEADERS
    if name in (b"x-content-type-options", b"cross-origin-resource-policy", b"cache-control")
]
"""Headers of parts of a page, to which the policy of the page applies; so a first load needs fewer bytes."""
_DRAWN = "drawn.js"
"""The module of the page of a table that shows drawings."""
_OF_TABLES = (*games.own_modules(), _DRAWN)
_PAGES = {
    "/": ("start/start.js",),
    "/table/{id}": _OF_TABLES,
    "/study": ("analysis_board/study.js",),
    "/tournaments": ("tournaments.js",),
    "/tournaments/{id:int}": ("tournaments.js",),
}
"""The module of each page; that of a table depends on its game."""
_NETWORKS = (["path"], ["net"])
"""The required parameters of bots that need only a network."""
_STATUS = {
    "full": 429,
    "storage": 507,
    "table": 404,
    "size": 413,
    "dice": 409,
    "token": 401,
    "early": 403,
    "server": 500,
}
"""HTTP status codes of refusals; others have 400."""


@dataclasses.dataclass(frozen=True)
class Settings:
    """The settings of a server."""

    folder: Path
    host: str = "127.0.0.1"
    workers: int = 1
    limits: Limits = dataclasses.field(default_factory=Limits)
    tournaments: tuple[Path, ...] = ()
    """Folders of tournaments to show."""
    isolation: Isolation = dataclasses.field(default_factory=Isolation)
    """The settings that determine which bots run in separate processes."""
    prepare: bool = False
    """Whether to compile the rules of all games in the background, in a separate process."""
    now: Callable[[], float] = steady_time
    """The clock for the time limits of tables, in seconds."""

    root: str = ""
    """The path of the server at its proxy, such as ``/wotr``."""
    names: tuple[str, ...] = ()
    """The names of this server at its proxy."""

    @property
    def local(self) -> bool:
        """Whether only people at this machine can connect: the host is local, and there is no proxy."""
        return is_local(self.host) and not self.names


def is_local(host: str) -> bool:
    """Whether a host is this machine itself."""
    if host == "localhost":
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


def make_app(settings: Settings) -> Starlette:
    """The web application; its tables are open from startup to shutdown.

    Startup raises ``CommandError`` if the folder cannot be used.
    """

    @contextlib.asynccontextmanager
    async def life(app: Starlette) -> AsyncIterator[None]:
        with open_store(settings.folder) as store:
            workers = Workers(settings.workers, settings.limits.think_seconds, settings.isolation)
            listed = await asyncio.to_thread(listed_bots, settings.isolation)
            bots = {name: bot for name, bot in listed.items() if not starts_program(name)}
            app.state.bots = bots
            tables = app.state.tables = Tables(
                store, workers, settings.limits, settings.local, bots, settings.now
            )
            app.state.folders = Folders(settings.tournaments)
            people = app.state.people = People(tables, store, workers, bots)
            app.state.lobby = Lobby(tables, store)
            app.state.reports = Reports(tables, settings.folder)
            study = app.state.study = AnalysisBoard(workers, tables.check_bot)
            lucks = app.state.lucks = LuckService(workers)
            later = [name for name in game_kinds() if name != DEFAULT_GAME] if settings.prepare else []
            preparing = app.state.preparing = RulesCompiler(later)
            try:
                await workers.ready()
                yield
            finally:
                study.close()
                workers.close()  # before the first await, which raises CancelledError after Ctrl-C
                await preparing.close()
                await lucks.close()
                await people.close()
                await tables.close()

    routes: list[BaseRoute] = [
        *page_routes(_PAGES, _module_of_table, settings.root),
        Route("/api/options", _options),
        Route("/api/tables", _list, methods=["GET"]),
        Route("/api/tables", _open, methods=["POST"]),
        Route("/api/tables/{id}/board", _board),
        Route("/api/tables/{id}/record", _record),
        Route("/api/tables/{id}/study", _study),
        *people_routes(),
        *lobby_routes(),
        *report_routes(),
        *luck_routes(),
        *board_routes(),
        *tournament_routes(),
        WebSocketRoute("/ws", _play),
    ]
    middleware = [
        Middleware(_Guard, settings=settings),
        Middleware(GZipMiddleware, minimum_size=1000, compresslevel=5),
    ]

    async def unknown(request: Request, error: Exception) -> Response:
        assert isinstance(error, HTTPException)
        if request.scope["path"].startswith("/api/"):
            text = "there is no such address" if error.status_code == 404 else error.detail
            return JSONResponse({"error": text}, error.status_code, error.headers)
        if error.status_code == 404:
            return missing_page(settings.root)
        return PlainTextResponse(f"{error.detail}\n", error.status_code, error.headers)

    handlers = {Refused: _refused, HTTPException: unknown}
    return Starlette(routes=routes, middleware=middleware, lifespan=life, exception_handlers=handlers)


class _Guard:
    """Adds security headers to every response; refuses requests from other sites and unknown host names.

    So a page of another site cannot open tables here, nor read them by DNS rebinding.
    """

    def __init__(self, app: ASGIApp, settings: Settings) -> None:
        self._app = app
        self._root = settings.root
        self._names = {name.lower() for name in settings.names}
        self._any_name = not self._names and not settings.local

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] not in ("http", "websocket"):
            await self._app(scope, receive, send)
            return
        headers = dict(scope["headers"])
        if not self._welcome(headers):
            await self._refuse(scope, receive, send)
            return
        if self._root and (scope["path"] + "/").startswith(self._root + "/"):
            scope = {**scope, "path": scope["path"].removeprefix(self._root) or "/"}

        async def send_safely(message: Message) -> None:
            if message["type"] == "http.response.start":
                given = message.get("headers", ())
                known = dict(given)
                part = known.get(b"content-type", b"").startswith(_PARTS)
                safe = _PART_HEADERS if part else _PAGE_HEADERS
                message["headers"] = [*given, *(each for each in safe if each[0] not in known)]
            await send(message)

        await self._app(scope, receive, send_safely)

    def _welcome(self, headers: dict[bytes, bytes]) -> bool:
        host = headers.get(b"host", b"").decode("latin-1")
        origin = headers.get(b"origin", b"").decode("latin-1")
        try:
            name = urlsplit(f"//{host}").hostname or ""
            if not (self._any_name or is_local(name) or name in self._names):
                return False
            return not origin or urlsplit(origin).netloc == host
        except ValueError:
            return False

    @staticmethod
    async def _refuse(scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "websocket":
            await WebSocket(scope, receive, send).close(1008)
        else:
            text = "wotr serve answers its own pages only\n"
            await PlainTextResponse(text, 403, _HEADERS)(scope, receive, send)


async def _refused(request: Request, error: Exception) -> Response:
    assert isinstance(error, Refused)
    return JSONResponse({"error": error.text}, _STATUS.get(error.code, 400))


async def _options(request: Request) -> Response:
    bots, preparing = request.app.state.bots.values(), request.app.state.preparing
    kinds = {
        name: _options_of(kind, bots) | {"ready": preparing.is_ready(name)}
        for name, kind in game_kinds().items()
    }
    return JSONResponse({"games": kinds})


def _options_of(kind: GameKind, bots: Iterable[ListedBot]) -> dict[str, Any]:
    def seats(each: Any) -> list[dict[str, Any]]:
        return [{"name": seat.name, "title": seat.title, "team": kind.teams[seat.team].name} for seat in each]

    return {
        "title": kind.title,
        "shown": is_shown(kind),
        "turn_limit": hasattr(kind.find_ruleset(), "max_turns"),
        "own_dice": kind.given_chance is not None,
        "rulesets": [
            {"name": name, "title": _title(rules), "seats": seats(rules.seats)}
            for name, rules in kind.rulesets.items()
            if not _differs_in_players(kind, rules)
        ],
        "players": {number: seats(each) for number, each in players(kind).items()},
        "bots": [
            {
                "name": bot.name,
                "summary": bot.summary,
                "parameters": _parameters(bot, kind.name),
                "specs": _specs(bot, kind.name),
                "chances": bot.values == CHANCE,
            }
            for bot in bots
            if bot.plays(kind.name)
        ],
    }


def _differs_in_players(kind: GameKind, rules: Any) -> bool:
    """Whether a ruleset differs from the default only in the number of players."""
    default = kind.find_ruleset()
    if rules == default or not hasattr(rules, "players"):
        return False
    return dataclasses.replace(rules, players=default.players) == default


def _title(rules: Any) -> str:
    """The title of a ruleset without its number of players."""
    players = f"{rules.players} players" if hasattr(rules, "players") else ""
    return ", ".join(part for part in rules.title.split(", ") if part != players)


def _parameters(bot: ListedBot, game: str) -> Sequence[Mapping[str, Any]]:
    """The parameters of a bot in a game."""
    kind = built_in_kinds().get(bot.name)
    return bot.parameters if kind is None else kind.in_game(game).to_dict()["parameters"]


def _specs(bot: ListedBot, game: str) -> list[str]:
    """Complete specs of a bot: its name, or one for each network of the zoo if it needs a network."""
    required = [each["name"] for each in _parameters(bot, game) if each["required"]]
    if not required:
        return [bot.name]
    needs_network = bot.name in built_in_kinds() and required in _NETWORKS
    return [f"{bot.name}:{network}" for network in zoo_of(game)] if needs_network else []


async def _list(request: Request) -> Response:
    tables = []
    listed, following = await _tables(request).listed(request.query_params.get("after", ""))
    for each in listed:
        with contextlib.suppress(*DAMAGED):  # such as of a game that is installed no more; it is not listed
            kind = game_kind(each.game)
            ruleset = kind.ruleset.from_dict(json.loads(each.ruleset))
            tables.append(
                {
                    "id": each.id,
                    "game": kind.title,
                    "ruleset": ruleset.title,
                    "turn": each.turn,
                    "over": each.over,
                    "study": each.study,
                    "seats": seats_shown(kind, ruleset, json.loads(each.seats)),
                }
            )
    return JSONResponse({"tables": tables, "next": following})


async def _open(request: Request) -> Response:
    tables = _tables(request)
    wanted = read_json(NewTable, await read_body(request, tables.limits.message))
    await request.app.state.preparing.ready(wanted.game)
    table, tokens, watch = await tables.open(wanted)
    links = [
        {**link._asdict(), "token": token} for link, token in zip(table.header.watch, watch, strict=True)
    ]
    first = watch[0] if watch else None
    return JSONResponse({"table": table.id, "tokens": tokens, "watch": first, "links": links}, 201)


async def _module_of_table(request: Request) -> str:
    """The module of the page of a table; for a table that does not exist, one that tells so."""
    try:
        game, _ = await _tables(request).rules_of(request.path_params["id"])
    except Refused:
        return _DRAWN
    page = games.page_of(game_kind(game))
    return _DRAWN if page is None else page.module


async def _board(request: Request) -> Response:
    game, ruleset = await _tables(request).rules_of(request.path_params["id"])
    return Response(_board_of(game, ruleset), media_type="application/json")


@functools.lru_cache(maxsize=16)
def _board_of(game: str, ruleset: Any) -> bytes:
    """The board of a ruleset; cached, since it is slow and every page requests it first."""
    return to_json(board_of(game_kind(game), ruleset))


async def _record(request: Request) -> Response:
    table, _ = await _table_of_token(request)
    if not table.over:
        raise Refused("early", "the record reveals hidden information; it is available after the game")
    name = f'attachment; filename="wotr-{table.id}.jsonl"'
    return Response(
        table.record().to_json() + "\n", media_type="application/json", headers={"content-disposition": name}
    )


async def _study(request: Request) -> Response:
    table, eyes = await _table_of_token(request)
    return JSONResponse(table.study(eyes))


async def _table_of_token(request: Request) -> tuple[Table, Eyes]:
    """The table of a request and the view of its token; raises Refused without a valid token."""
    return await _tables(request).find(request.path_params["id"], token_of(request))


def _tables(connection: Request | WebSocket) -> Tables:
    return connection.app.state.tables


# --- Tables over WebSockets. ---


async def _play(socket: WebSocket) -> None:
    """Handles one connection, from ``hello`` to the end."""
    await socket.accept()
    tables, people = _tables(socket), socket.app.state.people
    ears = _MessageReceiver(socket, tables.limits)
    try:
        client = await _welcome(socket, tables, ears)
    except TimeoutError:
        await _part(socket, Refused("hello", "no hello was received in time"))
        return
    except Refused as refused:
        await _part(socket, refused)
        return
    except WebSocketDisconnect:
        return
    speaking = asyncio.create_task(_send_messages(client, tables, socket))
    try:
        await people.join(client)
        await _receive_messages(client, tables, people, ears)
    except Refused as refused:
        await _part(socket, refused)
    except WebSocketDisconnect:
        pass
    finally:
        speaking.cancel()
        tables.leave(client)
        people.leave(client)


async def _welcome(socket: WebSocket, tables: Tables, ears: _MessageReceiver) -> Client:
    async with asyncio.timeout(tables.limits.hello_seconds):
        said = read_message(await ears.hear())
    if not isinstance(said, Hello):
        raise Refused("message", "the first message must be hello")
    form = form_of_name(said.form)
    table, eyes = await tables.find(said.table, said.token)
    client = Client(table, eyes._replace(form=form), said.after, socket.send_text)
    tables.join(client)
    try:
        await socket.app.state.lobby.sit_down(client, said.token)
    except BaseException:
        tables.leave(client)
        raise
    return client


async def _send_messages(client: Client, tables: Tables, socket: WebSocket) -> None:
    """Sends queued messages; the receiving side notices a lost connection."""
    try:
        await client.serve(tables.here)
    except (WebSocketDisconnect, RuntimeError):
        return
    except Exception:
        _LOG.exception("table %s cannot be shown", client.table.id)
    await _part(socket, client.ended or Refused("server", "the server failed; its log says how"))


async def _receive_messages(client: Client, tables: Tables, people: People, ears: _MessageReceiver) -> None:
    """Handles the messages of a client; Refused ends the connection."""
    while True:
        text, about = await ears.hear(), None
        if client.ended is not None:
            raise client.ended
        try:
            said = read_message(text)
            about = type_of(said)
            match said:
                case Window():
                    client.draw_in(said.form)
                case Act():
                    await tables.act(client, said)
                case Undo():
                    await tables.undo(client, said)
                case Dice():
                    await tables.dice(client, said)
                case ChoiceTree():
                    tables.choice_tree(client, said)
                case Odds():
                    tables.odds(client, said)
                case Hint():
                    tables.hint(client, said)
                case Look():
                    await tables.look(client, said)
                case Beat():
                    client.tell({"type": "beat", "v": VERSION})
                case Hello():
                    raise Refused("message", "hello was sent twice")
                case _:
                    await people.hear(client, said)
        except Refused as refused:
            client.tell(refused.message(about))


class _MessageReceiver:
    """Receives the messages of a connection, within the limits."""

    def __init__(self, socket: WebSocket, limits: Limits) -> None:
        self._socket = socket
        self._limits = limits
        self._rate = Rate(limits.messages_per_second, 2 * limits.messages_per_second)

    async def hear(self) -> str:
        """The next message.

        Raises:
            Refused: a message is too long or not text, or there are too many.
            WebSocketDisconnect: the connection is closed.
        """
        message = await self._socket.receive()
        if message["type"] == "websocket.disconnect":
            raise WebSocketDisconnect(message.get("code", 1000))
        text = message.get("text")
        if text is None:
            raise Refused("message", "messages must be JSON texts")
        if len(text) > self._limits.message:
            raise Refused("size", f"a message may have at most {self._limits.message} characters")
        if not self._rate.take():
            raise Refused("rate", f"more than {self._limits.messages_per_second:g} messages a second")
        return text


_MOST_OF_REASON = 123
"""Maximal number of bytes of the reason in a close frame (RFC 6455, section 5.5)."""


async def _part(socket: WebSocket, refused: Refused) -> None:
    """Sends the reason to a client that is refused, and closes the connection."""
    with contextlib.suppress(RuntimeError, WebSocketDisconnect):
        await socket.send_text(to_json(refused.message()).decode())
        await socket.close(1008, refused.text.encode()[:_MOST_OF_REASON].decode(errors="ignore"))
