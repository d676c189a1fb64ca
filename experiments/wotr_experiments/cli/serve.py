"""The command ``wotr serve``."""

from __future__ import annotations

import errno
import importlib.util
import os
import re
import socket
import sys
from pathlib import Path
from typing import Annotated

import typer

from wotr_env.play.plugins import how_to_install
from wotr_experiments.arena.store import GAMES
from wotr_experiments.cli.groups import grouped
from wotr_experiments.cli.options import BotProcesses
from wotr_experiments.cli.warmup import warmup
from wotr_experiments.errors import CommandError

_NEEDED = ("starlette", "uvicorn", "websockets", "msgspec")


@grouped
def serve(
    host: Annotated[
        str, typer.Option(help="Address to listen on. With the default, only this machine can connect.")
    ] = "127.0.0.1",
    port: Annotated[
        int, typer.Option(min=0, max=65535, help="Port to listen on. 0 means any free port.")
    ] = 8000,
    folder: Annotated[Path, typer.Option(help="Folder in which tables are stored.")] = Path("runs/tables"),
    workers: Annotated[
        int | None,
        typer.Option(min=1, help="Number of processes for bots. By default the number of cores minus one."),
    ] = None,
    tournament: Annotated[
        list[Path] | None,
        typer.Option(help="Folder of a finished or running tournament to show. Repeatable."),
    ] = None,
    root_path: Annotated[
        str,
        typer.Option(
            help="First part of the path of all pages behind a proxy, such as /wotr. The proxy may remove "
            "it or keep it."
        ),
    ] = "",
    allowed_host: Annotated[
        list[str] | None,
        typer.Option(help="Name of this server behind a proxy, such as games.example.org. Repeatable."),
    ] = None,
    *,
    processes: BotProcesses,
) -> None:
    """Start the web table: play in a browser with people and bots, and study games."""
    if missing := [name for name in _NEEDED if importlib.util.find_spec(name) is None]:
        raise CommandError(f"wotr serve needs {', '.join(missing)}: {how_to_install('web')}")
    isolation = processes.isolation()
    tournaments = tuple(tournament or ())
    for out in tournaments:
        if not (out / GAMES).is_file():
            raise CommandError(f"--tournament: {out} contains no games ({GAMES})")
    root = _root(root_path)
    names = tuple(map(_name, allowed_host or ()))
    listening = _listen(host, port)
    from wotr_experiments.table.server import Settings
    from wotr_experiments.table.service import run  # after the check: they need the extra

    with listening:
        warmup()
        settings = Settings(
            folder,
            host,
            workers or max(1, (os.cpu_count() or 2) - 1),
            tournaments=tournaments,
            isolation=isolation,
            prepare=True,
            root=root,
            names=names,
        )
        run(settings, listening, lambda address: print(f"wotr: open {address}", file=sys.stderr, flush=True))


def _root(path: str) -> str:
    root = path.rstrip("/")
    if root and not re.fullmatch(r"(/[A-Za-z0-9._~-]+)+", root):
        raise CommandError(f"--root-path is a path such as /wotr, not {path!r}")
    return root


def _name(host: str) -> str:
    if not re.fullmatch(r"[A-Za-z0-9]([A-Za-z0-9.-]*[A-Za-z0-9])?", host):
        raise CommandError(
            f"--allowed-host is a name such as games.example.org, without a port, not {host!r}"
        )
    return host


def _listen(host: str, port: int) -> socket.socket:
    try:
        family = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0][0]
        return socket.create_server((host, port), family=family)
    except socket.gaierror:
        raise CommandError(f"--host: there is no address {host!r}") from None
    except OSError as error:
        if error.errno == errno.EADDRINUSE:
            raise CommandError(f"port {port} of {host} is taken; give another --port") from None
        raise CommandError(f"cannot listen at port {port} of {host}: {error.strerror}") from None
