"""Training whose workers are on a Ray cluster: the same bytes as without. Needs the extra ``ray``."""

from __future__ import annotations

import dataclasses
import os
import signal
import threading

import pytest

from tests.tiny_training import CPU, TINY, check_same, config_of, train_tiny
from wotr_experiments.cli import main as cli
from wotr_experiments.errors import CommandError
from wotr_experiments.isolation.bots import Isolation
from wotr_experiments.training.training import open_run
from wotr_experiments.training.worker import RunProgress

ray = pytest.importorskip("ray")
pytestmark = [pytest.mark.slow, pytest.mark.usefixtures("short")]

from tests.ray_victims import victim, waiting_once  # noqa: E402 (needs ray)
from wotr_experiments.arena.ray_engine import joined  # noqa: E402 (needs ray)
from wotr_experiments.training import ray_rollouts  # noqa: E402
from wotr_experiments.training.ray_rollouts import RayCluster  # noqa: E402


@pytest.fixture(scope="module")
def cluster():
    with joined(2):
        yield


def train_on_ray(folder, config):
    with open_run(folder, config, CPU, cluster=RayCluster(Isolation("none"))) as run:
        list(run.run())


@pytest.mark.skipif(not os.path.isdir("/proc/self"), reason="finds the workers in /proc")
def test_a_run_with_a_worker_killed_has_the_bytes_of_one_in_threads(cluster, tmp_path, monkeypatch):
    """Against opponents and the past; with an expert first, by a network of the run."""
    config = dataclasses.replace(TINY, expert="search:net=self,sims=2", expert_decisions=8 * 16)
    killed = []

    def kill():
        killed.append(victim(tmp_path / "victim"))
        os.kill(killed[0], signal.SIGKILL)

    monkeypatch.setattr(ray_rollouts, "_play", waiting_once(ray_rollouts, tmp_path / "victim"))
    killer = threading.Thread(target=kill)
    killer.start()
    train_on_ray(tmp_path / "ray", config)
    killer.join()
    assert not os.path.exists(f"/proc/{killed[0]}")
    train_tiny(tmp_path / "threads", config)
    check_same(tmp_path / "ray", tmp_path / "threads")


def test_a_critic_learns_on_a_cluster_as_in_threads(cluster, tmp_path):
    ppo = dataclasses.replace(TINY.ppo, critic=True, foresees=("corruption",))
    config = dataclasses.replace(TINY, ppo=ppo, expert="", expert_decisions=0)
    train_on_ray(tmp_path / "ray", config)
    train_tiny(tmp_path / "threads", config)
    check_same(tmp_path / "ray", tmp_path / "threads")


def test_the_command_trains_on_a_cluster(cluster, tmp_path, capsys):
    sizes = "--width 16 --hidden 8 --games 8 --steps 8 --workers 2 --minibatch-size 32 --decisions 128"
    options = [*sizes.split(), "--evaluate-games", "2", "--advice", "--device", "cpu"]
    assert cli.main(["train", str(tmp_path / "ray"), *options, "--engine", "ray"]) == 0
    assert "wotr: trained" in capsys.readouterr().err
    assert cli.main(["train", str(tmp_path / "threads"), *options]) == 0
    check_same(tmp_path / "ray", tmp_path / "threads")


def die(*_arguments):
    os._exit(1)


def test_workers_that_die_again_and_again_end_the_training_in_one_line(cluster, tmp_path, monkeypatch):
    monkeypatch.setattr(ray_rollouts, "_play", ray.remote(num_cpus=1, max_retries=1)(die))
    with pytest.raises(CommandError, match="Ray: .*died.*; the same command continues from") as caught:
        train_on_ray(tmp_path / "run", config_of(2))
    assert "\n" not in str(caught.value)


def test_a_node_with_other_rules_is_refused(cluster, tmp_path):
    play = RayCluster(Isolation("none"))
    task = play._task(TINY, RunProgress(0, False, (), tmp_path))
    with pytest.raises(CommandError, match="a node of the Ray cluster has other rules"):
        ray_rollouts._play._function(task._replace(rules=(0, "")), 0, b"", b"")
