"""Who plays the batches: this process, its threads, worker processes, or a Ray cluster.

All play the same games. Each engine takes the batches one by one, so that a test which ends early leaves few
of them begun, and gives each back when it is played, in any order.
"""

from __future__ import annotations

import contextlib
import dataclasses
import importlib.util
import multiprocessing
import multiprocessing.connection
import os
import queue
import signal
import threading
import traceback
from collections.abc import Callable, Generator, Iterator
from types import FrameType
from typing import Any, NoReturn

from wotr_env.errors import RecordError
from wotr_experiments.arena.games import PlayedGame, play
from wotr_experiments.arena.schedule import Batch, Tournament
from wotr_experiments.errors import CommandError
from wotr_experiments.isolation.bots import Bots, Isolation
from wotr_experiments.isolation.process import interrupts_held

Played = tuple[Batch, list[PlayedGame]]
OnEnd = Callable[[int], object]
"""Told the number of games that have just ended, negative for those of a worker that died; a game counts when
its batch is given back."""

ENGINES = ("processes", "threads", "ray")
MOST_DEATHS = 3
"""A batch whose workers die so often is not tried again."""
_MOST_STOPPING = 5.0
"""Seconds that a worker has for ending the processes of its bots."""


@dataclasses.dataclass(frozen=True)
class Crew:
    """An engine and its size.

    Raises:
        CommandError: there is no such engine, or no worker.
    """

    engine: str = "processes"
    workers: int = 0
    """0: one for each core, for Ray one for each CPU of the cluster."""
    isolation: Isolation = dataclasses.field(default_factory=Isolation)
    """Which bots have processes of their own."""

    def __post_init__(self) -> None:
        if self.engine not in ENGINES:
            raise CommandError(f"unknown engine {self.engine!r}; known: {', '.join(ENGINES)}")
        if self.workers < 0:
            raise CommandError(f"workers must be at least 1, or 0 for one per core, not {self.workers}")
        if self.engine == "ray" and importlib.util.find_spec("ray") is None:
            raise CommandError(
                "the engine ray is not installed; install it with: pip install 'wotr-env[ray]'"
            )
        if not self.workers and self.engine != "ray":
            object.__setattr__(self, "workers", cores())

    def play(
        self, tournament: Tournament, todo: Iterator[Batch], at_most: int, on_end: OnEnd
    ) -> Generator[Played, None, None]:
        """Plays batches and gives each back when it is played; closing the iterator stops the workers.

        Args:
            tournament: of which the batches are.
            todo: the batches, taken as workers become free.
            at_most: no more workers than this are of use.
            on_end: called with the number of games that ended.

        Raises:
            CommandError: workers died again and again at the same batch.
            RecordError: a game does not replay.
        """
        tournament.kind.kernels.prepare()
        if self.engine == "ray":
            from wotr_experiments.arena.ray_engine import play_on_ray

            return play_on_ray(tournament, todo, self.workers, self.isolation)
        workers = min(self.workers, at_most)
        if workers <= 1:
            return _play_here(tournament, todo, self.isolation, on_end)
        make = _play_in_threads if self.engine == "threads" else _play_in_processes
        return make(tournament, todo, workers, self.isolation, on_end)


