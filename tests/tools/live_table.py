"""The server of the web table in a thread of this process, for those who try its page."""

from __future__ import annotations

import asyncio
import contextlib
import json
import socket
import threading
import urllib.request
from collections.abc import Coroutine, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import uvicorn

from wotr_env.play.games import DEFAULT_GAME
from wotr_experiments.table.game import Table
from wotr_experiments.table.limits import Limits
from wotr_experiments.table.line import Line
from wotr_experiments.table.server import Settings, make_app

_PATIENCE = 20.0
"""Seconds for what the server does at once."""
_START = 120.0
"""Seconds for its start, with the process of bots."""


def legal_names(line: Line) -> list[str]:
    """The names of the legal actions."""
    return [line.kind.actions.names[action] for action in line.legal]


class LiveTable:
    """A table of the server: its links, and its game as the server has it."""

    def __init__(self, server: LiveServer, name: str, tokens: dict[str, str]) -> None:
        self.server = server
        self.name = name
        self.tokens = tokens

    @property
    def table(self) -> Table:
        """As the server has it."""
        token = next(iter(self.tokens.values()))
        found, _ = self.server.do(self.server.tables.find(self.name, token))
        return found

    @property
    def line(self) -> Line:
        """The game so far."""
        return self.table.line

    @property
    def played(self) -> list[str]:
        """The names of the actions so far."""
        return [self.table.kind.actions.names[action] for action in self.line.actions]

    @property
    def legal(self) -> list[str]:
        """The names of the legal choices."""
        return legal_names(self.line)

    @property
    def changes(self) -> int:
        """Actions and undos so far, which only grow."""
        table = self.table
        return table.line.number + sum(len(undo.taken) + 1 for undo in table.undos)

    @property
    def seat(self) -> str | None:
        """The name of the seat that decides."""
        table = self.table
        return None if table.line.seat is None else table.ruleset.seats[table.line.seat].name

    def link(self, seat: str) -> str:
        """The address of the page of a seat, or of ``watch``."""
        return f"{self.server.url}/table/{self.name}#{self.tokens[seat]}"

    def play(self, actions: Sequence[int]) -> None:
        """Plays actions, whoever decides, before anybody is connected."""
        if actions:
            self.server.do(self.table.play_bot(actions))


class LiveServer:
    """A server in a thread of this process, with one process of bots."""

    url: str
    _loop: asyncio.AbstractEventLoop

    def __init__(
        self,
        folder: Path,
        tournaments: tuple[Path, ...] = (),
        root: str = "",
        names: tuple[str, ...] = (),
        **limits: Any,
    ) -> None:
        wide = Limits(**{"messages_per_second": 1000.0, "tables_per_second": 1000.0, **limits})
        settings = Settings(folder, limits=wide, tournaments=tournaments, root=root, names=names)
        self.app = make_app(settings)
        self._config = uvicorn.Config(self.app, ws="websockets-sansio", log_level="error", lifespan="on")
        self._server = uvicorn.Server(self._config)
        self._ready = threading.Event()

    @property
    def tables(self) -> Any:
        """The tables of the application."""
        return self.app.state.tables

    def do(self, work: Coroutine[Any, Any, Any]) -> Any:
        """Has the server's loop do something; its result."""
        return asyncio.run_coroutine_threadsafe(work, self._loop).result(_PATIENCE)

    def open(
        self,
        seats: Mapping[str, str],
        ruleset: str,
        seed: int = 1,
        actions: Sequence[int] = (),
        study: bool = False,
        own_dice: bool = False,
        watch: Sequence[Mapping[str, Any]] = ({"view": "public", "delay": 0},),
        game: str = DEFAULT_GAME,
    ) -> LiveTable:
        """A new table at which so many actions have been played."""
        body = {"seats": dict(seats), "ruleset": ruleset, "seed": seed, "study": study}
        body |= {"game": game, "own_dice": own_dice, "watch": list(watch)}
        request = urllib.request.Request(
            f"{self.url}/api/tables", json.dumps(body).encode(), {"Content-Type": "application/json"}
        )
        with urllib.request.urlopen(request, timeout=_PATIENCE) as answer:
            said = json.load(answer)
        looks = {} if said["watch"] is None else {"watch": said["watch"]}
        made = LiveTable(self, said["table"], said["tokens"] | looks)
        made.play(actions)
        return made

    def drop_all(self) -> None:
        """Cuts every connection."""

        async def cut() -> None:
            for connection in list(self._server.server_state.connections):
                connection.transport.abort()

        self.do(cut())

    @contextlib.contextmanager
    def running(self) -> Iterator[LiveServer]:
        """Serves at ``url``, a free port of this machine."""
        with socket.create_server(("127.0.0.1", 0)) as listening:
            self.url = f"http://127.0.0.1:{listening.getsockname()[1]}"
            thread = threading.Thread(target=self._serve, args=(listening,), daemon=True)
            thread.start()
            assert self._ready.wait(_START)
            yield self
            self._server.should_exit = True
            thread.join(_PATIENCE)

    def _serve(self, listening: socket.socket) -> None:
        async def serve() -> None:
            self._loop = asyncio.get_running_loop()
            serving = asyncio.create_task(self._server.serve(sockets=[listening]))
            while not self._server.started and not serving.done():
                await asyncio.sleep(0.01)
            self._ready.set()
            await serving

        asyncio.run(serve())
