"""Players in text: programs that receive prompts and answer with text, in lines of JSON.

    we                                     the program
    hello      once, first                 ready
    prompt     the prompt of a seat        answer, or error
    end        the last message            exits

``hello``, ``ready`` and ``end`` are the messages for bots (``wotr_agents.stdio``); docs/language-models.md
describes the fields. Each game starts its own program, and restarts it after a failure.
"""

from __future__ import annotations

import contextlib
import dataclasses
import hashlib
import os
import re
import shlex
import signal
import sys
from collections.abc import Callable, Mapping
from typing import Any

from wotr_agents.registry import bot_kinds
from wotr_agents.stdio.bot import program_seed
from wotr_agents.stdio.messages import WrongMessageError, hello, read_ready
from wotr_agents.stdio.program import Program, ProgramError, ProgramLateError, files_of, words_of
from wotr_env.core.kind import GameKind
from wotr_experiments.arena.schedule import canonical_bot_spec
from wotr_experiments.errors import CommandError, one_line
from wotr_experiments.language.naming import Naming
from wotr_experiments.language.text_env import Failure
from wotr_experiments.pauses import paused

PROGRAM = "text:"
"""Prefix of the names of players that are programs."""
MOST_STARTING = 300.0
"""Time limit in seconds from the start of a program to its answer to ``hello``."""
PATIENCE = 2.0
"""Multiple of the time limit after which a late program is ended."""
_MOST_LEAVING = 1.0
_FUNCTION = re.compile(r"[^\W\d]\w*(\.[^\W\d]\w*)*:[^\W\d]\w*")


@dataclasses.dataclass(frozen=True)
class TextPlayer:
    """A player of a tournament in text.

    Raises:
        CommandError: the name is not the name of a player.
        BotError: the bot cannot be made, or does not play the game.
    """

    name: str
    """A bot's spec, ``module:function``, or ``text:COMMAND``."""
    command: str | None
    """The command of a program; None for a bot."""
    is_function: bool = False

    @classmethod
    def named(cls, name: str, game: str) -> TextPlayer:
        """Returns the player with this name."""
        if name.startswith(PROGRAM):
            command = name.removeprefix(PROGRAM)
            try:
                words_of(command)
                files_of(command)
            except ValueError as error:
                raise CommandError(f"player {name}: {error}") from None
            return cls(name, command)
        if names_bot(name):
            return cls(canonical_bot_spec(name, game), None)
        if _FUNCTION.fullmatch(name):
            return cls(name, _command_of(name), True)
        raise CommandError(
            f"there is no player {name!r}: give the spec of a bot, module:function, or {PROGRAM}COMMAND"
        )

    def identity(self, ready: str) -> str:
        """The identity of a program, in one line: its reported name, and the name and SHA-256 (16 hex digits)
        of each file in its command.

        Args:
            ready: the name that the program reported.

        Raises:
            CommandError: a file cannot be read.
        """
        found = [one_line(ready)] if ready else []
        try:
            for path in [] if self.command is None or self.is_function else files_of(self.command):
                with path.open("rb") as file:
                    found.append(f"{path.name} {hashlib.file_digest(file, 'sha256').hexdigest()[:16]}")
        except OSError as error:
            raise CommandError(f"player {self.name}: {error.filename}: {error.strerror}") from None
        return "; ".join(found)


def names_bot(name: str) -> bool:
    """Whether the name of a player is the spec of a bot."""
    return name.partition(":")[0] in bot_kinds()


def _command_of(function: str) -> str:
    """The command that runs a function in a new Python process. The process has the import path of this one,
    after the current folder."""
    path = os.pathsep.join(filter(None, sys.path))
    module = "wotr_experiments.language.function_player"
    return shlex.join(["env", f"PYTHONPATH={path}", sys.executable, "-m", module, function])


class NoAnswerError(Exception):
    """A program gave no answer; the message is a sentence.

    Args:
        failure: kind of failure.
        message: message for the player and the results.
        forgot: whether the program was ended, and so has lost its memory.
    """

    def __init__(self, failure: Failure, message: str, forgot: bool) -> None:
        super().__init__(message)
        self.failure, self.forgot = failure, forgot


