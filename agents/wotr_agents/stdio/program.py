"""A program that is started, spoken to in JSON lines, and ended. Nothing that it says is trusted."""

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
"""Bytes of a line that a program says."""
_TAIL = 2_000
"""Bytes of its stderr that are kept."""
_WORDS = 200
"""Characters of what it has said that stand in a message."""
_AT_ONCE = 2**16
_MOST_DYING = 0.5
"""Seconds after which a program that has closed its stdout is taken for one that goes on."""
_LONGEST_WAIT = 3600.0
_NOT_PASSED_ON = ("PYTHONPATH",)
"""Of the environment: this package's own folders, which another Python could not load from."""


class ProgramError(Exception):
    """The program cannot be started, has ended, is late, or has said what it should not."""


class ProgramLateError(ProgramError):
    """The program is late, and has been ended."""


def words_of(command: str) -> list[str]:
    """The program of a command and its arguments, split as a shell does; no shell sees them.

    Raises:
        ValueError: there is none, or a quote is not closed.
    """
    try:
        words = shlex.split(command)
    except ValueError as error:
        raise ValueError(f"the command {command!r} cannot be split: {error}") from None
    if not words or not words[0]:
        raise ValueError("the command names no program")
    return words


def files_of(command: str) -> list[Path]:
    """The program of a command and those of its arguments that are files.

    Raises:
        ValueError: there is no such program.
    """
    name, *arguments = words_of(command)
    found = shutil.which(name)
    if found is None:
        raise ValueError(f"there is no program {name}")
    return [Path(found), *(path for path in map(Path, arguments) if path.is_file())]


class _LateError(Exception):
    """The time is over."""


class Program:
    """A program that runs, in a session of its own, with its stderr kept apart.

    Args:
        command: what is run.
        clock: seconds, by which it is timed.
        name: by which errors call it; by default the command.

    Raises:
        ProgramError: it cannot be started.
    """

    def __init__(self, command: str, clock: Callable[[], float] = time.monotonic, name: str = "") -> None:
        self.command, self._clock = command, clock
        self._name = name or f"program {command!r}"
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
        """Of its process."""
        return self._process.pid

    def ask(self, message: Mapping[str, Any], until: float = math.inf) -> dict[str, Any]:
        """Says something and waits for the answer.

        Args:
            message: of the protocol.
            until: on the clock.

        Raises:
            ProgramError: there is none; the program has been ended. ProgramLateError: the time is over.
        """
        self.say(message, until)
        return self.hear(until)

    def say(self, message: Mapping[str, Any], until: float = math.inf) -> None:
        """Says something; arguments and errors are those of ``ask``."""
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
        """The next thing that it says; arguments and errors are those of ``ask``."""
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
        """Whether it says nothing for so long."""
        until = self._clock() + seconds
        with contextlib.suppress(_LateError):
            while self._stdout in self._open and not self._heard:
                self._wait(until)
        return not self._heard

    def leave(self, message: Mapping[str, Any] | None, seconds: float) -> int | None:
        """Says a last thing, closes its stdin and waits; its exit code, None if it went on and was ended."""
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
        """Kills it, and what it has started in its session."""
        self._finalizer()

    def failed(self, what: str) -> ProgramError:
        """Ends it; the error that tells why, with the last words of its stderr."""
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
        """As ``_wait``; ProgramError if the time is over, or the line has no end."""
        try:
            ready = self._wait(until, sending)
        except _LateError:
            raise ProgramLateError(str(self.failed("did not answer in time"))) from None
        if len(self._heard) > MOST_LINE and b"\n" not in self._heard:
            raise self.failed(f"wrote more than {MOST_LINE:,} bytes in one line")
        return ready

    def _wait(self, until: float, sending: bool = False) -> bool:
        """Waits until something can be done, and takes what is said; whether something may be sent.

        A program that has said a line is not listened to further until that is heard.
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
    """What a program has said as one printable line, cut short."""
    line = " ".join(text.decode(errors="replace").split())[:_WORDS]
    return "".join(each if each.isprintable() else "\N{REPLACEMENT CHARACTER}" for each in line)
