"""Lowering kernels in several processes at once.

Typing and lowering is Python, and three quarters of the waiting for a compiler. Each process is a copy of
the first one and lowers its share, in an order in which little is waited for. Whoever calls a kernel needs no
more of it than the type of its result and its symbol: those are told to all others at once, the code to the
first process at the end.
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
"""Processes; more wait for each other, and each is a copy of 300 MiB."""
_FEW = 100
"""Kernels that are not worth a process."""
_START = 60
"""What any kernel costs, in bytes of Python's code."""

Kernel = Callable[..., Any]
Lower = Callable[[Kernel], Lowered]


class LostProcess(Exception):
    """A process ended before it was done."""


class _Told(NamedTuple):
    """What a process tells the others of a kernel."""

    number: int
    lowered: Lowered


class _Work(NamedTuple):
    """What is shared, the same in all processes."""

    kernels: Sequence[Kernel]
    callees: Sequence[Sequence[int]]
    """Numbers of those that each calls."""
    shares: Sequence[Sequence[int]]
    """Numbers of those that each process lowers, in its order."""
    lower: Lower


def processes_for(count: int) -> int:
    """How many processes are worth it for so many kernels."""
    return min(MOST, _cores()) if count >= _FEW else 1


def _cores() -> int:
    """How many processes may work; one where a process cannot be copied safely."""
    if sys.platform != "linux" or threading.active_count() > 1:
        return 1
    return len(os.sched_getaffinity(0))


@contextlib.contextmanager
def begun_elsewhere(work: Callable[[], bytes]) -> Iterator[Callable[[], bytes]]:
    """Does something in a copy of this process meanwhile, if there is a core for it.

    Yields:
        Waits for the result; does it in this process, if there is no copy or it was lost.
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
    """What a copied process does, and nothing after that."""
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
    """Lowers kernels in several processes, this one among them, as if this one had done it all.

    Args:
        kernels: callees first.
        callees: those of each that are among the kernels.
        lower: lowers one whose callees are known.
        processes: how many.
        progress: told how many are lowered.

    Raises:
        LostProcess: another process ended early; nothing is lowered.
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
    """Which process lowers which kernels, and in which order: the longest chains of calls first.

    Args:
        callees: numbers of the kernels that each calls; all are smaller than its own.
        costs: of each kernel.
        processes: among which they are shared.
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
    """What a copy of the first process does."""
    begin_share(rank)
    share = _Share(work, rank, ends)
    share.lower_own()
    share.first.send_bytes(pickle.dumps(code_of_share()))


class _Share:
    """One process of several.

    Args:
        work: what they share.
        rank: its number.
        ends: of the pipes from each to each, in the order of the others; those of others are closed.
    """

    def __init__(self, work: _Work, rank: int, ends: Sequence[Sequence[Connection]]) -> None:
        self._work = work
        self._rank = rank
        self._others = list(ends[rank])
        self.first = ends[rank][0]
        """The first process, for those that are copies of it."""
        self._known: set[int] = set()
        for each, row in enumerate(ends):
            for end in row if each != rank else ():
                end.close()

    def lower_own(self, progress: Callable[[int], object] = lambda _count: None) -> None:
        """Lowers what is its own, and hears of the others meanwhile."""
        for number in self._work.shares[self._rank]:
            self._hear(0.0)
            while not self._known.issuperset(self._work.callees[number]):
                self._hear(None)
            lowered = self._work.lower(self._work.kernels[number])
            self._known.add(number)
            told = pickle.dumps(_Told(number, lowered))
            for other in self._others:
                with contextlib.suppress(OSError):  # it is done, or lost: what it says last tells
                    other.send_bytes(told)
            progress(len(self._known))

    def take_others(self, progress: Callable[[int], object]) -> None:
        """Waits for the code of all others."""
        while self._others:
            self._hear(None)
            progress(len(self._known))

    def close(self) -> None:
        for end in self._others:
            end.close()

    def _hear(self, patience: float | None) -> None:
        """Takes what others tell: kernels, and at their end the code of their shares."""
        for end in wait(self._others, patience):
            assert isinstance(end, Connection)
            try:
                told = pickle.loads(end.recv_bytes())
            except (EOFError, OSError):
                self._is_gone(end)
                continue
            if isinstance(told, _Told):
                know(self._work.kernels[told.number], told.lowered)
                self._known.add(told.number)
            else:
                take_share(told)
                self._others.remove(end)
                end.close()

    def _is_gone(self, other: Connection) -> None:
        """Another process is done, unless this is the first, to which it would have said so."""
        if self._rank == 0 or other is self.first:
            raise EOFError
        self._others.remove(other)
        other.close()
