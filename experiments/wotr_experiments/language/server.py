"""The game as tools of the Model Context Protocol, for language models (extra ``mcp``).

A server has one table for its client: one seat, with bots in all other seats. Tools return only information
that this seat may know; the seed stays secret until the game is over.
"""

from __future__ import annotations

import dataclasses
import functools
import threading
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from mcp.server import MCPServer  # pyright: ignore[reportMissingImports]
from mcp.server.mcpserver.exceptions import ToolError  # pyright: ignore[reportMissingImports]

from wotr_agents import BotError
from wotr_env.core.kind import GameKind
from wotr_env.core.seats import check_seat
from wotr_env.games.war_of_the_ring.game import WAR_OF_THE_RING
from wotr_env.play.games import DEFAULT_KIND
from wotr_env.play.plugins import version_of
from wotr_experiments.errors import one_line
from wotr_experiments.games.war_of_the_ring.lookup import look_up
from wotr_experiments.isolation.bots import Isolation
from wotr_experiments.language.seat import SeatGame
from wotr_experiments.language.text_game import ActionRefused
from wotr_experiments.rulebook.lookup import look_up_rules

_INSTRUCTIONS = (
    "{title}: play one seat against a bot. Call new_game, read the position, and "
    "answer each question with the name of a legal action (act). Several names with spaces between them are "
    "played one after the other. An illegal action changes nothing, and is counted. rules searches the "
    "rules; hint shows what the bot would do."
)


@dataclasses.dataclass(frozen=True)
class ServerSettings:
    """The settings of a server.

    Args:
        bots: specs of opponents; the first is the default.
        ruleset: ruleset of the games.
        kind: the game.
        hints: whether ``hint`` is allowed.
        seed: seed of the first game, increased by one for each game; None: secret seeds.
        records: a file to which finished games are appended; None: games are not saved.
        isolation: the settings for bots in separate processes.
    """

    bots: Sequence[str]
    ruleset: Any
    kind: GameKind = DEFAULT_KIND
    hints: bool = True
    seed: int | None = None
    records: Path | None = None
    isolation: Isolation = dataclasses.field(default_factory=Isolation)


class Table:
    """The current game, with the tools.

    Args:
        host: settings of the server.

    Attributes:
        lock: held by each call that uses the game.
    """

    def __init__(self, host: ServerSettings) -> None:
        self.host, self.lock = host, threading.Lock()
        self.game: SeatGame | None = None
        self.begun = 0
        self._kept = False

    def close(self) -> str:
        """Ends the game, and the processes of its bot; returns a note if a finished game is not stored."""
        note = self._keep()
        if self.game is not None:
            self.game.close()
        self.game = None
        return note

    def new_game(self, seat: str = "", opponent: str = "") -> str:
        """Starts a new game, and ends the current game.

        Args:
            seat: your seat, such as free-peoples or shadow in War of the Ring; empty: the first seat.
            opponent: the bot to play against; empty: the first of the offered bots.
        """
        try:
            own = check_seat(seat.strip() or 0, self.host.ruleset.seats)
        except ValueError as error:
            raise ToolError(str(error)) from None
        bot = opponent.strip() or self.host.bots[0]
        if bot not in self.host.bots:
            raise ToolError(f"there is no opponent {opponent!r}; there are {', '.join(self.host.bots)}")
        note = self.close()
        seed = None if self.host.seed is None else (self.host.seed + self.begun) % 2**63
        self.game = SeatGame(own, bot, self.host.ruleset, seed, self.host.kind, self.host.isolation)
        self.begun, self._kept = self.begun + 1, False
        return self._noted("\n\n".join(filter(None, (note, self.game.news(), self.game.look()))))

    def look(self) -> str:
        """Shows the position from the view of your seat, and the pending decision."""
        return self._noted(self._playing().look())

    def legal(self) -> str:
        """Shows the pending decision, and the legal actions with their meanings."""
        return self._noted(self._playing().asked())

    def act(self, actions: str) -> str:
        """Plays a legal action by its name, or several separated by spaces, and shows what happened.

        Args:
            actions: the names of the actions, such as "face:army" or "face:army plan:move-armies".
        """
        game = self._playing()
        try:
            return self._noted(game.act(actions))
        except ActionRefused as error:
            told = "\n".join(filter(None, (game.news(), str(error))))
            raise ToolError(self._noted(told)) from None

    def hint(self) -> str:
        """Shows the action that the bot that you play against would choose in your place."""
        return self._noted(self._playing().hint())

    def rules(self, words: str) -> str:
        """Searches the rules; in War of the Ring also cards, characters and regions.

        Args:
            words: words that must all occur, such as "witch-king" or "siege".
        """
        if self.host.kind is WAR_OF_THE_RING:
            return look_up(words, self.host.ruleset)
        return look_up_rules(words, self.host.kind.name)

    def _playing(self) -> SeatGame:
        if self.game is None:
            raise ToolError("no game has started: call new_game")
        return self.game

    def _noted(self, answer: str) -> str:
        """The answer, with a note if a finished game is not stored."""
        return f"{answer}\n\n{self._keep()}".strip()

    def _keep(self) -> str:
        """Appends a finished game to the file of records, once; returns a note if this fails."""
        if self.game is None or not self.game.over or self._kept or self.host.records is None:
            return ""
        try:
            self.game.record("language model").append(self.host.records)
        except OSError as error:
            return f"Note: the record of the finished game is not stored: {error.strerror}"
        self._kept = True
        return ""


