"""Child processes: how they start, and the initialiser of processes of a pool.

A process of a pool ends with its parent and ignores Ctrl-C, which the parent handles.
"""

from __future__ import annotations

import multiprocessing
import os
import signal
import sys
import threading
from multiprocessing.context import ForkServerContext, SpawnContext

_LOADED = ["__main__"]
"""The modules that the process loads from which others are forked."""


def starting(*loaded: str) -> SpawnContext | ForkServerContext:
    """How processes start.

    On Linux they are forked from a process that has loaded some modules. It is started at the first use,
    lives as long as this process, and keeps the environment of its start.

    Args:
        loaded: modules to load, as far as that process is not yet started.
    """
    if sys.platform != "linux" or not hasattr(os, "fork"):
        # elsewhere what was loaded may not live on in a process that is forked
        return multiprocessing.get_context("spawn")
    _LOADED.extend(module for module in loaded if module not in _LOADED)
    context = multiprocessing.get_context("forkserver")
    context.set_forkserver_preload(_LOADED)
    return context


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
