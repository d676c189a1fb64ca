"""Child processes: the context in which they are started, and the initialiser of processes of a pool.

A process of a pool ends with its parent and ignores Ctrl-C, which the parent handles.
"""

from __future__ import annotations

import contextlib
import multiprocessing
import multiprocessing.forkserver
import os
import signal
import sys
import threading
from collections.abc import Iterator
from multiprocessing.context import ForkServerContext, SpawnContext

from wotr_experiments.isolation.nursery import import_paths, interrupts_held

PRELOADED: list[str] = []
"""The modules that the fork server loads when it is started."""


def process_context(*modules: str) -> SpawnContext | ForkServerContext:
    """The context in which child processes are started.

    On Linux, they are forked from a server process that has loaded some modules. The server is started at the
    first use, and lives as long as this process. It has the environment and the import paths of this process
    at its start. On other systems, it is unsafe or impossible to fork a process that has loaded libraries.

    Args:
        modules: modules that the server loads; without effect if it has been started.
    """
    if sys.platform != "linux" or not hasattr(os, "fork"):
        return multiprocessing.get_context("spawn")
    PRELOADED.extend(module for module in modules if module not in PRELOADED)
    context = multiprocessing.get_context("forkserver")
    context.set_forkserver_preload(PRELOADED)
    with interrupts_held(), _import_paths_in_environment():
        multiprocessing.forkserver.ensure_running()
    return context


@contextlib.contextmanager
def _import_paths_in_environment() -> Iterator[None]:
    """The fork server of Python 3.11 finds modules by its environment only."""
    before = os.environ.get("PYTHONPATH")
    os.environ["PYTHONPATH"] = os.pathsep.join(import_paths())
    try:
        yield
    finally:
        del os.environ["PYTHONPATH"]
        if before is not None:
            os.environ["PYTHONPATH"] = before


def begin_child(nice: int = 0) -> None:
    """Initialises a process of a pool.

    If the parent of a ``ProcessPoolExecutor`` is killed, its children wait for work forever, because each
    holds both ends of the queue. So a thread in each child waits for the end of the parent.

    Args:
        nice: the number that is added to the niceness of the process.
    """
    if nice and hasattr(os, "nice"):
        os.nice(nice)
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    threading.Thread(target=_end_with_parent, daemon=True).start()


def _end_with_parent() -> None:
    if (parent := multiprocessing.parent_process()) is not None:
        parent.join()
        os._exit(1)
