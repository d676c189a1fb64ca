"""Rollouts and learning on a device that is not the CPU: torch's lazy one, which computes on any machine.

It refuses to mix its tensors with those of the CPU, as a GPU does. What it lacks is left out: mixed
precision, which is tried on the CPU, and views by ``unbind``, so that a plainer optimiser stands in for the
sharded one.
"""

from __future__ import annotations

import contextlib
import copy

import numpy as np
import pytest
import torch
from torch.overrides import TorchFunctionMode

from wotr_agents.networks.config import NetworkConfig
from wotr_agents.networks.models import MlpNetwork, make_network
from wotr_agents.networks.playing_network import PlayingNetwork
from wotr_agents.networks.sparse import SparseLinear
from wotr_env import VectorGame
from wotr_env.games.war_of_the_ring.game import WAR_OF_THE_RING
from wotr_experiments.training import ppo, rollouts
from wotr_experiments.training.config import PpoConfig
from wotr_experiments.training.ppo import Learner
from wotr_experiments.training.rollouts import PhaseTimer, Player, Rollout, collect, no_opponents
from wotr_experiments.training.tensors import HostTensors

pytestmark = pytest.mark.slow

CPU, LAZY = torch.device("cpu"), torch.device("lazy")
GAMES, STEPS = 8, 12
CONFIG = PpoConfig(games=GAMES, steps=STEPS, workers=1, minibatch_size=64, learning_rate=1e-2)
NETWORKS = (NetworkConfig(width=32, hidden=16), NetworkConfig("entity", width=16, hidden=8))


class PlainSteps:
    """Goes down the gradient; what the learner needs of its optimiser."""

    def __init__(self, network, *_others):
        self.weights = list(network.parameters())
        self.gradients = [[torch.zeros_like(weights) for weights in self.weights]]

    def step(self, learning_rate, *_others):
        with torch.no_grad():
            for weights, gradient in zip(self.weights, self.gradients[0], strict=True):
                weights.sub_(gradient * learning_rate)
        return float(torch.stack([gradient.square().sum() for gradient in self.gradients[0]]).sum())


class OneByOne:
    """A pool of no threads."""

    def map(self, work, *given):
        return [work(*each) for each in zip(*given, strict=True)]


class LazyGames(HostTensors):
    """Games whose tensors are those of the other device."""

    observations = property(lambda games: HostTensors.observations.fget(games).to(LAZY))
    masks = property(lambda games: HostTensors.masks.fget(games).to(LAZY))
    seats = property(lambda games: HostTensors.seats.fget(games).to(LAZY))

    def step(self, actions):
        return super().step(actions.cpu()).to(LAZY)

    def ask(self, player, rows):
        return player.sample(self.observations.index_select(0, rows), self.masks.index_select(0, rows))[0]


class HereGames(HostTensors):
    """Games whose opponents are networks, too."""

    def ask(self, player, rows):
        return player.sample(self.observations[rows], self.masks[rows])[0]


class ToThisMachine(TorchFunctionMode):
    """Counts the numbers that leave the other device."""

    count = 0

    def __torch_function__(self, func, types, args=(), kwargs=None):
        found = func(*args, **(kwargs or {}))
        given = [each for each in args if isinstance(each, torch.Tensor)]
        if any(each.device.type == "lazy" for each in given):
            if isinstance(found, torch.Tensor) and found.device.type == "cpu":
                self.count += found.numel()
            elif isinstance(found, (int, float, bool)) and func is not torch.Tensor.__len__:
                self.count += 1
            elif isinstance(found, (list, np.ndarray)) and func is torch.Tensor.tolist:
                self.count += given[0].numel()
        return found


@pytest.fixture(scope="module", autouse=True)
def lazy():
    """The other device."""
    import torch._lazy.ts_backend

    with contextlib.suppress(RuntimeError):  # it has been made before
        torch._lazy.ts_backend.init()


@pytest.fixture(autouse=True)
def without_what_it_lacks(monkeypatch):
    for module in (ppo, rollouts):
        monkeypatch.setattr(module, "autocast", lambda _device: contextlib.nullcontext())
    monkeypatch.setattr(ppo, "ShardedAdam", PlainSteps)


def scattered_games():
    games = VectorGame(GAMES, 5)
    games.random_steps(400)
    return games


def network_of(config, seed=0):
    torch.manual_seed(seed)
    return make_network(config)


