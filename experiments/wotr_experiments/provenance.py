"""Provenance of results: versions, commit, machine, command and time, stored next to them."""

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
from wotr_experiments.arena.thinking_times import ThinkingTimes
from wotr_experiments.errors import CommandError
from wotr_experiments.files import write_json

PROVENANCE = "provenance.json"
"""The file in the folder of a tournament, comparison or training run: one entry for each start."""

_PACKAGES = ("numpy", "numba", "torch")
_SOURCES = Path(__file__).parents[2]
_CPUS = Path("/proc/cpuinfo")


class Session:
    """One run of a command on a folder.

    Attributes:
        done: counts of finished work by name, such as games and decisions; stored with rates per second.
        thinking_times: thinking times of bots.
    """

    def __init__(self) -> None:
        self.done: dict[str, int] = {}
        self.thinking_times = ThinkingTimes()

    def add(self, **numbers: int) -> None:
        """Adds numbers to the counts."""
        for name, number in numbers.items():
            self.done[name] = self.done.get(name, 0) + number


def provenance() -> dict[str, Any]:
    """The provenance of this process, for JSON: ``command``, ``package``, ``commit``, ``python``, libraries,
    ``machine``.

    ``commit`` is the commit of the checkout from which the package is imported, with a ``+`` if it has local
    changes; None if there is no checkout. A library that is not installed is None.
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
def recorded_session(folder: Path | None) -> Iterator[Session]:
    """A context that stores the provenance in a folder at the start and again at the end, also after errors.

    Args:
        folder: an existing folder; None: nothing is stored.

    Raises:
        CommandError: the existing file cannot be read.
        OSError: the file cannot be written; ignored at the end.
    """
    session = Session()
    if folder is None:
        yield session
        return
    path, begun, clock = folder / PROVENANCE, _now(), time.monotonic()
    before = read_provenance(path)
    entry = {**provenance(), "begun": begun, "ended": None}
    write_json(path, [*before, entry])
    try:
        yield session
    finally:
        seconds = time.monotonic() - clock
        rates = {f"{name}_per_second": round(number / seconds, 2) for name, number in session.done.items()}
        told = {"ended": _now(), "seconds": round(seconds, 2), **session.done, **rates}
        if thinking_times := session.thinking_times.to_dict():
            told["bots"] = thinking_times
        with contextlib.suppress(OSError):
            write_json(path, [*before, {**entry, **told}])


def read_provenance(path: Path) -> list[dict[str, Any]]:
    """The entries of a file, oldest first; empty if there is no file.

    Raises:
        CommandError: the file is invalid.
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
    return subprocess.run(command, check=True, capture_output=True, encoding="utf-8", timeout=10).stdout


@functools.cache
def _machine() -> str:
    """The machine, such as ``x86_64, AMD EPYC, 2 cores`` (cores that this process may use)."""
    name = platform.processor()
    with contextlib.suppress(OSError, IndexError):
        name = (
            _CPUS.read_text(encoding="utf-8")
            .split("model name", 1)[1]
            .split(":", 1)[1]
            .splitlines()[0]
            .strip()
        )
    return ", ".join(filter(None, (platform.machine(), name, f"{cores()} cores")))
