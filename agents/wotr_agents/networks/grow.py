"""Enlarges a network without changing the function that it computes.

Units are copied, and their outgoing weights are divided unequally among the copies, so that the copies learn
to differ. Added layers are identities (T. Chen, I. Goodfellow, J. Shlens: Net2Net, 2016). Layer normalisation
requires the same number of copies of every unit.
"""

from __future__ import annotations

import dataclasses

import torch
from torch import nn

from wotr_agents.networks.config import NetworkConfig
from wotr_agents.networks.models import MlpNetwork
from wotr_agents.networks.playing_network import PlayingNetwork


def can_grow(small: NetworkConfig, large: NetworkConfig) -> bool:
    """Whether a network of one size can be enlarged to another.

    The larger network must have widths that are multiples of the smaller network's widths, at least as many
    layers, and otherwise the same settings.
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
    """Gives a larger network the same function as a smaller one, up to rounding.

    Random differences of the copies come from torch's global generator.

    Args:
        small: the trained network.
        large: a new network for the same game, of a size for which ``can_grow`` is true.

    Raises:
        ValueError: the small network cannot be enlarged to this size.
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
    """The weights of units along an axis, repeated."""
    return torch.cat([weights] * times, dim=axis)


def _shares(weights: torch.Tensor, times: int) -> torch.Tensor:
    """The weights of the inputs along the last axis, divided among the copies of each input."""
    parts = torch.rand(times, *weights.shape)
    return torch.cat(list(parts / parts.sum(dim=0) * weights), dim=-1)
