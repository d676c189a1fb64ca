"""A Ray cluster in trouble: the games are the same, or one line says what is the matter.

Needs the extra ``ray``. The cluster is of this machine: a node with one CPU, and for a while another.
"""

from __future__ import annotations

import atexit
import contextlib
import functools
import logging
import os
import random
import signal
import sqlite3
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import ray  # pyright: ignore[reportMissingImports] (an extra)
import ray.exceptions  # pyright: ignore[reportMissingImports]
from ray.cluster_utils import Cluster  # pyright: ignore[reportMissingImports]
from ray.util.scheduling_strategies import (  # pyright: ignore[reportMissingImports]
    NodeAffinitySchedulingStrategy,
)

from tests.tools.faults.files import ALONE, SHORT
from tests.tools.faults.table import Fault, expect
from wotr_agents.games.war_of_the_ring.scripted.entry import ensure_agents
from wotr_experiments.arena.engines import WorkerPool
from wotr_experiments.arena.played_games import PlayedGame
from wotr_experiments.arena.schedule import Tournament
from wotr_experiments.arena.store import GAMES
from wotr_experiments.arena.tournament import TournamentObserver, run_tournament
from wotr_experiments.errors import CommandError

_MEMORY = 80 * 2**20
"""Bytes of the object store of a node, a little more than the least that Ray takes."""
_BLOCKS = 2**22, 2**17, 2**14
"""Bytes of what it is filled with."""
_NO_DISK = {"local_fs_capacity_threshold": 1e-6, "automatic_object_spilling_enabled": False}
"""Ray moves nothing to the disk, as where that is full."""
_LONGEST = 180.0
"""Seconds that a run may take."""
_BATCH = 20
_MANY = Tournament(("random", "random"), 1_000, 11, SHORT, _BATCH)
_LARGE = Tournament(("random", "random"), 400, 11, SHORT, 200)
"""Ray keeps answers of more than 100 kB in its store, as those of these batches."""
_COMMAND = (
    *(sys.executable, "-m", "wotr_experiments.cli.main", "tournament", *_MANY.bots, "--json"),
    *("--games", str(_MANY.games), "--batch", str(_BATCH), "--seed", str(_MANY.seed)),
    *("--ruleset", "first:max_turns=2", "--engine", "ray", "--workers", "2", "--replays", "none", "--out"),
)
_GOES_ON = "goes on to the same bytes"


@functools.cache
def cluster() -> Cluster:
    """One that goes with this process, or with ``end``."""
    head = {"num_cpus": 1, "object_store_memory": _MEMORY, "_system_config": _NO_DISK}
    with contextlib.redirect_stdout(sys.stderr):
        made = Cluster(initialize_head=True, head_node_args=head)
        ray.init(address=made.address, log_to_driver=False, logging_level=logging.ERROR)
    atexit.register(end)
    return made


def end() -> None:
    """Ends the cluster."""
    if cluster.cache_info().currsize:
        with contextlib.redirect_stdout(sys.stderr):
            ray.shutdown()
            cluster().shutdown()
        cluster.cache_clear()
    atexit.unregister(end)


@functools.cache
def _undisturbed(tournament: Tournament) -> tuple[dict[str, Any], list[tuple[Any, ...]]]:
    with tempfile.TemporaryDirectory() as folder:
        return run_tournament(tournament, Path(folder), ALONE), _stored(Path(folder))


def _go_on(tournament: Tournament, folder: Path, watch: TournamentObserver | None = None) -> None:
    """Plays to the end; all games are there, as they are without any fault."""
    summary = run_tournament(tournament, folder, WorkerPool("ray", 2), watch)
    expect((summary, _stored(folder)) == _undisturbed(tournament), "other games")


def _stored(folder: Path) -> list[tuple[Any, ...]]:
    """The games with their records."""
    with _database(folder / GAMES) as file:
        return file.execute("SELECT * FROM games ORDER BY pairing, number").fetchall()


def _database(path: Path) -> contextlib.closing[sqlite3.Connection]:
    """A store, to be read only."""
    return contextlib.closing(sqlite3.connect(f"{path.as_uri()}?mode=ro", uri=True))


@ray.remote(num_cpus=1)
def _load() -> None:
    ensure_agents()


