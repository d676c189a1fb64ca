"""Runs the server of the web table until Ctrl-C."""

from __future__ import annotations

import asyncio
import gc
import socket
import sys
from collections.abc import Callable

import uvicorn
from starlette.types import ASGIApp

from wotr_experiments.table.server import Settings, make_app

_SWITCH = 0.0005
"""Switch interval of threads in seconds, short for the thread that writes to the disk."""


def run(
    settings: Settings,
    listening: socket.socket,
    opened: Callable[[str], object],
    wrap: Callable[[ASGIApp], ASGIApp] = lambda app: app,
) -> None:
    """Runs the server until Ctrl-C or SIGTERM.

    Args:
        settings: settings of the server.
        listening: the socket for clients.
        opened: called with the address of the page once the server answers.
        wrap: a wrapper of the application, for measurements.

    Raises:
        CommandError: the folder cannot be used.
    """
    asyncio.run(_serve(settings, listening, opened, wrap))


async def _serve(
    settings: Settings,
    listening: socket.socket,
    opened: Callable[[str], object],
    wrap: Callable[[ASGIApp], ASGIApp],
) -> None:
    app = make_app(settings)
    config = uvicorn.Config(
        wrap(app),
        ws="websockets-sansio",
        ws_max_size=4 * settings.limits.message,  # bytes; the application counts characters
        access_log=False,
        log_level="warning",
        lifespan="off",
        server_header=False,
        timeout_graceful_shutdown=2,
    )
    gc.freeze()  # what was loaded stays: a collection that walked through it would stop all tables
    sys.setswitchinterval(_SWITCH)
    host, port = listening.getsockname()[:2]
    async with app.router.lifespan_context(app):
        opened(f"http://{f'[{host}]' if ':' in host else host}:{port}/")
        await uvicorn.Server(config).serve(sockets=[listening])
