"""Players in text: programs that are told a prompt and answer with text, in lines of JSON.

    we                                     the program
    hello      once, first                 ready
    prompt     what a seat is told         answer, or error
    end        the last                    it ends

``hello``, ``ready`` and ``end`` are those of bots (``wotr_agents.stdio``); docs/language-models.md has the
fields. A program has a game to itself: it is started for it, and anew after it has failed.
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
import time
from collections.abc import Callable, Mapping
from typing import Any

from wotr_agents.registry import bot_kinds
from wotr_agents.stdio.bot import program_seed
from wotr_agents.stdio.messages import WrongMessageError, hello, read_ready
from wotr_agents.stdio.program import Program, ProgramError, ProgramLateError, files_of, words_of
from wotr_env.core.kind import GameKind
from wotr_experiments.arena.schedule import settled
from wotr_experiments.errors import CommandError, one_line
from wotr_experiments.language.naming import Naming
from wotr_experiments.language.text_env import Failure

PROGRAM = "text:"
"""With which the name of a player that is a program begins."""
MOST_STARTING = 300.0
"""Seconds that a program has from its start to its answer to ``hello``."""
PATIENCE = 2.0
"""Times the limit after which a late program is taken for one that hangs."""
_MOST_LEAVING = 1.0
_FUNCTION = re.compile(r"[^\W\d]\w*(\.[^\W\d]\w*)*:[^\W\d]\w*")


@dataclasses.dataclass(frozen=True)
class TextPlayer:
    """Who plays.

    Raises:
        CommandError: the name is none of a player.
        BotError: it names a bot that cannot be, or one that does not play the game.
    """

    name: str
    """A bot's spec, ``module:function``, or ``text:COMMAND``."""
    command: str | None
    """Of a program; None: it is a bot."""
    is_function: bool = False

    @classmethod
    def named(cls, name: str, game: str) -> TextPlayer:
        """The player of a name."""
        if name.startswith(PROGRAM):
            command = name.removeprefix(PROGRAM)
            try:
                words_of(command)
                files_of(command)
            except ValueError as error:
                raise CommandError(f"player {name}: {error}") from None
            return cls(name, command)
        if names_bot(name):
            return cls(settled(name, game), None)
        if _FUNCTION.fullmatch(name):
            return cls(name, _command_of(name), True)
        raise CommandError(
            f"there is no player {name!r}: give the spec of a bot, module:function, or {PROGRAM}COMMAND"
        )

    def identity(self, ready: str) -> str:
        """What a program is beyond its name, in a line: what it says of itself, and the files that it names.

        Args:
            ready: the name that it has told.

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
    """The program that a function is: it finds what this process would, and the current folder first."""
    path = os.pathsep.join(filter(None, sys.path))
    module = "wotr_experiments.language.function_player"
    return shlex.join(["env", f"PYTHONPATH={path}", sys.executable, "-m", module, function])


class NoAnswerError(Exception):
    """A program has not answered; the message says why, in a sentence.

    Args:
        failure: that is counted.
        message: for the player and the results.
        forgot: whether the program was ended, with all that it kept.
    """

    def __init__(self, failure: Failure, message: str, forgot: bool) -> None:
        super().__init__(message)
        self.failure, self.forgot = failure, forgot


class Conversation:
    """A program that plays a game.

    Args:
        player: that is no bot.
        kind: the game.
        seed: of the program's own random numbers; after each failure another that follows from it.
        time_limit: seconds for an answer.
        clock: seconds, by which the program is timed.
        naming: what things are called in all that the program is told; by default by their own names.

    Attributes:
        ready: what the program has said that it is called.
        seconds: in which it was waited for, starting not counted.
    """

    def __init__(
        self,
        player: TextPlayer,
        kind: GameKind,
        seed: int,
        time_limit: float,
        clock: Callable[[], float] = time.monotonic,
        naming: Naming | None = None,
    ) -> None:
        self.player, self.ready, self.seconds = player, "", 0.0
        self._kind, self._seed, self._time_limit = kind, seed, time_limit
        self._clock, self._naming = clock, naming or Naming(kind)
        self._starts, self._asked, self._halted = 0, 0, False
        self._program: Program | None = None
        self._starting: Program | None = None

    def start(self) -> Program:
        """The program, which is started if it does not run.

        Raises:
            ProgramError: it cannot be, or its answer to ``hello`` does not fit.
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

    def ask(self, seat: str, prompt: str) -> str:
        """The answer to a prompt.

        Args:
            seat: the name of who is asked.
            prompt: what it is told.

        Raises:
            NoAnswerError: there is none, or it is late.
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
        """Kills the program from another thread, so that nobody waits for it any more."""
        self._halted = True
        for program in (self._program, self._starting):
            with contextlib.suppress(OSError):
                if program is not None:
                    os.killpg(program.number, signal.SIGKILL)

    def close(self) -> None:
        """Tells the program that this is the end, and ends it if it goes on."""
        if self._program is not None:
            self._program.leave({"type": "end"}, _MOST_LEAVING)
            self._program = None


def _told(error: ProgramError) -> str:
    return one_line(f"There was no answer: {error}.")


class _Error(str):
    """What a program says instead of an answer."""


def _read_answer(message: Mapping[str, Any], number: int) -> str:
    """The text of an answer; WrongMessageError if it is none."""
    kind, came = message.get("type"), message.get("id")
    if kind not in ("answer", "error"):
        raise WrongMessageError(f"answered with type {one_line(repr(kind), 50)}, not answer")
    if came != number or isinstance(came, bool):
        raise WrongMessageError(f"answered prompt {one_line(repr(came), 50)}, and was told {number}")
    text = message.get("message" if kind == "error" else "text")
    if not isinstance(text, str):
        raise WrongMessageError(f"answered with {one_line(repr(text), 50)}, which is not a text")
    return text if kind == "answer" else _Error(one_line(text, 200))
