"""The base class of networks that play: policies, values, and layers that only training uses.

A game has E ends and T teams; values are from -1 to 1.
"""

from __future__ import annotations

from typing import ClassVar, NamedTuple

import numpy as np
import torch
from torch import nn

from wotr_agents.networks.config import NetworkConfig
from wotr_agents.networks.critic import Critic, scale_of_others
from wotr_agents.networks.sparse import Chosen, IncrementalLinear, TrackedRows
from wotr_env.core.kind import GameKind

_FIRST_ADVICE_WEIGHT = 0.04
"""Initial weight of advice: with it, an action that scores one point less than the best action has about a
quarter of the probability."""
_ALMOST_ONE = 1.0 - 1e-6


class Evaluated(NamedTuple):
    """The outputs that training needs for B decisions."""

    log_probabilities: torch.Tensor
    """``float32[B]``: log-probabilities of the actions"""
    entropy: torch.Tensor
    """``float32[B]``: entropies of the policies"""
    end_logits: torch.Tensor
    """``float32[B, E]``"""
    foreseen: torch.Tensor
    """``float32[B, K]``: the predictions of ``PlayingNetwork.foresee``"""
    action_logits: torch.Tensor | None
    """``float32[B]``: logits of the winning chances after the actions; None without a critic"""


class Sampled(NamedTuple):
    """B actions, drawn with the probabilities of a policy."""

    actions: torch.Tensor
    """``int64[B]``"""
    log_probabilities: torch.Tensor
    """``float32[B]``: log-probabilities of the actions"""
    end_logits: torch.Tensor
    """``float32[B, E]``"""
    chance: torch.Tensor | None = None
    """``float32[B]``: the critic's winning chance after the action; None without a critic"""
    mean_chance: torch.Tensor | None = None
    """``float32[B]``: the critic's mean winning chance over the actions of the policy"""


