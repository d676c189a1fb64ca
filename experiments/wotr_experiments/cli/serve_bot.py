"""The command ``wotr serve-bot``: a bot for other programs, which have the games."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Iterator, Mapping
from typing import IO, Annotated, Any

import numpy as np
import typer

from wotr_agents.stdio.messages import PROTOCOL, VERSION
from wotr_env import Game
from wotr_env.bots import Bot, BotError, view_of
from wotr_env.game import NOTATION
from wotr_env.games import DEFAULT_GAME
from wotr_env.kind import MAX_SEED
from wotr_env.war_of_the_ring import WAR_OF_THE_RING
from wotr_experiments.arena.schedule import settled
from wotr_experiments.cli.options import Apart, BotMemory
from wotr_experiments.errors import CommandError, one_line
from wotr_experiments.isolation.bots import MEMORY, Bots, Isolate, Isolation, ask, check_made

_MOST_LINE = 2**26
"""Bytes of a line that a host says."""
_MOST_DECISIONS = 4096


def serve_bot(
    spec: Annotated[str, typer.Argument(metavar="BOT", help="Spec of the bot, such as scripted.")],
    isolate: Apart = Isolate.FOREIGN,
    bot_memory: BotMemory = MEMORY,
) -> None:
    """Lets another program ask a bot: JSON lines on stdin and stdout, see docs/protocol.md."""
    spec = settled(spec, DEFAULT_GAME)
    told = os.dup(1)
    os.dup2(2, 1)  # what a bot prints is no part of the protocol
    with Bots(Isolation(isolate, bot_memory)) as bots, os.fdopen(told, "w", encoding="ascii") as out:
        server = BotServer(spec, bots)
        for line in _lines(sys.stdin.buffer):
            answer = server.answer(line)
            if answer is not None:
                print(json.dumps(answer, separators=(",", ":")), file=out, flush=True)
            if server.over:
                return


class BotServer:
    """The program's side of the protocol, with a bot of ours behind it.

    Args:
        spec: of the bot.
        bots: where it is made.
    """

    def __init__(self, spec: str, bots: Bots) -> None:
        self.over = False
        self._spec, self._bots = spec, bots
        self._bot: Bot | None = None

    def answer(self, line: bytes) -> dict[str, Any] | None:
        """What is said to a line; None: nothing.

        Raises:
            CommandError: it is no JSON object, or not of this protocol.
            BotError: the bot cannot be made.
        """
        try:
            message = json.loads(line)
        except (ValueError, RecursionError):
            message = None
        if not isinstance(message, dict):
            raise CommandError(
                f"a line is a JSON object, not {one_line(line[:100].decode(errors='replace'))}"
            )
        match message.get("type"):
            case "hello":
                return self._hello(message)
            case "decide":
                return self._decide(message)
            case "end":
                self.over = True
        return None

    def _hello(self, message: Mapping[str, Any]) -> dict[str, Any]:
        game, version, seed = (message.get(name) for name in ("game", "version", "seed"))
        if version != VERSION:
            raise CommandError(f"the host speaks version {version!r} of {PROTOCOL}, this is {VERSION}")
        if game != DEFAULT_GAME:
            raise CommandError(f"the host plays {game!r}, and positions are of {DEFAULT_GAME} alone")
        if seed is None:
            seed = 0
        if type(seed) is not int or not 0 <= seed < MAX_SEED:
            raise CommandError(f"the seed is a whole number from 0, below 2**63, not {seed!r}")
        (self._bot,) = self._bots.seat([self._spec], [seed])
        check_made(self._spec, self._bot)
        return {
            "type": "ready",
            "version": VERSION,
            "name": self._spec,
            "batch": True,
            "wants": ["position"],
        }

    def _decide(self, message: Mapping[str, Any]) -> dict[str, Any]:
        number, decisions = message.get("id"), message.get("decisions")
        if self._bot is None:
            raise CommandError("the first message is hello")
        try:
            if not isinstance(decisions, list) or not 0 < len(decisions) <= _MOST_DECISIONS:
                raise ValueError(f"decisions are a list of 1 to {_MOST_DECISIONS}")
            games = [_game_of(each, place) for place, each in enumerate(decisions)]
            states = np.concatenate([np.asarray(game.state).reshape(1) for game in games])
            masks = np.stack([game.mask() for game in games])
            actions = ask(self._bot, view_of(states, masks, WAR_OF_THE_RING), self._spec)
        except (ValueError, BotError) as error:
            return {"type": "error", "id": number, "message": one_line(error)}
        names = [WAR_OF_THE_RING.actions.names[action] for action in actions.tolist()]
        return {"type": "actions", "id": number, "actions": names}


def _game_of(decision: Any, place: int) -> Game:
    """The game of a decision's position; ValueError if it cannot be asked."""
    text = decision.get("position") if isinstance(decision, dict) else None
    where = f"decision {place}"
    if not isinstance(text, str):
        raise ValueError(f"{where} has no position")
    try:
        game, eyes = Game.from_position(text), NOTATION.read(text)[1]
    except ValueError as error:
        raise ValueError(f"{where}: {error}") from None
    if game.over:
        raise ValueError(f"{where}: the game is over")
    if eyes not in (None, game.seat):
        raise ValueError(f"{where}: seat {game.seat} decides, and the position is as seat {eyes} sees it")
    legal = decision.get("legal")
    names = {game.name_of(action) for action in game.legal()}
    if isinstance(legal, list) and set(map(str, legal)) != names:
        unlike = ", ".join(sorted(set(map(str, legal)) ^ names)[:4])
        raise ValueError(f"{where}: host and rules do not agree on legal actions: {unlike}")
    return game


def _lines(source: IO[bytes]) -> Iterator[bytes]:
    """Until the end of stdin; CommandError for an endless one."""
    while line := source.readline(_MOST_LINE):
        if not line.endswith(b"\n") and len(line) >= _MOST_LINE:
            raise CommandError(f"a line has at most {_MOST_LINE:,} bytes")
        if line.strip():
            yield line
