"""Networks that play: they map an observation to a policy over the actions and to the probabilities of the
ends.

Both kinds have the same inputs and outputs. ``MlpNetwork`` is small and fast on a CPU: a sparse first layer,
then dense layers, gated by the kind of decision. ``EntityNetwork`` sees the objects of a game, such as
regions and cards, uses the map as a graph, and scores an action by the object that it names; it is larger and
intended for a GPU. The value head predicts the end of the game, which gives the value for each team, from -1
to 1.

Both can use advice: the scripted policy's scores of the legal actions are further inputs and initial logits,
which training corrects (as in residual policy learning, T. Silver et al., 2018).
"""

from __future__ import annotations

import itertools

import numpy as np
import torch
from torch import nn
from torch.nn import functional

from wotr_agents.networks import sparse
from wotr_agents.networks.advice import advice_policy
from wotr_agents.networks.config import NetworkConfig
from wotr_agents.networks.entity_network import EntityNetwork
from wotr_agents.networks.playing_network import (
    Evaluated,
    PlayingNetwork,
    Sampled,
    advice_weight,
)
from wotr_agents.networks.scales import input_scale
from wotr_agents.networks.sparse import Chosen, IncrementalLinear, SparseLinear, TrackedRows
from wotr_env.core.kind import GameKind
from wotr_env.play.games import DEFAULT_KIND


class MlpNetwork(PlayingNetwork):
    """A small network.

    Each kind of decision has its own gain for every unit of the last hidden layer, and its own bias for every
    action, because an action means different things in different decisions.

    Args:
        config: the size of the network.
        scale: ``float32[I]``, the scale of each input.
        actions: A, the number of actions.
        contexts: the places of the inputs that encode the kind of decision (one-hot).
        worths: ``float64[E, T]``: the value of each end for each team.
    """

    scored_by = "policy_head"

    def __init__(
        self,
        config: NetworkConfig,
        scale: torch.Tensor,
        actions: int,
        contexts: range,
        worths: np.ndarray,
    ) -> None:
        super().__init__(config, worths)
        self.contexts, count = contexts, len(contexts)
        self.first = SparseLinear(scale, config.width)
        self.norm = nn.LayerNorm(config.width)
        widths = [config.width, *[config.hidden] * config.layers]
        self.hidden = nn.ModuleList(nn.Linear(before, after) for before, after in itertools.pairwise(widths))
        self.context_gain = nn.Embedding(count, config.hidden)
        self.context_bias = nn.Embedding(count, actions)
        self.policy_head = nn.Linear(config.hidden, actions)
        self.value_head = nn.Linear(config.hidden, len(worths))
        self.advice_weight = advice_weight(count) if config.advice else None
        self._policy = sparse.PolicyHead(self.policy_head, self.context_bias, self.advice_weight)
        self._advice_at = len(scale) - (actions if config.advice else 0)
        nn.init.ones_(self.context_gain.weight)
        nn.init.zeros_(self.context_bias.weight)
        for head in (self.policy_head, self.value_head):
            nn.init.normal_(head.weight, std=0.01)
            nn.init.zeros_(head.bias)

    @property
    def _body_width(self) -> int:
        return self.config.hidden

    def _outputs(self, observations: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
        x = self._hidden(observations)
        return self._policy.logits(self._policy_inputs(x, observations)), self.value_head(x), x

    def evaluate_actions(
        self,
        observations: torch.Tensor | Chosen,
        masks: torch.Tensor,
        actions: torch.Tensor,
        others: torch.Tensor | None = None,
    ) -> Evaluated:
        """As ``PlayingNetwork.evaluate_actions``; on a CPU it computes the logits of legal actions only."""
        if masks.device.type != "cpu" or sparse.is_recorded():
            return super().evaluate_actions(observations, masks, actions, others)
        x = self._hidden(observations)
        found = self._policy.evaluate(self._policy_inputs(x, observations), masks, actions)
        judged = self._action_logits(x, observations, others, actions)
        return Evaluated(*found, self.value_head(x), self._foreseen(x), judged)

    def follower(self, games: int) -> IncrementalLinear | None:
        """See ``PlayingNetwork.follower``."""
        return IncrementalLinear(self.first, games) if self.first.weight.device.type == "cpu" else None

    def sample(
        self,
        observations: torch.Tensor,
        masks: torch.Tensor,
        uniforms: torch.Tensor,
        followed: TrackedRows | None = None,
        others: torch.Tensor | None = None,
    ) -> Sampled:
        """As ``PlayingNetwork.sample``; on a CPU, and without a critic, it computes the logits of legal
        actions only."""
        if observations.device.type != "cpu" or sparse.is_recorded():
            return super().sample(observations, masks, uniforms, others=others)
        if followed is None:
            x = self._hidden(observations)
        else:
            x = self._after_first_layer(followed.follower(observations, followed.games))
        policy = self._policy_inputs(x, observations)
        if others is None:
            return Sampled(*self._policy.sample(policy, masks, uniforms), self.value_head(x))
        outputs = self._policy.logits(policy), self.value_head(x), x
        return self._draw(*outputs, observations, masks, uniforms, others)

    def end_logits(self, observations: torch.Tensor) -> torch.Tensor:
        """See ``PlayingNetwork.end_logits``."""
        return self.value_head(self._hidden(observations))

    def _hidden(self, observations: torch.Tensor | Chosen) -> torch.Tensor:
        """The last hidden layer: ``float32[B, H]``."""
        return self._after_first_layer(self.first(observations))

    def _after_first_layer(self, x: torch.Tensor) -> torch.Tensor:
        x = functional.relu(self.norm(x))
        for layer in self.hidden:
            x = functional.relu(layer(x))
        return x

    def _policy_inputs(self, x: torch.Tensor, observations: torch.Tensor | Chosen) -> sparse.PolicyInputs:
        advice_columns = slice(self._advice_at, None)
        chosen = isinstance(observations, Chosen)
        advice = observations.columns(advice_columns) if chosen else observations[:, advice_columns]
        contexts = self._contexts_of(observations)
        return sparse.PolicyInputs(x * self.context_gain(contexts), advice, contexts)


def make_network(config: NetworkConfig, kind: GameKind = DEFAULT_KIND) -> PlayingNetwork:
    """Makes a new network for a game, with random weights from torch's global generator.

    Raises:
        ValueError: the game has no entities, or no policy for advice.
    """
    if config.advice:
        advice_policy(kind)
    scale = torch.from_numpy(input_scale(kind, config.advice))
    if config.kind == "entity":
        if not kind.layout.entities:
            raise ValueError(f"{kind.title} declares no entities, so it has no entity networks")
        return EntityNetwork(config, scale, kind)
    return MlpNetwork(config, scale, kind.actions.size, kind.layout.decision, kind.worths)
