"""Measures the server of the web table under load: ``python -m wotr_experiments.dev.table_load``.

People at tables in play choose at random, with a pause before each choice. Told is the time from a choice
being sent to the new position being there, with nothing of a bot in it, and the memory of the server.
"""

from __future__ import annotations

import asyncio
import json
import multiprocessing
import random
import socket
import tempfile
import time
import urllib.request
from pathlib import Path
from typing import Annotated, Any

import numpy as np
import typer
import websockets.asyncio.client

from wotr_experiments.table.server import Settings
from wotr_experiments.table.service import run
from wotr_experiments.table.tables import Limits


def measure(
    tables: Annotated[int, typer.Option(help="Tables of two people each.")] = 50,
    seconds: Annotated[float, typer.Option(help="Of play.")] = 30.0,
    pause: Annotated[float, typer.Option(help="Mean seconds before a choice.")] = 3.0,
) -> None:
    """Prints one line: tables, answers, median and 99th percentile, memory."""
    with tempfile.TemporaryDirectory() as folder, socket.create_server(("127.0.0.1", 0)) as listening:
        port = listening.getsockname()[1]
        context = multiprocessing.get_context("spawn")
        server = context.Process(target=_serve, args=(folder, listening))
        server.start()
        try:
            before = _settled(port, server.pid or 0)
            times = asyncio.run(_play(port, tables, seconds, pause))
            memory = _resident(server.pid or 0) - before
        finally:
            server.terminate()
            server.join()
    median, late = np.percentile(np.array(times) * 1e3, [50, 99])
    print(
        f"{tables} tables, {len(times)} answers: median {median:.1f} ms, 99th percentile {late:.1f} ms, "
        f"{memory / tables / 2**10:.0f} KB a table"
    )


def _serve(folder: str, listening: socket.socket) -> None:
    limits = Limits(tables_per_second=1e6, tables_at_once=10**6)
    run(Settings(Path(folder), limits=limits), listening, lambda _: None)


def _settled(port: int, process: int) -> int:
    """The memory of the server when a first table has been opened."""
    _open(port)
    return _resident(process)


def _resident(process: int) -> int:
    """Bytes of memory of a process, of Linux."""
    status = Path(f"/proc/{process}/status").read_text()
    return 1024 * int(status.partition("VmRSS:")[2].split()[0])


def _open(port: int) -> dict[str, Any]:
    body = json.dumps({"seats": {"free_peoples": "person", "shadow": "person"}}).encode()
    headers = {"Content-Type": "application/json"}
    request = urllib.request.Request(f"http://127.0.0.1:{port}/api/tables", body, headers)
    with urllib.request.urlopen(request) as answer:
        return json.load(answer)


async def _play(port: int, tables: int, seconds: float, pause: float) -> list[float]:
    """The seconds that each answer took."""
    opened = [_open(port) for _ in range(tables)]
    times: list[float] = []
    until = time.monotonic() + seconds
    people = [
        _person(port, table["table"], seat, token, until, pause, times)
        for table in opened
        for seat, token in table["tokens"].items()
    ]
    await asyncio.gather(*people)
    return times


async def _person(
    port: int, table: str, seat: str, token: str, until: float, pause: float, times: list[float]
) -> None:
    address = f"ws://127.0.0.1:{port}/ws"
    async with websockets.asyncio.client.connect(address, max_size=None, compression=None) as connection:
        await connection.send(json.dumps({"type": "hello", "v": 1, "table": table, "token": token}))
        asked_at: float | None = None
        acted = -1
        while time.monotonic() < until:
            try:
                text = await asyncio.wait_for(connection.recv(), max(0.01, until - time.monotonic()))
            except TimeoutError:
                return
            now = time.perf_counter()
            state = json.loads(text)
            if state["type"] != "state":
                raise RuntimeError(state)
            if state["number"] <= acted:
                continue  # somebody came or went
            if asked_at is not None:
                times.append(now - asked_at)
                asked_at = None
            if state["legal"]:
                await asyncio.sleep(random.expovariate(1 / pause))
                chosen = random.choice(state["legal"])["id"]
                message = {"type": "act", "v": 1, "hash": state["hash"], "actions": [chosen]}
                acted, asked_at = state["number"], time.perf_counter()
                await connection.send(json.dumps(message))


if __name__ == "__main__":
    typer.run(measure)
