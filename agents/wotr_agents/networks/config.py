"""The configuration of a network; separate from the networks, so that it can be read without torch."""

from __future__ import annotations

import dataclasses

from wotr_agents.ranges import check_within

KINDS = ("mlp", "entity")


@dataclasses.dataclass(frozen=True)
class NetworkConfig:
    """The size of a network.

    Raises:
        ValueError: the kind is unknown or a size is out of range.
    """

    kind: str = "mlp"
    """Kind of network: ``mlp`` (for CPUs) or ``entity`` (for GPUs)."""
    width: int = 256
    """Width of the first layer; in an ``entity`` network, of every entity."""
    hidden: int = 128
    """Width of the layers after the first."""
    layers: int = 1
    """Number of layers after the first; in an ``entity`` network, rounds of messages between
    entities."""
    advice: bool = False
    """Whether the scripted policy's scores of the legal actions are an additional input."""

    def __post_init__(self) -> None:
        if self.kind not in KINDS:
            raise ValueError(f"unknown kind of network {self.kind!r}; known: {', '.join(KINDS)}")
        check_within(1, 4096, self, "width", "hidden", "layers")
