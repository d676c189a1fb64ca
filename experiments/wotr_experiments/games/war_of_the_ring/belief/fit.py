"""Fits a belief by gradient descent on the exact likelihood of the held hands.

The loss of a position is minus the logarithm of the probability of the true hand among all hands of its size
(``wotr_agents.belief.hands``), both decks together, in nats. Some games are held out: the weights of the
epoch with the lowest loss in these games are kept.
"""

from __future__ import annotations

import copy
import dataclasses
import math
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
import torch
from torch import nn
from torch.nn import functional

from wotr_agents.belief.hands import LIMIT
from wotr_agents.belief.model import NORM_EPSILON, Belief, BeliefWeights
from wotr_agents.games.war_of_the_ring.hands import DECKS_OF_A_SIDE
from wotr_agents.networks.scales import input_scale
from wotr_agents.networks.sparse import SparseLinear
from wotr_agents.ranges import check_above, check_at_least, check_within
from wotr_env.games.war_of_the_ring.components import NUM_CARDS
from wotr_env.games.war_of_the_ring.game import WAR_OF_THE_RING
from wotr_env.games.war_of_the_ring.state import CARDS_PER_DECK, NUM_SIDES
from wotr_experiments.games.war_of_the_ring.belief.positions import Seen

_ONE_IN = 10
"""One of this number of games is held out."""
CARDS_ALONE = "cards_alone"
"""The key of constant log-odds of cards, a baseline without observations."""
_ALONE: Mapping[str, Any] = {"epochs": 3, "learning_rate": 0.03, "weight_decay": 0.0}
_CHUNK = 4096
"""Maximal number of positions in one batch of inference."""


@dataclasses.dataclass(frozen=True)
class FitConfig:
    """The settings of the fit of a belief.

    Raises:
        ValueError: a number is out of range.
    """

    width: int = 192
    """Width of the first layer."""
    hidden: int = 96
    """Width of the second layer."""
    epochs: int = 6
    """Number of passes over the games."""
    batch: int = 512
    """Positions per step."""
    learning_rate: float = 2e-3
    """Learning rate at the start; it falls to 0 by a cosine schedule."""
    weight_decay: float = 0.01
    """Weight decay as a share of the learning rate (AdamW)."""
    dropout: float = 0.3
    """Dropout rate of both layers."""

    def __post_init__(self) -> None:
        check_within(1, 4096, self, "width", "hidden")
        check_at_least(1, self, "epochs", "batch")
        check_above(0, self, "learning_rate")
        check_at_least(0, self, "weight_decay")
        check_within(0, 0.9, self, "dropout")


class BeliefNetwork(nn.Module):
    """The trainable form of ``Belief``: maps ``int8[B, OBSERVATION_SIZE]`` to log-odds ``float32[B, 96]``."""

    def __init__(self, config: FitConfig) -> None:
        super().__init__()
        self.first = SparseLinear(torch.from_numpy(input_scale(WAR_OF_THE_RING)), config.width)
        self.norm = nn.LayerNorm(config.width, eps=NORM_EPSILON)
        self.hidden = nn.Linear(config.width, config.hidden)
        self.cards = nn.Linear(config.hidden, NUM_CARDS)
        self.dropout = nn.Dropout(config.dropout)
        nn.init.normal_(self.cards.weight, std=0.01)
        nn.init.zeros_(self.cards.bias)

    def forward(self, observations: torch.Tensor) -> torch.Tensor:
        layer = self.dropout(functional.relu(self.norm(self.first(observations))))
        layer = self.dropout(functional.relu(self.hidden(layer)))
        return LIMIT * torch.tanh(self.cards(layer) / LIMIT)

    def weights(self) -> BeliefWeights:
        """The weights for a file, in half precision."""
        tensors = {
            "first": self.first.weight * self.first.scale[:, None],
            "first_bias": self.first.bias,
            "norm": self.norm.weight,
            "norm_bias": self.norm.bias,
            "hidden": self.hidden.weight.T,
            "hidden_bias": self.hidden.bias,
            "cards": self.cards.weight.T,
            "cards_bias": self.cards.bias,
        }
        return BeliefWeights(
            **{name: np.ascontiguousarray(tensor.detach().half().float()) for name, tensor in tensors.items()}
        )


class CardOdds(nn.Module):
    """Constant odds of each card, a baseline without observations."""

    def __init__(self) -> None:
        super().__init__()
        self.log_odds = nn.Parameter(torch.zeros(NUM_CARDS))

    def forward(self, observations: torch.Tensor) -> torch.Tensor:
        return self.log_odds.expand(len(observations), NUM_CARDS)


