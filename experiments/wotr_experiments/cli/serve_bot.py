"""The command ``wotr serve-bot``: runs a bot for another program, which runs the games."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Iterator, Mapping
from typing import IO, Annotated, Any

import numpy as np
import typer

from wotr_agents.stdio.messages import PROTOCOL, VERSION
from wotr_env.core.codes import MAX_SEED
from wotr_env.core.kind import GameKind
from wotr_env.core.notation import viewer_seat_of
from wotr_env.play.bots import Bot, BotError, view_of
from wotr_env.play.games import game_kind, game_kinds
from wotr_experiments.arena.schedule import canonical_bot_spec
from wotr_experiments.cli import completion
from wotr_experiments.cli.groups import grouped
from wotr_experiments.cli.options import BotProcesses
from wotr_experiments.errors import CommandError, one_line
from wotr_experiments.isolation.bots import Bots, ask, check_made

_MOST_LINE = 2**26
"""Maximal number of bytes of a line from the host."""
_MOST_DECISIONS = 4096


@grouped
def serve_bot(
    spec: Annotated[
        str,
        typer.Argument(
            metavar="BOT", autocompletion=completion.bots, help="Spec of the bot, such as scripted."
        ),
    ],
    *,
    processes: BotProcesses,
) -> None:
    """Run a bot for another program, with JSON lines on stdin and stdout (see docs/protocol.md)."""
    _check(spec)
    told = os.dup(1)
    os.dup2(2, 1)  # what a bot prints is no part of the protocol
    with Bots(processes.isolation()) as bots, os.fdopen(told, "w", encoding="ascii") as out:
        server = BotServer(spec, bots)
        for line in _lines(sys.stdin.buffer):
            answer = server.answer(line)
            if answer is not None:
                print(json.dumps(answer, separators=(",", ":")), file=out, flush=True)
            if server.over:
                return


def _check(spec: str) -> None:
    """Checks that the bot plays at least one game, before the host names its game.

    Raises:
        BotError: the bot plays no game.
    """
    problems = []
    for game in game_kinds():
        try:
            canonical_bot_spec(spec, game)
        except BotError as error:
            problems.append(error)
        else:
            return
    raise problems[0]


class BotServer:
    """The program's side of the protocol, for a bot of this package in the game that the host names.

    Args:
        spec: spec of the bot.
        bots: makes the bot.
    """

    def __init__(self, spec: str, bots: Bots) -> None:
        self.over = False
        self._spec, self._bots = spec, bots
        self._bot: Bot | None = None
        self._kind: GameKind | None = None

    def answer(self, line: bytes) -> dict[str, Any] | None:
        """Returns the answer to a line; None: no answer.

        Raises:
            CommandError: the line is not a JSON object, or violates the protocol.
            BotError: the bot cannot be made.
        """
        try:
            message = json.loads(line)
        except (ValueError, RecursionError):
            message = None
        if not isinstance(message, dict):
            raise CommandError(
                f"a line must be a JSON object, not {one_line(line[:100].decode(errors='replace'))}"
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
            raise CommandError(
                f"the host speaks version {version!r} of {PROTOCOL}; this package speaks {VERSION}"
            )
        try:
            kind = game_kind(str(game))
        except ValueError as error:
            raise CommandError(f"the host plays {game!r}: {error}") from None
        if kind.positions is None:
            raise CommandError(f"the host plays {game!r}, which has no text form of positions")
        if seed is None:
            seed = 0
        if type(seed) is not int or not 0 <= seed <= MAX_SEED:
            raise CommandError(f"the seed must be a whole number from 0 to 2**63 - 1, not {seed!r}")
        spec = canonical_bot_spec(self._spec, kind.name)
        (self._bot,) = self._bots.seat([spec], [seed], kind.name)
        check_made(spec, self._bot)
        self._kind = kind
        return {
            "type": "ready",
            "version": VERSION,
            "name": spec,
            "batch": True,
            "wants": ["position"],
        }

    def _decide(self, message: Mapping[str, Any]) -> dict[str, Any]:
        number, decisions, kind = message.get("id"), message.get("decisions"), self._kind
        if self._bot is None or kind is None:
            raise CommandError("the first message must be hello")
        try:
            if not isinstance(decisions, list) or not 0 < len(decisions) <= _MOST_DECISIONS:
                raise ValueError(f"decisions must be a list of 1 to {_MOST_DECISIONS} items")
            states = np.empty(len(decisions), dtype=kind.state)
            masks = np.zeros((len(decisions), kind.actions.size), dtype=np.bool_)
            for place, each in enumerate(decisions):
                game = _game_of(kind, each, place)
                states[place] = game.state
                masks[place, game.legal()] = True
            actions = ask(self._bot, view_of(states, masks, kind), self._spec)
        except (ValueError, BotError) as error:
            return {"type": "error", "id": number, "message": one_line(error)}
        names = [kind.actions.names[action] for action in actions.tolist()]
        return {"type": "actions", "id": number, "actions": names}


def _game_of(kind: GameKind, decision: Any, place: int) -> Any:
    """The game of a decision's position; raises ValueError if it is invalid."""
    assert kind.positions is not None
    text = decision.get("position") if isinstance(decision, dict) else None
    where = f"decision {place}"
    if not isinstance(text, str):
        raise ValueError(f"{where} has no position")
    try:
        game, eyes = kind.positions.read(text, None, None), viewer_seat_of(text)
    except ValueError as error:
        raise ValueError(f"{where}: {error}") from None
    if game.result is not None:
        raise ValueError(f"{where}: the game is over")
    seat = int(game.state["seat"])
    if eyes not in (None, seat):
        raise ValueError(f"{where}: seat {seat} decides, but the position is the view of seat {eyes}")
    legal = decision.get("legal")
    names = {kind.actions.names[action] for action in game.legal()}
    if isinstance(legal, list) and set(map(str, legal)) != names:
        unlike = ", ".join(sorted(set(map(str, legal)) ^ names)[:4])
        raise ValueError(f"{where}: the host and this package disagree about legal actions: {unlike}")
    return game


def _lines(source: IO[bytes]) -> Iterator[bytes]:
    """The lines of stdin; raises CommandError for a line that is too long."""
    while line := source.readline(_MOST_LINE):
        if not line.endswith(b"\n") and len(line) >= _MOST_LINE:
            raise CommandError(f"a line may have at most {_MOST_LINE:,} bytes")
        if line.strip():
            yield line
