"""Networks without training, for tests of what plays with them."""

from __future__ import annotations

import contextlib
import dataclasses
from pathlib import Path

import torch

from wotr_agents.networks.checkpoint import network_bytes
from wotr_agents.networks.config import NetworkConfig
from wotr_agents.networks.models import make_network
from wotr_env.core.kind import GameKind
from wotr_env.games.war_of_the_ring.game import WAR_OF_THE_RING

SMALL = NetworkConfig(width=32, hidden=16)


def write_network(
    folder: Path, seed: int = 0, advice: bool = False, kind: GameKind = WAR_OF_THE_RING
) -> Path:
    """Writes a small network with random weights; returns its file."""
    config = dataclasses.replace(SMALL, advice=advice)
    with torch.random.fork_rng():
        torch.manual_seed(seed)
        weights = make_network(config, kind).state_dict()
    path = folder / f"small-{kind.name}-{seed}-{advice}.safetensors"
    path.write_bytes(network_bytes(weights, config, {}, kind=kind))
    return path


@contextlib.contextmanager
def torch_threads(number):
    before = torch.get_num_threads()
    torch.set_num_threads(number)
    try:
        yield
    finally:
        torch.set_num_threads(before)
