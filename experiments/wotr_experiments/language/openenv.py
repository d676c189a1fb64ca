"""A server of the games for OpenEnv's clients: one seat answers in text, bots have the other seats.

    python -m wotr_experiments.language.openenv --seat shadow --against scripted

It uses the messages of OpenEnv 0.10 (https://github.com/huggingface/OpenEnv): each connection to ``/ws`` has
a separate game, with ``reset``, ``step``, ``state`` and ``close``. It needs the extra ``web``, but not
OpenEnv.
"""

from __future__ import annotations

import argparse
import json
import sys
import uuid
from collections.abc import Mapping
from typing import Any

import uvicorn
from starlette.applications import Starlette
from starlette.concurrency import run_in_threadpool
from starlette.responses import JSONResponse
from starlette.routing import Route, WebSocketRoute
from starlette.websockets import WebSocket, WebSocketDisconnect

from wotr_agents import BotError
from wotr_agents.registry import parse_spec
from wotr_env.core.kind import GameKind
from wotr_env.core.seats import check_seat
from wotr_env.core.values import check_seed
from wotr_env.play.games import DEFAULT_GAME, game_kind
from wotr_env.play.plugins import package_version
from wotr_experiments.errors import CommandError, one_line
from wotr_experiments.isolation.bots import Isolation
from wotr_experiments.language.text_env import TextEnv

_TEXT, _NUMBER = {"type": "string"}, {"type": "integer", "minimum": 0}
SCHEMA = {
    "action": {"type": "object", "properties": {"text": _TEXT}, "required": ["text"]},
    "observation": {"type": "object", "properties": {"text": _TEXT, "failure": _TEXT, "decisions": _NUMBER}},
    "state": {"type": "object", "properties": {"episode_id": _TEXT, "step_count": _NUMBER, "role": _TEXT}},
}
"""JSON schemas of the fields of an action, an observation and a state."""
_MOST_TEXT, _MOST_PORT = 2**20, 2**16 - 1


class Session:
    """The game of a connection.

    Args:
        kind: the board game.
        seat: the name of the seat that answers in text.
        against: the spec of the bot in all other seats.
        options: further arguments of ``TextEnv``.

    Raises:
        ValueError, BotError: there is no such seat or bot, or an option is wrong.
    """

    def __init__(self, kind: GameKind, seat: str, against: str, **options: Any) -> None:
        ruleset = kind.read_ruleset(options.pop("ruleset", None) or kind.find_ruleset())
        own = check_seat(seat, ruleset.seats)
        parse_spec(against)
        bots = {each.name: against for number, each in enumerate(ruleset.seats) if number != own}
        self._env = TextEnv(ruleset, bots, kind=kind, **options)
        self._state = {"episode_id": None, "step_count": 0, "role": ruleset.seats[own].title}

    def answer(self, message: Mapping[str, Any]) -> dict[str, Any]:
        """The answer to ``reset``, ``step`` or ``state``.

        Raises:
            ValueError: the message is invalid, or no game expects an answer.
        """
        data = message.get("data") or {}
        if not isinstance(data, Mapping):
            raise ValueError(f"data must be an object, not {data!r}")
        match message.get("type"):
            case "reset":
                return {"type": "observation", "data": self._reset(data)}
            case "step":
                return {"type": "observation", "data": self._step(data)}
            case "state":
                return {"type": "state", "data": self._state}
        raise ValueError(f"type must be reset, step, state or close, not {message.get('type')!r}")

    def close(self) -> None:
        """Ends the game and the processes of bots."""
        self._env.close()

    def _reset(self, data: Mapping[str, Any]) -> dict[str, Any]:
        seed = data.get("seed")
        self._env.reset(1, None if seed is None else check_seed(seed))
        self._state |= {"episode_id": str(data.get("episode_id") or uuid.uuid4()), "step_count": 0}
        return self._observed({}, None)

    def _step(self, data: Mapping[str, Any]) -> dict[str, Any]:
        _, info = self._env.step(data.get("text"))
        self._state["step_count"] += 1
        return self._observed({name: info[name] for name in ("failure", "decisions")}, self._env.rewards()[0])

    def _observed(self, fields: dict[str, Any], reward: int | None) -> dict[str, Any]:
        done = self._env.done
        end = {"game": self._env.game_info()[0]} if done else {}
        text = "" if done else self._env.get_observation()[1]
        return {"observation": {"text": text, **fields, "metadata": end}, "reward": reward, "done": done}


