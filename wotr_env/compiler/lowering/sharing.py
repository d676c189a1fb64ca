"""Lowering kernels in several processes at once.

Typing and lowering run in Python and take three quarters of the compile time. Each process is a copy of the
first one and lowers a share of the kernels, in an order that keeps waiting times short. A caller of a kernel
needs only its result type and its symbol. A process sends these to all others immediately, and sends the code
to the first process at the end.
"""

from __future__ import annotations

import contextlib
import os
import pickle
import signal
import sys
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from multiprocessing.connection import Connection, Pipe, wait
from typing import Any, NamedTuple, NoReturn

from wotr_env.compiler.lowering.rules import Lowered, begin_share, code_of_share, forget, know, take_share

MOST = 4
"""Maximal number of processes. More processes would wait for each other, and each process is a copy of 300
MiB."""
_FEW = 100
"""Minimal number of kernels for which several processes save time."""
_START = 60
"""The fixed cost of lowering a kernel, in bytes of Python bytecode."""

Kernel = Callable[..., Any]
Lower = Callable[[Kernel], Lowered]


class LostProcess(Exception):
    """A process ended before it had finished its work."""


class _LoweredMessage(NamedTuple):
    """A message of a process to the others about a lowered kernel."""

    number: int
    lowered: Lowered


class _Work(NamedTuple):
    """The common data, which are the same in all processes."""

    kernels: Sequence[Kernel]
    callees: Sequence[Sequence[int]]
    """The numbers of the kernels that each kernel calls."""
    shares: Sequence[Sequence[int]]
    """The numbers of the kernels that each process lowers, in order."""
    lower: Lower


def processes_for(count: int) -> int:
    """The number of processes to use for this number of kernels."""
    return min(MOST, _cores()) if count >= _FEW else 1


def _cores() -> int:
    """The number of processes that may run at the same time; 1 where a process cannot be copied safely."""
    if sys.platform != "linux" or threading.active_count() > 1:
        return 1
    return len(os.sched_getaffinity(0))


@contextlib.contextmanager
def run_in_fork(work: Callable[[], bytes]) -> Iterator[Callable[[], bytes]]:
    """Runs a function in a copy of this process at the same time, if there is a core for it.

    Yields:
        A function that waits for the result. If there is no copy or the copy was lost, it runs the function
            in this process.
    """
    if _cores() == 1:
        yield work
        return
    end, other_end = Pipe(duplex=False)
    child = os.fork()
    if child == 0:
        _be_copy(lambda: other_end.send_bytes(work()))
    other_end.close()

    def finish() -> bytes:
        try:
            return end.recv_bytes()
        except (EOFError, OSError):
            return work()

    try:
        yield finish
    finally:
        end.close()
        _end(child)


def _be_copy(work: Callable[[], object]) -> NoReturn:
    """Runs the work of a copied process, and then ends the process."""
    try:
        signal.signal(signal.SIGINT, signal.SIG_IGN)  # it ends with the first
        work()
        os._exit(0)
    except BaseException:  # the first does it again alone, and meets the error
        os._exit(1)


def _end(child: int) -> None:
    with contextlib.suppress(ProcessLookupError):
        os.kill(child, signal.SIGKILL)
    os.waitpid(child, 0)


def lower_together(
    kernels: Sequence[Kernel],
    callees: Mapping[Kernel, Sequence[Kernel]],
    lower: Lower,
    processes: int,
    progress: Callable[[int], object],
) -> None:
    """Lowers kernels in several processes, including this one. The result is the same as if this process had
    lowered them all.

    Args:
        kernels: the kernels, callees first.
        callees: for each kernel, the kernels among these that it calls.
        lower: a function that lowers a kernel whose callees are known.
        processes: number of processes.
        progress: receives the number of lowered kernels.

    Raises:
        LostProcess: another process ended early; then no kernel is lowered.
    """
    numbers = {kernel: number for number, kernel in enumerate(kernels)}
    called = [[numbers[callee] for callee in callees[kernel]] for kernel in kernels]
    costs = [_START + len(kernel.__code__.co_code) for kernel in kernels]
    work = _Work(kernels, called, shares_of(called, costs, processes), lower)
    ends: list[list[Connection]] = [[] for _ in range(processes)]
    for one in range(processes):
        for other in range(one):
            of_one, of_other = Pipe()
            ends[one].append(of_one)
            ends[other].append(of_other)
    children = []
    for rank in range(1, processes):
        child = os.fork()
        if child == 0:
            _be_copy(partial(_lower_share, work, rank, ends))
        children.append(child)
    share = _Share(work, 0, ends)
    try:
        share.lower_own(progress)
        share.take_others(progress)
    except (EOFError, OSError) as error:
        for kernel in kernels:
            forget(kernel)
        raise LostProcess from error
    finally:
        share.close()
        for child in children:
            _end(child)


