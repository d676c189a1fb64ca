"""Files of networks: safetensors with a description in the header, never pickle; read without torch.

A file for other rules, other observations or other actions is refused, because the network would misread
everything.
"""

from __future__ import annotations

import dataclasses
import functools
import json
import math
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import safetensors

from wotr_agents.networks.config import NetworkConfig
from wotr_agents.networks.weight_files import SUFFIX, check_made_for, find_weights, made_for, zoo_names
from wotr_env.core.kind import GameKind
from wotr_env.core.read_errors import reason
from wotr_env.play.bots import BotError
from wotr_env.play.games import DEFAULT_GAME, game_kind

ZOO = Path(__file__).parents[1] / "zoo"
"""The networks that come with the package: ``zoo/NAME`` names ``NAME.safetensors`` in it."""
FIXED_NAMES = {"zoo/first": "zoo/wide"}
"""Names that stay when a better network comes, and what they stand for now."""
_FORMAT = "wotr-network-2"
_LENGTH = 8
"""Number of bytes before the header of a safetensors file. They hold the length of the header, which is a
multiple of this number."""


@dataclasses.dataclass(frozen=True)
class NetworkFile:
    """The weights of a network, with the description of its file."""

    path: Path
    weights: Mapping[str, np.ndarray]
    """The weights by the names of torch's ``state_dict``: ``float32``, all finite."""
    kind: GameKind
    """The game of the network."""
    config: NetworkConfig
    facts: Mapping[str, Any]
    """Description of the training: number of decisions, configuration and so on."""


def network_header(config: NetworkConfig, facts: Mapping[str, Any], kind: GameKind) -> dict[str, str]:
    """The header of a network's file."""
    return {
        "format": _FORMAT,
        **made_for(kind),
        "network": json.dumps(dataclasses.asdict(config)),
        "facts": json.dumps(dict(facts)),
    }


def with_sorted_header(data: bytes) -> bytes:
    """A safetensors file with a sorted header, so that the same network gives the same bytes.

    The library writes the keys of ``__metadata__`` in arbitrary order.
    """
    length = int.from_bytes(data[:_LENGTH], "little")
    header = json.loads(data[_LENGTH : _LENGTH + length])
    header["__metadata__"] = dict(sorted(header["__metadata__"].items()))
    text = json.dumps(header, separators=(",", ":")).encode()
    text += b" " * (-len(text) % _LENGTH)  # as the library aligns the numbers behind it
    return len(text).to_bytes(_LENGTH, "little") + text + data[_LENGTH + length :]


def find_network(name: str) -> Path:
    """The file of a network given by ``zoo/NAME``, or by a path with or without its suffix.

    Raises:
        BotError: there is no such file.
    """
    return find_weights(FIXED_NAMES.get(name, name), "network", ZOO, ("best" + SUFFIX, "last" + SUFFIX))


@functools.cache
def zoo_of(game: str) -> tuple[str, ...]:
    """``zoo/NAME`` of each network of the package for a game; only the headers of the files are read."""
    found = []
    for name in zoo_names(ZOO):
        with safetensors.safe_open(find_network(name), framework="numpy") as file:
            if (file.metadata() or {}).get("game", DEFAULT_GAME) == game:
                found.append(name)
    return tuple(found)


def read_weights(path: Path) -> NetworkFile:
    """Reads the file of a network. A file without the name of a game is for War of the Ring.

    Raises:
        BotError: the file cannot be read, is not a network, is for an unknown game, other rules or another
            layout, or a weight is not finite.
    """
    try:
        with safetensors.safe_open(path, framework="numpy") as file:
            header = file.metadata() or {}
            if header.get("format") != _FORMAT:
                found = header.get("format")
                raise BotError(f"{path} is not a network of this version (format {found!r}, not {_FORMAT!r})")
            kind = game_kind(header.get("game", DEFAULT_GAME))
            check_made_for(path, header, kind, ("rules_version", "layout"))
            config = NetworkConfig(**json.loads(header["network"]))
            names = file.keys()
            numbers = sum(math.prod(file.get_slice(name).get_shape()) for name in names)
            if numbers < least_weights(config, kind):  # before memory is asked for it
                raise BotError(f"{path} cannot be read as a network: the file is truncated")
            weights = {name: file.get_tensor(name).astype(np.float32) for name in names}
        if config.kind == "mlp":
            _check_shapes(weights, mlp_shapes(config, kind))
        if not all(np.isfinite(values).all() for values in weights.values()):
            raise BotError(f"{path} cannot be used as a network: some of its weights are not finite")
        facts = json.loads(header["facts"])
        if not isinstance(facts, dict):
            raise BotError(f"{path} cannot be read as a network: its facts are not an object")
    except BotError:
        raise
    except (OSError, ValueError, TypeError, KeyError, RecursionError, safetensors.SafetensorError) as error:
        raise BotError(f"{path} cannot be read as a network: {reason(error)}") from error
    return NetworkFile(path, weights, kind, config, facts)


@functools.lru_cache(maxsize=8)
def _read(path: Path, _written: int) -> NetworkFile:
    return read_weights(path)


def read_network(name: str) -> NetworkFile:
    """Reads the file of a network, given by its name. The result is cached until the file changes.

    Raises:
        BotError: an error of ``find_network`` or ``read_weights``.
    """
    path = find_network(name)
    return _read(path, path.stat().st_mtime_ns)


def least_weights(config: NetworkConfig, kind: GameKind) -> int:
    """A lower bound of the number of weights of a network of this size; the true number is less than 20 times
    as large."""
    if config.kind == "mlp":
        return config.width * kind.layout.size + config.hidden * (
            config.width + config.hidden * (config.layers - 1)
        )
    return config.width * (config.layers * config.width + 3 * config.hidden)


def mlp_shapes(config: NetworkConfig, kind: GameKind) -> dict[str, tuple[int, ...]]:
    """The shapes of the weights of a network of the kind ``mlp``, by name."""
    width, hidden = config.width, config.hidden
    contexts, actions, ends = len(kind.layout.decision), kind.actions.size, len(kind.worths)
    inputs = kind.layout.size + (actions if config.advice else 0)
    shapes = {
        "first.weight": (inputs, width),
        "first.bias": (width,),
        "norm.weight": (width,),
        "norm.bias": (width,),
        "context_gain.weight": (contexts, hidden),
        "context_bias.weight": (contexts, actions),
        "policy_head.weight": (actions, hidden),
        "policy_head.bias": (actions,),
        "value_head.weight": (ends, hidden),
        "value_head.bias": (ends,),
    }
    for layer in range(config.layers):
        shapes[f"hidden.{layer}.weight"] = (hidden, width if layer == 0 else hidden)
        shapes[f"hidden.{layer}.bias"] = (hidden,)
    if config.advice:
        shapes["advice_weight.weight"] = (contexts, 1)
    return shapes


def _check_shapes(weights: Mapping[str, np.ndarray], wanted: Mapping[str, tuple[int, ...]]) -> None:
    if weights.keys() != wanted.keys():
        odd = sorted(weights.keys() ^ wanted.keys())
        raise ValueError(f"it has missing or unknown weights: {', '.join(odd)}")
    for name, shape in wanted.items():
        if weights[name].shape != shape:
            raise ValueError(f"{name} has the shape {weights[name].shape}, not {shape}")
