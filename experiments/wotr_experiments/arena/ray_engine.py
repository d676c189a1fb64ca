"""Batches on a Ray cluster: the one that ``RAY_ADDRESS`` names, or one of this machine.

Every node needs the same version of this package. Ray plays the batches of a worker that died again.
"""

from __future__ import annotations

import itertools
import os
from collections.abc import Generator, Iterator

import ray  # pyright: ignore[reportMissingImports] (an extra)
import ray.exceptions  # pyright: ignore[reportMissingImports] (an extra)

from wotr_experiments.arena.games import PlayedGame, play
from wotr_experiments.arena.schedule import Batch, Tournament
from wotr_experiments.arena.watchdog import Asking, ended_if_hung
from wotr_experiments.errors import CommandError
from wotr_experiments.isolation.bots import Bots, Isolation

_MOST_DEATHS = 5
"""A batch whose workers die so often is not tried again."""
_AHEAD = 2
"""Batches given to Ray for each worker, so that none waits for the next."""


@ray.remote(num_cpus=1, max_retries=_MOST_DEATHS)
def _play(tournament: Tournament, batch: Batch, isolation: Isolation) -> list[PlayedGame]:
    asking = Asking(isolation.patience)
    with Bots(isolation) as bots, ended_if_hung(asking):
        return play(tournament, batch, bots=bots, asking=asking)


def play_on_ray(
    tournament: Tournament, todo: Iterator[Batch], workers: int, isolation: Isolation
) -> Generator[tuple[Batch, list[PlayedGame]], None, None]:
    """Plays batches on the cluster and gives each back when it is played.

    Args:
        tournament: of which the batches are.
        todo: the batches, taken as workers become free.
        workers: batches played at the same time; 0: as many as the cluster has CPUs. A
            cluster that is started here has so many CPUs.
        isolation: which bots have processes of their own.

    Raises:
        CommandError: there is no cluster at ``RAY_ADDRESS``, or workers died again and again.
        RecordError: a game does not replay.
    """
    started = not ray.is_initialized()
    if started:
        try:
            ray.init(**_local(workers), include_dashboard=False, log_to_driver=False, logging_level="error")
        except (ConnectionError, ValueError) as error:
            raise CommandError(f"Ray: {error}") from None
    try:
        yield from _play_all(tournament, todo, workers, isolation)
    finally:
        if started:
            ray.shutdown()


def _local(workers: int) -> dict[str, int]:
    """CPUs of a cluster of this machine; Ray takes no number for a cluster that runs already."""
    return {"num_cpus": workers} if workers and not os.environ.get("RAY_ADDRESS") else {}


def _play_all(
    tournament: Tournament, todo: Iterator[Batch], workers: int, isolation: Isolation
) -> Generator[tuple[Batch, list[PlayedGame]], None, None]:
    wanted = workers or int(ray.cluster_resources().get("CPU", 1))
    shared = ray.put(tournament)
    running: dict[ray.ObjectRef, Batch] = {}
    try:
        while True:
            free = max(1, wanted * _AHEAD) - len(running)
            for batch in itertools.islice(todo, free):
                running[_play.remote(shared, batch, isolation)] = batch
            if not running:
                return
            (done,), _ = ray.wait(list(running), num_returns=1)
            try:
                games = ray.get(done)
            except ray.exceptions.RayTaskError as error:
                raise error.cause from None
            except ray.exceptions.RayError as error:
                reason = " ".join(str(error).split())
                raise CommandError(f"Ray: {reason}; the games stored before are kept") from None
            yield running.pop(done), games
    finally:
        for reference in running:
            ray.cancel(reference, force=True)
