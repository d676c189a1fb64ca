"""Where results come from: versions, commit, machine, command and time, noted beside them."""

from __future__ import annotations

import contextlib
import datetime
import functools
import importlib.metadata
import json
import platform
import shlex
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from wotr_env.core.values import read_text
from wotr_env.play.plugins import package_version
from wotr_experiments.arena.engines import cores
from wotr_experiments.arena.thinking import Thoughts
from wotr_experiments.errors import CommandError
from wotr_experiments.files import write_json

PROVENANCE = "provenance.json"
"""In the folder of a tournament, comparison or training: an entry for each time that it was worked on."""

_PACKAGES = ("numpy", "numba", "torch")
_SOURCES = Path(__file__).parents[2]
_CPUS = Path("/proc/cpuinfo")


class Sitting:
    """One time that somebody works on a folder.

    Attributes:
        done: what was done, by name, such as games and decisions; noted with what it was done in a second.
        thoughts: how long bots have thought.
    """

    def __init__(self) -> None:
        self.done: dict[str, int] = {}
        self.thoughts = Thoughts()

    def add(self, **numbers: int) -> None:
        """So much more has been done."""
        for name, number in numbers.items():
            self.done[name] = self.done.get(name, 0) + number


def provenance() -> dict[str, Any]:
    """Of this process, for JSON: ``command``, ``package``, ``commit``, ``python``, libraries, ``machine``.

    ``commit`` is that of the checkout which the package is imported from, with a ``+`` if it has changed
    since; None if there is none. A library that is not installed is None, too.
    """
    return {
        "command": shlex.join([Path(sys.argv[0]).name, *sys.argv[1:]]),
        "package": package_version(),
        "commit": _commit(),
        "python": platform.python_version(),
        **{name: _version(name) for name in _PACKAGES},
        "system": platform.system(),
        "machine": _machine(),
    }


@contextlib.contextmanager
def noted(folder: Path | None) -> Iterator[Sitting]:
    """Notes in a folder that it is worked on, at the beginning and again at the end, whatever ends it.

    Args:
        folder: that is there; None: nothing is noted.

    Raises:
        CommandError: what was noted before cannot be read.
        OSError: a file cannot be written; at the end that is let be.
    """
    sitting = Sitting()
    if folder is None:
        yield sitting
        return
    path, begun, clock = folder / PROVENANCE, _now(), time.monotonic()
    before = read_provenance(path)
    entry = {**provenance(), "begun": begun, "ended": None}
    write_json(path, [*before, entry])
    try:
        yield sitting
    finally:
        seconds = time.monotonic() - clock
        rates = {f"{name}_per_second": round(number / seconds, 2) for name, number in sitting.done.items()}
        told = {"ended": _now(), "seconds": round(seconds, 2), **sitting.done, **rates}
        if thoughts := sitting.thoughts.to_dict():
            told["bots"] = thoughts
        with contextlib.suppress(OSError):
            write_json(path, [*before, {**entry, **told}])


def read_provenance(path: Path) -> list[dict[str, Any]]:
    """What was noted in a file, the oldest first; none if there is no file.

    Raises:
        CommandError: it is no such file.
    """
    if not path.exists():
        return []
    with contextlib.suppress(ValueError, RecursionError):
        found = json.loads(read_text(path))
        if isinstance(found, list) and all(isinstance(each, dict) for each in found):
            return found
    raise CommandError(f"{path} is damaged: it is not a list of runs; move it away")


def _version(package: str) -> str | None:
    try:
        return importlib.metadata.version(package)
    except importlib.metadata.PackageNotFoundError:
        return None


def _now() -> str:
    return datetime.datetime.now(datetime.UTC).isoformat(timespec="seconds")


@functools.cache
def _commit() -> str | None:
    if not (_SOURCES / ".git").exists():
        return None
    with contextlib.suppress(OSError, subprocess.SubprocessError):
        commit = _git("rev-parse", "--short=12", "HEAD").strip()
        return commit + ("+" if _git("status", "--porcelain", "--untracked-files=no").strip() else "")
    return None


def _git(*arguments: str) -> str:
    command = ["git", "-C", str(_SOURCES), *arguments]
    return subprocess.run(command, check=True, capture_output=True, text=True, timeout=10).stdout


@functools.cache
def _machine() -> str:
    """``x86_64, AMD EPYC, 2 cores``: those that this process may use."""
    name = platform.processor()
    with contextlib.suppress(OSError, IndexError):
        name = _CPUS.read_text().split("model name", 1)[1].split(":", 1)[1].splitlines()[0].strip()
    return ", ".join(filter(None, (platform.machine(), name, f"{cores()} cores")))