class PlayingNetwork(nn.Module):
    """A network that maps observations to the logits of actions and ends; see the module.

    Calling it with ``int8[B, I]`` gives ``float32[B, A]`` and ``float32[B, E]``, the logits of all
    actions, legal or not, and of the ends.

    Args:
        config: the size of the network.
        worths: ``float64[E, T]``: the value of each end for each team.
    """

    scored_by: ClassVar[str]
    """The layer that scores actions: apart from bias and advice, logits are proportional to its weights."""
    foresight: nn.Linear | None
    critic: Critic | None
    contexts: range

    def __init__(self, config: NetworkConfig, worths: np.ndarray) -> None:
        super().__init__()
        self.config = config
        self.worths = worths
        self.register_module("foresight", None)
        self.register_module("critic", None)

    def foresee(self, numbers: int) -> None:
        """Adds a layer that predicts further numbers about a position. Only training uses it."""
        self.foresight = nn.Linear(self._body_width, numbers)
        nn.init.zeros_(self.foresight.weight)
        nn.init.zeros_(self.foresight.bias)

    def add_critic(self, kind: GameKind, seats: int) -> None:
        """Adds a critic for games with this number of seats. Only training uses it."""
        scale = torch.from_numpy(scale_of_others(kind, seats))
        self.critic = Critic(self._body_width, len(self.contexts), kind.actions.size, scale)

    def weights_to_play(self, critic: bool = False) -> dict[str, torch.Tensor]:
        """The ``state_dict`` without layers that only training uses; the critic is kept if asked for."""
        unused = ("foresight.",) if critic else ("foresight.", "critic.")
        return {name: value for name, value in self.state_dict().items() if not name.startswith(unused)}

    def forward(self, observations: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        """The logits of the actions, legal or not, and of the ends.

        Args:
            observations: ``int8[B, I]``.

        Returns:
            ``float32[B, A]`` and ``float32[B, E]``.
        """
        return self._outputs(observations)[:2]

    @property
    def _body_width(self) -> int:
        """H, the width of the layer from which the ends are predicted."""
        raise NotImplementedError

    def _outputs(self, observations: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
        """As ``forward``, and the layer from which the ends are predicted, ``float32[B, H]``."""
        raise NotImplementedError

    def _foreseen(self, body: torch.Tensor) -> torch.Tensor:
        """The predictions ``float32[B, K]`` from the layer from which the ends are predicted."""
        return body.new_zeros(body.shape[0], 0) if self.foresight is None else self.foresight(body)

    def _contexts_of(self, observations: torch.Tensor | Chosen) -> torch.Tensor:
        """The kinds of the decisions: ``int64[B]``."""
        asked = slice(self.contexts.start, self.contexts.stop)
        chosen = isinstance(observations, Chosen)
        return (observations.columns(asked) if chosen else observations[:, asked]).argmax(dim=1)

    def _action_logits(
        self,
        body: torch.Tensor,
        observations: torch.Tensor | Chosen,
        others: torch.Tensor | None,
        actions: torch.Tensor,
    ) -> torch.Tensor | None:
        """The field ``Evaluated.action_logits``."""
        if self.critic is None or others is None:
            return None
        return self.critic.logits_of(body, self._contexts_of(observations), others, actions)

    def evaluate_actions(
        self,
        observations: torch.Tensor | Chosen,
        masks: torch.Tensor,
        actions: torch.Tensor,
        others: torch.Tensor | None = None,
    ) -> Evaluated:
        """The outputs that training needs for decisions.

        Args:
            observations: ``int8[B, I]``; consecutive decisions of the same game in order may be faster.
            masks: ``bool[B, A]``, each row with a legal action.
            actions: ``int64[B]``, legal ones.
            others: ``int8[B, K]``: the critic's inputs from the other seats (``critic.seen_by_others``).
        """
        observations = observations.rows() if isinstance(observations, Chosen) else observations
        logits, end_logits, body = self._outputs(observations)
        log_probabilities = legal_log_probabilities(logits, masks)
        entropy = -(log_probabilities.exp() * log_probabilities.masked_fill(~masks, 0.0)).sum(dim=1)
        taken = log_probabilities.gather(1, actions[:, None])[:, 0]
        judged = self._action_logits(body, observations, others, actions)
        return Evaluated(taken, entropy, end_logits, self._foreseen(body), judged)

    def follower(self, games: int) -> IncrementalLinear | None:
        """An object that makes ``sample`` faster for followed games; None if it is not needed.

        It is valid as long as the weights do not change.
        """
        return None

    def sample(
        self,
        observations: torch.Tensor,
        masks: torch.Tensor,
        uniforms: torch.Tensor,
        followed: TrackedRows | None = None,
        others: torch.Tensor | None = None,
    ) -> Sampled:
        """Draws actions with their probabilities.

        Args:
            observations: ``int8[B, I]``.
            masks: ``bool[B, A]``, each row with a legal action.
            uniforms: ``float32[B]``, uniform random numbers in [0, 1).
            followed: the games of the observations, and the object from ``follower``.
            others: ``int8[B, K]``: the critic's inputs from the other seats (``critic.seen_by_others``).
        """
        return self._draw(*self._outputs(observations), observations, masks, uniforms, others)

    def _draw(
        self,
        logits: torch.Tensor,
        end_logits: torch.Tensor,
        body: torch.Tensor,
        observations: torch.Tensor,
        masks: torch.Tensor,
        uniforms: torch.Tensor,
        others: torch.Tensor | None,
    ) -> Sampled:
        """As ``sample``, from ``_outputs``."""
        log_probabilities = legal_log_probabilities(logits, masks)
        probabilities = log_probabilities.exp()
        sums = probabilities.cumsum(dim=1)
        above = (sums > (uniforms * _ALMOST_ONE * sums[:, -1])[:, None]) & masks
        actions = above.to(torch.int8).argmax(dim=1)
        drawn = Sampled(actions, log_probabilities.gather(1, actions[:, None])[:, 0], end_logits)
        if self.critic is None or others is None:
            return drawn
        chances = self.critic.logits(body, self._contexts_of(observations), others).sigmoid()
        taken = chances.gather(1, actions[:, None])[:, 0]
        return drawn._replace(chance=taken, mean_chance=(probabilities * chances).sum(dim=1))

    def end_logits(self, observations: torch.Tensor) -> torch.Tensor:
        """The logits of the ends alone: ``float32[B, E]``."""
        return self(observations)[1]

    def sharpen(self, temperature: float) -> None:
        """Divides the logits of all actions by a temperature; a value below 1 makes the most likely action
        more likely."""
        with torch.no_grad():
            for layer in (self.scored_by, "context_bias", "advice_weight"):
                if getattr(self, layer) is not None:
                    for weights in getattr(self, layer).parameters():
                        weights /= temperature


def legal_log_probabilities(logits: torch.Tensor, masks: torch.Tensor) -> torch.Tensor:
    """Log-probabilities of the actions: ``float32[B, A]``, minus infinity for illegal ones.

    Args:
        logits: ``float32[B, A]``.
        masks: ``bool[B, A]``, each row with a legal action.
    """
    return logits.masked_fill(~masks, -torch.inf).log_softmax(dim=1)


def values_of(end_logits: torch.Tensor, worths: np.ndarray) -> torch.Tensor:
    """Values of positions.

    Args:
        end_logits: the logits of the ends, ``float32[B, E]``.
        worths: the value of each end for one team, ``float64[E]``, or for each team, ``float64[E, T]``.

    Returns:
        ``float32[B]`` or ``float32[B, T]``.
    """
    worth = torch.as_tensor(worths, dtype=torch.float32, device=end_logits.device)
    return end_logits.softmax(dim=1) @ worth


def advice_weight(contexts: int) -> nn.Embedding:
    """The initial weights of advice in each kind of decision, ``float32[C, 1]``."""
    embedding = nn.Embedding(contexts, 1)
    nn.init.constant_(embedding.weight, _FIRST_ADVICE_WEIGHT)
    return embedding
