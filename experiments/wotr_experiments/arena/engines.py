"""Engines that play batches: this process, threads, worker processes, or a Ray cluster.

All engines play the same games. An engine takes batches one by one, so that few are unfinished when a test
ends early, and returns each finished batch, in any order.
"""

from __future__ import annotations

import contextlib
import dataclasses
import importlib.util
import multiprocessing.connection
import os
import queue
import signal
import threading
import traceback
from collections.abc import Callable, Generator, Iterator, MutableSequence
from types import FrameType
from typing import Any, NoReturn

from wotr_env.core.errors import RecordError
from wotr_env.play.plugins import how_to_install
from wotr_experiments.arena.played_games import PlayedGame, play
from wotr_experiments.arena.schedule import Batch, Tournament
from wotr_experiments.arena.watchdog import POLL_SECONDS, BotCall, PendingCall, exit_if_hung
from wotr_experiments.errors import CommandError
from wotr_experiments.isolation.bots import Bots, Isolation
from wotr_experiments.isolation.children import process_context
from wotr_experiments.isolation.nursery import interrupts_held
from wotr_experiments.pauses import paused

Played = tuple[Batch, list[PlayedGame]]
_Task = tuple[Batch, frozenset[BotCall]]
"""A batch, with the questions that were not answered in an earlier attempt."""
OnEnd = Callable[[int], object]
"""Receives the number of games that have just ended, negative for games of a worker that died. A game counts
when its batch is returned."""

ENGINES = ("processes", "threads", "ray")
MOST_DEATHS = 3
"""Number of dead workers after which a batch is given up."""
_MOST_STOPPING = 5.0
"""Seconds in which a worker must stop the processes of its bots."""


@dataclasses.dataclass(frozen=True)
class WorkerPool:
    """An engine and its number of workers.

    Raises:
        CommandError: the engine is unknown, or the number of workers is negative.
    """

    engine: str = "processes"
    workers: int = 0
    """The number of workers; 0: one per core, for Ray one per CPU of the cluster."""
    isolation: Isolation = dataclasses.field(default_factory=Isolation)
    """The isolation of bots in separate processes, and the watchdog."""

    def __post_init__(self) -> None:
        if self.engine not in ENGINES:
            raise CommandError(f"unknown engine {self.engine!r}; known: {', '.join(ENGINES)}")
        if self.workers < 0:
            raise CommandError(f"workers must be at least 1, or 0 for one per core, not {self.workers}")
        if self.engine == "ray":
            check_ray()
        if not self.workers and self.engine != "ray":
            object.__setattr__(self, "workers", cores())

    def play(
        self, tournament: Tournament, todo: Iterator[Batch], at_most: int, on_end: OnEnd, bots: Bots
    ) -> Generator[Played, None, None]:
        """Plays batches and yields each finished batch; closing the iterator stops the workers.

        Args:
            tournament: the tournament of the batches.
            todo: the batches, taken as workers become free.
            at_most: maximal number of useful workers.
            on_end: called with the number of games that have ended.
            bots: running bots. If only one worker plays (in this process), it uses their processes; otherwise
                they are closed.

        Raises:
            CommandError: workers died repeatedly at the same batch.
            RecordError: a game does not replay.
        """
        tournament.kind.kernels.prepare()
        workers = min(self.workers, at_most)
        if self.engine != "ray" and workers <= 1:
            return _play_here(tournament, todo, bots, on_end)
        bots.close()
        if self.engine == "ray":
            from wotr_experiments.arena.ray_engine import play_on_ray

            return play_on_ray(tournament, todo, self.workers, self.isolation)
        make = _play_in_threads if self.engine == "threads" else _play_in_processes
        return _without_pauses(make(tournament, todo, workers, self.isolation, on_end))


Crew = WorkerPool
"""The name of ``WorkerPool`` in 0.2."""


def check_ray() -> None:
    """Raises CommandError if the extra ``ray`` is not installed."""
    if importlib.util.find_spec("ray") is None:
        raise CommandError(f"the engine ray is not installed; install it with: {how_to_install('ray')}")


