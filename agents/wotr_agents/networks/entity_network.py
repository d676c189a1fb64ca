"""A network of the objects of a game, such as regions and cards."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence

import numpy as np
import torch
from torch import nn
from torch.nn import functional

from wotr_agents.networks.config import NetworkConfig
from wotr_agents.networks.playing_network import PlayingNetwork, advice_weight
from wotr_env.core.kind import GameKind
from wotr_env.core.observation_layout import EntitySet


class EntityNetwork(PlayingNetwork):
    """A network of the objects of a game (``Layout.entities``) and of its other inputs, the *rest*.

    Args:
        config: the size of the network.
        scale: ``float32[I]``, the scale of each input.
        kind: the game; it has entities.
    """

    scale: torch.Tensor
    rest_columns: torch.Tensor

    scored_by = "queries"

    def __init__(self, config: NetworkConfig, scale: torch.Tensor, kind: GameKind) -> None:
        super().__init__(config, kind.worths)
        layout, width = kind.layout, config.width
        self.sets, self.contexts = layout.entities, layout.decision
        self.register_buffer("scale", scale, persistent=False)
        columns = {each.name: layout.columns(each) for each in self.sets}
        self.seen = nn.ModuleDict(
            {each.name: _ObjectFeatures(each, columns[each.name], width) for each in self.sets}
        )
        seen = np.concatenate([each.ravel() for each in columns.values()])
        rest = np.setdiff1d(np.arange(layout.size), seen)
        self.register_buffer("rest_columns", torch.tensor(rest), persistent=False)
        pointing = [pointer for each in self.sets for pointer in _pointers(each, kind)]
        named = [actions for _, _, actions in pointing]
        others = np.setdiff1d(np.arange(kind.actions.size), np.concatenate([[-1], *named]))
        self.pointers = nn.ModuleList(_Pointer(*each) for each in pointing)
        self.others = _OtherActions(others, config.hidden)
        self.actions = kind.actions.size
        # not in ``_ObjectFeatures``: the states of optimisers follow the order of the weights
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
        self.advice_weight = advice_weight(len(self.contexts)) if config.advice else None
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
        context = self._contexts_of(observations)
        logits = logits + self.context_bias(context)
        if self.advice_weight is not None:
            logits = logits + self.advice_weight(context) * observations[:, -self.actions :]
        return logits.float(), self.value_head(rest).float(), rest

    def _embed(self, observations: torch.Tensor) -> tuple[dict[str, torch.Tensor], torch.Tensor]:
        """The embeddings of the objects by name of their set, ``[B, N, width]``, and of the rest, ``[B,
        width]``."""
        x = observations.to(self.scale.dtype) * self.scale
        objects = {}
        for (name, layer), seen in zip(self.inputs.items(), self.seen.values(), strict=True):
            objects[name] = functional.relu(layer(seen(x)) + seen.embeddings)
        return objects, functional.relu(self.rest_in(x.index_select(1, self.rest_columns)))

    def _point(self, objects: dict[str, torch.Tensor], rest: torch.Tensor) -> torch.Tensor:
        """The score of each action for the decision, from the object that the action names: ``[B, A]``."""
        query = self.queries(rest).unflatten(1, (len(self.pointers) + 1, -1))
        size = math.sqrt(self.config.hidden)
        keys = {name: layer(objects[name]) for name, layer in self.keys.items()}
        of_others = query[:, -1] @ self.others.embeddings.T / size
        logits = rest.new_empty(rest.shape[0], self.actions, dtype=of_others.dtype)
        logits[:, self.others.actions] = of_others
        for place, pointer in enumerate(self.pointers):
            pointer(query[:, place], keys, logits)
        return logits


class _ObjectFeatures(nn.Module):
    """The N objects of a set as they appear in an observation.

    Attributes:
        embeddings: ``float32[N, width]``: learned vectors that distinguish the objects.
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
        name: the name of the set.
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
        """Writes the logits of the actions, ``[B, A]``, from a query ``[B, H]`` and the keys ``[B, N,
        H]``."""
        named = keys[self.name].index_select(1, self.objects)
        logits[:, self.actions] = torch.einsum("bd,bnd->bn", query, named) / math.sqrt(query.shape[-1])


class _OtherActions(nn.Module):
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


class _MessageLayer(nn.Module):
    """The messages that objects receive: from themselves, from adjacent objects, and from the rest."""

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
    """A round of messages: every object receives messages from adjacent objects and from the rest, and the
    rest from all objects."""

    def __init__(self, width: int, sets: Sequence[EntitySet]) -> None:
        super().__init__()
        self.hearing = nn.ModuleDict(
            {each.name: _MessageLayer(width, each.near is not None) for each in sets}
        )
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
"""Patterns of the names that weights of entity networks had in version 0.1 (of War of the Ring) and before
0.2, and their present names."""


def _rename_weights(_module: nn.Module, weights: dict[str, torch.Tensor], *_: object) -> None:
    """Gives weights of earlier versions their present names, in place."""
    for name in list(weights):
        for former, present in _FORMER_NAMES:
            if found := re.fullmatch(rf"{former}(\.weight|\.bias)?", name):
                kept = found.groups()[-1] or ""
                weights[found.expand(present) + kept] = weights.pop(name)
                break


def _shares(near: np.ndarray) -> torch.Tensor:
    """``float32[N, N]``: in the row of an object, an equal share for each adjacent one."""
    shares = torch.from_numpy(near).float()
    return shares / shares.sum(dim=1, keepdim=True).clamp(min=1.0)
