"""A small server of one table, which speaks the wire of the web table, for tests of the page."""

from __future__ import annotations

import asyncio
import contextlib
import importlib.resources
import random
import socket
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import uvicorn
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import FileResponse, JSONResponse, Response
from starlette.routing import Mount, Route, WebSocketRoute
from starlette.staticfiles import StaticFiles
from starlette.websockets import WebSocket, WebSocketDisconnect

from wotr_env import Game
from wotr_env.events import trace_of
from wotr_env.kind import Seat
from wotr_env.war_of_the_ring import WAR_OF_THE_RING as KIND
from wotr_experiments.table.board import board_data

STATIC = Path(str(importlib.resources.files("wotr_experiments.table") / "static"))
POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; "
    "base-uri 'none'; form-action 'none'"
)
TABLE, TOKEN = "one", "secret"


def described(seat: Seat) -> dict[str, Any]:
    return {"name": seat.name, "title": seat.title, "team": int(seat.team)}


class FakeTable:
    """A person at one seat of a game, and moves by chance at the others."""

    def __init__(self, game: Game | None = None, seat: int = 0, seed: int = 1, watched: bool = False) -> None:
        self.game = game or Game(seed, KIND.find_ruleset("first:max_turns=2"))
        self.seat = seat
        self.watched = watched
        self.seats = self.game.ruleset.seats
        self.number = 0
        self.changes = 0
        self.told: list[dict[str, Any]] = []
        self.gestures: list[tuple[Game, int]] = []
        self.random = random.Random(seed)
        self.acts: list[list[str]] = []
        self.hellos: list[dict[str, Any]] = []
        self.links: list[tuple[asyncio.AbstractEventLoop, WebSocket]] = []
        self.url = ""
        self.let_others_play()

    def play(self, action: int) -> bool:
        """Plays an action; whether it is still the person's decision, and nothing was learned."""
        before = self.game.state
        self.number += 1
        for line in KIND.step_of(before, action, self.seat).told:
            seat = None if line.seat is None else self.seats[line.seat].name
            said = {"number": self.number, "tone": str(line.tone), "seat": seat, "team": line.team}
            self.told.append(said | {"text": line.text, "opens": line.opens})
        rolled = any(trace_of(before, action).draws())
        self.game.step(action)
        self.changes += 1
        return not rolled and not self.game.over and self.game.seat == self.seat

    def let_others_play(self) -> None:
        while not self.game.over and self.game.seat != self.seat:
            self.play(self.random.choice(self.game.legal()))

    def state(self, after: int | None) -> dict[str, Any]:
        game, asked = self.game, not self.game.over and self.game.seat == self.seat
        position, known = game.state, min(after or 0, self.number)
        words = KIND.words
        return {
            "type": "state", "v": 1, "number": self.number, "hash": str(self.changes),
            "ruleset": self.game.ruleset.title, "study": False,
            "seat": self.seats[self.seat].name,
            "seats": [
                {**described(seat), "kind": "random", "here": True} for seat in self.seats
            ],
            "picture": KIND.picture(position, self.seat) if KIND.picture else None,
            "question": None if game.over else {
                "seat": self.seats[game.seat].name, "text": words.decision(position) if asked else ""
            },
            "legal": [
                {"id": action, "name": KIND.actions.names[action], "words": words.action(position, action)}
                for action in game.legal()
            ] if asked else [],
            "undo": "free" if self.gestures else None,
            "after": known, "told": [line for line in self.told if line["number"] > known],
            "events": [], "result": game.result.to_dict() if game.result else None,
        }  # fmt: skip

    def unseated(self) -> dict[str, Any]:
        """What of a state is other for somebody who looks on."""
        shown = KIND.picture(self.game.state, self.seat) if KIND.picture else {}
        hands = {name: {**hand, "hand": None, "face_down": None} for name, hand in shown["hands"].items()}
        asked = {"seat": self.seats[self.game.seat].name, "text": ""}
        return {"seat": None, "legal": [], "question": asked, "picture": {**shown, "hands": hands}}

    def act(self, actions: list[int]) -> None:
        self.acts.append([KIND.actions.names[action] for action in actions])
        self.gestures.append((self.game.clone(), self.number))
        for action in actions:
            if action not in self.game.legal():
                break
            if not self.play(action):
                self.gestures.clear()
                break
        self.let_others_play()

    def take_back(self) -> int:
        """Takes the last gesture back; returns the number after it."""
        self.game, self.number = self.gestures.pop()
        self.told = [line for line in self.told if line["number"] <= self.number]
        self.changes += 1
        return self.number

    async def talk(self, link: WebSocket) -> None:
        await link.accept()
        with contextlib.suppress(WebSocketDisconnect, RuntimeError):
            hello = await link.receive_json()
            self.hellos.append(hello)
            self.links.append((asyncio.get_running_loop(), link))
            await link.send_json(self.state(hello["after"]) | (self.unseated() if self.watched else {}))
            while True:
                await self.answer(link, await link.receive_json())

    def drop_all(self) -> None:
        """Cuts every connection."""
        for loop, link in self.links:
            asyncio.run_coroutine_threadsafe(link.close(1011), loop).result(5)
        self.links.clear()

    async def answer(self, link: WebSocket, message: dict[str, Any]) -> None:
        after = self.number
        if message["type"] == "look":
            await link.send_json(
                self.state(None) | {"type": "look", "number": message["number"], "legal": []}
            )
            return
        if message["type"] == "hint":
            best = self.state(None)["legal"][:3]
            words = {"type": "hint", "hash": message["hash"], "scale": "a guess"}
            await link.send_json(words | {"actions": [{**each, "value": 0.5} for each in best]})
            return
        if message["hash"] != str(self.changes):
            await link.send_json({"type": "error", "code": "stale", "text": "that was another position"})
        elif message["type"] == "act":
            self.act(message["actions"])
        else:
            after = self.take_back()
        await link.send_json(self.state(after))

    async def page(self, request: Request) -> Response:
        return FileResponse(STATIC / "index.html", headers={"Content-Security-Policy": POLICY})

    async def options(self, request: Request) -> Response:
        def seats(spec: str) -> list[dict[str, Any]]:
            of = KIND.find_ruleset(spec).seats
            return [described(seat) for seat in of]

        rulesets = [
            {"name": name, "title": KIND.find_ruleset(name).title, "seats": seats(name)}
            for name in KIND.rulesets
        ]
        players = {str(count): seats(f"first:players={count}") for count in (2, 3, 4)}
        bots = [{"name": name, "summary": f"the bot {name}"} for name in ("random", "scripted")]
        game = {"title": KIND.title, "rulesets": rulesets, "players": players, "bots": bots}
        return JSONResponse({"games": {KIND.name: game}})

    async def tables(self, request: Request) -> Response:
        if request.method == "GET":
            return JSONResponse({"tables": []})
        self.opened = await request.json()
        seats = [name for name, kind in self.opened["seats"].items() if kind == "person"]
        tokens = dict.fromkeys(seats, TOKEN)
        return JSONResponse({"table": TABLE, "tokens": tokens, "watch": "watch"}, status_code=201)

    async def board(self, request: Request) -> Response:
        return JSONResponse(board_data(self.game.ruleset))


@contextlib.contextmanager
def served(table: FakeTable) -> Iterator[FakeTable]:
    """The table at an address of this machine, ``table.url``."""
    routes = [
        Route("/", table.page),
        Route("/table/{id}", table.page),
        Route("/api/options", table.options),
        Route("/api/tables", table.tables, methods=["GET", "POST"]),
        Route("/api/tables/{id}/board", table.board),
        WebSocketRoute("/ws", table.talk),
        Mount("/static", StaticFiles(directory=STATIC)),
    ]
    with socket.create_server(("127.0.0.1", 0)) as listening:
        server = uvicorn.Server(uvicorn.Config(Starlette(routes=routes), log_level="error"))
        thread = threading.Thread(target=server.run, args=([listening],), daemon=True)
        thread.start()
        while not server.started:
            time.sleep(0.01)
        table.url = f"http://127.0.0.1:{listening.getsockname()[1]}"
        yield table
        server.should_exit = True
        thread.join(10)
