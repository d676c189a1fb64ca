"""Measures the server of the web table under load: ``python -m tests.tools.table_load``.

At each table a person chooses at random, with a pause before each choice, against a bot or another person.
Told is the time from a choice being sent to the new position being there, and that part of it which lies
between the server reading the choice and sending the position; nothing of a bot is in either. All are
connected before the clock runs. Those who play, the server, and the bots share the machine.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import multiprocessing
import os
import random
import signal
import socket
import tempfile
import time
import urllib.request
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Any

import msgspec
import numpy as np
import typer
import websockets.asyncio.client
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from wotr_env.games.war_of_the_ring.game import WAR_OF_THE_RING
from wotr_env.play.games import game_kind
from wotr_experiments.table.limits import Limits
from wotr_experiments.table.server import Settings
from wotr_experiments.table.service import run

_PERSON = "person"
_TIMES = "times.json"


class _Answer(msgspec.Struct):
    """What matters of a message of the server."""

    type: str
    number: int = 0
    hash: str | None = None
    legal: list[dict[str, Any]] = []
    result: Any = None
    text: str = ""


_DECODER = msgspec.json.Decoder(_Answer)


def measure(
    tables: Annotated[int, typer.Option(help="Tables in play.")] = 50,
    seconds: Annotated[float, typer.Option(help="Of play.")] = 30.0,
    pause: Annotated[float, typer.Option(help="Mean seconds before a choice.")] = 3.0,
    bot: Annotated[str, typer.Option(help="Spec of who plays the other seats; without it people.")] = "",
    workers: Annotated[int, typer.Option(help="Processes in which bots think.")] = 1,
    game: Annotated[str, typer.Option(help="The game at all tables.")] = WAR_OF_THE_RING.name,
) -> None:
    """Prints one line: tables, choices, median and 99th percentiles, memory."""
    with tempfile.TemporaryDirectory() as folder, socket.create_server(("127.0.0.1", 0)) as listening:
        port = listening.getsockname()[1]
        context = multiprocessing.get_context("spawn")
        server = context.Process(target=_serve, args=(folder, listening, workers))
        server.start()
        try:
            opening = _opening(game, bot or _PERSON)
            _open(port, _opening(game, _PERSON))
            before = _resident(server.pid or 0)
            played = asyncio.run(_play(port, [_open(port, opening) for _ in range(tables)], seconds, pause))
            memory = _resident(server.pid or 0) - before
        finally:
            os.kill(server.pid or 0, signal.SIGINT)
            server.join()
        inside, busy = json.loads((Path(folder) / _TIMES).read_text())
    print(
        f"{tables} tables of {game_kind(game).title} against {bot or _PERSON}, {len(played.times)} choices: "
        f"click to answer {_told(played.times)}, in the server {_told(inside)}, "
        f"{busy / len(inside) * 1e3:.1f} ms of processor each; "
        f"{memory / tables / 2**10:.0f} KB a table after {np.mean(played.numbers):.0f} actions"
    )


def _told(times: Sequence[float]) -> str:
    median, late = np.percentile(np.array(times) * 1e3, [50, 99])
    return f"median {median:.1f} ms, 99th percentile {late:.1f} ms"


def _serve(folder: str, listening: socket.socket, workers: int) -> None:
    times: list[float] = []
    began = time.process_time()
    limits = Limits(tables_per_second=1e6, tables_at_once=10**6)
    settings = Settings(Path(folder), workers=workers, limits=limits)
    with contextlib.suppress(KeyboardInterrupt):
        run(settings, listening, lambda _: None, lambda app: _Stopwatch(app, times))
    (Path(folder) / _TIMES).write_text(json.dumps([times, time.process_time() - began]))


class _Stopwatch:
    """Times each choice of a connection, from being read to the next position being sent."""

    def __init__(self, app: ASGIApp, times: list[float]) -> None:
        self._app = app
        self._times = times

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "websocket":
            await self._app(scope, receive, send)
            return
        asked_at: float | None = None

        async def hear() -> Message:
            nonlocal asked_at
            message = await receive()
            if (message.get("text") or "").startswith('{"type": "act"'):
                asked_at = time.perf_counter()
            return message

        async def say(message: Message) -> None:
            nonlocal asked_at
            await send(message)
            if asked_at is not None and (message.get("text") or "").startswith('{"type":"state"'):
                self._times.append(time.perf_counter() - asked_at)
                asked_at = None

        await self._app(scope, hear, say)


def _resident(process: int) -> int:
    """Bytes of memory of a process, of Linux."""
    status = Path(f"/proc/{process}/status").read_text()
    return 1024 * int(status.partition("VmRSS:")[2].split()[0])


def _opening(game: str, other: str) -> bytes:
    """What is sent to open a table at which a person has the first seat."""
    first, *others = (seat.name for seat in game_kind(game).find_ruleset("").seats)
    return json.dumps({"game": game, "seats": {first: _PERSON, **dict.fromkeys(others, other)}}).encode()


def _open(port: int, body: bytes) -> dict[str, Any]:
    headers = {"Content-Type": "application/json"}
    request = urllib.request.Request(f"http://127.0.0.1:{port}/api/tables", body, headers)
    with urllib.request.urlopen(request) as answer:
        return json.load(answer)


class _Played:
    """What came of it."""

    def __init__(self) -> None:
        self.times: list[float] = []
        """Seconds that each answer took."""
        self.numbers: list[int] = []
        """Of actions at the table of each person."""


async def _play(port: int, opened: Sequence[dict[str, Any]], seconds: float, pause: float) -> _Played:
    played, begin = _Played(), asyncio.Event()
    people = []
    for table in opened:
        for token in table["tokens"].values():
            connected = asyncio.Event()
            person = _person(port, table["table"], token, (connected, begin), (seconds, pause), played)
            people.append(asyncio.create_task(person))
            await connected.wait()
    begin.set()
    await asyncio.gather(*people)
    return played


async def _person(
    port: int,
    table: str,
    token: str,
    events: tuple[asyncio.Event, asyncio.Event],
    rhythm: tuple[float, float],
    played: _Played,
) -> None:
    connected, begin = events
    seconds, pause = rhythm
    address = f"ws://127.0.0.1:{port}/ws"
    async with websockets.asyncio.client.connect(address, max_size=None, compression=None) as connection:
        await connection.send(json.dumps({"type": "hello", "v": 1, "table": table, "token": token}))
        state = _read(await connection.recv())
        connected.set()
        await begin.wait()
        until, asked_at, acted = time.monotonic() + seconds, 0.0, -1
        while state.result is None:
            if state.number > acted:
                if asked_at:
                    played.times.append(time.perf_counter() - asked_at)
                    asked_at = 0.0
                if state.legal:
                    await asyncio.sleep(random.expovariate(1 / pause) if pause else 0)
                    actions = [random.choice(state.legal)["id"]]
                    message = {"type": "act", "v": 1, "hash": state.hash, "actions": actions}
                    acted, asked_at = state.number, time.perf_counter()
                    await connection.send(json.dumps(message))
            try:
                text = await asyncio.wait_for(connection.recv(), until - time.monotonic())
            except TimeoutError:
                break
            answer = _read(text)
            state = answer if answer.type == "state" else state
    played.numbers.append(state.number)


def _read(text: str | bytes) -> _Answer:
    answer = _DECODER.decode(text)
    if answer.type == "error":
        raise RuntimeError(answer.text)
    return answer


if __name__ == "__main__":
    typer.run(measure)