def shares_of(callees: Sequence[Sequence[int]], costs: Sequence[int], processes: int) -> list[list[int]]:
    """Assigns kernels to processes and orders them, the longest chains of calls first.

    Args:
        callees: the numbers of the kernels that each kernel calls; all are lower than the number of the
            caller.
        costs: the cost of each kernel.
        processes: number of processes.

    Returns:
        The numbers of the kernels of each process, in order.
    """
    longest = list(costs)
    for number in reversed(range(len(costs))):
        for callee in callees[number]:
            longest[callee] = max(longest[callee], longest[number] + costs[callee])
    shares: list[list[int]] = [[] for _ in range(processes)]
    free, done = [0] * processes, [0] * len(costs)
    for number in sorted(range(len(costs)), key=lambda number: (-longest[number], number)):
        ready = max((done[callee] for callee in callees[number]), default=0)
        process = min(range(processes), key=lambda each: (max(free[each], ready), each))
        free[process] = done[number] = max(free[process], ready) + costs[number]
        shares[process].append(number)
    return shares


def _lower_share(work: _Work, rank: int, ends: Sequence[Sequence[Connection]]) -> None:
    """Runs the work of a copy of the first process."""
    begin_share(rank)
    share = _Share(work, rank, ends)
    share.lower_own()
    share.first.send_bytes(pickle.dumps(code_of_share()))


class _Share:
    """One of the processes that lower kernels together.

    Args:
        work: the common data.
        rank: the number of this process.
        ends: the ends of the pipes between all processes, by process and in the order of the other processes;
            the ends that belong to other processes are closed.
    """

    def __init__(self, work: _Work, rank: int, ends: Sequence[Sequence[Connection]]) -> None:
        self._work = work
        self._rank = rank
        self._others = list(ends[rank])
        self.first = ends[rank][0]
        """The end of the pipe to the first process; used only in its copies."""
        self._known: set[int] = set()
        for each, row in enumerate(ends):
            for end in row if each != rank else ():
                end.close()

    def lower_own(self, progress: Callable[[int], object] = lambda _count: None) -> None:
        """Lowers the kernels of this process, and meanwhile receives the results of the other processes."""
        for number in self._work.shares[self._rank]:
            self._hear(0.0)
            while not self._known.issuperset(self._work.callees[number]):
                self._hear(None)
            lowered = self._work.lower(self._work.kernels[number])
            self._known.add(number)
            told = pickle.dumps(_LoweredMessage(number, lowered))
            for other in self._others:
                with contextlib.suppress(OSError):  # it is done, or lost: what it says last tells
                    other.send_bytes(told)
            progress(len(self._known))

    def take_others(self, progress: Callable[[int], object]) -> None:
        """Waits for the code of all other processes."""
        while self._others:
            self._hear(None)
            progress(len(self._known))

    def close(self) -> None:
        for end in self._others:
            end.close()

    def _hear(self, patience: float | None) -> None:
        """Receives messages of other processes: lowered kernels, and at the end the code of their shares.

        Args:
            patience: maximal waiting time in seconds; None: no limit.
        """
        for end in wait(self._others, patience):
            assert isinstance(end, Connection)
            try:
                told = pickle.loads(end.recv_bytes())
            except (EOFError, OSError):
                self._drop_process(end)
                continue
            if isinstance(told, _LoweredMessage):
                know(self._work.kernels[told.number], told.lowered)
                self._known.add(told.number)
            else:
                take_share(told)
                self._others.remove(end)
                end.close()

    def _drop_process(self, other: Connection) -> None:
        """Removes another process that has ended. Raises EOFError if this means that the process was lost: in
        the first process, to which each process sends its code before it ends, or if the first process itself
        has ended."""
        if self._rank == 0 or other is self.first:
            raise EOFError
        self._others.remove(other)
        other.close()
