"""Reports of clients to the person who runs the server: files with the data that the client received."""

from __future__ import annotations

import asyncio
import json
import secrets
from pathlib import Path
from typing import Any

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import BaseRoute, Route

from wotr_env.play.plugins import version_of
from wotr_experiments.table.clients import catch_up
from wotr_experiments.table.game import Table
from wotr_experiments.table.limits import Rate
from wotr_experiments.table.messages import Refused, Report, read_json, to_json
from wotr_experiments.table.requests import read_body, token_of
from wotr_experiments.table.tables import Tables
from wotr_experiments.table.viewers import Eyes

FOLDER = "reports"
"""The folder of reports in the folder of the server."""
MOST_REPORTS = 200
"""Maximal number of stored reports."""
_MOST_BYTES = 16_384
_PER_SECOND, _AT_ONCE = 0.2, 10.0


class Reports:
    """The reports of a server.

    Args:
        tables: the tables of the server.
        folder: the folder of the server.
    """

    def __init__(self, tables: Tables, folder: Path) -> None:
        self._tables = tables
        self._folder = folder / FOLDER
        self._rate = Rate(_PER_SECOND, _AT_ONCE)

    async def add(self, table: Table, eyes: Eyes, text: str) -> bytes:
        """Stores a report; returns its contents.

        Args:
            table: the table that the report is about.
            eyes: the view of the client. The report contains only data that this view receives.
            text: the words of the client.

        Raises:
            Refused: there are too many reports, or the report cannot be stored.
        """
        if not self._rate.take():
            raise Refused("full", "too many reports are being sent; try again in a minute")
        await catch_up(table, eyes.view, lambda: table.shown(eyes.delay))
        contents = to_json(self.contents(table, eyes, text))
        try:
            await asyncio.to_thread(self._write, f"{table.id}-{secrets.token_hex(6)}.json", contents)
        except OSError as error:
            raise Refused("storage", f"the report could not be stored: {error.strerror}") from None
        return contents

    def contents(self, table: Table, eyes: Eyes, text: str) -> dict[str, Any]:
        """The contents of a report: the words of the client, and the whole state in its view."""
        state = json.loads(table.message(eyes, 0, self._tables.here(table)))
        return {
            "text": text,
            "version": version_of(),
            "table": table.id,
            "game": table.kind.name,
            "rules": table.kind.rules_version,
            "state": state,
        }

    def _write(self, name: str, contents: bytes) -> None:
        self._folder.mkdir(exist_ok=True)
        if sum(1 for _ in self._folder.iterdir()) >= MOST_REPORTS:
            raise Refused("full", f"{MOST_REPORTS} reports wait already; tell the person who runs the server")
        (self._folder / name).write_bytes(contents + b"\n")


def report_routes() -> list[BaseRoute]:
    """The requests of this module."""
    return [Route("/api/tables/{id}/report", _report, methods=["POST"])]


async def _report(request: Request) -> Response:
    reports: Reports = request.app.state.reports
    tables: Tables = request.app.state.tables
    table, eyes = await tables.find(request.path_params["id"], token_of(request))
    said = read_json(Report, await read_body(request, _MOST_BYTES))
    contents = await reports.add(table, eyes, said.text)
    name = f'attachment; filename="report-{table.id}.json"'
    return Response(contents, media_type="application/json", headers={"content-disposition": name})
