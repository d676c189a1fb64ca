"""Opens networks from files for playing."""

from __future__ import annotations

import importlib.util

from wotr_agents.networks.files import read_network
from wotr_agents.networks.inference import Inference, MlpInference
from wotr_agents.networks.scales import input_scale
from wotr_env.play.bots import BotError
from wotr_env.play.plugins import how_to_install


def open_network(name: str) -> Inference:
    """Opens the network of a file for playing.

    Raises:
        BotError: an error of ``read_network``, or the network needs torch, which is not installed.
    """
    file = read_network(name)
    if file.config.kind == "mlp":
        kind, scale = file.kind, input_scale(file.kind, file.config.advice)
        return MlpInference(file.weights, file.config, scale, kind.layout.decision, kind.worths)
    if importlib.util.find_spec("torch") is None:
        raise BotError(f"{name} is an entity network and needs torch: {how_to_install('learn')}")
    from wotr_agents.networks.checkpoint import network_of
    from wotr_agents.networks.torch_inference import TorchInference

    return TorchInference(network_of(file).network)
