"""The bot ``stdio:COMMAND``: any program that follows the protocol of docs/protocol.md."""

from __future__ import annotations

import dataclasses
import hashlib
import time
from collections.abc import Iterable
from pathlib import Path

import numpy as np

from wotr_agents.ranges import check_above, check_at_least
from wotr_agents.stdio.messages import (
    Ready,
    WrongMessageError,
    decide,
    decisions_of,
    end_game,
    hello,
    new_game,
    read_action,
    read_actions,
    read_ready,
)
from wotr_agents.stdio.program import Program, ProgramError, files_of, words_of
from wotr_env.core.kind import GameKind
from wotr_env.play.bots import BotError, BotView
from wotr_env.play.games import game_kind

_MOST_LEAVING = 1.0
"""Seconds in which a program must exit by itself."""


@dataclasses.dataclass(frozen=True)
class StdioParameters:
    """Parameters of the bot ``stdio``."""

    command: str
    """Program and its arguments. They are not passed to a shell."""
    start: float = 10.0
    """Time limit in seconds from the start of the program to its answer to the handshake."""
    batch: int = 256
    """Maximal number of decisions in one line, for programs that take batches."""

    def __post_init__(self) -> None:
        words_of(self.command)
        check_at_least(1, self, "batch")
        check_above(0, self, "start", most=300)


class StdioBot:
    """Asks a program for actions. The program starts immediately, and restarts after a failure.

    Args:
        parameters: see ``StdioParameters``.
        seed: seed of the program's random numbers; after a failure, a seed derived from it is used.
        game: the name of the game.

    Attributes:
        ready: the program's answer to the handshake.

    Raises:
        BotError: the program cannot be started, or its answer to the handshake is invalid.
    """

    def __init__(self, parameters: StdioParameters, seed: int, game: str) -> None:
        self.parameters = parameters
        self.ready = Ready()
        self._kind: GameKind = game_kind(game)
        self._ids = {name: action for action, name in enumerate(self._kind.actions.names)}
        self._seed, self._starts, self._asked = seed, 0, 0
        self._games: set[int] = set()
        self._program: Program | None = None
        try:
            self._running()
        except ProgramError as error:
            raise BotError(str(error)) from None

    def act(self, view: BotView) -> np.ndarray:
        """The program's action for each game: ``int64[B]``.

        Raises:
            ProgramError: the program failed; it is restarted at the next call.
            NoActionError: an answer is not an action of the game.
        """
        games = len(view.seats)
        program = self._running()
        size = min(games, self.parameters.batch) if self.ready.batch else 1
        decisions = decisions_of(view, self._kind, self.ready.wants)
        self._tell_of_games(program, view)
        actions = []
        for first in range(0, games, max(1, size)):
            some = decisions[first : first + size]
            self._asked += 1
            seconds = None if view.seconds is None else view.seconds * len(some) / games
            try:
                answers = read_actions(
                    program.ask(decide(self._asked, seconds, some)), self._asked, len(some)
                )
            except WrongMessageError as error:
                raise self._failed(program.failed(str(error))) from None
            except ProgramError as error:
                raise self._failed(error) from None
            except BaseException:  # an alarm, say: its answer would come to another question
                self._failed(program.failed("was not waited for"))
                raise
            actions += zip(answers, some, strict=True)
        found = [read_action(answer, decision, self._ids) for answer, decision in actions]
        return np.array(found, dtype=np.int64)

    def close(self) -> None:
        """Sends the program a message to exit, and kills it if it does not exit."""
        if self._program is not None:
            self._program.leave({"type": "end"}, _MOST_LEAVING)
            self._program = None

    def __del__(self) -> None:
        if getattr(self, "_program", None) is not None:
            self.close()

    def _running(self) -> Program:
        """The program after the handshake; raises ProgramError if it fails."""
        if self._program is None:
            until = time.monotonic() + self.parameters.start
            seed = program_seed(self._seed, self._starts)
            self._starts += 1
            program = Program(self.parameters.command)
            try:
                self.ready = read_ready(program.ask(hello(self._kind, seed), until), self._kind)
            except WrongMessageError as error:
                raise program.failed(str(error)) from None
            self._program = program
            self._games.clear()
        return self._program

    def _tell_of_games(self, program: Program, view: BotView) -> None:
        """Reports finished and new games to the program."""
        if view.past is None:
            return
        over = [each for each in view.past.ended if each.game in self._games]
        messages = [end_game(each.game, each.winner, self._kind) for each in over]
        self._games -= {each.game for each in over}
        for game, seat in zip(view.past.games.tolist(), view.seats.tolist(), strict=True):
            if game not in self._games:
                self._games.add(game)
                messages.append(new_game(game, seat, self._kind))
        try:
            for message in messages:
                program.say(message)
        except ProgramError as error:
            raise self._failed(error) from None
        except BaseException:
            self._failed(program.failed("was not waited for"))
            raise

    def _failed(self, error: ProgramError) -> ProgramError:
        self._program = None
        return error


def files_of_program(parameters: StdioParameters) -> Iterable[Path]:
    """The program and its arguments that are files; raises BotError if there is no such program."""
    try:
        return files_of(parameters.command)
    except ValueError as error:
        raise BotError(f"bot stdio: {error}") from None


def program_seed(seed: int, starts: int) -> int:
    """The seed of a program after a number of restarts: below 2**32, so that any language can store it."""
    words = f"stdio {seed} {starts}".encode()
    return int.from_bytes(hashlib.blake2b(words, digest_size=4).digest(), "little")
