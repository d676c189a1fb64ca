"""Learners, rollouts and networks of tests."""

from __future__ import annotations

import contextlib

import torch

from wotr_agents.networks.config import NetworkConfig
from wotr_agents.networks.models import make_network
from wotr_env import VectorGame
from wotr_env.games.war_of_the_ring.game import WAR_OF_THE_RING
from wotr_experiments.training.config import PpoConfig
from wotr_experiments.training.ppo import Learner
from wotr_experiments.training.rollouts import PhaseTimer, Player, Rollout, collect, no_opponents

CPU = torch.device("cpu")
SMALL = (NetworkConfig(width=32, hidden=16), NetworkConfig("entity", width=16, hidden=8))


@contextlib.contextmanager
def one_torch_thread():
    """So that sums are made in the same order everywhere."""
    before = torch.get_num_threads()
    torch.set_num_threads(1)
    yield
    torch.set_num_threads(before)


def learner_of(network, seed=1, **changes):
    config = {"games": 8, "steps": 8, "workers": 1, "minibatch_size": 1024, "learning_rate": 3e-3} | changes
    return Learner(network, PpoConfig(**config), CPU, seed)


def room_for(games, steps, others=0):
    inputs, actions, ends = games.observations.shape[1], games.masks.shape[1], len(kind_of(games).ends)
    return Rollout.empty(steps, games.num_games, inputs, actions, ends, others)


def kind_of(games):
    return getattr(games, "kind", WAR_OF_THE_RING)


def rollout_of(games, network, steps, players=None, opponents=(), seed=1):
    others = 0 if network.critic is None else len(network.critic.others.scale)
    rollout = room_for(games, steps, others)
    players = no_opponents(games.num_games, len(kind_of(games).teams)) if players is None else players
    player = Player(network, CPU, seed)
    collect(games, player, rollout, players, list(opponents), PhaseTimer(), kind=kind_of(games))
    return rollout


def scattered_games(num_games=8, seed=5):
    """Games of War of the Ring at different points."""
    games = VectorGame(num_games, seed)
    games.random_steps(400)
    return games


def network_of(config, seed=0):
    torch.manual_seed(seed)
    return make_network(config)


def weights_of(network):
    return [parameter.detach().numpy().tobytes() for parameter in network.parameters()]
