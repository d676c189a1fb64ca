"""External programs: start, exchange of JSON lines, and end. All their output is checked."""

from __future__ import annotations

import contextlib
import json
import math
import os
import select
import shlex
import shutil
import signal
import subprocess
import time
import weakref
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

MOST_LINE = 2**20
"""Maximal number of bytes of a line from a program."""
_TAIL = 2_000
"""Number of the last bytes of stderr that are kept."""
_WORDS = 200
"""Maximal number of characters of a program's output in an error message."""
_AT_ONCE = 2**16
_MOST_DYING = 0.5
"""Seconds in which a program must exit after it has closed its stdout."""
_LONGEST_WAIT = 3600.0
_NOT_PASSED_ON = ("PYTHONPATH",)
"""Environment variables that are not passed on to the program: their folders belong to this package, and
another Python could not use them."""


class ProgramError(Exception):
    """The program cannot be started, has ended, is late, or has violated the protocol."""


class ProgramLateError(ProgramError):
    """The program exceeded its time limit and has been killed."""


def words_of(command: str) -> list[str]:
    """A command split into a program and arguments, as a shell splits it, but without a shell.

    Raises:
        ValueError: the command is empty, or a quote is not closed.
    """
    try:
        words = shlex.split(command)
    except ValueError as error:
        raise ValueError(f"the command {command!r} cannot be split: {error}") from None
    if not words or not words[0]:
        raise ValueError("the command names no program")
    return words


def files_of(command: str) -> list[Path]:
    """The files in a command: its program, and those of its arguments that are names of files.

    Raises:
        ValueError: there is no such program.
    """
    name, *arguments = words_of(command)
    found = shutil.which(name)
    if found is None:
        raise ValueError(f"there is no program {name}")
    return [Path(found), *(path for path in map(Path, arguments) if path.is_file())]


class _LateError(Exception):
    """The time limit is exceeded."""


