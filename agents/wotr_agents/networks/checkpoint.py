"""Reads and writes networks of torch, in the file format of ``files.py``."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import safetensors.torch
import torch

from wotr_agents.networks.config import NetworkConfig
from wotr_agents.networks.files import NetworkFile, network_header, read_weights, with_sorted_header
from wotr_agents.networks.models import make_network
from wotr_agents.networks.playing_network import PlayingNetwork
from wotr_env.core.kind import GameKind
from wotr_env.core.read_errors import reason
from wotr_env.play.bots import BotError
from wotr_env.play.games import DEFAULT_KIND


@dataclasses.dataclass(frozen=True)
class LoadedNetwork:
    """A loaded network, with the description of its file."""

    network: PlayingNetwork
    """The network, in evaluation mode, on the CPU, in single precision."""
    kind: GameKind
    """The game of the network."""
    config: NetworkConfig
    facts: Mapping[str, Any]
    """Description of the training: number of decisions, configuration and so on."""


def network_bytes(
    weights: Mapping[str, torch.Tensor],
    config: NetworkConfig,
    facts: Mapping[str, Any],
    dtype: torch.dtype = torch.float32,
    kind: GameKind = DEFAULT_KIND,
) -> bytes:
    """The file contents of a network.

    Args:
        weights: the ``state_dict`` of the network.
        config: the size of the network.
        facts: a description of the training that can be stored as JSON.
        dtype: the dtype of the numbers; half precision halves the file and does not change play.
        kind: the game.
    """
    tensors = {name: tensor.detach().to("cpu", dtype).contiguous() for name, tensor in weights.items()}
    return with_sorted_header(safetensors.torch.save(tensors, network_header(config, facts, kind)))


def load_network(path: Path) -> LoadedNetwork:
    """Reads a network.

    Raises:
        BotError: an error of ``read_weights``, or torch cannot load the weights.
    """
    return network_of(read_weights(path))


def network_of(file: NetworkFile) -> LoadedNetwork:
    """Makes the network from the weights of a file.

    Raises:
        BotError: the weights do not fit the configuration.
    """
    try:
        network = make_network(file.config, file.kind)
        network.load_state_dict({name: torch.from_numpy(values) for name, values in file.weights.items()})
    except (ValueError, RuntimeError) as error:
        raise BotError(f"{file.path} cannot be read as a network: {reason(error)}") from error
    return LoadedNetwork(network.eval().requires_grad_(False), file.kind, file.config, file.facts)
