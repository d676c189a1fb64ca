"""What a process without the folder of the run keeps of it: networks to play against, in a folder of its own.

All processes know the weights, so each writes these networks itself, and the machines need no disk in common.
"""

from __future__ import annotations

import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from wotr_experiments.training.processes import Processes
from wotr_experiments.training.run_folder import RunFolder, past_name, past_networks


class FolderCopy:
    """Like a ``RunFolder``, but for what the first process alone writes.

    Raises:
        OSError: no folder can be made.
    """

    def __init__(self) -> None:
        self._scratch = tempfile.TemporaryDirectory(prefix="wotr-training-")
        self.path = Path(self._scratch.name)

    def close(self) -> None:
        """Removes it."""
        self._scratch.cleanup()

    def load(self) -> None:
        """There is no checkpoint here."""

    def save(self, update: int, tensors: Mapping[str, Any], facts: Mapping[str, Any]) -> None:
        """The first process does."""

    def log(self, line: Mapping[str, Any]) -> None:
        """The first process does."""

    def write_network(self, name: str, data: bytes) -> None:
        """As ``RunFolder.write_network``."""
        path = self.path / name
        path.parent.mkdir(exist_ok=True)
        path.write_bytes(data)

    def add_past(self, update: int, data: bytes) -> None:
        """As ``RunFolder.add_past``."""
        self.write_network(past_name(update), data)

    def past(self, until: int) -> list[Path]:
        """As ``RunFolder.past``."""
        return past_networks(self.path, until)


def share_past(folder: RunFolder | FolderCopy, until: int, newest: int, processes: Processes) -> None:
    """Gives all processes the newest networks of the past.

    Args:
        folder: of this process.
        until: the update of the checkpoint that the run goes on from.
        newest: how many.
        processes: all.

    Raises:
        OSError: one cannot be read or written.
    """
    if processes.count == 1:
        return
    found = folder.past(until)[-newest:]
    names = processes.share("\n".join(path.stem for path in found).encode()).decode().split()
    for number, name in enumerate(names):
        data = processes.share(found[number].read_bytes() if processes.is_first else b"")
        if not processes.is_first:
            folder.add_past(int(name), data)
