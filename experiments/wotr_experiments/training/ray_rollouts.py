"""Training workers on a Ray cluster: the cluster of ``RAY_ADDRESS``, or a new one on this machine.

For each update a worker is a task: it receives the weights, its games and random streams, plays, and returns
the rollout with the new games and streams. It keeps no state, so if a node dies, Ray repeats the task on
another node with the same result. Every node needs the same version of this package.
"""

from __future__ import annotations

import contextlib
import functools
import secrets
from typing import NamedTuple

import numpy as np
import ray  # pyright: ignore[reportMissingImports] (an extra)
import ray.exceptions  # pyright: ignore[reportMissingImports] (an extra)
import safetensors.torch
import torch

from wotr_agents.networks.models import make_network
from wotr_agents.networks.playing_network import PlayingNetwork
from wotr_agents.networks.weight_files import layout_hash
from wotr_agents.policies import prepare_game
from wotr_experiments.arena.ray_engine import MOST_DEATHS, cancel, explained, first_done
from wotr_experiments.errors import CommandError
from wotr_experiments.isolation.bots import Isolation
from wotr_experiments.training.config import TrainConfig
from wotr_experiments.training.folder_copy import FolderCopy
from wotr_experiments.training.packing import pack, unpack
from wotr_experiments.training.rollouts import PhaseTimer, Rollout
from wotr_experiments.training.run_folder import EXPERT, past_name
from wotr_experiments.training.worker import SELF, RunProgress, Worker, empty_rollout

_CPU = torch.device("cpu")
_KEPT = "the same command continues from the last checkpoint"


class _Task(NamedTuple):
    """The work of a worker."""

    config: TrainConfig
    isolation: Isolation
    rules: tuple[int, str]
    """The version of the rules and the layout that the node must have."""
    run: str
    """A unique name of the run."""
    updates: int
    expert: bool
    past: list[tuple[str, ray.ObjectRef]]
    """Past networks by name."""
    expert_network: list[ray.ObjectRef]
    """The network of the expert ``net=self``, if there is one; otherwise empty."""


@ray.remote(num_cpus=1, max_retries=MOST_DEATHS)
def _play(task: _Task, number: int, weights: bytes, state: bytes) -> tuple[_Packed, bytes, _Seconds]:
    """Plays the games of a worker; returns its rollout, its state, and its times."""
    config = task.config
    if _rules_of(config) != task.rules:
        raise CommandError(
            "a node of the Ray cluster has other rules or another layout of observations; install the same "
            "version of this package there"
        )
    network, rollout = _room(config)
    network.load_state_dict(safetensors.torch.load(weights))
    with contextlib.closing(Worker(config, number, network, _CPU, rollout, task.isolation)) as worker:
        worker.restore(safetensors.torch.load(state))
        clock = worker.play(_moment(task))
        return pack(rollout), safetensors.torch.save(worker.state()), clock.seconds


_Packed = dict[str, np.ndarray]
_Seconds = dict[str, float]


@functools.lru_cache(maxsize=1)
def _room(config: TrainConfig) -> tuple[PlayingNetwork, Rollout]:
    """Memory that the tasks of a process use one after the other."""
    torch.set_num_threads(1)
    prepare_game(config.kind.name)
    network = make_network(config.network, config.kind)
    if config.ppo.critic:
        network.add_critic(config.kind, len(config.rules.seats))
    return network, empty_rollout(config, 1)


@functools.lru_cache(maxsize=1)
def _networks(_run: str) -> FolderCopy:
    """The networks of a run that bots in this process use."""
    return FolderCopy()


def _moment(task: _Task) -> RunProgress:
    """The ``RunProgress`` of a task; its networks are files of this machine."""
    folder = _networks(task.run)
    for name, reference in task.past:
        if not (folder.path / name).exists():
            folder.write_network(name, ray.get(reference))
    for reference in task.expert_network:
        folder.write_network(EXPERT, ray.get(reference))
    past = tuple(folder.path / name for name, _ in task.past)
    return RunProgress(task.updates, task.expert, past, folder.path / EXPERT)


def _rules_of(config: TrainConfig) -> tuple[int, str]:
    return config.kind.rules_version, layout_hash(config.kind)


class RayCluster:
    """A ``Cluster`` of Ray that has already been joined.

    Args:
        isolation: the settings for bots in separate processes.
    """

    def __init__(self, isolation: Isolation) -> None:
        self._isolation = isolation
        self._run = secrets.token_hex(8)
        self._past: dict[str, ray.ObjectRef] = {}

    def play(self, workers: list[Worker], network: PlayingNetwork, progress: RunProgress) -> list[PhaseTimer]:
        """See ``Cluster.play``.

        Raises:
            CommandError: workers died repeatedly, the cluster has no CPUs or no memory left, or a bot failed
                twice.
        """
        running: dict[ray.ObjectRef, Worker] = {}
        clocks = {}
        try:
            task = ray.put(self._task(workers[0].config, progress))
            weights = {name: value.cpu() for name, value in network.weights_to_play(critic=True).items()}
            shared = ray.put(safetensors.torch.save(weights))
            for worker in workers:
                state = safetensors.torch.save(worker.state())
                running[_play.remote(task, worker.number, shared, state)] = worker
            while running:
                done = first_done(list(running), _KEPT)
                packed, state, seconds = ray.get(done)
                worker = running.pop(done)
                unpack(packed, worker.rollout)
                worker.restore(safetensors.torch.load(state))
                clocks[worker.number] = PhaseTimer(seconds)
        except ray.exceptions.RayError as error:
            raise explained(error, _KEPT) from None
        finally:
            cancel(running)
        return [clocks[worker.number] for worker in workers]

    def _task(self, config: TrainConfig, progress: RunProgress) -> _Task:
        for path in progress.past:
            if path.stem not in self._past:
                self._past[path.stem] = ray.put(path.read_bytes())
        past = [(past_name(int(path.stem)), self._past[path.stem]) for path in progress.past]
        uses_self = progress.expert and SELF in config.expert
        own = [ray.put(progress.expert_network.read_bytes())] if uses_self else []
        rules = _rules_of(config)
        return _Task(config, self._isolation, rules, self._run, progress.updates, progress.expert, past, own)
