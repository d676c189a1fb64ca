"""The bot ``net``, which plays the policy of a network."""

from __future__ import annotations

import dataclasses

import numpy as np

from wotr_agents.networks.advice import with_advice
from wotr_agents.networks.files import read_network
from wotr_agents.networks.inference import Inference
from wotr_agents.networks.opening import open_network
from wotr_agents.ranges import check_at_least
from wotr_env.core.kind import GameKind
from wotr_env.play.bots import BotView, ranked
from wotr_env.play.games import DEFAULT_KIND, game_kind


@dataclasses.dataclass(frozen=True)
class NetParameters:
    """Parameters of the network bot."""

    path: str
    """Network: a file, a folder of ``wotr train`` (its best network is used), or ``zoo/NAME``."""
    temperature: float = 0.0
    """Temperature of the policy. 0 plays the most likely action, 1 draws actions with the network's
    probabilities."""

    def __post_init__(self) -> None:
        if not self.path:
            raise ValueError("give the file of a network, such as net:zoo/NAME")
        check_at_least(0, self, "temperature")


def game_of_network(name: str) -> str:
    """The name of the game that a network was trained for.

    Args:
        name: the network, as in ``NetParameters.path``.

    Raises:
        BotError: the network cannot be read.
    """
    return read_network(name).kind.name


class NetBot:
    """Plays the most likely action of a network, or draws actions with its probabilities.

    Args:
        parameters: see ``NetParameters``.
        seed: seed of the random choices, if the temperature is above 0.
        network: a network to use instead of the file in the parameters.
        kind: the game of ``network``.

    Raises:
        BotError: the network cannot be read.
    """

    def __init__(
        self,
        parameters: NetParameters,
        seed: int,
        network: Inference | None = None,
        kind: GameKind = DEFAULT_KIND,
    ) -> None:
        self._network = network or open_network(parameters.path)
        self._kind = kind if network else game_kind(game_of_network(parameters.path))
        self._temperature = parameters.temperature
        self._generator = np.random.default_rng(seed)

    def act(self, view: BotView) -> np.ndarray:
        """An action for each game: ``int64[B]``."""
        return self.chosen(self.log_probabilities(view))

    def chosen(self, log_probabilities: np.ndarray) -> np.ndarray:
        """Chooses an action for each game, ``int64[B]``, by the log-probabilities of the actions,
        ``float32[B, A]``."""
        if self._temperature > 0:
            noise = self._generator.gumbel(size=log_probabilities.shape)
            log_probabilities = log_probabilities / self._temperature + noise
        return log_probabilities.argmax(axis=1).astype(np.int64)

    def explain(self, view: BotView) -> list[list[tuple[int, float]]]:
        """For each game, the legal actions with their probabilities, the most likely first."""
        return ranked(np.exp(self.log_probabilities(view)), view.masks)

    def log_probabilities(self, view: BotView) -> np.ndarray:
        """The log-probabilities of the actions: ``float32[B, A]``, minus infinity for illegal
        actions."""
        inputs = view.observations
        if self._network.advice:
            # Advice is the same in all worlds, so it takes no random numbers from the choices.
            inputs = with_advice(
                inputs, view.worlds(1, np.random.default_rng(0))[:, 0], view.masks, self._kind
            )
        return self._network.log_probabilities(inputs, view.masks)
