"""The arena's end of a bot's process: it starts it, talks to it with a clock in hand, and ends it.

Nothing that comes from there is trusted: a frame that does not fit ends the process.
"""

from __future__ import annotations

import contextlib
import math
import os
import select
import signal
import socket
import time
from collections.abc import Callable, Iterator, Mapping
from typing import NamedTuple

from wotr_experiments.errors import one_line
from wotr_experiments.isolation.nursery import Launch
from wotr_experiments.isolation.protocol import HEADER, Kind

NEVER = math.inf
"""The time of a deadline that does not come."""
_PATIENCE = 60.0
"""Seconds for the rest of a frame that has begun, and for a frame to be taken."""
_TAIL = 2_000
"""Bytes of what was printed that are kept."""
_MOST_ENDING = 15.0
"""Seconds that a keeper has for ending everything below it."""
_MOST_DYING = 0.5
"""Seconds after which a process that has closed its socket is taken for one that goes on."""
_AT_ONCE = 2**16
_LONGEST_WAIT = 3600.0
"""Seconds that the system is asked to wait at once; a number of milliseconds has an end."""
_WORDS = 200
"""Characters of what was printed, and bytes of what a keeper says at once."""


class LateError(Exception):
    """The deadline has come."""


class LostError(Exception):
    """The process is no more, or has to be ended; the message says why."""


class Frame(NamedTuple):
    """What came from the bot's process."""

    kind: Kind
    body: bytearray


class BotProcess:
    """A process for one bot, fresh and without anything of this one but a socket and what it prints to.

    Args:
        memory: MiB that it may map; 0: no limit.
        launch: starts it.
        clock: seconds, by which it is timed.

    Attributes:
        printed: bytes that the process has written to stdout and stderr.

    Raises:
        OSError: it cannot be started.
    """

    def __init__(self, memory: int, launch: Launch, clock: Callable[[], float] = time.monotonic) -> None:
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
        """Begins a question.

        Args:
            kind: of the frame.
            parts: of its body.
            until: on the clock.

        Raises:
            LateError, LostError: as ``receive``.
        """
        self._number += 1
        self.give(kind, *parts, until=until)

    def give(self, kind: Kind, *parts: bytes | memoryview, until: float = NEVER) -> None:
        """Sends a frame of the question; arguments and errors are those of ``ask``."""
        head = HEADER.pack(kind, self._number, sum(len(part) for part in parts))
        rest = min(until, self._clock() + _PATIENCE)
        for part in (head, *parts):
            view = memoryview(part)
            while view:
                self._wait(select.POLLOUT, rest, until, "takes nothing")
                with self._trouble():
                    view = view[self._data.send(view[:_AT_ONCE]) :]

    def receive(self, most: Mapping[Kind, int], until: float = NEVER) -> Frame:
        """Waits for the next frame of the question.

        Args:
            most: the kinds that may come, with the bytes that each may have.
            until: on the clock.

        Raises:
            LateError: the deadline has come.
            LostError: the process has ended, or said something else.
        """
        head = self._exactly(HEADER.size, until, until)
        number, asked, length = HEADER.unpack(head)
        if number not in list(most) or asked != self._number or length > most[Kind(number)]:
            raise LostError("has sent what was not asked")
        rest = min(until, self._clock() + _PATIENCE)
        return Frame(Kind(number), self._exactly(length, rest, until))

    def end(self) -> str:
        """Ends the process and all that it has started, and waits for it; says how the bot ended.

        What it had done itself before is told: ``ended with exit code 7``.
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

    def has_printed(self) -> str:
        """The last words that it has printed, in one printable line; empty if it has printed nothing."""
        return one_line(self._tail.decode(errors="replace"), _TAIL)[-_WORDS:]

    def _listen(self, seconds: float, lines: float = math.inf) -> None:
        """Waits for so many lines of the keeper, or until it ends: its number and that of the bot's process,
        and how that ended.
        """
        until = time.monotonic() + seconds
        while self._kept and self._said.count(b"\n") < lines and (left := until - time.monotonic()) > 0:
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
            self._wait(select.POLLIN, rest, until, "has sent half a message")
            with self._trouble():
                count = self._data.recv_into(view)
                if not count:
                    raise ConnectionResetError
                view = view[count:]
        return got

    def _wait(self, event: int, rest: float, until: float, why: str) -> None:
        """Returns when the socket is ready; what is printed meanwhile is taken.

        Raises:
            LateError: the deadline has come.
            LostError: the time for the rest of a frame is over before that.
        """
        poll = select.poll()
        poll.register(self._data, event)
        poll.register(self._output, select.POLLIN)
        while True:
            left = rest - self._clock()
            if left <= 0:
                if until <= rest:
                    raise LateError
                raise LostError(why)
            ready = dict(poll.poll(math.ceil(1000 * min(left, _LONGEST_WAIT))))
            if self._output in ready and not self._drain():
                poll.unregister(self._output)
            if self._data.fileno() in ready:
                return

    def _drain(self) -> bool:
        """Takes what was printed, and keeps the end of it; False when nobody can print any more."""
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
            raise LostError("ended") from None

    def _close(self) -> None:
        self._data.close()
        self._control.close()
        with contextlib.suppress(OSError):
            os.close(self._output)


def _kill(kill: Callable[[int, int], None], number: int) -> None:
    with contextlib.suppress(OSError):
        kill(number, signal.SIGKILL)