class Program:
    """A running program, in its own session, with stderr read separately.

    Args:
        command: the command to run.
        clock: a clock in seconds.
        name: the name in error messages; by default the command.

    Raises:
        ProgramError: the program cannot be started.
    """

    def __init__(self, command: str, clock: Callable[[], float] = time.monotonic, name: str = "") -> None:
        self.command, self._clock = command, clock
        self._name = name or f"program {command!r}"
        if not hasattr(os, "killpg"):
            raise ProgramError(f"{command!r} cannot be started: programs as bots need Linux or macOS")
        environment = {name: value for name, value in os.environ.items() if name not in _NOT_PASSED_ON}
        try:
            self._process = subprocess.Popen(
                words_of(command),
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                bufsize=0,
                start_new_session=True,
                env=environment,
            )
        except (OSError, ValueError) as error:
            why = getattr(error, "strerror", None) or error
            raise ProgramError(f"{command!r} cannot be started: {why}") from None
        assert self._process.stdin and self._process.stdout and self._process.stderr
        self._stdin, self._stdout, self._stderr = (
            each.fileno() for each in (self._process.stdin, self._process.stdout, self._process.stderr)
        )
        for each in (self._stdin, self._stdout, self._stderr):
            os.set_blocking(each, False)
        self._heard, self._tail = b"", b""
        self._open = {self._stdout, self._stderr}
        self.printed = 0
        self._finalizer = weakref.finalize(self, _end_all, self._process)

    @property
    def number(self) -> int:
        """The number of the process."""
        return self._process.pid

    def ask(self, message: Mapping[str, Any], until: float = math.inf) -> dict[str, Any]:
        """Sends a message and waits for the answer.

        Args:
            message: the message.
            until: the time limit on the clock.

        Raises:
            ProgramError: there is no answer; the program has been killed. ProgramLateError: the time limit is
                exceeded.
        """
        self.say(message, until)
        return self.hear(until)

    def say(self, message: Mapping[str, Any], until: float = math.inf) -> None:
        """Sends a message; arguments and errors as for ``ask``."""
        text = json.dumps(message, separators=(",", ":"), allow_nan=False).encode() + b"\n"
        rest = memoryview(text)
        while rest:
            if self._waited(until, sending=True):
                try:
                    rest = rest[os.write(self._stdin, rest[:_AT_ONCE]) :]
                except BlockingIOError:
                    pass
                except OSError:
                    raise self._gone() from None

    def hear(self, until: float = math.inf) -> dict[str, Any]:
        """Waits for the next message; arguments and errors as for ``ask``."""
        while b"\n" not in self._heard:
            if self._stdout not in self._open:
                raise self._gone()
            self._waited(until)
        line, _, self._heard = self._heard.partition(b"\n")
        try:
            found = json.loads(line)
        except (ValueError, RecursionError):
            found = None
        if not isinstance(found, dict):
            raise self.failed(
                f"wrote a line that is not a JSON object: {_shown(line)!r}; stdout is only for the protocol"
            )
        return found

    def is_silent(self, seconds: float) -> bool:
        """Whether the program sends nothing for a number of seconds."""
        until = self._clock() + seconds
        with contextlib.suppress(_LateError):
            while self._stdout in self._open and not self._heard:
                self._wait(until)
        return not self._heard

    def leave(self, message: Mapping[str, Any] | None, seconds: float) -> int | None:
        """Sends a last message, closes stdin and waits. Returns the exit code; None if the program had to be
        killed."""
        until = self._clock() + seconds
        with contextlib.suppress(ProgramError):
            if message is not None:
                self.say(message, until)
        with contextlib.suppress(OSError):
            assert self._process.stdin
            self._process.stdin.close()
        with contextlib.suppress(_LateError):
            while self._open:
                self._heard = b""
                self._wait(until)
        try:
            return self._process.wait(max(0.0, until - self._clock()))
        except subprocess.TimeoutExpired:
            return None
        finally:
            self.end()

    def end(self) -> None:
        """Kills the program and all processes of its session."""
        self._finalizer()

    def failed(self, what: str) -> ProgramError:
        """Kills the program; returns an error with the reason and the last lines of stderr."""
        with contextlib.suppress(OSError):
            self._take(self._stderr)
        self.end()
        said = f", having printed: {_shown(self._tail[-_WORDS:])}" if self._tail else ""
        return ProgramError(f"{self._name} {what}{said}")

    def _gone(self) -> ProgramError:
        with contextlib.suppress(subprocess.TimeoutExpired):
            self._process.wait(_MOST_DYING)
        code = self._process.returncode
        if code is None:
            return self.failed("closed its stdin or stdout")
        if code >= 0:
            return self.failed(f"ended with exit code {code}")
        try:
            return self.failed(f"was ended by {signal.Signals(-code).name}")
        except ValueError:
            return self.failed(f"was ended by signal {-code}")

    def _waited(self, until: float, sending: bool = False) -> bool:
        """As ``_wait``; raises ProgramError if the time limit is exceeded or a line is too long."""
        try:
            ready = self._wait(until, sending)
        except _LateError:
            raise ProgramLateError(str(self.failed("did not answer in time"))) from None
        if len(self._heard) > MOST_LINE and b"\n" not in self._heard:
            raise self.failed(f"wrote more than {MOST_LINE:,} bytes in one line")
        return ready

    def _wait(self, until: float, sending: bool = False) -> bool:
        """Waits until data can be read or sent, and reads; returns whether data can be sent.

        After a complete line, nothing more is read until the line is used.
        """
        left = until - self._clock()
        if left <= 0:
            raise _LateError
        poll = select.poll()
        for each in self._open:
            if each != self._stdout or b"\n" not in self._heard:
                poll.register(each, select.POLLIN)
        if sending:
            poll.register(self._stdin, select.POLLOUT)
        ready = {number for number, _ in poll.poll(math.ceil(1000 * min(left, _LONGEST_WAIT)))}
        for each in self._open & ready:
            self._take(each)
        return self._stdin in ready

    def _take(self, source: int) -> None:
        try:
            text = os.read(source, _AT_ONCE)
        except BlockingIOError:
            return
        if not text:
            self._open.discard(source)
        elif source == self._stdout:
            self._heard += text
        else:
            self.printed += len(text)
            self._tail = (self._tail + text)[-_TAIL:]


def _end_all(process: subprocess.Popen[bytes]) -> None:
    with contextlib.suppress(OSError):
        os.killpg(process.pid, signal.SIGKILL)
    for stream in (process.stdin, process.stdout, process.stderr):
        with contextlib.suppress(OSError):
            if stream is not None:
                stream.close()
    process.wait()


def _shown(text: bytes) -> str:
    """A program's output as one short printable line."""
    line = " ".join(text.decode(errors="replace").split())[:_WORDS]
    return "".join(each if each.isprintable() else "\N{REPLACEMENT CHARACTER}" for each in line)