def make_server(host: ServerSettings) -> tuple[MCPServer, Table]:
    """Makes a server and its table."""
    table = Table(host)
    server = _Server(
        host.kind.name,
        instructions=_INSTRUCTIONS.format(title=host.kind.title),
        version=version_of(),
        log_level="ERROR",
    )
    of_game: list[Callable[..., Any]] = [table.new_game, table.look, table.legal, table.act]
    if host.hints:
        of_game.append(table.hint)
    for tool in of_game:
        server.tool()(_one_at_a_time(tool, table.lock))
    server.tool()(table.rules)
    return server, table


class _Server(MCPServer):
    """An MCP server with one-sentence messages for invalid calls."""

    async def call_tool(self, name: str, arguments: dict[str, Any], context: Any = None) -> Any:
        tools = {tool.name: tool.input_schema for tool in await self.list_tools()}
        if name not in tools:
            raise ToolError(f"there is no tool {name!r}; there are {', '.join(tools)}")
        known, needed = tools[name].get("properties", {}), tools[name].get("required", ())
        for argument in arguments:
            if argument not in known:
                words = f"takes {', '.join(known)}" if known else "takes nothing"
                raise ToolError(f"{name} {words}, not {argument!r}")
        for argument in needed:
            if argument not in arguments:
                raise ToolError(f"{name} needs {argument!r}")
        for argument, value in arguments.items():
            if not isinstance(value, str):
                raise ToolError(f"{argument!r} of {name} is a text, not {one_line(value, 100)}")
        try:
            return await super().call_tool(name, arguments, context)
        except ToolError as error:
            if isinstance(error.__cause__, ToolError):
                raise ToolError(str(error.__cause__)) from None
            raise


def _one_at_a_time(tool: Callable[..., Any], lock: threading.Lock) -> Callable[..., Any]:
    """Runs a tool of the game while no other one runs; reports failures of bots as one-line errors.

    The server runs calls in parallel threads. While a bot decides, the game shows the bot's view.
    """

    @functools.wraps(tool)
    def answered(*arguments: Any, **named: Any) -> Any:
        with lock:
            try:
                return tool(*arguments, **named)
            except BotError as error:
                raise ToolError(f"the bot failed: {error}") from None

    return answered
