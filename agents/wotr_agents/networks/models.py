"""Networks that play: from an observation to a policy over the actions and the chances of every end.

Both kinds have the same inputs and outputs. ``MlpNetwork`` is small and fast on a CPU: a sparse first layer,
then dense layers, gated by the kind of decision. ``EntityNetwork`` sees the objects of a game, such as
regions and cards, uses the map as a graph, and scores an action by the object that it names; it is larger and
meant for a GPU. The value head predicts the end of the game, which gives the value.

Both can use advice: the scripted policy's scores of the legal actions are further inputs and initial logits,
which training corrects (as in residual policy learning, T. Silver et al., 2018).

Values are from -1 to 1, always for the Free Peoples.
"""

from __future__ import annotations

import itertools
import math
import re
from collections.abc import Sequence
from typing import ClassVar, NamedTuple

import numpy as np
import torch
from torch import nn
from torch.nn import functional

from wotr_agents.networks import sparse
from wotr_agents.networks.advice import adviser
from wotr_agents.networks.config import NetworkConfig
from wotr_agents.networks.scales import input_scale
from wotr_agents.networks.sparse import Chosen, Followed, Follower, SparseLinear
from wotr_env.core.kind import GameKind
from wotr_env.core.layout import EntitySet
from wotr_env.games.war_of_the_ring.actions import NUM_ACTIONS
from wotr_env.games.war_of_the_ring.game import WAR_OF_THE_RING

_WORTHS = WAR_OF_THE_RING.worths
END_VALUES: tuple[float, ...] = tuple(_WORTHS[:, 0].tolist())
"""The worth of each end to the Free Peoples; a network's second output distinguishes the ends."""
NUM_ENDS = len(END_VALUES)

_FIRST_ADVICE_WEIGHT = 0.04
"""Initial weight of advice: an action that scores one point less than the best is about four times less
likely."""
_ALMOST_ONE = 1.0 - 1e-6


class Evaluated(NamedTuple):
    """The outputs that training needs for B decisions."""

    log_probabilities: torch.Tensor
    """``float32[B]``: of the actions"""
    entropy: torch.Tensor
    """``float32[B]``: of the policies"""
    end_logits: torch.Tensor
    """``float32[B, NUM_ENDS]``"""
    foreseen: torch.Tensor
    """``float32[B, K]``: the predictions of ``PlayingNetwork.foresee``"""


