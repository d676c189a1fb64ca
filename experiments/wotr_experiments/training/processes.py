"""Processes that train together, started by ``torchrun``, and their communication.

Each process runs the same command and makes the same collective calls in the same order. Gradients and
weights are exchanged by gloo between CPUs and by nccl between GPUs, everything else by gloo. Nothing is
pickled. When a process ends, its connections break and all others end too; one of them prints a message.
"""

from __future__ import annotations

import contextlib
import datetime
import os
import signal
import time
from collections.abc import Iterator
from types import FrameType
from typing import Self

import torch
import torch.distributed as dist
from torch.distributed.distributed_c10d import PrefixStore, Store
from torch.distributed.rendezvous import rendezvous

from wotr_experiments.errors import CommandError

_PATIENCE = datetime.timedelta(minutes=10)
"""Timeout for a process that does not answer although its connection stands, such as after a power
failure."""
_WORD = 2.0
"""Seconds that a failing process gets for printing its error."""
_TOLD, _PREFIX = "wotr-told", "wotr-training"
_GO_ON = "the same command continues from the last checkpoint"


class LostProcess(CommandError):
    """Another process of the training has ended, or does not answer."""


class Processes:
    """A single process, and the interface for several processes."""

    rank = 0
    count = 1

    @property
    def is_first(self) -> bool:
        """Whether this process writes the folder of the run and prints messages for the user."""
        return self.rank == 0

    def gather(self, values: torch.Tensor) -> list[torch.Tensor]:
        """Returns the tensors of all processes, in the order of their ranks. The tensors must have the same
        shape and kind of device."""
        return [values]

    def all_to_all(self, rows: torch.Tensor) -> torch.Tensor:
        """Sends each process its row of ``float32[count, C]``; returns the rows that all processes sent to
        this one, in the same shape."""
        return rows

    def all_gather_rows(self, rows: torch.Tensor) -> None:
        """Fills ``float32[count, C]``, of which each process already has the row of its rank."""

    def share(self, data: bytes) -> bytes:
        """Returns the data of the first process."""
        return data

    def gather_bytes(self, data: bytes) -> list[bytes]:
        """Returns the data of all processes, in the order of their ranks."""
        return [data]

    def any(self, condition: bool) -> bool:
        """Whether a condition holds in any process."""
        return any(bool(given) for given in self.gather(torch.tensor([condition])))

    def may_print_error(self, error: Exception) -> bool:
        """Whether this process may print the error that ended it."""
        return True

    def close(self) -> None:
        """Closes the connections."""

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_error: object) -> None:
        self.close()


ALONE = Processes()


class _Group(Processes):
    """Several processes.

    Args:
        store: the store through which the processes have connected.
        rank: the rank of this process.
        count: the number of processes.
        backend: the backend of torch.distributed.
    """

    def __init__(self, store: Store, rank: int, count: int, backend: str) -> None:
        self.rank, self.count = rank, count
        self._store = store
        with _no_process_lost():
            dist.init_process_group(
                backend,
                store=PrefixStore(_PREFIX, store),
                rank=rank,
                world_size=count,
                timeout=_PATIENCE,
            )
        self._before = signal.signal(signal.SIGTERM, _end)

    def gather(self, values: torch.Tensor) -> list[torch.Tensor]:
        raw = values.contiguous().view(torch.uint8)
        found = [torch.empty_like(raw) for _ in range(self.count)]
        with _no_process_lost():
            dist.all_gather(found, raw)
        return [each.view(values.dtype) for each in found]

    def all_to_all(self, rows: torch.Tensor) -> torch.Tensor:
        found = torch.empty_like(rows)
        with _no_process_lost():
            dist.all_to_all_single(found, rows)
        return found

    def all_gather_rows(self, rows: torch.Tensor) -> None:
        with _no_process_lost():
            dist.all_gather(list(rows.unbind()), rows[self.rank].clone())

    def share(self, data: bytes) -> bytes:
        size = torch.tensor([len(data)])
        with _no_process_lost():
            dist.broadcast(size, 0)
            found = torch.empty(int(size), dtype=torch.uint8)
            if self.is_first:
                found[:] = _tensor_of(data)
            dist.broadcast(found, 0)
        return found.numpy().tobytes()

    def gather_bytes(self, data: bytes) -> list[bytes]:
        sizes = [int(size) for size in self.gather(torch.tensor([len(data)]))]
        padded = torch.zeros(max(sizes), dtype=torch.uint8)
        padded[: len(data)] = _tensor_of(data)
        found = zip(self.gather(padded), sizes, strict=True)
        return [each[:size].numpy().tobytes() for each, size in found]

    def may_print_error(self, error: Exception) -> bool:
        try:
            if isinstance(error, LostProcess):  # the others know better why they have ended, if they can tell
                until = time.monotonic() + _WORD
                while time.monotonic() < until and not self._store.check([_TOLD]):
                    time.sleep(_WORD / 40)
            return self._store.add(_TOLD, 1) == 1
        except RuntimeError:  # the store was with the process that is gone
            return True

    def close(self) -> None:
        signal.signal(signal.SIGTERM, self._before)
        with contextlib.suppress(RuntimeError):
            dist.destroy_process_group()


def join(gpu: bool) -> Processes:
    """Joins the processes started by torchrun, when all are ready; without torchrun returns a single process.

    Args:
        gpu: whether the networks are on GPUs; then each process uses the GPU with its local rank.

    Raises:
        CommandError: the processes cannot connect to each other.
    """
    if "RANK" not in os.environ or os.environ.get("WORLD_SIZE") == "1":
        return ALONE
    if gpu:
        torch.cuda.set_device(int(os.environ.get("LOCAL_RANK", "0")))
    try:
        store, rank, count = next(rendezvous("env://", timeout=_PATIENCE))
    except (ValueError, RuntimeError) as error:
        raise CommandError(f"the processes cannot connect to each other: {error}") from None
    return _Group(store, rank, count, "cpu:gloo,cuda:nccl" if gpu else "gloo")


def _tensor_of(data: bytes) -> torch.Tensor:
    return torch.frombuffer(bytearray(data), dtype=torch.uint8) if data else torch.empty(0, dtype=torch.uint8)


@contextlib.contextmanager
def _no_process_lost() -> Iterator[None]:
    try:
        yield
    except RuntimeError as error:
        why = "does not answer" if "imed out" in str(error) else "has ended"
        raise LostProcess(f"another process of the training {why}; {_GO_ON}") from None


def _end(_signal: int, _frame: FrameType | None) -> None:
    raise LostProcess(
        f"the training was stopped, probably by torchrun because one of its processes ended; {_GO_ON}"
    )