def empty(device):
    kind = WAR_OF_THE_RING
    return Rollout.empty(STEPS, GAMES, kind.layout.size, kind.actions.size, len(kind.ends), device=device)


def learner_on(device, network):
    learner = Learner(copy.deepcopy(network), CONFIG, device, 3)
    learner._pool = OneByOne()
    return learner


@pytest.mark.parametrize("config", NETWORKS, ids=lambda config: config.kind)
def test_an_update_learns_the_same_from_what_stays_there(config):
    network = network_of(config)
    here = empty(CPU)
    collect(scattered_games(), Player(network, CPU, 1), here, no_opponents(GAMES), [], PhaseTimer())
    here.labels[:] = here.masks.int().argmax(dim=2)
    there = Rollout(**{name: values.to(LAZY) for name, values in vars(here).items()})
    learners = [learner_on(device, network) for device in (CPU, LAZY)]
    for learn in (Learner.update, Learner.imitate) if config.kind == "mlp" else (Learner.update,):
        with ToThisMachine() as moved:
            theirs = learn(learners[1], there, 0.25)
        assert 0 < moved.count < 50
        ours = learn(learners[0], here, 0.25)
        assert theirs == pytest.approx(ours, rel=1e-3, abs=1e-5)
    for one, other in zip(learners[0].network.parameters(), learners[1].network.parameters(), strict=True):
        torch.testing.assert_close(one, other.cpu(), atol=1e-5, rtol=1e-4)


@pytest.mark.parametrize("config", NETWORKS, ids=lambda config: config.kind)
def test_a_rollout_stays_there(config, monkeypatch):
    network, past = network_of(config), network_of(config, seed=1)
    players = no_opponents(GAMES)
    players[5:, 1] = 0
    found = []
    for device in (CPU, LAZY):
        monkeypatch.setattr(rollouts, "tensors_of", LazyGames if device == LAZY else HereGames)
        rollout = empty(device)
        player, opponent = (Player(copy.deepcopy(each).to(device), device, 1) for each in (network, past))
        collect(scattered_games(), player, rollout, players, [opponent], PhaseTimer())
        found.append(rollout)
    here, there = found
    for name, values in vars(here).items():
        other = getattr(there, name)
        assert other.device.type == "lazy", name
        if values.is_floating_point():
            torch.testing.assert_close(values, other.cpu(), atol=1e-4, rtol=1e-4)
        else:
            assert torch.equal(values, other.cpu()), name
    assert not here.learned.all()


def test_a_network_there_plays_and_learns_from_games_here():
    """What is done where a GPU cannot play the games."""
    network, found = network_of(NETWORKS[0]), []
    for device in (CPU, LAZY):
        learner, rollout = learner_on(device, network), empty(CPU)
        player = Player(learner.network, device, 1)
        collect(scattered_games(), player, rollout, no_opponents(GAMES), [], PhaseTimer())
        found.append((rollout, learner.update(rollout, 0.25)))
    (here, ours), (there, theirs) = found
    assert theirs == pytest.approx(ours, rel=1e-3, abs=1e-5)
    assert torch.equal(there.actions, here.actions) and there.device == CPU


@pytest.mark.parametrize("config", NETWORKS, ids=lambda config: config.kind)
def test_mixed_precision_changes_little(config, monkeypatch):
    """The products of a GPU, in the precision that it has them in, on the CPU."""
    if config.kind == "mlp":
        for name in ("sample", "evaluate_actions", "follower"):
            monkeypatch.setattr(MlpNetwork, name, getattr(PlayingNetwork, name))
        monkeypatch.setattr(SparseLinear, "forward", SparseLinear.dense)
    network = network_of(config)
    whole, mixed = empty(CPU), empty(CPU)
    collect(scattered_games(), Player(network, CPU, 1), whole, no_opponents(GAMES), [], PhaseTimer())
    for module in (ppo, rollouts):
        monkeypatch.setattr(module, "autocast", lambda _device: torch.autocast("cpu", torch.bfloat16))
    collect(scattered_games(), Player(network, CPU, 1), mixed, no_opponents(GAMES), [], PhaseTimer())
    assert torch.equal(mixed.observations[0], whole.observations[0])
    assert not torch.equal(mixed.end_probabilities, whole.end_probabilities)
    torch.testing.assert_close(mixed.end_probabilities[0], whole.end_probabilities[0], atol=0.02, rtol=0)
    means = learner_on(CPU, network).update(mixed, 0.0)
    assert 0 <= means["approx_kl"] < 1e-3 and means["gradient_norm"] > 0
