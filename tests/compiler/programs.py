"""Programs that compile kernels, in processes of their own.

They are forked from a process that has loaded numba and compiled nothing: loading it would take most of their
time. A program that is about the start of a Python is started as any other.
"""

from __future__ import annotations

import atexit
import functools
import itertools
import json
import os
import runpy
import signal
import subprocess
import sys
import traceback
from collections.abc import Mapping
from pathlib import Path
from typing import NamedTuple, NoReturn

_ROOT = Path(__file__).parents[2]
_codes: dict[int, int] = {}
"""The exit codes of programs that have ended, by their numbers."""
_numbers = itertools.count()


class Ended(NamedTuple):
    """How a program ended, and what it printed."""

    code: int
    out: str
    errors: str


class Program:
    """A program that has been started.

    Args:
        script: its file, in whose folder it runs, and beside which its output is written.
        environment: all variables that it has.
    """

    def __init__(self, script: Path, environment: Mapping[str, str]) -> None:
        self._number = next(_numbers)
        self._said = [script.with_name(f"{name}-{self._number}") for name in ("out", "errors")]
        wanted = [self._number, str(script), dict(environment), *map(str, self._said)]
        starter = _starter().stdin
        assert starter is not None
        starter.write(json.dumps(wanted) + "\n")
        starter.flush()

    def ended(self) -> Ended:
        """Waits for its end."""
        told = _starter().stdout
        assert told is not None
        while self._number not in _codes:
            number, code = map(int, told.readline().split())
            _codes[number] = code
        return Ended(_codes[self._number], *(path.read_text(encoding="utf-8") for path in self._said))


@functools.cache
def _starter() -> subprocess.Popen[str]:
    """The process that starts programs, until this one ends."""
    command = [sys.executable, "-m", "tests.compiler.programs"]
    return subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, cwd=_ROOT)


def _start_programs() -> None:
    """Starts what it reads, and tells the number and the exit code of each program when it has ended."""
    import wotr_env.compiler.lowering.kernels  # noqa: F401
    from wotr_env.compiler.lowering.rules import TARGET

    TARGET.typing_context.refresh()
    TARGET.target_context.refresh()
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)
    for line in sys.stdin:
        number, *wanted = json.loads(line)
        if os.fork():
            continue
        signal.signal(signal.SIGCHLD, signal.SIG_DFL)
        program = os.fork()
        if not program:
            _become(*wanted)
        code = os.waitstatus_to_exitcode(os.waitpid(program, 0)[1])
        os.write(1, f"{number} {code}\n".encode())
        os._exit(0)


def _become(script: str, environment: dict[str, str], *said: str) -> NoReturn:
    """Runs a program in this process."""
    for number, path in enumerate((os.devnull, *said)):
        handle = os.open(path, os.O_RDWR | os.O_CREAT, 0o600)
        os.dup2(handle, number)
        os.close(handle)
    os.environ.clear()
    os.environ.update(environment)
    os.chdir(Path(script).parent)
    sys.argv, sys.path = [script], [str(Path(script).parent), *sys.path]
    code = 0
    try:
        runpy.run_path(script, run_name="__main__")
    except BaseException:
        traceback.print_exc()
        code = 1
    atexit._run_exitfuncs()
    sys.stdout.flush()
    os._exit(code)


if __name__ == "__main__":
    _start_programs()
