"""Foresight: auxiliary prediction targets, which enrich the representation of a network.

During training, a network predicts the values of parts of the observation, such as the turn or the
Corruption, at the last decision of the seat's team in the game. Play does not use these predictions.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from typing import Self

import numpy as np
import torch

from wotr_agents.networks.scales import input_scale
from wotr_env.core.kind import GameKind
from wotr_experiments.training.rollouts import Rollout


@dataclasses.dataclass(frozen=True)
class Foresight:
    """K numbers of an observation."""

    columns: torch.Tensor
    """``int64[K]``: the indices of the numbers in an observation"""
    scales: torch.Tensor
    """``float32[K]``: factors that bring the numbers to the order of 1"""

    @classmethod
    def of(cls, kind: GameKind, parts: Sequence[str]) -> Self:
        """Makes the targets for parts of a game's observation, given by their names in its layout."""
        places = kind.layout.named(np.arange(kind.layout.size))
        columns = np.concatenate([places[part].ravel() for part in dict.fromkeys(parts)])
        return cls(torch.from_numpy(columns), torch.from_numpy(input_scale(kind)[columns]))

    def targets(self, rollout: Rollout) -> tuple[torch.Tensor, torch.Tensor]:
        """The numbers that the network should predict at each decision of T steps of N games.

        Returns:
            ``float32[T, N, K]``, the scaled targets; and ``bool[T, N]``: whether a target is known, as in
                games that end within the rollout.
        """
        steps, games = rollout.reasons.shape
        seen = rollout.observations[..., self.columns.to(rollout.device)] * self.scales.to(rollout.device)
        teams = rollout.teams.long()
        found = torch.zeros_like(seen)
        known = torch.zeros(steps, games, dtype=torch.bool, device=rollout.device)
        last = seen.new_zeros(games, int(teams.max()) + 1, len(self.columns))
        has_last = torch.zeros(last.shape[:2], dtype=torch.bool, device=rollout.device)
        ends = torch.zeros(games, dtype=torch.bool, device=rollout.device)
        rows = torch.arange(games, device=rollout.device)
        for step in range(steps - 1, -1, -1):
            over = rollout.reasons[step] > 0
            ends |= over
            has_last &= ~over[:, None]
            place = rows, teams[step]
            last[place] = torch.where(has_last[place][:, None], last[place], seen[step])
            has_last[place] = True
            found[step], known[step] = last[place], ends
        return found, known
