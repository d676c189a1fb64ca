"""Tasks of Ray that wait to be killed."""

from __future__ import annotations

import os
from pathlib import Path
from types import ModuleType
from typing import Any

import ray  # pyright: ignore[reportMissingImports] (an extra)

from tests.waiting import PATIENCE, eventually
from wotr_experiments.arena.ray_engine import MOST_DEATHS


def waiting_once(module: ModuleType, path: Path) -> Any:
    """The task ``_play`` of a module, whose first run names its process in a file and waits to be killed."""
    play = module._play._function

    def task(*arguments: Any) -> Any:
        try:
            file = os.open(path, os.O_CREAT | os.O_EXCL | os.O_WRONLY)
        except FileExistsError:
            return play(*arguments)
        os.write(file, f"{os.getpid()}".encode())
        eventually(lambda: False, "somebody who kills this process", 2 * PATIENCE)

    return ray.remote(num_cpus=1, max_retries=MOST_DEATHS)(task)


def victim(path: Path) -> int:
    """The process that waits to be killed, once it does."""
    return int(eventually(lambda: path.exists() and path.read_text(), "a task that waits to be killed"))
