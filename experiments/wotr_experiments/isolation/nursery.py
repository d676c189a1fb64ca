"""The nursery: a process that has loaded only this package, from which the processes of bots are forked.

Loading the package takes seconds, a fork takes milliseconds. The nursery is started for the first bot, knows
nothing about any game, and ends when it is no longer used or the arena ends.
"""

from __future__ import annotations

import contextlib
import json
import os
import signal
import socket
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator

from wotr_experiments.errors import CommandError
from wotr_experiments.isolation.protocol import LENGTH

Launch = Callable[[int, int, int, int], None]
"""Starts a process for a bot, from the descriptors for requests, for the keeper and for output, and the
memory limit in MiB."""
_COMMAND = (sys.executable, "-P", "-m", "wotr_experiments.isolation.inside")
_MOST_ENDING = 5.0
"""Seconds in which the nursery must exit."""


class _Nursery:
    """The nursery process.

    Raises:
        OSError: the process cannot be started.
    """

    def __init__(self) -> None:
        self.owner = os.getpid()
        self._requests, theirs = socket.socketpair()
        paths = os.pathsep.join(import_paths())
        with theirs:
            try:
                with interrupts_held():
                    self._process = subprocess.Popen(
                        [*_COMMAND, str(theirs.fileno())],
                        stdin=subprocess.DEVNULL,
                        stdout=subprocess.DEVNULL,
                        stderr=subprocess.DEVNULL,
                        pass_fds=(theirs.fileno(),),
                        start_new_session=True,
                        env={"OMP_NUM_THREADS": "1", **os.environ, "PYTHONPATH": paths},
                    )
            except BaseException:
                self._requests.close()
                raise

    def launch(self, descriptors: list[int], memory: int) -> None:
        """Starts a process; raises OSError if the nursery has ended."""
        folder = None
        with contextlib.suppress(OSError):
            folder = os.getcwd()
        paths = import_paths()
        environment = {"OMP_NUM_THREADS": "1", **os.environ, "PYTHONPATH": os.pathsep.join(paths)}
        wanted = {"memory": memory, "paths": paths, "environment": environment, "folder": folder}
        body = json.dumps(wanted).encode()
        socket.send_fds(self._requests, [LENGTH.pack(len(body))], descriptors)
        self._requests.sendall(body)

    def end(self) -> None:
        """Stops the nursery; the forked processes continue."""
        self._requests.close()
        if self.owner != os.getpid():
            return
        try:
            self._process.wait(_MOST_ENDING)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()


class _Shared:
    """The nursery of this process, with its number of users."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._holders = 0
        self._nursery: _Nursery | None = None

    def hold(self) -> None:
        with self._lock:
            self._holders += 1

    def let_go(self) -> None:
        with self._lock:
            self._holders -= 1
            if not self._holders:
                self._end()

    def launch(self, data: int, control: int, output: int, memory: int) -> None:
        descriptors = [data, control, output]
        with self._lock:
            if self._nursery is not None and self._nursery.owner == os.getpid():
                try:
                    self._nursery.launch(descriptors, memory)
                    return
                except OSError:  # a bot has ended it
                    pass
            self._end()
            self._nursery = _Nursery()
            self._nursery.launch(descriptors, memory)

    def _end(self) -> None:
        if self._nursery is not None:
            self._nursery.end()
            self._nursery = None


_SHARED = _Shared()


@contextlib.contextmanager
def nursery() -> Iterator[Launch]:
    """A context that keeps the nursery of this process alive; it is started for the first bot.

    Raises:
        CommandError: this system does not support such processes.
    """
    if not hasattr(os, "fork"):
        raise CommandError(
            "this system cannot run bots in separate processes; use --isolate none, and no programs as bots"
        )
    _SHARED.hold()
    try:
        yield _SHARED.launch
    finally:
        _SHARED.let_go()


@contextlib.contextmanager
def interrupts_held() -> Iterator[None]:
    """A context that delays Ctrl-C until its end; a process started inside never receives it.

    Ctrl-C reaches all processes of a terminal, but only the first process should handle it.
    """
    if not hasattr(signal, "pthread_sigmask"):
        yield
        return
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def import_paths() -> list[str]:
    """The import paths of Python, as absolute paths."""
    return [os.path.abspath(path) for path in sys.path]
