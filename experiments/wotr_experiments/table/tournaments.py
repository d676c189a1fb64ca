"""Shows folders of tournaments: tables, ratings and every game, but no other files.

A page names a tournament by its number, and a game by its pairing and number. Names of files, which specs may
contain, are not sent to pages.
"""

from __future__ import annotations

import asyncio
import dataclasses
import logging
import re
import threading
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple, TypeVar

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import BaseRoute, Route

from wotr_agents import BotError
from wotr_env.play.games import game_kind
from wotr_experiments.arena import result_tables
from wotr_experiments.arena.played_games import PlayedGame
from wotr_experiments.arena.schedule import Tournament
from wotr_experiments.arena.store import GAMES, read_store
from wotr_experiments.arena.summary import summarise
from wotr_experiments.errors import CommandError
from wotr_experiments.table.messages import Refused, to_json

_LOG = logging.getLogger(__name__)
AT_ONCE = 200
"""Maximal number of games in one answer."""
_FOLDERS = re.compile(r"(?:[^:,=\s]*/)+(?=[^/])")
_NAME_FILES = ("disqualified", "first_forfeit")
"""Keys of a bot's results whose values contain raw specs or messages."""
_Answer = TypeVar("_Answer")


class _Read(NamedTuple):
    """A tournament as read from its file."""

    version: tuple[int, int]
    """Modification time and size of the file."""
    tournament: Tournament
    names: list[str]
    """Names of the bots, for pages."""
    games: list[PlayedGame]
    summary: dict[str, Any]
    total: int | None
    """Total number of games; None if a test determines it."""


class Folders:
    """The visible tournaments by number, from 1.

    Args:
        folders: the folders; their games may grow in number.
    """

    def __init__(self, folders: Sequence[Path]) -> None:
        self._folders = list(folders)
        self._read: dict[int, _Read] = {}
        self._reading = threading.Lock()

    async def call(self, answer: Callable[..., _Answer], *arguments: Any) -> _Answer:
        """Computes an answer in a thread.

        Raises:
            Refused: there is no such tournament or game, or it cannot be read.
        """
        return await asyncio.to_thread(answer, *arguments)

    def listed(self) -> dict[str, Any]:
        """Summaries of all tournaments; unreadable ones are left out."""
        found = []
        for number in range(1, len(self._folders) + 1):
            try:
                found.append({"id": number, **_short(self._find(number))})
            except Refused:
                continue
        return {"tournaments": found}

    def shown(self, number: int) -> dict[str, Any]:
        """The tables of a tournament."""
        read = self._find(number)
        summary, kind = read.summary, read.tournament.kind
        told = [
            {key: value for key, value in row.items() if key not in _NAME_FILES} for row in summary["results"]
        ]
        named = [{**row, "bot": name} for name, row in zip(read.names, told, strict=True)]
        ratings = zip(read.names, summary["ratings"]["bots"], strict=True)
        return {
            **_short(read),
            "teams": [{"name": team.name, "title": team.title} for team in result_tables.teams_of(summary)],
            "results": named,
            "ratings": [{**row, "bot": name} for name, row in ratings],
            "advantage": result_tables.advantage_text(summary),
            "cross": summary["cross"],
            "ends": {result_tables.words(end): count for end, count in summary["all"]["kinds"].items()},
            "cells": [cell.head for cell in kind.shown.game],
        }

    def games(self, number: int, after: int) -> dict[str, Any]:
        """Games in the order of the schedule, starting at an offset."""
        read = self._find(number)
        some = read.games[after : after + AT_ONCE]
        return {"games": [_row(read, game) for game in some], "left": len(read.games) - after - len(some)}

    def record(self, number: int, pairing: int, game: int) -> str:
        """The record of a game; names of players do not contain file names."""
        read = self._find(number)
        for each in read.games:
            if (each.pairing, each.number) == (pairing, game):
                with read_store(self._folders[number - 1] / GAMES) as store:
                    record = store.record(pairing, game)
                players = tuple(read.names[place] for place in each.players)
                return dataclasses.replace(record, players=players).to_json() + "\n"
        raise Refused("table", "there is no such game")

    def _find(self, number: int) -> _Read:
        if not 1 <= number <= len(self._folders):
            raise Refused("table", "there is no such tournament")
        with self._reading:
            try:
                path = self._folders[number - 1] / GAMES
                version = (path.stat().st_mtime_ns, path.stat().st_size)
                if number not in self._read or self._read[number].version != version:
                    self._read[number] = _read(path, version)
            except (BotError, CommandError, KeyError, OSError, TypeError, ValueError) as error:
                _LOG.warning("tournament %d cannot be read: %s", number, error)
                text = "this tournament cannot be read at the moment; the server's log says why"
                raise Refused("table", text) from None
            return self._read[number]


