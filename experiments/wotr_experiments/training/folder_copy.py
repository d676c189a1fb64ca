"""A temporary folder with past networks, for processes without access to the folder of the run.

All processes have the weights, so each writes these networks itself, and the machines need no shared disk. A
process locks its temporary folder and removes it at its end. The folder of a killed process is no longer
locked, and is removed when the next training run starts on this machine.
"""

from __future__ import annotations

import contextlib
import os
import shutil
import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import filelock

from wotr_experiments.training.processes import Processes
from wotr_experiments.training.run_folder import RunFolder, past_name, past_networks

_PREFIX, _LOCK = "wotr-training-", ".lock"


class FolderCopy:
    """Like ``RunFolder``, without the files that only the first process writes.

    Raises:
        OSError: the folder cannot be created.
    """

    def __init__(self) -> None:
        self._scratch = tempfile.TemporaryDirectory(prefix=_PREFIX)
        self.path = Path(self._scratch.name)
        self._lock = filelock.FileLock(self.path / (_LOCK + ".new"))
        self._lock.acquire(timeout=0)
        with contextlib.suppress(OSError):  # of systems that rename no open file, which then find no lock
            os.replace(self._lock.lock_file, self.path / _LOCK)  # so a free one is of an abandoned folder

    def close(self) -> None:
        """Removes the folder."""
        self._lock.release()
        self._scratch.cleanup()

    def load(self) -> None:
        """Returns None: there is no checkpoint here."""

    def save(self, update: int, tensors: Mapping[str, Any], facts: Mapping[str, Any]) -> None:
        """Does nothing, because the first process writes checkpoints."""

    def log(self, line: Mapping[str, Any]) -> None:
        """Does nothing, because the first process writes metrics."""

    def write_network(self, name: str, data: bytes) -> None:
        """See ``RunFolder.write_network``."""
        path = self.path / name
        path.parent.mkdir(exist_ok=True)
        path.write_bytes(data)

    def add_past(self, update: int, data: bytes) -> None:
        """See ``RunFolder.add_past``."""
        self.write_network(past_name(update), data)

    def past(self, until: int) -> list[Path]:
        """See ``RunFolder.past``."""
        return past_networks(self.path, until)


def remove_abandoned() -> None:
    """Removes the temporary folders of killed processes of this user."""
    for folder in Path(tempfile.gettempdir()).glob(f"{_PREFIX}*"):
        lock = folder / _LOCK
        with contextlib.suppress(OSError, filelock.Timeout):
            # One without a lock is of a process that has just made it; a link leads to what is not ours.
            if folder.is_symlink() or lock.is_symlink() or not lock.is_file() or not _is_own(folder):
                continue
            with filelock.FileLock(lock, timeout=0):
                shutil.rmtree(folder, ignore_errors=True)


def _is_own(folder: Path) -> bool:
    return not hasattr(os, "getuid") or folder.stat().st_uid == os.getuid()


def share_past(folder: RunFolder | FolderCopy, until: int, newest: int, processes: Processes) -> None:
    """Sends the newest past networks to all processes.

    Args:
        folder: the folder of this process.
        until: the update of the checkpoint.
        newest: number of networks to send.
        processes: the processes that train together.

    Raises:
        OSError: a network cannot be read or written.
    """
    if processes.count == 1:
        return
    found = folder.past(until)[-newest:]
    names = processes.share("\n".join(path.stem for path in found).encode()).decode().split()
    for number, name in enumerate(names):
        data = processes.share(found[number].read_bytes() if processes.is_first else b"")
        if not processes.is_first:
            folder.add_past(int(name), data)
