"""The Ray engine: the same games as any other, also when workers and nodes die. Needs the extra ``ray``."""

from __future__ import annotations

import contextlib
import os
import signal
import socket
import sqlite3
import time

import pytest

from tests.tools.faults.table import run
from tests.waiting import eventually
from wotr_env import Ruleset
from wotr_experiments.arena.engines import WorkerPool
from wotr_experiments.arena.schedule import Tournament, batches
from wotr_experiments.arena.store import GAMES
from wotr_experiments.arena.tournament import TournamentObserver, run_tournament
from wotr_experiments.errors import CommandError
from wotr_experiments.isolation.bots import Isolation

ray = pytest.importorskip("ray")
pytestmark = pytest.mark.slow

from tests.ray_victims import victim, waiting_once  # noqa: E402 (needs ray)
from tests.tools.faults import clusters  # noqa: E402
from wotr_experiments.arena import ray_engine  # noqa: E402 (needs ray)

QUICK = Ruleset.first_edition(max_turns=3)
HERE = Isolation("none")


def rows(folder):
    with contextlib.closing(sqlite3.connect(folder / GAMES)) as file:
        return file.execute("SELECT * FROM games ORDER BY pairing, number").fetchall()


class Killing(TournamentObserver):
    """Kills a worker that waits for it when another has played a batch."""

    killed = 0

    def __init__(self, path):
        self.path = path

    def over(self, batch):
        if not self.killed:
            self.killed = victim(self.path)
            os.kill(self.killed, signal.SIGKILL)


@pytest.mark.skipif(not os.path.isdir("/proc/self"), reason="finds the workers in /proc")
def test_games_with_a_worker_killed_are_those_of_an_undisturbed_run(tmp_path, monkeypatch):
    tournament = Tournament(("random", "random"), 400, 7, QUICK, 20)
    monkeypatch.setattr(ray_engine, "_play", waiting_once(ray_engine, tmp_path / "victim"))
    watch = Killing(tmp_path / "victim")
    disturbed = run_tournament(tournament, tmp_path / "ray", WorkerPool("ray", 2, HERE), watch)
    assert watch.killed
    assert not os.path.exists(f"/proc/{watch.killed}")
    assert disturbed == run_tournament(tournament, tmp_path / "threads", WorkerPool("threads", 2, HERE))
    assert len(rows(tmp_path / "ray")) == 400
    assert rows(tmp_path / "ray") == rows(tmp_path / "threads")
    assert not ray.is_initialized()


@pytest.fixture(scope="module")
def cluster():
    yield clusters.cluster()
    clusters.end()


@pytest.mark.skipif(not os.path.isdir("/proc/self"), reason="finds the workers in /proc")
@pytest.mark.parametrize("fault", clusters.CLUSTERS, ids=lambda fault: fault.name)
def test_a_cluster_in_trouble_loses_nothing(cluster, fault):
    (row,) = run([fault._replace(tries=1)], seed=1)
    assert row.lost == []
    assert list(row.came) == ["goes on to the same bytes"]


def test_what_ray_tells_is_a_line_on_stderr(capsys):
    with contextlib.redirect_stdout(ray_engine._Messages()):
        print("\x1b[33m(raylet)\x1b[0m A node is lost.\nIts log:\n...")
    assert capsys.readouterr() == ("", "wotr: Ray: (raylet) A node is lost.\n")


def test_a_cluster_that_runs_is_used_and_left(cluster):
    tournament = Tournament(("random",) * 3, 8, 7, QUICK, 4)
    assert run_tournament(tournament, crew=WorkerPool("ray", 0, HERE)) == run_tournament(
        tournament, crew=WorkerPool("threads", 1, HERE)
    )
    assert ray.is_initialized()


def test_workers_that_die_again_and_again_end_the_tournament_in_one_line(cluster, tmp_path, monkeypatch):
    monkeypatch.setattr(ray_engine, "_play", ray.remote(num_cpus=1, max_retries=1)(die))
    tournament = Tournament(("random",) * 2, 2, 1, QUICK)
    with pytest.raises(CommandError, match="Ray: .*died.*; the stored games are kept") as caught:
        run_tournament(tournament, tmp_path / "out", WorkerPool("ray", 2, HERE))
    assert "\n" not in str(caught.value)


def die(*_arguments):
    os._exit(1)


def test_a_cluster_without_a_cpu_is_given_up(cluster, tmp_path, monkeypatch):
    monkeypatch.setattr(ray_engine, "_PATIENCE", 0.1)
    monkeypatch.setattr(ray_engine, "_MOST_ALONE", 0.3)
    monkeypatch.setattr(ray_engine, "_cpus", lambda: 0)
    sleeping = ray.remote(num_cpus=1)(sleep).remote(tmp_path / "sleeps")  # on the only node
    eventually((tmp_path / "sleeps").exists, "the task that sleeps")
    try:
        with pytest.raises(CommandError, match="no node of the cluster has a CPU any more; the games stored"):
            run_tournament(Tournament(("random",) * 2, 2, 7, QUICK), crew=WorkerPool("ray", 0, HERE))
    finally:
        ray.cancel(sleeping, force=True)


def sleep(path):
    path.touch()
    time.sleep(600)


def test_a_node_with_other_rules_is_refused():
    tournament = Tournament(("random",) * 2, 2, 7, QUICK)
    version, batch = tournament.kind.rules_version, next(batches(tournament))
    with pytest.raises(CommandError, match=f"has version {version} of the rules, not {version + 1}"):
        ray_engine._play._function(tournament, version + 1, batch, HERE)


def test_a_cluster_that_is_not_there_is_told_at_once(monkeypatch):
    with socket.create_server(("127.0.0.1", 0)) as server:
        address = f"127.0.0.1:{server.getsockname()[1]}"
    monkeypatch.setenv("RAY_ADDRESS", address)
    with pytest.raises(CommandError, match=f"Ray: there is no cluster at {address}: .*refused"):
        ray_engine._start(1)
