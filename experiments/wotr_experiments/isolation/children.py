"""Initialiser of pool processes: they end with their parent and ignore Ctrl-C, which the parent handles."""

from __future__ import annotations

import multiprocessing
import os
import signal
import threading


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
