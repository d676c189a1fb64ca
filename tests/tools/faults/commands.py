"""The command ``wotr`` in processes of their own, which start in milliseconds.

They are forked from a process that has loaded the package and done nothing else, so that a thousand of them
can be started, killed and limited.
"""

from __future__ import annotations

import contextlib
import functools
import io
import multiprocessing
import multiprocessing.context
import os
import resource
import signal
import sys
from pathlib import Path
from typing import NamedTuple

from tests.tools.faults.table import expect

_LONGEST = 180.0
"""Seconds that a command may take."""
_MOST_LINE = 2000
"""Characters of a message."""
_TRACEBACK = "Traceback (most recent call last)"


class Ended(NamedTuple):
    """How a command ended."""

    code: int
    """Negative: the signal that ended it."""
    out: bytes
    errors: bytes

    @property
    def message(self) -> str:
        """The last line on stderr."""
        return (self.errors.decode(errors="replace").strip().splitlines() or [""])[-1]


class Command:
    """A command that has been started, in a process group of its own.

    Args:
        folder: for what it says; made if need be.
        arguments: behind ``wotr``.
        path: where Python looks for packages, too.
        largest_file: bytes, for a disk that is full; 0: no limit.
        memory: MiB that it may map beyond what is loaded; 0: no limit.
        typed: what is on its standard input.
        out: where standard output goes instead of a file that is read.
    """

    def __init__(
        self,
        folder: Path,
        *arguments: str,
        path: Path | None = None,
        largest_file: int = 0,
        memory: int = 0,
        typed: bytes = b"",
        out: Path | None = None,
    ) -> None:
        folder.mkdir(exist_ok=True)
        self._said = folder / "out", folder / "errors"
        typed_file = folder / "typed"
        typed_file.write_bytes(typed)
        streams = [str(path) for path in (typed_file, out or self._said[0], self._said[1])]
        limits = largest_file, memory
        self._process = _context().Process(target=_run, args=(arguments, streams, path and str(path), limits))
        self._process.start()

    @property
    def children(self) -> list[int]:
        """The processes that it has started; of Linux alone."""
        number = self._process.pid
        try:
            return [int(each) for each in Path(f"/proc/{number}/task/{number}/children").read_text().split()]
        except OSError:  # it has ended
            return []

    def kill(self) -> None:
        """Ends it with all that it has started, as nobody can prevent."""
        with contextlib.suppress(ProcessLookupError):
            os.killpg(self._process.pid or 0, signal.SIGKILL)
        self._process.kill()
        self._process.join()

    def killed_after(self, seconds: float) -> None:
        """Kills it after so many seconds, if it has not ended before."""
        self._process.join(seconds)
        self.kill()

    def ended(self, seconds: float = _LONGEST) -> Ended:
        """Waits for its end; ``LostError`` if it does not come."""
        self._process.join(seconds)
        code = self._process.exitcode
        if code is None:
            self.kill()
            expect(False, f"not ended after {seconds:g} s")
        said = [path.read_bytes() if path.exists() else b"" for path in self._said]
        return Ended(code or 0, *said)

    def succeeds(self) -> bytes:
        """What it says; ``LostError`` if it does not come to a good end."""
        ended = self.ended()
        expect(ended.code == 0, f"exit code {ended.code}: {ended.message[-300:]}")
        return ended.out


def expect_refusal(ended: Ended) -> None:
    """``LostError`` unless a command has ended with a line of refusal, and nothing that a terminal obeys."""
    words = ended.errors.decode(errors="replace")
    expect(_TRACEBACK not in words, f"a traceback: {ended.message}")
    expect(ended.code == 2, f"exit code {ended.code}: {ended.message}")
    is_one = ended.message.startswith("wotr: ") and len(ended.message) < _MOST_LINE
    expect(is_one, f"no message in one line: {ended.message[:300]}")
    expect_plain(ended)


def expect_plain(ended: Ended) -> None:
    """``LostError`` if a command has said something that a terminal could obey."""
    for said in (ended.out, ended.errors):
        text = said.decode(errors="replace")
        strange = [each for each in text if not (each.isprintable() or each in "\n\r\t")]
        expect(not strange, f"control characters: {strange[:5]}")


@functools.cache
def _context() -> multiprocessing.context.ForkServerContext:
    context = multiprocessing.get_context("forkserver")
    context.set_forkserver_preload(["tests.tools.faults.loaded"])
    return context


def _run(
    arguments: tuple[str, ...],
    streams: list[str],
    path: str | None,
    limits: tuple[int, int],
) -> None:
    """Becomes the command."""
    os.setsid()
    for number, path in enumerate(streams):
        mode = os.O_RDONLY if number == 0 else os.O_WRONLY | os.O_CREAT | os.O_TRUNC
        handle = os.open(path, mode, 0o600)
        os.dup2(handle, number)
        os.close(handle)
    sys.stdin, sys.stdout, sys.stderr = (
        io.TextIOWrapper(io.FileIO(number, mode, closefd=False), encoding="utf-8")
        for number, mode in enumerate("rww")
    )
    if path is not None:
        sys.path.insert(0, path)
    largest_file, memory = limits
    if largest_file:
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)  # writing then fails as on a full disk
        resource.setrlimit(resource.RLIMIT_FSIZE, (largest_file, largest_file))
    if memory:
        mapped = int(Path("/proc/self/statm").read_text().split()[0]) * resource.getpagesize()
        most = mapped + memory * 2**20
        resource.setrlimit(resource.RLIMIT_AS, (most, most))
    from wotr_experiments.cli.main import main

    code = main(list(arguments))
    with contextlib.suppress(OSError):
        sys.stdout.flush()
    sys.exit(code)
