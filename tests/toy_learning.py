"""Networks that play toys, and what they do in every position."""

from __future__ import annotations

import numpy as np
import torch

from tests.toy_games import ToyGames
from wotr_agents.networks.config import NetworkConfig
from wotr_agents.networks.models import make_network
from wotr_agents.networks.playing_network import PlayingNetwork, legal_log_probabilities


def make_toy_network(games: ToyGames, width: int = 64, hidden: int = 64) -> PlayingNetwork:
    """A new network that can play a toy, its weights from torch's global generator."""
    return make_network(NetworkConfig(width=width, hidden=hidden), games.kind)


@torch.no_grad()
def network_policy(games: ToyGames, network: torch.nn.Module) -> np.ndarray:
    """The chances of a network's actions in every position of a toy: ``float64[S, A]``."""
    tables = games.tables
    scores, _ = network(torch.from_numpy(tables.all_observations))
    return legal_log_probabilities(scores, torch.from_numpy(tables.all_masks)).exp().double().numpy()


def greedy(policy: np.ndarray) -> np.ndarray:
    """The likeliest action of a policy in every position: ``float64[S, A]`` of zeros and ones."""
    return np.eye(policy.shape[1])[policy.argmax(axis=1)]
