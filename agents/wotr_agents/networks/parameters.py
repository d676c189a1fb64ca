"""Parameters of the bots with networks, and those bots once they are wanted: torch takes seconds to load."""

from __future__ import annotations

import dataclasses

from wotr_agents.ranges import check_above, check_at_least, check_within
from wotr_agents.search.guided_search import GuidedSettings
from wotr_env.bots import Bot


@dataclasses.dataclass(frozen=True)
class NetParameters:
    """Parameters of the network bot."""

    path: str
    """A file, a folder of ``wotr train`` (its best network), or ``zoo/NAME``."""
    temperature: float = 0.0
    """0: the likeliest action; 1: actions with the network's probabilities."""

    def __post_init__(self) -> None:
        if not self.path:
            raise ValueError("give the file of a network, such as net:zoo/NAME")
        check_at_least(0, self, "temperature")


@dataclasses.dataclass(frozen=True)
class SearchParameters:
    """Parameters of the search bot."""

    net: str
    """A file, a folder of ``wotr train`` (its best network), or ``zoo/NAME``."""
    sims: int = 200
    """Simulations per decision; with a time limit, at most."""
    worlds: int = 16
    """Worlds that the simulations are spread over."""
    time: float = 0.0
    """Seconds per decision; 0 for no limit. With a limit the choice depends on the machine's speed."""
    c: float = GuidedSettings.exploration
    """Exploration."""
    reduction: float = GuidedSettings.reduction
    """By how much an action not tried is worth less than the position, in chances to win."""
    temperature: float = GuidedSettings.temperature
    """Of the network's probabilities, which are the priors."""
    uniform: float = GuidedSettings.uniform
    """The part of the priors that is spread evenly over the legal actions."""
    batch: int = GuidedSettings.batch
    """Simulations of a game whose positions the network values together; fewer search better, but slower."""

    def __post_init__(self) -> None:
        if not self.net:
            raise ValueError("give the file of a network, such as search:zoo/NAME")
        check_at_least(1, self, "sims", "worlds", "batch")
        check_at_least(0, self, "time", "reduction")
        check_above(0, self, "c", "temperature")
        check_within(0, 1, self, "uniform")

    @property
    def settings(self) -> GuidedSettings:
        """For ``GuidedSearch``."""
        return GuidedSettings(
            exploration=self.c,
            reduction=self.reduction,
            temperature=self.temperature,
            uniform=self.uniform,
            batch=self.batch,
        )


def build_net(parameters: NetParameters, seed: int) -> Bot:
    """A ``NetBot``."""
    from wotr_agents.networks.bot import NetBot

    return NetBot(parameters, seed)


def build_search(parameters: SearchParameters, seed: int) -> Bot:
    """A ``SearchBot``."""
    from wotr_agents.search.guided_bot import SearchBot

    return SearchBot(parameters, seed)
