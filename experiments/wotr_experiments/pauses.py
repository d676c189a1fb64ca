"""Pauses of this process: it was stopped and continued (Ctrl-Z, then ``fg``), or its whole machine was.

Limits for bots do not count pauses, because a bot in the same process or process group cannot think in a
pause.
"""

from __future__ import annotations

import contextlib
import signal
import threading
import time
from collections.abc import Callable, Iterator

TICK = 0.1
"""Seconds between two ticks."""
LONGEST_GAP = 0.5
"""Seconds between two ticks that are no pause: a busy machine delays ticks."""


class Pauses:
    """Finds pauses of this process by the gaps between its ticks.

    Processor time that the process uses in a gap is no pause: compiled code can keep Python's threads from
    running, also the thread that ticks.

    Args:
        clock: a clock in seconds that goes on in a pause.
        used: the processor time of this process in seconds.
    """

    def __init__(
        self, clock: Callable[[], float] = time.monotonic, used: Callable[[], float] = time.process_time
    ) -> None:
        self._clock, self._used = clock, used
        self._lock = threading.RLock()  # an alarm may ask while its own thread asks
        self._watchers, self._seconds = 0, 0.0
        self._over = threading.Event()

    @contextlib.contextmanager
    def watched(self) -> Iterator[None]:
        """A context in which another thread ticks; without it, no pause is found. Contexts may be nested."""
        with self._lock:
            self._watchers += 1
            if self._watchers == 1:
                self._last, self._last_used = self._clock(), self._used()
                self._over = threading.Event()
                threading.Thread(target=self._tick, args=(self._over,), daemon=True).start()
        try:
            yield
        finally:
            with self._lock:
                self._watchers -= 1
                if not self._watchers:
                    self._over.set()

    def __call__(self) -> float:
        """The total length of all pauses until now, in seconds."""
        with self._lock:
            if self._watchers:
                now, used = self._clock(), self._used()
                running = max(LONGEST_GAP, used - self._last_used)
                self._seconds += max(0.0, now - self._last - running)
                self._last, self._last_used = now, used
            return self._seconds

    def running_time(self) -> float:
        """The time on the clock without pauses, in seconds."""
        with self._lock:
            pauses = self()
            return (self._last if self._watchers else self._clock()) - pauses

    def _tick(self, over: threading.Event) -> None:
        if hasattr(signal, "pthread_sigmask"):  # signals are for the thread of the bots
            signal.pthread_sigmask(signal.SIG_BLOCK, signal.valid_signals())
        while not over.wait(TICK):
            self()


paused = Pauses()
"""The pauses of this process."""