class PlayingNetwork(nn.Module):
    """A network from observations to the logits of actions and ends; see the module.

    Calling it with ``int8[B, I]`` gives ``float32[B, A]`` and ``float32[B, NUM_ENDS]``, the logits of all
    actions, legal or not, and of the ends.

    Args:
        config: its size.
        worths: ``float64[E, T]``: the worth of each end to each team.
    """

    scored_by: ClassVar[str]
    """The layer that scores actions: apart from bias and advice, logits are proportional to its weights."""
    foresight: nn.Linear | None

    def __init__(self, config: NetworkConfig, worths: np.ndarray = _WORTHS) -> None:
        super().__init__()
        self.config = config
        self.worths = worths
        self.register_module("foresight", None)

    def foresee(self, numbers: int) -> None:
        """Adds a layer that predicts further numbers of a position. Training can use it; play does not."""
        self.foresight = nn.Linear(self._body_width, numbers)
        nn.init.zeros_(self.foresight.weight)
        nn.init.zeros_(self.foresight.bias)

    def weights_to_play(self) -> dict[str, torch.Tensor]:
        """The ``state_dict`` without layers that only training uses."""
        return {name: value for name, value in self.state_dict().items() if not name.startswith("foresight.")}

    def forward(self, observations: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        """The logits of the actions, legal or not, and of the ends.

        Args:
            observations: ``int8[B, I]``.

        Returns:
            ``float32[B, A]`` and ``float32[B, NUM_ENDS]``.
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

    def evaluate_actions(
        self, observations: torch.Tensor | Chosen, masks: torch.Tensor, actions: torch.Tensor
    ) -> Evaluated:
        """The outputs that training needs for decisions.

        Args:
            observations: ``int8[B, I]``; consecutive decisions of the same game in order may be faster.
            masks: ``bool[B, A]``, each row with a legal action.
            actions: ``int64[B]``, legal ones.
        """
        observations = observations.rows() if isinstance(observations, Chosen) else observations
        logits, end_logits, body = self._outputs(observations)
        log_probabilities = legal_log_probabilities(logits, masks)
        entropy = -(log_probabilities.exp() * log_probabilities.masked_fill(~masks, 0.0)).sum(dim=1)
        taken = log_probabilities.gather(1, actions[:, None])[:, 0]
        return Evaluated(taken, entropy, end_logits, self._foreseen(body))

    def follower(self, games: int) -> Follower | None:
        """An object that makes ``sample`` faster for followed games; None if it is not needed.

        It is valid as long as the weights do not change.
        """
        return None

    def sample(
        self,
        observations: torch.Tensor,
        masks: torch.Tensor,
        uniforms: torch.Tensor,
        followed: Followed | None = None,
    ) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
        """Draws actions with their probabilities.

        Args:
            observations: ``int8[B, I]``.
            masks: ``bool[B, A]``, each row with a legal action.
            uniforms: ``float32[B]``, uniform random numbers in [0, 1).
            followed: the identity of the games.

        Returns:
            The actions ``int64[B]``, their log-probabilities ``float32[B]``, and the logits of the ends.
        """
        logits, end_logits = self(observations)
        log_probabilities = legal_log_probabilities(logits, masks)
        sums = log_probabilities.exp().cumsum(dim=1)
        above = (sums > (uniforms * _ALMOST_ONE * sums[:, -1])[:, None]) & masks
        actions = above.to(torch.int8).argmax(dim=1)
        return actions, log_probabilities.gather(1, actions[:, None])[:, 0], end_logits

    def end_logits(self, observations: torch.Tensor) -> torch.Tensor:
        """The logits of the ends alone: ``float32[B, NUM_ENDS]``."""
        return self(observations)[1]

    def sharpen(self, temperature: float) -> None:
        """Divides the logits of all actions by a temperature; a value below 1 makes the most likely action
        more likely."""
        with torch.no_grad():
            for layer in (self.scored_by, "context_bias", "advice_weight"):
                if getattr(self, layer) is not None:
                    for weights in getattr(self, layer).parameters():
                        weights /= temperature


class MlpNetwork(PlayingNetwork):
    """A small network.

    The kind of decision gates the units of the last hidden layer by a gain, and has its own bias for every
    action, because an action means different things in different decisions.

    Args:
        config: its size.
        scale: ``float32[I]``, the scale of each input.
        actions: A, their number.
        contexts: the inputs of the one-hot kind of decision.
        worths: ``float64[E, T]``: the worth of each end to each team.
    """

    scored_by = "policy_head"

    def __init__(
        self,
        config: NetworkConfig,
        scale: torch.Tensor,
        actions: int = NUM_ACTIONS,
        contexts: range = WAR_OF_THE_RING.layout.decision,
        worths: np.ndarray = _WORTHS,
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
        self.advice_weight = _advice_weight(count) if config.advice else None
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
        self, observations: torch.Tensor | Chosen, masks: torch.Tensor, actions: torch.Tensor
    ) -> Evaluated:
        """As ``PlayingNetwork.evaluate_actions``; on a CPU it computes the logits of legal actions only."""
        if masks.device.type != "cpu" or sparse.is_recorded():
            return super().evaluate_actions(observations, masks, actions)
        x = self._hidden(observations)
        found = self._policy.evaluate(self._policy_inputs(x, observations), masks, actions)
        return Evaluated(*found, self.value_head(x), self._foreseen(x))

    def follower(self, games: int) -> Follower | None:
        """As ``PlayingNetwork.follower``."""
        return Follower(self.first, games) if self.first.weight.device.type == "cpu" else None

    def sample(
        self,
        observations: torch.Tensor,
        masks: torch.Tensor,
        uniforms: torch.Tensor,
        followed: Followed | None = None,
    ) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
        """As ``PlayingNetwork.sample``; on a CPU it computes the logits of legal actions only."""
        if observations.device.type != "cpu" or sparse.is_recorded():
            return super().sample(observations, masks, uniforms)
        if followed is None:
            x = self._hidden(observations)
        else:
            x = self._behind_first(followed.follower(observations, followed.games))
        found = self._policy.sample(self._policy_inputs(x, observations), masks, uniforms)
        return *found, self.value_head(x)

    def end_logits(self, observations: torch.Tensor) -> torch.Tensor:
        """As ``PlayingNetwork.end_logits``."""
        return self.value_head(self._hidden(observations))

    def _hidden(self, observations: torch.Tensor | Chosen) -> torch.Tensor:
        """The last hidden layer: ``float32[B, H]``."""
        return self._behind_first(self.first(observations))

    def _behind_first(self, x: torch.Tensor) -> torch.Tensor:
        x = functional.relu(self.norm(x))
        for layer in self.hidden:
            x = functional.relu(layer(x))
        return x

    def _policy_inputs(self, x: torch.Tensor, observations: torch.Tensor | Chosen) -> sparse.PolicyInputs:
        asked, advised = slice(self.contexts.start, self.contexts.stop), slice(self._advice_at, None)
        if isinstance(observations, Chosen):
            context, advice = observations.columns(asked), observations.columns(advised)
        else:
            context, advice = observations[:, asked], observations[:, advised]
        contexts = context.argmax(dim=1)
        return sparse.PolicyInputs(x * self.context_gain(contexts), advice, contexts)


class EntityNetwork(PlayingNetwork):
    """A network of the objects of a game (``Layout.entities``) and the rest; see the module.

    Args:
        config: its size.
        scale: ``float32[I]``, the scale of each input.
        kind: the game, with entities.
    """

    scale: torch.Tensor
    rest_columns: torch.Tensor

    scored_by = "queries"

    def __init__(self, config: NetworkConfig, scale: torch.Tensor, kind: GameKind = WAR_OF_THE_RING) -> None:
        super().__init__(config, kind.worths)
        layout, width = kind.layout, config.width
        self.sets, self.contexts = layout.entities, layout.decision
        self.register_buffer("scale", scale, persistent=False)
        columns = {each.name: layout.columns(each) for each in self.sets}
        self.seen = nn.ModuleDict({each.name: _Seen(each, columns[each.name], width) for each in self.sets})
        seen = np.concatenate([each.ravel() for each in columns.values()])
        rest = np.setdiff1d(np.arange(layout.size), seen)
        self.register_buffer("rest_columns", torch.tensor(rest), persistent=False)
        pointing = [pointer for each in self.sets for pointer in _pointers(each, kind)]
        named = [actions for _, _, actions in pointing]
        others = np.setdiff1d(np.arange(kind.actions.size), np.concatenate([[-1], *named]))
        self.pointers = nn.ModuleList(_Pointer(*each) for each in pointing)
        self.others = _Others(others, config.hidden)
        self.actions = kind.actions.size
        # not in ``_Seen``: the states of optimisers follow the order of the weights
        self.inputs = nn.ModuleDict({name: nn.Linear(each.shape[1], width) for name, each in columns.items()})
        self.rest_in = nn.Linear(len(rest), width)
        self.rounds = nn.ModuleList(_Round(width, self.sets) for _ in range(config.layers))
        pointed = dict.fromkeys(name for name, _, _ in pointing)
        self.keys = nn.ModuleDict({name: nn.Linear(width, config.hidden) for name in pointed})
        self.queries = nn.Linear(width, (len(self.pointers) + 1) * config.hidden)
        self.context_bias = nn.Embedding(len(self.contexts), self.actions)
        self.value_head = nn.Sequential(
            nn.Linear(width, config.hidden), nn.ReLU(), nn.Linear(config.hidden, len(kind.worths))
        )
        self.advice_weight = _advice_weight(len(self.contexts)) if config.advice else None
        nn.init.zeros_(self.context_bias.weight)
        self.register_load_state_dict_pre_hook(_rename_weights)

    @property
    def _body_width(self) -> int:
        return self.config.width

    def _outputs(self, observations: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
        objects, rest = self._embed(observations)
        shares = {name: each.shares for name, each in self.seen.items()}
        for each in self.rounds:
            objects, rest = each(objects, rest, shares)
        logits = self._point(objects, rest)
        context = observations[:, self.contexts.start : self.contexts.stop].argmax(dim=1)
        logits = logits + self.context_bias(context)
        if self.advice_weight is not None:
            logits = logits + self.advice_weight(context) * observations[:, -self.actions :]
        return logits.float(), self.value_head(rest).float(), rest

    def _embed(self, observations: torch.Tensor) -> tuple[dict[str, torch.Tensor], torch.Tensor]:
        """The objects by name, ``[B, N, width]``, and the rest, ``[B, width]``."""
        x = observations.to(self.scale.dtype) * self.scale
        objects = {}
        for (name, layer), seen in zip(self.inputs.items(), self.seen.values(), strict=True):
            objects[name] = functional.relu(layer(seen(x)) + seen.embeddings)
        return objects, functional.relu(self.rest_in(x.index_select(1, self.rest_columns)))

    def _point(self, objects: dict[str, torch.Tensor], rest: torch.Tensor) -> torch.Tensor:
        """How well each action answers the decision, by the object that it names: ``[B, A]``."""
        query = self.queries(rest).unflatten(1, (len(self.pointers) + 1, -1))
        size = math.sqrt(self.config.hidden)
        keys = {name: layer(objects[name]) for name, layer in self.keys.items()}
        of_others = query[:, -1] @ self.others.embeddings.T / size
        logits = rest.new_empty(rest.shape[0], self.actions, dtype=of_others.dtype)
        logits[:, self.others.actions] = of_others
        for place, pointer in enumerate(self.pointers):
            pointer(query[:, place], keys, logits)
        return logits


class _Seen(nn.Module):
    """The N objects of a set as an observation shows them.

    Attributes:
        embeddings: ``float32[N, width]``: what tells them apart.
        shares: ``float32[N, N]`` (``_shares``); None if no objects are adjacent.
    """

    columns: torch.Tensor
    shares: torch.Tensor | None

    def __init__(self, entities: EntitySet, columns: np.ndarray, width: int) -> None:
        super().__init__()
        self.register_buffer("columns", torch.tensor(columns), persistent=False)
        shares = None if entities.near is None else _shares(entities.near)
        self.register_buffer("shares", shares, persistent=False)
        self.embeddings = nn.Parameter(torch.randn(len(columns), width) * 0.1)

    def forward(self, inputs: torch.Tensor) -> torch.Tensor:
        """The inputs ``[B, I]`` of each object: ``[B, N, C]``."""
        return inputs.index_select(1, self.columns.flatten()).unflatten(1, self.columns.shape)


class _Pointer(nn.Module):
    """K actions of a block that name objects of a set.

    Attributes:
        name: of the set.
        objects, actions: ``int64[K]``.
    """

    objects: torch.Tensor
    actions: torch.Tensor

    def __init__(self, name: str, objects: np.ndarray, actions: np.ndarray) -> None:
        super().__init__()
        self.name = name
        self.register_buffer("objects", torch.tensor(objects), persistent=False)
        self.register_buffer("actions", torch.tensor(actions), persistent=False)

    def forward(self, query: torch.Tensor, keys: dict[str, torch.Tensor], logits: torch.Tensor) -> None:
        """Writes the logits of the actions, ``[B, A]``, by a query ``[B, H]`` and the keys ``[B, N, H]``."""
        named = keys[self.name].index_select(1, self.objects)
        logits[:, self.actions] = torch.einsum("bd,bnd->bn", query, named) / math.sqrt(query.shape[-1])


class _Others(nn.Module):
    """The K actions that name no object, ``int64[K]``, and their embeddings."""

    actions: torch.Tensor

    def __init__(self, actions: np.ndarray, hidden: int) -> None:
        super().__init__()
        self.register_buffer("actions", torch.tensor(actions), persistent=False)
        self.embeddings = nn.Parameter(torch.randn(len(actions), hidden) * 0.1)


def _pointers(entities: EntitySet, kind: GameKind) -> list[tuple[str, np.ndarray, np.ndarray]]:
    """The arguments of ``_Pointer`` for each block whose actions name objects of a set."""
    found = []
    for block, named in entities.actions.items():
        objects, actions = np.array(named, dtype=np.int64), np.array(kind.actions.blocks[block])
        found.append((entities.name, objects[objects >= 0], actions[objects >= 0]))
    return found


class _Hearing(nn.Module):
    """What objects hear: themselves, those that are adjacent, and the rest."""

    def __init__(self, width: int, near: bool) -> None:
        super().__init__()
        self.own = nn.Linear(width, width)
        self.near = nn.Linear(width, width, bias=False) if near else None
        self.rest = nn.Linear(width, width, bias=False)

    def forward(self, objects: torch.Tensor, rest: torch.Tensor, shares: torch.Tensor | None) -> torch.Tensor:
        heard = self.own(objects) + self.rest(rest)[:, None]
        if self.near is not None and shares is not None:
            heard = heard + self.near(shares.to(objects.dtype) @ objects)
        return functional.relu(heard)


class _Round(nn.Module):
    """Every object hears those that are adjacent and the rest; the rest hears all."""

    def __init__(self, width: int, sets: Sequence[EntitySet]) -> None:
        super().__init__()
        self.hearing = nn.ModuleDict({each.name: _Hearing(width, each.near is not None) for each in sets})
        self.rest = nn.Linear((2 * len(sets) + 1) * width, width)
        self.norms = nn.ModuleDict({each.name: nn.LayerNorm(width) for each in sets})
        self.rest_norm = nn.LayerNorm(width)

    def forward(
        self, objects: dict[str, torch.Tensor], rest: torch.Tensor, shares: dict[str, torch.Tensor | None]
    ) -> tuple[dict[str, torch.Tensor], torch.Tensor]:
        objects = {
            name: self.norms[name](seen + self.hearing[name](seen, rest, shares[name]))
            for name, seen in objects.items()
        }
        seen = [part for each in objects.values() for part in (each.mean(dim=1), each.amax(dim=1))]
        rest = self.rest_norm(rest + functional.relu(self.rest(torch.cat([*seen, rest], dim=1))))
        return objects, rest


_FORMER_NAMES = (
    (r"(card|region)_(embeddings)", r"seen.\1s.\2"),
    (r"other_(embeddings)", r"others.\1"),
    (r"(\w+)_(embeddings)", r"seen.\1.\2"),
    (r"(regions|cards)_in", r"inputs.\1"),
    (r"(region|card)_key", r"keys.\1s"),
    (r"rounds\.(\d+)\.(own|near)", r"rounds.\1.hearing.regions.\2"),
    (r"rounds\.(\d+)\.card", r"rounds.\1.hearing.cards.own"),
    (r"rounds\.(\d+)\.(region|card)_(rest)", r"rounds.\1.hearing.\2s.\3"),
    (r"rounds\.(\d+)\.(region|card)_norm", r"rounds.\1.norms.\2s"),
)
"""Weights of entity networks in version 0.1 (of War of the Ring) and before 0.2, as patterns, and their
present names."""


def _rename_weights(_module: nn.Module, weights: dict[str, torch.Tensor], *_: object) -> None:
    """Gives weights of earlier versions their present names, in place."""
    for name in list(weights):
        for former, present in _FORMER_NAMES:
            if found := re.fullmatch(rf"{former}(\.weight|\.bias)?", name):
                kept = found.groups()[-1] or ""
                weights[found.expand(present) + kept] = weights.pop(name)
                break


def _advice_weight(contexts: int) -> nn.Embedding:
    embedding = nn.Embedding(contexts, 1)
    nn.init.constant_(embedding.weight, _FIRST_ADVICE_WEIGHT)
    return embedding


def _shares(near: np.ndarray) -> torch.Tensor:
    """``float32[N, N]``: in the row of an object, an equal share for each adjacent one."""
    shares = torch.from_numpy(near).float()
    return shares / shares.sum(dim=1, keepdim=True).clamp(min=1.0)


def make_network(config: NetworkConfig, kind: GameKind = WAR_OF_THE_RING) -> PlayingNetwork:
    """A new network for a game, its weights from torch's global generator.

    Raises:
        ValueError: the game has no entities, or nobody gives advice.
    """
    if config.advice:
        adviser(kind)
    scale = torch.from_numpy(input_scale(kind, config.advice))
    if config.kind == "entity":
        if not kind.layout.entities:
            raise ValueError(f"{kind.title} declares no entities, so it has no entity networks")
        return EntityNetwork(config, scale, kind)
    return MlpNetwork(config, scale, kind.actions.size, kind.layout.decision, kind.worths)


def legal_log_probabilities(logits: torch.Tensor, masks: torch.Tensor) -> torch.Tensor:
    """Log-probabilities of the actions: ``float32[B, A]``, minus infinity for illegal ones.

    Args:
        logits: ``float32[B, A]``.
        masks: ``bool[B, A]``, each row with a legal action.
    """
    return logits.masked_fill(~masks, -torch.inf).log_softmax(dim=1)


def values_of(end_logits: torch.Tensor) -> torch.Tensor:
    """Values for the Free Peoples, ``float32[B]``, from the logits of the ends, ``float32[B, NUM_ENDS]``."""
    return end_logits.softmax(dim=1) @ torch.tensor(END_VALUES, device=end_logits.device)