def playing(node: int) -> list[int]:
    """The processes that play games at the moment, below the one of a node; of Linux alone."""
    found, below = [], [node]
    while below:
        process = below.pop()
        with contextlib.suppress(OSError):
            below += _children(process)
            if Path(f"/proc/{process}/cmdline").read_bytes().startswith(b"ray::_play"):
                found.append(process)
    return found


def _children(process: int) -> Iterator[int]:
    for task in Path(f"/proc/{process}/task").iterdir():
        yield from map(int, (task / "children").read_text().split())


def _main_process(node: Any) -> int:
    return node.all_processes["raylet"][0].process.pid


class _Losing(TournamentObserver):
    """Ends a node once it plays, after some batches."""

    def __init__(self, node: Any, batches: int) -> None:
        self.node = node
        self.left = batches
        self.lost = False

    def stored(self, games: list[PlayedGame]) -> None:
        self.left -= 1
        if self.left <= 0 and not self.lost and playing(_main_process(self.node)):
            self.lost = True
            cluster().remove_node(self.node, allow_graceful=False)


def lost_node(chance: random.Random, folder: Path) -> str:
    """A machine of the cluster dies while it plays."""
    node = cluster().add_node(num_cpus=1, object_store_memory=_MEMORY)
    there = NodeAffinitySchedulingStrategy(node.node_id, soft=False)
    ray.get(_load.options(scheduling_strategy=there).remote())
    watch = _Losing(node, chance.randrange(20))
    try:
        _go_on(_MANY, folder / "out", watch)
    finally:
        if not watch.lost:
            cluster().remove_node(node)
    return _GOES_ON if watch.lost else "over before"


def full_store(_chance: random.Random, folder: Path) -> str:
    """Neither the object store nor the disk behind it has room for a batch; then there is room again."""
    cluster()
    held = []
    for size in _BLOCKS:
        with contextlib.suppress(ray.exceptions.RayError):
            while True:
                held.append(ray.put(np.zeros(size, dtype=np.uint8)))
    try:
        run_tournament(_LARGE, folder / "out", WorkerPool("ray", 2))
        expect(False, "it is played where there is no room")
    except CommandError as error:
        said = str(error)
        expect(said.startswith("Ray: ") and "\n" not in said, f"the message is no line: {said}")
    held.clear()
    _go_on(_LARGE, folder / "out")
    return _GOES_ON


def killed_driver(chance: random.Random, folder: Path) -> str:
    """The program that gives out the batches and stores them."""
    environment = {**os.environ, "RAY_ADDRESS": cluster().address}
    process = subprocess.Popen(
        [*_COMMAND, str(folder / "out")],
        env=environment,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
    )
    over = _wait_for(chance.randrange(1, _MANY.total), folder / "out" / GAMES, process)
    os.killpg(process.pid, signal.SIGKILL)  # it is not waited for yet, so its number is its own
    process.wait()
    until = time.monotonic() + _LONGEST
    while (left := playing(_main_process(cluster().head_node))) and time.monotonic() < until:
        time.sleep(0.1)
    expect(not left, "its workers play on")
    _go_on(_MANY, folder / "out")
    return "over before" if over else _GOES_ON


def _wait_for(games: int, path: Path, process: subprocess.Popen[bytes]) -> bool:
    """Until so many are stored; whether the process has ended before."""
    until = time.monotonic() + _LONGEST
    while process.poll() is None:
        expect(time.monotonic() < until, "it stores nothing")
        if _count(path) >= games:
            return False
        time.sleep(0.02)
    return True


def _count(path: Path) -> int:
    """The games of a store, also of one that is just being made."""
    try:
        with _database(path) as file:
            return file.execute("SELECT count(*) FROM games").fetchone()[0]
    except sqlite3.Error:
        return 0


_CLUSTERS: tuple[tuple[str, int, str, Callable[[random.Random, Path], str]], ...] = (
    ("a Ray node is lost", 4, _GOES_ON, lost_node),
    ("kill -9 of a driver of Ray", 4, _GOES_ON, killed_driver),
    ("a full object store of Ray", 4, f"refused in one line, then {_GOES_ON}", full_store),
)
CLUSTERS = [Fault(name, expected, tries, inject) for name, tries, expected, inject in _CLUSTERS]