class Conversation:
    """A running program that plays one game.

    Args:
        player: a player that is a program.
        kind: the game.
        seed: seed of the program's random numbers; each restart uses a new seed derived from it.
        time_limit: time limit for an answer in seconds.
        clock: a clock in seconds for time limits.
        naming: the names used in prompts; by default the game's own names.

    Attributes:
        ready: the reported name of the program.
        seconds: total waiting time for answers, without starts.
    """

    def __init__(
        self,
        player: TextPlayer,
        kind: GameKind,
        seed: int,
        time_limit: float,
        clock: Callable[[], float] = paused.running_time,
        naming: Naming | None = None,
    ) -> None:
        self.player, self.ready, self.seconds = player, "", 0.0
        self._kind, self._seed, self._time_limit = kind, seed, time_limit
        self._clock, self._naming = clock, naming or Naming(kind)
        self._starts, self._asked, self._halted = 0, 0, False
        self._program: Program | None = None
        self._starting: Program | None = None

    @paused.watched()
    def start(self) -> Program:
        """Returns the program; starts it if it does not run.

        Raises:
            ProgramError: the program cannot be started, or its answer to ``hello`` is invalid.
        """
        if self._program is None:
            assert self.player.command is not None
            until = self._clock() + MOST_STARTING
            seed = program_seed(self._seed, self._starts)
            self._starts += 1
            name = self.player.name if self.player.is_function else ""
            program = self._starting = Program(self.player.command, self._clock, name)
            try:
                if self._halted:
                    raise WrongMessageError("is not wanted any more")
                told = self._naming.hello(hello(self._kind, seed))
                self.ready = read_ready(program.ask(told, until), self._kind).name
                self._program = program
            except WrongMessageError as error:
                raise program.failed(str(error)) from None
            except BaseException:
                program.end()
                raise
            finally:
                self._starting = None
            return program
        return self._program

    @paused.watched()
    def ask(self, seat: str, prompt: str) -> str:
        """Asks the program; returns its answer to a prompt.

        Args:
            seat: the name of the deciding seat.
            prompt: the prompt.

        Raises:
            NoAnswerError: there is no answer, or it is late.
        """
        try:
            program = self.start()
        except ProgramError as error:
            raise NoAnswerError(Failure.CRASH, _told(error), True) from None
        self._asked += 1
        limit = self._time_limit
        told = {"seat": self._naming.seat(seat), "seconds": limit, "text": prompt}
        question = {"type": "prompt", "id": self._asked, **told}
        begun = self._clock()
        try:
            answer = program.ask(question, begun + PATIENCE * limit)
            text = _read_answer(answer, self._asked)
        except WrongMessageError as error:
            self._program = None
            raise NoAnswerError(Failure.CRASH, _told(program.failed(str(error))), True) from None
        except ProgramLateError:
            self._program = None
            late = f"There was no answer within {limit:g} seconds; the program is restarted."
            raise NoAnswerError(Failure.LATE, late, True) from None
        except ProgramError as error:
            self._program = None
            raise NoAnswerError(Failure.CRASH, _told(error), True) from None
        except BaseException:
            self._program = None
            program.end()
            raise
        finally:
            took = self._clock() - begun
            self.seconds += took
        if took > limit:
            late = (
                f"The last answer came after {took:.1f} seconds, later than {limit:g} seconds: it was not "
                "read."
            )
            raise NoAnswerError(Failure.LATE, late, False)
        if isinstance(text, _Error):
            raise NoAnswerError(Failure.CRASH, f"There was an error instead of an answer: {text}.", False)
        return text

    def halt(self) -> None:
        """Kills the program from another thread, which ends any wait for it."""
        self._halted = True
        for program in (self._program, self._starting):
            with contextlib.suppress(OSError):
                if program is not None:
                    os.killpg(program.number, signal.SIGKILL)

    def close(self) -> None:
        """Sends the program the message that the game is over, and ends it if it does not exit."""
        if self._program is not None:
            self._program.leave({"type": "end"}, _MOST_LEAVING)
            self._program = None


def _told(error: ProgramError) -> str:
    return one_line(f"There was no answer: {error}.")


class _Error(str):
    """An error reported by a program."""


def _read_answer(message: Mapping[str, Any], number: int) -> str:
    """The text of an answer; raises WrongMessageError if the message is not an answer."""
    kind, came = message.get("type"), message.get("id")
    if kind not in ("answer", "error"):
        raise WrongMessageError(f"answered with type {one_line(repr(kind), 50)}, not answer")
    if came != number or isinstance(came, bool):
        raise WrongMessageError(f"answered prompt {one_line(repr(came), 50)}, and was told {number}")
    text = message.get("message" if kind == "error" else "text")
    if not isinstance(text, str):
        raise WrongMessageError(f"answered with {one_line(repr(text), 50)}, which is not a text")
    return text if kind == "answer" else _Error(one_line(text, 200))