def make_app(kind: GameKind, seat: str, against: str, sessions: int = 16, **options: Any) -> Starlette:
    """The application.

    Args:
        kind, seat, against, options: the arguments of ``Session``; its errors are raised.
        sessions: maximal number of connections at the same time.
    """
    Session(kind, seat, against, **options).close()
    connected: set[WebSocket] = set()
    about = {"name": f"wotr-{kind.name}", "description": f"{kind.title}, played in text"}

    def answer(content: Mapping[str, Any]) -> Any:
        return lambda _request: JSONResponse(content)

    async def play(socket: WebSocket) -> None:
        if "origin" in socket.headers:  # a page of another site in the user's browser
            return await socket.close()
        await socket.accept()
        if len(connected) >= sessions:
            await socket.send_json(_error(f"all {sessions} sessions are taken", "CAPACITY_REACHED"))
            return await socket.close()
        connected.add(socket)
        session = Session(kind, seat, against, **options)
        try:
            while answered := await run_in_threadpool(_answered, session, await socket.receive_text()):
                await socket.send_json(answered)
            await socket.close()
        except (WebSocketDisconnect, KeyError):  # it is gone, or sends bytes
            pass
        finally:
            connected.discard(socket)
            await run_in_threadpool(session.close)

    return Starlette(
        routes=[
            Route("/health", answer({"status": "healthy"})),
            Route("/metadata", answer(about | {"version": package_version()})),
            Route("/schema", answer(SCHEMA)),
            WebSocketRoute("/ws", play),
        ]
    )


def _answered(session: Session, text: str) -> dict[str, Any] | None:
    """The answer to a message; None if it closes the session."""
    try:
        message = json.loads(text)
    except (ValueError, RecursionError):
        return _error("a message must be a JSON object", "INVALID_JSON")
    if not isinstance(message, dict):
        return _error("a message must be a JSON object", "INVALID_JSON")
    if message.get("type") == "close":
        return None
    try:
        return session.answer(message)
    except (ValueError, CommandError, BotError) as error:
        return _error(one_line(error), "VALIDATION_ERROR")


def _error(message: str, code: str) -> dict[str, Any]:
    return {"type": "error", "data": {"message": message, "code": code}}


def main(arguments: list[str] | None = None) -> int:
    """Runs the server until Ctrl-C; returns the exit code."""
    parser = argparse.ArgumentParser(prog="python -m wotr_experiments.language.openenv", description=__doc__)
    parser.add_argument("--game", default=DEFAULT_GAME, help="name of the game")
    parser.add_argument("--ruleset", default="", help="spec of the ruleset, such as second")
    parser.add_argument("--seat", required=True, help="the seat that answers in text")
    parser.add_argument("--against", default="scripted", help="spec of the bot in all other seats")
    parser.add_argument("--whole", action="store_true", help="each observation has the position")
    parser.add_argument("--sessions", type=int, default=16, help="maximal number of games at the same time")
    parser.add_argument("--host", default="127.0.0.1", help="address to listen on")
    parser.add_argument("--port", type=int, default=8000, help="port to listen on")
    given = parser.parse_args(arguments)
    options = {"ruleset": given.ruleset, "whole": given.whole, "isolation": Isolation()}
    try:
        if not 0 <= given.port <= _MOST_PORT:
            raise CommandError(f"--port must be from 0 to {_MOST_PORT}, not {given.port}")
        app = make_app(game_kind(given.game), given.seat, given.against, given.sessions, **options)
    except (ValueError, CommandError, BotError) as error:
        print(f"wotr: {one_line(error)}", file=sys.stderr)
        return 2
    uvicorn.run(app, host=given.host, port=given.port, ws_max_size=_MOST_TEXT, log_level="warning")
    return 0


if __name__ == "__main__":
    sys.exit(main())
