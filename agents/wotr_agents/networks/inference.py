"""A network as bots ask it: arrays in, arrays out; everything that needs torch in order to play."""

from __future__ import annotations

import functools
from pathlib import Path

import numpy as np
import torch

from wotr_agents.networks.advice import ADVISED_SIZE
from wotr_agents.networks.checkpoint import NetworkFile, find_network, load_network
from wotr_agents.networks.mlp import MlpWeights, fill_up
from wotr_agents.networks.models import MlpNetwork, PlayingNetwork, legal_log_probabilities, values_of
from wotr_env.actions import NUM_ACTIONS
from wotr_env.bots import BotError
from wotr_env.codes import Decision
from wotr_env.engine.layout import OBSERVATION_SIZE

_MOST = 4096
"""Observations that go through a network at once."""


class Inference:
    """What a network says of positions.

    Args:
        network: in evaluation mode, on the CPU.

    Attributes:
        advice: whether its inputs carry advice (``advice.py``).
    """

    def __init__(self, network: PlayingNetwork) -> None:
        self.advice = network.config.advice
        self._network = network

    @functools.cached_property
    def in_kernels(self) -> MlpWeights | None:
        """The weights for kernels; None if the network is none that they know, or of another game.

        Raises:
            BotError: they are not finite.
        """
        if not isinstance(self._network, MlpNetwork):
            return None
        weights = weights_of(self._network)
        inputs = ADVISED_SIZE if self.advice else OBSERVATION_SIZE
        if (len(weights.first), *weights.policy_bias.shape) != (inputs, len(Decision), NUM_ACTIONS):
            return None
        if not all(np.isfinite(each).all() for each in weights):
            raise BotError("the network's weights are not finite")
        return weights

    def log_probabilities(self, inputs: np.ndarray, masks: np.ndarray) -> np.ndarray:
        """Log-probabilities of the actions: ``float32[B, NUM_ACTIONS]``, minus infinity for illegal ones.

        Args:
            inputs: ``int8[B, I]``.
            masks: ``bool[B, NUM_ACTIONS]``, each row with a legal action.

        Raises:
            BotError: the network's weights are not finite.
        """
        some_inputs = torch.from_numpy(np.ascontiguousarray(inputs)).split(_MOST)
        some_masks = torch.from_numpy(np.ascontiguousarray(masks)).split(_MOST)
        with torch.inference_mode():
            rows = [
                legal_log_probabilities(self._network(some)[0], legal)
                for some, legal in zip(some_inputs, some_masks, strict=True)
            ]
        found = torch.cat(rows)
        if found.isnan().any():
            raise BotError("the network's weights are not finite")
        return found.numpy()

    def logits_and_values(self, inputs: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """The policy and the value of positions.

        Args:
            inputs: ``int8[B, I]``.

        Returns:
            Logits of all actions, ``float32[B, NUM_ACTIONS]``, and the chances that the Free Peoples win,
            half of draws included, ``float32[B]``.

        Raises:
            BotError: the network's weights are not finite.
        """
        with torch.inference_mode():
            logits, end_logits = self._network(torch.from_numpy(inputs))
            values = 0.5 + 0.5 * values_of(end_logits)
        if not (values.isfinite().all() and logits.isfinite().all()):
            raise BotError("the network's weights are not finite")
        return logits.numpy(), values.numpy()


def weights_of(network: MlpNetwork) -> MlpWeights:
    """A network's weights as kernels want them."""
    given = {name: tensor.detach().cpu().float().numpy() for name, tensor in network.state_dict().items()}
    layers = range(len(network.hidden))
    norm = np.stack([given["norm.weight"], given["norm.bias"], np.ones(network.config.width)])
    advice = given["advice_weight.weight"][:, 0] if network.config.advice else np.zeros(0)
    return MlpWeights(
        first=fill_up(given["first.weight"] * network.first.scale.cpu().numpy()[:, None]),
        first_bias=fill_up(given["first.bias"]),
        norm=fill_up(norm),
        hidden=np.concatenate([fill_up(given[f"hidden.{layer}.weight"].T, rows=True) for layer in layers]),
        hidden_bias=fill_up(np.stack([given[f"hidden.{layer}.bias"] for layer in layers])),
        gain=fill_up(given["context_gain.weight"]),
        policy=fill_up(given["policy_head.weight"]),
        policy_bias=given["context_bias.weight"] + given["policy_head.bias"],
        advice=np.ascontiguousarray(advice, dtype=np.float32),
        ends=fill_up(given["value_head.weight"]),
        end_bias=given["value_head.bias"],
        worth=0.5 + 0.5 * network.worths[:, 0],
        width=network.config.width,
    )


@functools.lru_cache(maxsize=8)
def _read(path: Path, _written: int) -> NetworkFile:
    return load_network(path)


def read_network(name: str) -> NetworkFile:
    """A network and what its file says, read once as long as the file does not change.

    Raises:
        BotError: as ``find_network`` and ``load_network``.
    """
    path = find_network(name)
    return _read(path, path.stat().st_mtime_ns)


def open_network(name: str) -> Inference:
    """The network of a file, for playing.

    Raises:
        BotError: as ``read_network``.
    """
    return Inference(read_network(name).network)
