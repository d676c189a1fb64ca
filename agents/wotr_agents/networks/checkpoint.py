"""Networks in files: safetensors with a description in its header, never pickle.

A file is refused if it was written for other rules, another observation or other actions, because a network
would then play on, but read everything wrong.
"""

from __future__ import annotations

import dataclasses
import json
import math
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import safetensors
import safetensors.torch
import torch

from wotr_agents.networks.config import NetworkConfig
from wotr_agents.networks.layout import SUFFIX, check_made_for, find_weights, made_for
from wotr_agents.networks.models import PlayingNetwork, least_weights, make_network
from wotr_env.bots import BotError
from wotr_env.games import DEFAULT_GAME, game_kind
from wotr_env.kind import GameKind
from wotr_env.war_of_the_ring import WAR_OF_THE_RING

ZOO = Path(__file__).parents[1] / "zoo"
"""The networks that come with the package: ``zoo/NAME`` names ``NAME.safetensors`` in it."""
_FORMAT = "wotr-network-2"


@dataclasses.dataclass(frozen=True)
class NetworkFile:
    """A network that was read, and what its file says about it."""

    network: PlayingNetwork
    kind: GameKind
    """The game that it plays."""
    config: NetworkConfig
    facts: Mapping[str, Any]
    """How it came about: decisions trained, configuration and so on."""


def network_header(
    config: NetworkConfig, facts: Mapping[str, Any], kind: GameKind = WAR_OF_THE_RING
) -> dict[str, str]:
    """What the header of a network's file says."""
    return {
        "format": _FORMAT,
        **made_for(kind),
        "network": json.dumps(dataclasses.asdict(config)),
        "facts": json.dumps(dict(facts)),
    }


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
    return safetensors.torch.save(tensors, network_header(config, facts, kind))


def find_network(name: str) -> Path:
    """The file that a bot's spec names: ``zoo/NAME``, or a path with or without its suffix.

    Raises:
        BotError: there is no such file.
    """
    return find_weights(name, "network", ZOO, ("best" + SUFFIX, "last" + SUFFIX))


def load_network(path: Path) -> NetworkFile:
    """Reads a network; in evaluation mode, on the CPU, in single precision.

    A file that names no game is of War of the Ring.

    Raises:
        BotError: the file cannot be read, is no network, or one for an unknown game, other rules or another
            layout, or a weight is not finite.
    """
    try:
        with safetensors.safe_open(path, framework="pt") as file:
            header = file.metadata() or {}
            if header.get("format") != _FORMAT:
                found = header.get("format")
                raise BotError(f"{path} is no network of this version (format {found!r}, not {_FORMAT!r})")
            kind = game_kind(header.get("game", DEFAULT_GAME))
            check_made_for(path, header, kind, ("rules_version", "layout"))
            config = NetworkConfig(**json.loads(header["network"]))
            names = file.keys()
            numbers = sum(math.prod(file.get_slice(name).get_shape()) for name in names)
            if numbers < least_weights(config, kind):  # before memory is asked for it
                raise BotError(f"{path} is no readable network: it is smaller than it says")
            weights = {name: file.get_tensor(name).float() for name in names}
        network = make_network(config, kind)
        network.load_state_dict(weights)
        if not all(bool(values.isfinite().all()) for values in weights.values()):
            raise BotError(f"{path} is no network to play with: some of its weights are not finite")
        facts = json.loads(header["facts"])
        if not isinstance(facts, dict):
            raise BotError(f"{path} is no readable network: its facts are no object")
    except BotError:
        raise
    except (OSError, ValueError, TypeError, KeyError, RuntimeError, safetensors.SafetensorError) as error:
        raise BotError(f"{path} is no readable network: {error}") from error
    return NetworkFile(network.eval().requires_grad_(False), kind, config, facts)
