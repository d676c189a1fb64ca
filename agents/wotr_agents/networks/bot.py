"""The bot that plays by a network."""

from __future__ import annotations

import functools
from pathlib import Path

import numpy as np
import torch

from wotr_agents.networks.advice import advised
from wotr_agents.networks.checkpoint import find_network, load_network
from wotr_agents.networks.models import PlayingNetwork, legal_log_probabilities
from wotr_agents.networks.parameters import NetParameters
from wotr_env.bots import BotError, BotView

_MOST = 4096
"""Observations that go through a network at once."""


@functools.lru_cache(maxsize=8)
def _read(path: Path, _written: int) -> PlayingNetwork:
    return load_network(path).network


def open_network(name: str) -> PlayingNetwork:
    """The network of a file, read once as long as the file does not change.

    Raises:
        BotError: as ``find_network`` and ``load_network``.
    """
    path = find_network(name)
    return _read(path, path.stat().st_mtime_ns)


class NetBot:
    """Plays what a network thinks best, or by its probabilities.

    Args:
        parameters: see there.
        seed: of the choices, if the temperature is above 0.
        network: used instead of the file that the parameters name.

    Raises:
        BotError: the network cannot be read.
    """

    def __init__(self, parameters: NetParameters, seed: int, network: PlayingNetwork | None = None) -> None:
        self.network = open_network(parameters.path) if network is None else network
        self._temperature = parameters.temperature
        self._generator = np.random.default_rng(seed)

    def act(self, view: BotView) -> np.ndarray:
        """An action for each game: ``int64[B]``."""
        chances = self._log_probabilities(view)
        if self._temperature > 0:
            chances = chances / self._temperature + self._generator.gumbel(size=chances.shape)
        return chances.argmax(axis=1).astype(np.int64)

    def explain(self, view: BotView) -> list[list[tuple[int, float]]]:
        """For each game its legal actions with their probabilities, the likeliest first."""
        found = []
        for row, mask in zip(np.exp(self._log_probabilities(view)), view.masks, strict=True):
            order = np.argsort(-row, kind="stable")
            found.append([(int(action), float(row[action])) for action in order if mask[action]])
        return found

    def _log_probabilities(self, view: BotView) -> np.ndarray:
        seen = view.observations
        if self.network.config.advice:
            # Advice is the same in all worlds, so it takes no random numbers from the choices.
            seen = advised(seen, view.worlds(1, np.random.default_rng(0))[:, 0], view.masks)
        observations = torch.from_numpy(np.ascontiguousarray(seen))
        masks = torch.from_numpy(np.ascontiguousarray(view.masks))
        with torch.inference_mode():
            rows = [
                legal_log_probabilities(self.network(some)[0], legal)
                for some, legal in zip(observations.split(_MOST), masks.split(_MOST), strict=True)
            ]
        if not rows:
            return np.zeros(view.masks.shape)
        chances = torch.cat(rows).numpy()
        if np.isnan(chances).any():
            raise BotError("the network's weights are not finite")
        return chances
