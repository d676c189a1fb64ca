"""Plays batches on a Ray cluster: the cluster of ``RAY_ADDRESS``, or a new one on this machine.

Every node needs the same version of this package. If a worker or node dies, Ray plays its batch again.
"""

from __future__ import annotations

import contextlib
import io
import itertools
import logging
import os
import re
import socket
import sys
import time
import traceback
from collections.abc import Generator, Iterable, Iterator

import ray  # pyright: ignore[reportMissingImports] (an extra)
import ray.exceptions  # pyright: ignore[reportMissingImports] (an extra)

from wotr_env.core.errors import RecordError
from wotr_experiments.arena.played_games import PlayedGame, play
from wotr_experiments.arena.schedule import Batch, Tournament
from wotr_experiments.arena.watchdog import PendingCall, exit_if_hung
from wotr_experiments.errors import CommandError, one_line
from wotr_experiments.isolation.bots import Bots, Isolation

MOST_DEATHS = 5
"""Number of dead workers after which a task is given up."""
_AHEAD = 2
"""Number of batches queued per worker, so that workers do not wait."""
_PATIENCE = 10.0
"""Seconds to wait for the first answer of a cluster, and between two checks of an idle one."""
_MOST_ALONE = 600.0
"""Seconds after which a cluster without CPUs is given up; long enough for autoscaling."""
_COLOUR = re.compile("\x1b\\[[0-9;]*m")
_LONGEST_MESSAGE = 300
_KEPT = "the stored games are kept"


@ray.remote(num_cpus=1, max_retries=MOST_DEATHS)
def _play(tournament: Tournament, rules: int, batch: Batch, isolation: Isolation) -> list[PlayedGame]:
    if tournament.kind.rules_version != rules:
        raise CommandError(
            f"a node of the Ray cluster has version {tournament.kind.rules_version} of the rules, "
            f"not {rules}; install the same version of this package there"
        )
    pending_call = PendingCall(isolation.call_timeout)
    with Bots(isolation) as bots, exit_if_hung(pending_call):
        return play(tournament, batch, bots=bots, pending_call=pending_call)


def play_on_ray(
    tournament: Tournament, todo: Iterator[Batch], workers: int, isolation: Isolation
) -> Generator[tuple[Batch, list[PlayedGame]], None, None]:
    """Plays batches on the cluster and yields each finished batch.

    Until the iterator is closed, messages of Ray, such as about lost nodes, are printed on stderr, one line
    each.

    Args:
        tournament: the tournament of the batches.
        todo: the batches, taken as workers become free.
        workers: number of batches at the same time; 0: one per CPU of the cluster. A new cluster on this
            machine gets this number of CPUs.
        isolation: the settings for bots in separate processes.

    Raises:
        CommandError: there is no cluster at ``RAY_ADDRESS``, workers died repeatedly, or the cluster has no
            CPUs or no memory left.
        RecordError: a game does not replay.
    """
    with joined(workers):
        yield from _play_all(tournament, todo, workers, isolation)


@contextlib.contextmanager
def joined(workers: int) -> Iterator[None]:
    """A context with a cluster: the cluster that this process has already joined, or otherwise a cluster as
    in ``play_on_ray``.

    Raises:
        CommandError: there is no cluster at ``RAY_ADDRESS``.
    """
    started = not ray.is_initialized()
    with contextlib.redirect_stdout(_Messages()):
        if started:
            _start(workers)
        try:
            yield
        finally:
            if started:
                ray.shutdown()


class _Messages(io.TextIOBase):
    """Keeps Ray's messages off stdout, and shortens the logs that Ray prints on stderr."""

    def write(self, text: str) -> int:
        if text.strip():
            first = _COLOUR.sub("", text.strip().splitlines()[0])
            print(f"wotr: Ray: {one_line(first, _LONGEST_MESSAGE)}", file=sys.stderr)
        return len(text)


def _start(workers: int) -> None:
    """Joins the cluster that ``RAY_ADDRESS`` names, or starts one."""
    address = os.environ.get("RAY_ADDRESS", "")
    _check_there(address)
    cpus = None if address else workers or None  # one that runs already has its number
    try:
        ray.init(
            None if address else "local",  # not one that Ray remembers here, such as one that is gone
            num_cpus=cpus,
            include_dashboard=False,
            log_to_driver=False,
            logging_level=logging.ERROR,
        )
    except (ConnectionError, ValueError) as error:
        raise CommandError(f"Ray: {error}") from None


def _check_there(address: str) -> None:
    """Checks that the cluster exists, because Ray itself tries for many minutes."""
    host, _, port = address.rpartition("://")[2].rpartition(":")
    if not port.isdecimal():
        return  # a word for which Ray has its own meaning, such as auto
    try:
        socket.create_connection((host, int(port)), _PATIENCE).close()
    except (OSError, OverflowError) as error:
        raise CommandError(f"Ray: there is no cluster at {address}: {error}") from None


def _play_all(
    tournament: Tournament, todo: Iterator[Batch], workers: int, isolation: Isolation
) -> Generator[tuple[Batch, list[PlayedGame]], None, None]:
    running: dict[ray.ObjectRef, Batch] = {}
    try:
        shared = ray.put(tournament)
        while True:
            wanted = max(1, workers or _cpus()) * _AHEAD
            for batch in itertools.islice(todo, max(0, wanted - len(running))):
                rules = tournament.kind.rules_version
                running[_play.remote(shared, rules, batch, isolation)] = batch
            if not running:
                return
            done = first_done(list(running), _KEPT)
            games = ray.get(done)
            yield running.pop(done), games
    except ray.exceptions.RayError as error:
        raise explained(error, _KEPT) from None
    finally:
        cancel(running)


def cancel(running: Iterable[ray.ObjectRef]) -> None:
    """Cancels tasks."""
    with contextlib.suppress(ray.exceptions.RayError):
        for reference in running:
            ray.cancel(reference, force=True)


def _cpus() -> int:
    """The current number of CPUs of the cluster; nodes may come and go."""
    return int(ray.cluster_resources().get("CPU", 0))


def first_done(running: list[ray.ObjectRef], kept: str) -> ray.ObjectRef:
    """Waits for a task.

    Raises:
        CommandError: the cluster has had no CPU for a long time; the message includes ``kept``, which
            describes the stored work.
    """
    since = time.monotonic()
    while True:
        done, _ = ray.wait(running, num_returns=1, timeout=_PATIENCE)
        if done:
            return done[0]
        if _cpus():
            since = time.monotonic()
        elif time.monotonic() - since > _MOST_ALONE:
            raise CommandError(f"Ray: no node of the cluster has a CPU any more; {kept}")


def explained(error: ray.exceptions.RayError, kept: str) -> Exception:
    """The exception for an error of Ray, or for an error on a node; ``kept`` describes the stored work."""
    if isinstance(error, ray.exceptions.RayTaskError):
        cause = error.cause
        if isinstance(cause, CommandError | RecordError):
            return cause
        if not isinstance(cause, ray.exceptions.RayError):
            return RuntimeError("".join(traceback.format_exception(cause)))
        error = cause
    return CommandError(f"Ray: {' '.join(str(error).split())}; {kept}")
