"""Networks without training and decisions for them, for tests of networks and of what plays with them."""

from __future__ import annotations

import contextlib
import dataclasses
from pathlib import Path

import numpy as np
import torch

from tests.random_play import positions
from wotr_agents.networks.checkpoint import network_bytes
from wotr_agents.networks.config import NetworkConfig
from wotr_agents.networks.models import make_network
from wotr_env.core.kind import GameKind
from wotr_env.games.war_of_the_ring.codes import Winner
from wotr_env.games.war_of_the_ring.engine import kernel
from wotr_env.games.war_of_the_ring.game import WAR_OF_THE_RING
from wotr_env.games.war_of_the_ring.observation import observe

SMALL = NetworkConfig(width=32, hidden=16)
ENTITY = NetworkConfig("entity", width=16, hidden=8)
ADVISED = dataclasses.replace(SMALL, advice=True)
MLPS = (SMALL, NetworkConfig(width=7, hidden=5, layers=3), ADVISED)
SIZES = (*MLPS, ENTITY, dataclasses.replace(ENTITY, layers=2, advice=True))


def network_of(config, seed=0, kind=WAR_OF_THE_RING):
    torch.manual_seed(seed)
    network = make_network(config, kind)
    torch.nn.init.normal_(network.context_bias.weight, std=0.3)  # zeros would hide mistakes
    return network


def decisions_of(number, *names):
    """Observations ``int8[B, OBSERVATION_SIZE]`` and masks of at most this many decisions of many kinds."""
    states = np.concatenate([positions(name) for name in names])
    states = states[states["winner"] == Winner.NONE].copy()
    states = states[np.random.default_rng(1).permutation(len(states))[:number]].copy()
    masks = np.zeros((len(states), WAR_OF_THE_RING.actions.size), dtype=np.bool_)
    kernel.refresh(states, masks)
    return torch.from_numpy(observe(states, states["seat"].copy())), torch.from_numpy(masks)


def inputs_for(config, decisions):
    """The observations, with made up advice behind them if a network of that size wants it."""
    observations, masks = decisions
    if not config.advice:
        return observations
    generator = torch.Generator().manual_seed(4)
    advice = torch.randint(-127, 1, masks.shape, generator=generator, dtype=torch.int8) * masks
    return torch.cat([observations, advice], dim=1)


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
