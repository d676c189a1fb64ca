"""A critic: predicts the winning chance after each action from the information of all seats; training only.

The critic is a head of a playing network. Its inputs are the layer from which the ends are predicted, and the
parts of the observations of the *other* seats that only their owners see, such as their cards. Play never
uses the critic, so the policy depends only on information of the deciding seat (asymmetric actor-critic, L.
Pinto et al., 2017).
"""

from __future__ import annotations

import functools

import numpy as np
import torch
from torch import nn
from torch.nn import functional

from wotr_agents.networks.scales import input_scale
from wotr_agents.networks.sparse import SparseLinear
from wotr_env.core.kind import GameKind


class Critic(nn.Module):
    """The logits of the winning chances of the deciding seat's team after each of A actions.

    Args:
        body: the width of the layer that the critic reads.
        contexts: C, the number of kinds of decisions.
        actions: A.
        scale: ``float32[K]``, the scale of each input from the other seats.
    """

    def __init__(self, body: int, contexts: int, actions: int, scale: torch.Tensor) -> None:
        super().__init__()
        self.own = nn.Linear(body, body)
        self.others = SparseLinear(scale, body)
        self.norm = nn.LayerNorm(body)
        self.context_gain = nn.Embedding(contexts, body)
        self.context_bias = nn.Embedding(contexts, actions)
        self.head = nn.Linear(body, actions)
        nn.init.ones_(self.context_gain.weight)
        nn.init.zeros_(self.context_bias.weight)
        nn.init.normal_(self.head.weight, std=0.01)
        nn.init.zeros_(self.head.bias)

    def logits(self, body: torch.Tensor, contexts: torch.Tensor, others: torch.Tensor) -> torch.Tensor:
        """The logits of all actions, legal or not.

        Args:
            body: ``float32[B, body]``.
            contexts: ``int64[B]``: the kinds of the decisions.
            others: ``int8[B, K]``: the inputs from the other seats (``seen_by_others``).

        Returns:
            ``float32[B, A]``.
        """
        return self.head(self._seen(body, contexts, others)) + self.context_bias(contexts)

    def logits_of(
        self, body: torch.Tensor, contexts: torch.Tensor, others: torch.Tensor, actions: torch.Tensor
    ) -> torch.Tensor:
        """The logit of one action of each decision, ``float32[B]``; ``actions`` are ``int64[B]``."""
        weights = functional.embedding(actions, self.head.weight)
        found = (self._seen(body, contexts, others) * weights).sum(dim=1) + self.head.bias[actions]
        return found + self.context_bias.weight[contexts, actions]

    def _seen(self, body: torch.Tensor, contexts: torch.Tensor, others: torch.Tensor) -> torch.Tensor:
        x = functional.relu(self.norm(self.own(body) + self.others(others)))
        return x * self.context_gain(contexts)


@functools.cache
def columns_of_owners(kind: GameKind) -> np.ndarray:
    """The places of an observation that only its own seat sees, in every decision: ``int64[P]``."""
    places = kind.layout.named(np.arange(kind.layout.size))
    owned = [places[field.name].ravel() for field in kind.layout.fields if field.visible_to == "owner"]
    return np.concatenate([np.zeros(0, dtype=np.int64), *owned])


def scale_of_others(kind: GameKind, seats: int) -> np.ndarray:
    """The scale of each number that only the other seats of S see: ``float32[K]``, K = (S - 1) * P."""
    return np.tile(input_scale(kind)[columns_of_owners(kind)], seats - 1)


def seen_by_others(kind: GameKind, states: np.ndarray, seats: np.ndarray, number: int) -> np.ndarray:
    """The parts of the observations that only the other seats see, beginning with the next seat: ``int8[N,
    K]``.

    Args:
        kind: the game.
        states: ``GameKind.state[N]``.
        seats: N integers: the deciding seats, which do not see these parts.
        number: S, the number of seats.
    """
    columns = columns_of_owners(kind)
    others = [(seats + after) % number for after in range(1, number)]
    return np.concatenate([kind.kernels.observe(states, each)[:, columns] for each in others], axis=1)
