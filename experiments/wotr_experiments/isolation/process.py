"""The arena's side of a bot's process: start, communication with time limits, and end.

Nothing from the process is trusted: an invalid frame ends the process.
"""

from __future__ import annotations

import contextlib
import math
import os
import select
import signal
import socket
from collections.abc import Callable, Iterator, Mapping
from typing import NamedTuple

from wotr_experiments.errors import one_line
from wotr_experiments.isolation.nursery import Launch
from wotr_experiments.isolation.protocol import HEADER, Kind
from wotr_experiments.pauses import paused

NEVER = math.inf
"""A deadline that is never reached."""
_PATIENCE = 60.0
"""Time limit in seconds for the rest of a started frame, and for sending a frame."""
_TAIL = 2_000
"""Number of the last bytes of output that are kept."""
_MOST_ENDING = 15.0
"""Seconds in which a keeper must stop all its descendants."""
_MOST_DYING = 0.5
"""Seconds in which a process must exit after it has closed its socket."""
_AT_ONCE = 2**16
_LONGEST_WAIT = 3600.0
"""Maximal seconds of a single wait, because the system's milliseconds are limited."""
_WORDS = 200
"""Maximal number of characters of output in a message, and of bytes of a keeper's message."""


class LateError(Exception):
    """The deadline has passed."""


class BotProcessError(Exception):
    """The process has ended or must be killed; the message gives the reason."""


class Frame(NamedTuple):
    """A frame from the bot's process."""

    kind: Kind
    body: bytearray


class BotProcess:
    """A new process for one bot; it shares only a socket and a pipe for output with this process.

    Args:
        memory: memory limit in MiB; 0: no limit.
        launch: starts the process.
        clock: a clock in seconds for time limits.

    Attributes:
        printed: number of bytes that the process has written to stdout and stderr.

    Raises:
        OSError: the process cannot be started.
    """

    def __init__(self, memory: int, launch: Launch, clock: Callable[[], float] = paused.running_time) -> None:
        self._clock = clock
        self.printed = 0
        self._tail = b""
        self._number = 0
        self._data, data = socket.socketpair()
        self._control, control = socket.socketpair()
        self._output, output = os.pipe()
        with data, control:
            try:
                launch(data.fileno(), control.fileno(), output, memory)
            except BaseException:
                self._close()
                raise
            finally:
                os.close(output)
        os.set_blocking(self._output, False)
        self._data.setblocking(False)
        self._said = b""
        self._kept = True
        self._gone = self._over = False

    def ask(self, kind: Kind, *parts: bytes | memoryview, until: float = NEVER) -> None:
        """Starts a request.

        Args:
            kind: kind of the frame.
            parts: parts of its body.
            until: deadline on the clock.

        Raises:
            LateError, BotProcessError: the errors of ``receive``.
        """
        self._number += 1
        self.give(kind, *parts, until=until)

    def give(self, kind: Kind, *parts: bytes | memoryview, until: float = NEVER) -> None:
        """Sends a frame of the request; arguments and errors as for ``ask``."""
        head = HEADER.pack(kind, self._number, sum(len(part) for part in parts))
        rest = min(until, self._clock() + _PATIENCE)
        for part in (head, *parts):
            view = memoryview(part)
            while view:
                self._wait(select.POLLOUT, rest, until, "takes nothing")
                with self._trouble():
                    view = view[self._data.send(view[:_AT_ONCE]) :]

    def receive(self, most: Mapping[Kind, int], until: float = NEVER) -> Frame:
        """Waits for the next frame of the request.

        Args:
            most: the allowed kinds, with the maximal size of each in bytes.
            until: deadline on the clock.

        Raises:
            LateError: the deadline has come.
            BotProcessError: the process has ended or violated the protocol.
        """
        head = self._exactly(HEADER.size, until, until)
        number, asked, length = HEADER.unpack(head)
        if number not in list(most) or asked != self._number or length > most[Kind(number)]:
            raise BotProcessError("has sent an unexpected message")
        rest = min(until, self._clock() + _PATIENCE)
        return Frame(Kind(number), self._exactly(length, rest, until))

    def end(self) -> str:
        """Kills the process and its descendants and waits for it; returns how the bot ended.

        For a bot that had already ended, the result is such as ``ended with exit code 7``.
        """
        if self._over:
            return ""
        self._over = True
        if self._gone:
            self._listen(_MOST_DYING, 2)
        with contextlib.suppress(OSError):
            self._control.shutdown(socket.SHUT_WR)
        self._listen(_MOST_ENDING)
        numbers, how, *_ = [*self._said.decode(errors="replace").splitlines(), "", ""]
        bot, keeper = map(int, numbers.split()) if numbers else (0, 0)
        if self._kept and keeper:
            _kill(os.kill, keeper)
        if not how and bot:  # the bot has ended its keeper
            _kill(os.killpg, bot)
        self._drain()
        self._close()
        return one_line(how)

    def last_output(self) -> str:
        """The last output, in one printable line; empty if there is none."""
        return one_line(self._tail.decode(errors="replace"), _TAIL)[-_WORDS:]

    def _listen(self, seconds: float, lines: float = math.inf) -> None:
        """Waits for lines of the keeper, or for its end. The lines contain the process numbers of the keeper
        and of the bot, and how the bot ended.
        """
        until = paused.running_time() + seconds
        while self._kept and self._said.count(b"\n") < lines and (left := until - paused.running_time()) > 0:
            if select.select([self._control], [], [], left)[0]:
                try:
                    text = self._control.recv(_WORDS)
                except OSError:
                    text = b""
                self._kept = bool(text)
                self._said += text

    def _exactly(self, length: int, rest: float, until: float) -> bytearray:
        got = bytearray(length)
        view = memoryview(got)
        begun = False
        while view:
            if not begun and len(view) < length:
                begun, rest = True, min(rest, self._clock() + _PATIENCE)
            self._wait(select.POLLIN, rest, until, "has sent an incomplete message")
            with self._trouble():
                count = self._data.recv_into(view)
                if not count:
                    raise ConnectionResetError
                view = view[count:]
        return got

    def _wait(self, event: int, rest: float, until: float, why: str) -> None:
        """Returns when the socket is ready; reads output in the meantime.

        Raises:
            LateError: the deadline has come.
            BotProcessError: the time limit for the rest of a frame has passed.
        """
        poll = select.poll()
        poll.register(self._data, event)
        poll.register(self._output, select.POLLIN)
        while True:
            left = rest - self._clock()
            if left <= 0:
                if until <= rest:
                    raise LateError
                raise BotProcessError(why)
            ready = dict(poll.poll(math.ceil(1000 * min(left, _LONGEST_WAIT))))
            if self._output in ready and not self._drain():
                poll.unregister(self._output)
            if self._data.fileno() in ready:
                return

    def _drain(self) -> bool:
        """Reads output and stores its last part; returns False if the pipe is closed."""
        try:
            text = os.read(self._output, _AT_ONCE)
        except BlockingIOError:
            return True
        except OSError:
            return False
        self.printed += len(text)
        self._tail = (self._tail + text)[-_TAIL:]
        return bool(text)

    @contextlib.contextmanager
    def _trouble(self) -> Iterator[None]:
        try:
            yield
        except BlockingIOError:
            pass
        except OSError:
            self._gone = True
            raise BotProcessError("ended") from None

    def _close(self) -> None:
        self._data.close()
        self._control.close()
        with contextlib.suppress(OSError):
            os.close(self._output)


def _kill(kill: Callable[[int, int], None], number: int) -> None:
    with contextlib.suppress(OSError):
        kill(number, signal.SIGKILL)
