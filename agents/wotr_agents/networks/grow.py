"""Larger networks that play as a smaller one did, for one that has turned out too small.

Units are copied and what is heard of them is divided among the copies, unequally, so that these learn to
differ; layers are added that hand on what they get (T. Chen, I. Goodfellow, J. Shlens: Net2Net, 2016). Layer
normalisation asks for the same number of copies of every unit.
"""

from __future__ import annotations

import dataclasses

import torch
from torch import nn

from wotr_agents.networks.config import NetworkConfig
from wotr_agents.networks.models import MlpNetwork, PlayingNetwork


def can_grow(small: NetworkConfig, large: NetworkConfig) -> bool:
    """Whether a network of the one size can become one of the other.

    Its widths are multiples, it has no fewer layers, and the rest is equal.
    """
    sizes = {name: getattr(small, name) for name in ("width", "hidden", "layers")}
    return (
        small.kind == "mlp"
        and dataclasses.replace(large, **sizes) == small
        and large.width % small.width == 0
        and large.hidden % small.hidden == 0
        and large.layers >= small.layers
    )


def grow(small: PlayingNetwork, large: PlayingNetwork) -> None:
    """Makes a network play as a smaller one does, up to rounding.

    How the copies are told apart comes from torch's global generator.

    Args:
        small: the network that has learned.
        large: a new one for the same game, of a size that it can grow to.

    Raises:
        ValueError: it cannot grow to that size.
    """
    if not (
        isinstance(small, MlpNetwork)
        and isinstance(large, MlpNetwork)
        and can_grow(small.config, large.config)
    ):
        raise ValueError(f"a network of {small.config} cannot grow to {large.config}")
    wider = large.config.width // small.config.width
    deeper = large.config.hidden // small.config.hidden
    with torch.no_grad():
        large.first.weight.copy_(_copies(small.first.weight, wider, 1))
        large.first.bias.copy_(_copies(small.first.bias, wider, 0))
        large.norm.weight.copy_(_copies(small.norm.weight, wider, 0))
        large.norm.bias.copy_(_copies(small.norm.bias, wider, 0))
        heard = wider
        layers, larger = _layers(small), _layers(large)
        for old, new in zip(layers, larger, strict=False):
            new.weight.copy_(_copies(_shares(old.weight, heard), deeper, 0))
            new.bias.copy_(_copies(old.bias, deeper, 0))
            heard = deeper
        for new in larger[len(layers) :]:
            nn.init.eye_(new.weight)
            nn.init.zeros_(new.bias)
        large.context_gain.weight.copy_(_copies(small.context_gain.weight, deeper, 1))
        large.context_bias.load_state_dict(small.context_bias.state_dict())
        for old, new in ((small.policy_head, large.policy_head), (small.value_head, large.value_head)):
            new.weight.copy_(_shares(old.weight, deeper))
            new.bias.copy_(old.bias)
        if small.advice_weight is not None and large.advice_weight is not None:
            large.advice_weight.load_state_dict(small.advice_weight.state_dict())


def _layers(network: MlpNetwork) -> list[nn.Linear]:
    return [layer for layer in network.hidden if isinstance(layer, nn.Linear)]


def _copies(weights: torch.Tensor, times: int, axis: int) -> torch.Tensor:
    """The weights of units along an axis, all of them so many times."""
    return torch.cat([weights] * times, dim=axis)


def _shares(weights: torch.Tensor, times: int) -> torch.Tensor:
    """The weights by which inputs along the last axis are heard, divided among so many copies of each."""
    parts = torch.rand(times, *weights.shape)
    return torch.cat(list(parts / parts.sum(dim=0) * weights), dim=-1)
