"""Networks of torch from and to the files of ``files.py``."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import safetensors.torch
import torch

from wotr_agents.networks.config import NetworkConfig
from wotr_agents.networks.files import NetworkFile, network_header, read_weights, with_sorted_header
from wotr_agents.networks.models import PlayingNetwork, make_network
from wotr_env.core.kind import GameKind
from wotr_env.core.read_errors import reason
from wotr_env.games.war_of_the_ring.game import WAR_OF_THE_RING
from wotr_env.play.bots import BotError


@dataclasses.dataclass(frozen=True)
class LoadedNetwork:
    """A network that was read, and what its file says about it."""

    network: PlayingNetwork
    """In evaluation mode, on the CPU, in single precision."""
    kind: GameKind
    """The game that it plays."""
    config: NetworkConfig
    facts: Mapping[str, Any]
    """How it came about: decisions trained, configuration and so on."""


def network_bytes(
    weights: Mapping[str, torch.Tensor],
    config: NetworkConfig,
    facts: Mapping[str, Any],
    dtype: torch.dtype = torch.float32,
    kind: GameKind = WAR_OF_THE_RING,
) -> bytes:
    """The file of a network.

    Args:
        weights: its ``state_dict``.
        config: its size.
        facts: anything worth keeping that JSON can hold.
        dtype: of the numbers; half precision makes the file half as large and plays the same.
        kind: the game that it plays.
    """
    tensors = {name: tensor.detach().to("cpu", dtype).contiguous() for name, tensor in weights.items()}
    return with_sorted_header(safetensors.torch.save(tensors, network_header(config, facts, kind)))


def load_network(path: Path) -> LoadedNetwork:
    """Reads a network.

    Raises:
        BotError: as ``read_weights``, or torch finds that the weights are not those of such a network.
    """
    return network_of(read_weights(path))


def network_of(file: NetworkFile) -> LoadedNetwork:
    """The network that a file's weights make.

    Raises:
        BotError: the weights are not those of such a network.
    """
    try:
        network = make_network(file.config, file.kind)
        network.load_state_dict({name: torch.from_numpy(values) for name, values in file.weights.items()})
    except (ValueError, RuntimeError) as error:
        raise BotError(f"{file.path} cannot be read as a network: {reason(error)}") from error
    return LoadedNetwork(network.eval().requires_grad_(False), file.kind, file.config, file.facts)