def cores() -> int:
    """The cores that this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def _without_pauses(played: Generator[Played, None, None]) -> Generator[Played, None, None]:
    """Plays on, and keeps pauses from counting for the watchdog of the workers."""
    with paused.watched():
        yield from played


def _play_here(
    tournament: Tournament, todo: Iterator[Batch], bots: Bots, on_end: OnEnd
) -> Generator[Played, None, None]:
    pending_call = PendingCall(bots.isolation.call_timeout)
    with exit_if_hung(pending_call):
        for batch in todo:
            yield batch, play(tournament, batch, on_end, bots, pending_call)


class _Todo:
    """The batches to play; batches whose worker died come first."""

    def __init__(self, todo: Iterator[Batch]) -> None:
        self._todo = todo
        self._again: list[_Task] = []

    def next(self) -> _Task | None:
        """The next batch, if there is one."""
        if self._again:
            return self._again.pop()
        batch = next(self._todo, None)
        return None if batch is None else (batch, frozenset())

    def again(self, task: _Task, unanswered: BotCall | None = None) -> None:
        """Queues a batch again, without a question that a bot did not answer."""
        batch, before = task
        self._again.append((batch, before if unanswered is None else before | {unanswered}))


class _StoppedError(Exception):
    """Stops a thread whose games are no longer needed."""


class _ThreadWorker:
    """A thread that plays batches."""

    def __init__(self, tournament: Tournament, isolation: Isolation, events: queue.SimpleQueue[Any]) -> None:
        self._tournament, self._isolation, self._events = tournament, isolation, events
        self._tasks: queue.SimpleQueue[_Task | None] = queue.SimpleQueue()
        self._stopped = threading.Event()
        self.pending_call = PendingCall(isolation.call_timeout)
        self.task: _Task | None = None
        """The current batch; None while waiting."""
        self.ended = 0
        """Number of ended games of the batch."""
        self.thread = threading.Thread(target=self._work, daemon=True)
        self.thread.start()

    def send(self, task: _Task) -> None:
        self.task, self.ended = task, 0
        self._tasks.put(task)

    def stop(self) -> None:
        """Stops the thread after its current answer."""
        self._stopped.set()
        self._tasks.put(None)

    def _work(self) -> None:
        with Bots(self._isolation) as bots:
            while (task := self._tasks.get()) is not None:
                batch, unanswered = task
                try:
                    games = play(self._tournament, batch, self._on_end, bots, self.pending_call, unanswered)
                    self._events.put((self, games))
                except _StoppedError:
                    return
                except BaseException as error:
                    self._events.put((self, error))

    def _on_end(self, games: int) -> None:
        if self._stopped.is_set():
            raise _StoppedError
        self._events.put((self, games))


def _play_in_threads(
    tournament: Tournament, todo: Iterator[Batch], workers: int, isolation: Isolation, on_end: OnEnd
) -> Generator[Played, None, None]:
    events: queue.SimpleQueue[Any] = queue.SimpleQueue()
    batches = _Todo(todo)
    crew: list[_ThreadWorker] = []
    try:
        while True:
            while len(crew) < workers and (task := batches.next()) is not None:
                crew.append(_ThreadWorker(tournament, isolation, events))
                crew[-1].send(task)
            for hand in crew:
                if hand.task is None and (task := batches.next()) is not None:
                    hand.send(task)
            if not any(hand.task for hand in crew):
                return
            with contextlib.suppress(queue.Empty):
                hand, event = events.get(timeout=POLL_SECONDS)
                if hand not in crew:
                    continue
                if isinstance(event, int):
                    hand.ended += event
                    on_end(event)
                elif isinstance(event, BaseException):
                    raise event
                else:
                    (batch, _), hand.task = hand.task, None
                    yield batch, event
            for hand in list(crew):
                if hand.task is None or (unanswered := hand.pending_call.overdue) is None:
                    continue
                on_end(-hand.ended)
                batches.again(hand.task, unanswered)
                hand.stop()
                crew.remove(hand)
    finally:
        for hand in crew:
            hand.stop()
        if _any_isolated(tournament, isolation):
            for hand in crew:
                hand.thread.join(_MOST_STOPPING)


class _TerminatedError(BaseException):
    """Stops a process and the processes of its bots."""


class _Worker:
    """A process that plays batches."""

    def __init__(self, tournament: Tournament, isolation: Isolation) -> None:
        context = process_context(__name__)
        self.connection, theirs = context.Pipe()
        shared = context.RawArray("d", PendingCall.shared_numbers)
        self.pending_call = PendingCall(shared=shared)
        self.process = context.Process(
            target=_work, args=(theirs, dict(os.environ), tournament, isolation, shared), daemon=True
        )
        with interrupts_held():
            self.process.start()
        theirs.close()  # so that the death of the process ends the connection
        self.task: _Task | None = None
        """The current batch; None while waiting."""
        self.ended = 0
        """Number of ended games of the batch."""

    def send(self, task: _Task) -> None:
        self.task, self.ended = task, 0
        with contextlib.suppress(OSError):  # a dead worker is noticed when it is waited for
            self.connection.send(task)

    def stop(self) -> None:
        if self.process.is_alive():
            self.process.terminate()
        self.process.join(_MOST_STOPPING)
        if self.process.is_alive():
            self.process.kill()
            self.process.join()
        self.connection.close()


def _work(
    connection: multiprocessing.connection.Connection,
    environment: dict[str, str],
    tournament: Tournament,
    isolation: Isolation,
    shared: MutableSequence[float],
) -> None:
    """The loop of a worker process, until the connection closes."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    os.environ.clear()
    os.environ.update(environment)
    os.environ.setdefault("OMP_NUM_THREADS", "1")  # for torch: there is a process for each core
    pending_call = PendingCall(isolation.call_timeout, shared)
    try:
        tournament.kind.kernels.prepare()
        with Bots(isolation) as bots:
            if _any_isolated(tournament, isolation):
                signal.signal(signal.SIGTERM, _stop)
            while True:
                batch, unanswered = connection.recv()
                try:
                    answer = play(tournament, batch, connection.send, bots, pending_call, unanswered)
                except (CommandError, RecordError) as error:
                    answer = error
                except Exception as error:  # of which nobody knows whether it can be sent
                    answer = RuntimeError("".join(traceback.format_exception(error)))
                connection.send(answer)
    except (EOFError, OSError, _TerminatedError):
        pass