def losses(log_odds: torch.Tensor, seen: Seen) -> torch.Tensor:
    """The losses of the hands of N positions: ``float64[N]``, in nats.

    Args:
        log_odds: ``float32[N, 96]``.
        seen: the positions.
    """
    sides = log_odds.view(-1, NUM_SIDES, DECKS_OF_A_SIDE, CARDS_PER_DECK)
    theirs = (
        sides[torch.arange(len(seen)), torch.from_numpy(1 - seen.seats)].reshape(-1, CARDS_PER_DECK).double()
    )
    hidden, held = torch.from_numpy(seen.hidden), torch.from_numpy(seen.held)
    odds = torch.where(hidden, theirs.exp(), 0.0)
    sizes = held.sum(dim=1)
    sums = torch.zeros(len(odds), max(1, int(sizes.max())) + 1, dtype=torch.float64)
    sums[:, 0] = 1.0
    for card in range(CARDS_PER_DECK):  # elementary symmetric polynomials, card by card
        sums = sums + functional.pad(sums[:, :-1], (1, 0)) * odds[:, card, None]
    of_hand = torch.where(held, theirs, 0.0).sum(dim=1)
    all_hands = sums.gather(1, sizes[:, None])[:, 0].log()
    return (all_hands - of_hand).view(-1, DECKS_OF_A_SIDE).sum(dim=1)


def fit_network(
    network: nn.Module,
    seen: Seen,
    config: FitConfig,
    seed: int,
    on_epoch: Callable[[int, float, float], object] = lambda _epoch, _learned, _kept_apart: None,
) -> float:
    """Fits a network; it ends with the weights of the best pass.

    Args:
        network: a network that maps observations to log-odds.
        seen: the positions.
        config: see ``FitConfig``.
        seed: seed of the order of the positions and of dropout.
        on_epoch: called with the number of each epoch, the mean training loss and the loss of the held-out
            games.

    Returns:
        The mean loss of the held-out games.
    """
    learned, tested = np.flatnonzero(seen.games % _ONE_IN != 0), _apart(seen)
    generator = np.random.default_rng(seed)
    optimizer = torch.optim.AdamW(
        network.parameters(), lr=config.learning_rate, weight_decay=config.weight_decay
    )
    steps = math.ceil(len(learned) / config.batch)
    rate = torch.optim.lr_scheduler.CosineAnnealingLR(optimizer, steps * config.epochs)
    best, best_weights = math.inf, copy.deepcopy(network.state_dict())
    with torch.random.fork_rng():
        torch.manual_seed(seed)
        for epoch in range(config.epochs):
            network.train()
            total = 0.0
            for rows in np.array_split(generator.permutation(learned), steps):
                some = seen[rows]
                loss = losses(network(torch.from_numpy(some.observations)), some).mean()
                optimizer.zero_grad()
                loss.backward()
                optimizer.step()
                rate.step()
                total += loss.item() * len(rows)
            now = mean_loss(network, tested)
            if now < best:
                best, best_weights = now, copy.deepcopy(network.state_dict())
            on_epoch(epoch + 1, total / len(learned), now)
    network.load_state_dict(best_weights)
    network.eval()
    return best


def _apart(seen: Seen) -> Seen:
    """The positions of the held-out games."""
    return seen[np.flatnonzero(seen.games % _ONE_IN == 0)]


def mean_loss(network: nn.Module, seen: Seen) -> float:
    """The mean loss in nats per position."""
    network.eval()
    total = 0.0
    with torch.inference_mode():
        for first in range(0, len(seen), _CHUNK):
            some = seen[np.arange(first, min(first + _CHUNK, len(seen)))]
            total += losses(network(torch.from_numpy(some.observations)), some).sum().item()
    return total / len(seen)


def fit_belief(
    seen: Seen,
    config: FitConfig,
    seed: int,
    facts: Mapping[str, Any],
    on_epoch: Callable[[int, float, float], object] = lambda _epoch, _learned, _kept_apart: None,
) -> Belief:
    """Returns a belief fitted to positions.

    Args:
        seen: the positions; at least one of a held-out game and one of another game.
        config: see ``FitConfig``.
        seed: seed of the initial weights and of training.
        facts: the origin of the positions; results of the fit are added.
        on_epoch: as for ``fit_network``.
    """
    with torch.random.fork_rng():
        torch.manual_seed(seed)
        network = BeliefNetwork(config)
    alone = CardOdds()
    even = mean_loss(alone, _apart(seen))
    by_card = fit_network(alone, seen, dataclasses.replace(config, **_ALONE), seed)
    loss = fit_network(network, seen, config, seed, on_epoch)
    known = {
        **facts,
        "positions": len(seen),
        "fit": dataclasses.asdict(config),
        "nats": round(loss, 5),
        "nats_even": round(even, 5),
        "nats_by_card": round(by_card, 5),
        CARDS_ALONE: [round(each, 4) for each in alone.log_odds.tolist()],
    }
    return Belief(network.weights(), known)
