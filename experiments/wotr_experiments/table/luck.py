"""The luck of finished games, for pages. It is measured with hidden information, so it is shown only after
the end of a game."""

from __future__ import annotations

import asyncio
import collections
import hashlib
import logging
from typing import Any

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import BaseRoute, Route

from wotr_experiments.luck.report import taken_back_words
from wotr_experiments.table.analysis_board.answers import AnalysisBoard
from wotr_experiments.table.analysis_board.messages import MOST_BYTES, RecordRequest
from wotr_experiments.table.measuring import luck_told, not_told
from wotr_experiments.table.messages import Refused, read_json, to_json
from wotr_experiments.table.requests import read_body, token_of
from wotr_experiments.table.tables import Tables
from wotr_experiments.table.workers import BotFailed, Workers

_LOG = logging.getLogger(__name__)
_KEPT = 200
"""Number of games whose luck is cached; each takes about 3 KB."""
_WAITING = 20
"""Maximal number of games in the queue for measurement."""


class LuckService:
    """Measures the luck of games, one after the other, in a process of bots.

    Args:
        workers: processes for bots.
    """

    def __init__(self, workers: Workers) -> None:
        self._workers = workers
        self._one = asyncio.Semaphore(1)
        self._known: collections.OrderedDict[bytes, asyncio.Task[dict[str, Any]]] = collections.OrderedDict()

    async def of(self, record: str) -> dict[str, Any]:
        """Returns the luck of a game; each game is measured only once, and the result is cached.

        Args:
            record: the record of the game as JSON.

        Returns:
            The result of ``measuring.luck_told``.

        Raises:
            Refused: too many games wait to be measured.
        """
        key = hashlib.blake2b(record.encode(), digest_size=16).digest()
        if key not in self._known:
            if sum(not task.done() for task in self._known.values()) >= _WAITING:
                raise Refused("full", "the server is busy; try again")
            self._known[key] = task = asyncio.create_task(self._measured(record))
            task.add_done_callback(lambda done: self._forget_failure(key, done))
        self._known.move_to_end(key)
        while len(self._known) > _KEPT:
            self._known.popitem(last=False)
        return await asyncio.shield(self._known[key])

    async def close(self) -> None:
        """Stops the measurements."""
        tasks = list(self._known.values())
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)

    async def _measured(self, record: str) -> dict[str, Any]:
        async with self._one:
            return await self._workers.run(luck_told, record)

    def _forget_failure(self, key: bytes, done: asyncio.Task[dict[str, Any]]) -> None:
        if done.cancelled() or done.exception() is not None:
            self._known.pop(key, None)


def luck_routes() -> list[BaseRoute]:
    """The requests of this module."""
    return [
        Route("/api/tables/{id}/luck", _luck_of_table),
        Route("/api/study/luck", _luck_of_line, methods=["POST"]),
    ]


async def _luck_of_table(request: Request) -> Response:
    tables: Tables = request.app.state.tables
    table, _ = await tables.find(request.path_params["id"], token_of(request))
    if not table.over:
        raise Refused("early", "luck is measured with hidden information; it is told after the game")
    taken_back = sum(undo.study for undo in table.undos)
    return await _answer(request, table.record().to_json(), taken_back)


async def _luck_of_line(request: Request) -> Response:
    study: AnalysisBoard = request.app.state.study
    body = await read_body(request, MOST_BYTES)
    record = await study.call(lambda text: study.record(read_json(RecordRequest, text)), body)
    return await _answer(request, record, 0)


async def _answer(request: Request, record: str, taken_back: int) -> Response:
    lucks: LuckService = request.app.state.lucks
    try:
        found = await lucks.of(record)
    except BotFailed as failed:
        _LOG.warning("luck cannot be measured: %s", failed)
        found = not_told("the measurement failed; the server's log says why")
    words = taken_back_words(taken_back) if taken_back and found["told"] else None
    return Response(to_json(found | {"taken_back": words}), media_type="application/json")