def _read(path: Path, version: tuple[int, int]) -> _Read:
    with read_store(path) as store:
        played, games = store.played, store.games()
    total = played.get("games")
    tournament = _tournament_of(played, games)
    names = [_FOLDERS.sub("", name) for name in tournament.names]
    return _Read(
        version,
        tournament,
        names,
        games,
        summarise(tournament, games),
        None if total is None else tournament.total,
    )


def _tournament_of(played: Mapping[str, Any], games: Sequence[PlayedGame]) -> Tournament:
    """The tournament; for a comparison, with the number of games played so far."""
    known = {field.name for field in dataclasses.fields(Tournament)}
    options = {key: value for key, value in played.items() if key in known}
    last = max((game.number for game in games), default=0)
    if "games" not in played:
        options |= {"games": 2 * (last // 2 + 1), "batch": 0}
    ruleset = game_kind(played["game"]).ruleset.from_dict(played["ruleset"])
    return Tournament(**{**options, "bots": tuple(played["bots"]), "ruleset": ruleset})


def _short(read: _Read) -> dict[str, Any]:
    return {
        "game": read.tournament.kind.title,
        "ruleset": read.tournament.ruleset.title,
        "bots": read.names,
        "games": len(read.games),
        "total": read.total,
    }


def _row(read: _Read, game: PlayedGame) -> dict[str, Any]:
    kind = read.tournament.kind
    return {
        "pairing": game.pairing,
        "number": game.number,
        "players": [
            {"bot": read.names[place], "seat": seat.title}
            for place, seat in zip(game.players, read.tournament.ruleset.seats, strict=True)
        ],
        "winner": None if game.winner >= len(kind.teams) else kind.teams[game.winner].title,
        "reason": result_tables.words(game.reason),
        "cells": [result_tables.cell_text(cell, game.columns) for cell in kind.shown.game],
        "decisions": game.decisions,
    }


# --- Over HTTP. ---


def tournament_routes() -> list[BaseRoute]:
    """The routes for the page."""
    return [
        Route("/api/tournaments", _list),
        Route("/api/tournaments/{id:int}", _show),
        Route("/api/tournaments/{id:int}/games", _games),
        Route("/api/tournaments/{id:int}/games/{pairing:int}.{number:int}", _record),
    ]


def _folders(request: Request) -> Folders:
    return request.app.state.folders


async def _list(request: Request) -> Response:
    return _json(await _folders(request).call(_folders(request).listed))


async def _show(request: Request) -> Response:
    return _json(await _folders(request).call(_folders(request).shown, request.path_params["id"]))


async def _games(request: Request) -> Response:
    after = request.query_params.get("after", "0")
    if not (after.isascii() and after.isdecimal() and len(after) < 10):
        raise Refused("message", f"after is a number of games, not {after!r}")
    folders = _folders(request)
    return _json(await folders.call(folders.games, request.path_params["id"], int(after)))


async def _record(request: Request) -> Response:
    folders, at = _folders(request), request.path_params
    text = await folders.call(folders.record, at["id"], at["pairing"], at["number"])
    name = f'attachment; filename="game-{at["id"]}-{at["pairing"]}-{at["number"]}.jsonl"'
    return Response(text, media_type="application/json", headers={"content-disposition": name})


def _json(found: Any) -> Response:
    return Response(to_json(found), media_type="application/json")