def cores() -> int:
    """The cores that this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def _play_here(
    tournament: Tournament, todo: Iterator[Batch], isolation: Isolation, on_end: OnEnd
) -> Generator[Played, None, None]:
    with Bots(isolation) as bots:
        for batch in todo:
            yield batch, play(tournament, batch, on_end, bots)


class _StoppedError(Exception):
    """Ends the work of a thread whose games nobody waits for."""


def _play_in_threads(
    tournament: Tournament, todo: Iterator[Batch], workers: int, isolation: Isolation, on_end: OnEnd
) -> Generator[Played, None, None]:
    events: queue.SimpleQueue[Any] = queue.SimpleQueue()
    tasks: queue.SimpleQueue[Batch | None] = queue.SimpleQueue()
    stopped = threading.Event()

    def ended(games: int) -> None:
        if stopped.is_set():
            raise _StoppedError
        events.put(games)

    def work() -> None:
        with Bots(isolation) as bots:
            while (batch := tasks.get()) is not None:
                try:
                    events.put((batch, play(tournament, batch, ended, bots)))
                except _StoppedError:
                    return
                except BaseException as error:
                    events.put(error)

    crew = [threading.Thread(target=work, daemon=True) for _ in range(workers)]
    for thread in crew:
        thread.start()
    running = 0
    try:
        while True:
            while running < workers and (batch := next(todo, None)) is not None:
                tasks.put(batch)
                running += 1
            if not running:
                return
            event = events.get()
            if isinstance(event, int):
                on_end(event)
            elif isinstance(event, BaseException):
                raise event
            else:
                running -= 1
                yield event
    finally:
        stopped.set()
        for _ in crew:
            tasks.put(None)
        if _any_apart(tournament, isolation):
            for thread in crew:
                thread.join(_MOST_STOPPING)


class _TerminatedError(BaseException):
    """Ends the work of a process, with the processes of its bots."""


class _Worker:
    """A process that plays the batches it is sent."""

    def __init__(self, tournament: Tournament, isolation: Isolation) -> None:
        context = multiprocessing.get_context("spawn")
        self.connection, theirs = context.Pipe()
        self.process = context.Process(target=_work, args=(theirs, tournament, isolation), daemon=True)
        with interrupts_held():
            self.process.start()
        theirs.close()  # so that the death of the process ends the connection
        self.batch: Batch | None = None
        """None while it waits for one."""
        self.ended = 0
        """Games of the batch."""

    def send(self, batch: Batch) -> None:
        self.batch, self.ended = batch, 0
        with contextlib.suppress(OSError):  # a dead worker is noticed when it is waited for
            self.connection.send(batch)

    def stop(self) -> None:
        self.process.terminate()
        self.process.join(_MOST_STOPPING)
        if self.process.is_alive():
            self.process.kill()
            self.process.join()
        self.connection.close()


def _work(
    connection: multiprocessing.connection.Connection, tournament: Tournament, isolation: Isolation
) -> None:
    """What a worker process does until nobody is at the other end."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    os.environ.setdefault("OMP_NUM_THREADS", "1")  # for torch: there is a process for each core
    try:
        tournament.kind.kernels.prepare()
        with Bots(isolation) as bots:
            if _any_apart(tournament, isolation):
                signal.signal(signal.SIGTERM, _stop)
            while True:
                batch = connection.recv()
                try:
                    answer = play(tournament, batch, connection.send, bots)
                except (CommandError, RecordError) as error:
                    answer = error
                except Exception as error:  # of which nobody knows whether it can be sent
                    answer = RuntimeError("".join(traceback.format_exception(error)))
                connection.send(answer)
    except (EOFError, OSError, _TerminatedError):
        pass


def _stop(_signal: int, _frame: FrameType | None) -> NoReturn:
    raise _TerminatedError


def _any_apart(tournament: Tournament, isolation: Isolation) -> bool:
    """Whether a bot has a process of its own, which shall end with the worker."""
    return any(isolation.keeps_apart(spec) for spec in tournament.bots)


def _play_in_processes(
    tournament: Tournament, todo: Iterator[Batch], workers: int, isolation: Isolation, on_end: OnEnd
) -> Generator[Played, None, None]:
    crew: list[_Worker] = []
    deaths: dict[Batch, int] = {}
    again: list[Batch] = []
    try:
        while True:
            for worker in crew:
                if worker.batch is None and (batch := _next(again, todo)) is not None:
                    worker.send(batch)
            while len(crew) < workers and (batch := _next(again, todo)) is not None:
                crew.append(_Worker(tournament, isolation))
                crew[-1].send(batch)
            busy = [(worker, worker.batch) for worker in crew if worker.batch is not None]
            if not busy:
                return
            ready = multiprocessing.connection.wait([worker.connection for worker, _ in busy])
            for worker, batch in busy:
                if worker.connection not in ready:
                    continue
                try:
                    event = worker.connection.recv()
                except (EOFError, OSError):
                    on_end(-worker.ended)
                    deaths[batch] = deaths.get(batch, 0) + 1
                    if deaths[batch] == MOST_DEATHS:
                        raise CommandError(_death_message(tournament, worker, batch)) from None
                    again.append(batch)
                    worker.stop()
                    crew.remove(worker)
                    continue
                if isinstance(event, int):
                    worker.ended += event
                    on_end(event)
                elif isinstance(event, BaseException):
                    raise event
                else:
                    worker.batch = None
                    yield batch, event
    finally:
        for worker in crew:
            worker.stop()


def _next(again: list[Batch], todo: Iterator[Batch]) -> Batch | None:
    return again.pop() if again else next(todo, None)


def _death_message(tournament: Tournament, worker: _Worker, batch: Batch) -> str:
    worker.process.join()
    bots = " against ".join(tournament.bots[place] for place in tournament.pairings[batch.pairing])
    return (
        f"{MOST_DEATHS} worker processes died (exit code {worker.process.exitcode}) at games "
        f"{batch.first} to {batch.numbers[-1]} of {bots}; "
        "the games stored before are kept"
    )