def _stop(_signal: int, _frame: FrameType | None) -> NoReturn:
    raise _TerminatedError


def _any_isolated(tournament: Tournament, isolation: Isolation) -> bool:
    """Whether a bot runs in a separate process, which must end with the worker."""
    return any(isolation.isolates(spec) for spec in tournament.bots)


def _play_in_processes(
    tournament: Tournament, todo: Iterator[Batch], workers: int, isolation: Isolation, on_end: OnEnd
) -> Generator[Played, None, None]:
    batches = _Todo(todo)
    crew: list[_Worker] = []
    deaths: dict[Batch, int] = {}
    try:
        while True:
            for worker in crew:
                if worker.task is None and (task := batches.next()) is not None:
                    worker.send(task)
            while len(crew) < workers and (task := batches.next()) is not None:
                crew.append(_Worker(tournament, isolation))
                crew[-1].send(task)
            busy = [(worker, worker.task) for worker in crew if worker.task is not None]
            if not busy:
                return
            ready = multiprocessing.connection.wait([worker.connection for worker, _ in busy], POLL_SECONDS)
            for worker, task in busy:
                if worker.connection not in ready:
                    if (unanswered := worker.pending_call.overdue) is not None:
                        _give_up(worker, crew, on_end)
                        batches.again(task, unanswered)
                    continue
                batch, _ = task
                try:
                    event = worker.connection.recv()
                except (EOFError, OSError):
                    _give_up(worker, crew, on_end)
                    deaths[batch] = deaths.get(batch, 0) + 1
                    if deaths[batch] == MOST_DEATHS:
                        raise CommandError(_death_message(tournament, worker, batch)) from None
                    batches.again(task)
                    continue
                if isinstance(event, int):
                    worker.ended += event
                    on_end(event)
                elif isinstance(event, BaseException):
                    raise event
                else:
                    worker.task = None
                    yield batch, event
    finally:
        for worker in crew:
            worker.stop()


def _give_up(worker: _Worker, crew: list[_Worker], on_end: OnEnd) -> None:
    """Stops a worker whose batch another worker has to play."""
    on_end(-worker.ended)
    worker.stop()
    crew.remove(worker)


def _death_message(tournament: Tournament, worker: _Worker, batch: Batch) -> str:
    bots = " against ".join(tournament.bots[place] for place in tournament.pairings[batch.pairing])
    return (
        f"{MOST_DEATHS} worker processes died (exit code {worker.process.exitcode}) at games "
        f"{batch.first} to {batch.numbers[-1]} of {bots}; the stored games are kept"
    )
