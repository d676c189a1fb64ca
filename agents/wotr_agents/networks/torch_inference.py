"""Inference for bots with networks of torch."""

from __future__ import annotations

import numpy as np
import torch

from wotr_agents.networks.inference import MOST, Inference, MlpInference
from wotr_agents.networks.models import MlpNetwork
from wotr_agents.networks.playing_network import PlayingNetwork, legal_log_probabilities, values_of
from wotr_env.play.bots import BotError


def inference_of(network: PlayingNetwork) -> Inference:
    """Returns an inference with the present weights of a network.

    Args:
        network: a network in evaluation mode.

    Raises:
        BotError: a weight is not finite.
    """
    if not isinstance(network, MlpNetwork):
        return TorchInference(network)
    weights = {name: values.detach().cpu().float().numpy() for name, values in network.state_dict().items()}
    if not all(np.isfinite(values).all() for values in weights.values()):
        raise BotError("the network's weights are not finite")
    scale = network.first.scale.cpu().numpy()
    return MlpInference(weights, network.config, scale, network.contexts, network.worths)


class TorchInference:
    """An ``Inference`` with torch.

    Args:
        network: a network in evaluation mode, on the CPU.

    Attributes:
        advice: whether the inputs include advice.
    """

    in_kernels = None

    def __init__(self, network: PlayingNetwork) -> None:
        self.advice = network.config.advice
        self._network = network

    def log_probabilities(self, inputs: np.ndarray, masks: np.ndarray) -> np.ndarray:
        """See ``Inference.log_probabilities``."""
        some_inputs = torch.from_numpy(np.ascontiguousarray(inputs)).split(MOST)
        some_masks = torch.from_numpy(np.ascontiguousarray(masks)).split(MOST)
        with torch.inference_mode():
            rows = [
                legal_log_probabilities(self._network(some)[0], legal)
                for some, legal in zip(some_inputs, some_masks, strict=True)
            ]
        found = torch.cat(rows)
        if found.isnan().any():
            raise BotError("the network's weights are not finite")
        return found.numpy()

    def log_probabilities_and_values(
        self, inputs: np.ndarray, masks: np.ndarray
    ) -> tuple[np.ndarray, np.ndarray]:
        """See ``Inference.log_probabilities_and_values``."""
        logits, values = self._evaluated(inputs, self._network.worths)
        return legal_log_probabilities(torch.from_numpy(logits), torch.from_numpy(masks)).numpy(), values

    def logits_and_values(self, inputs: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """See ``Inference.logits_and_values``."""
        return self._evaluated(inputs, self._network.worths[:, 0])

    def values(self, inputs: np.ndarray) -> np.ndarray:
        """See ``Inference.values``."""
        return self._evaluated(inputs, self._network.worths)[1]

    def _evaluated(self, inputs: np.ndarray, worths: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """The logits of all actions, and winning chances for ``worths`` as in ``values_of``."""
        with torch.inference_mode():
            logits, end_logits = self._network(torch.from_numpy(inputs))
            chances = 0.5 + 0.5 * values_of(end_logits, worths)
        if not (chances.isfinite().all() and logits.isfinite().all()):
            raise BotError("the network's weights are not finite")
        return logits.numpy(), chances.numpy()
