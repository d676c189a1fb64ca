"""Batches of games as tensors for training, on this machine or on a GPU."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Protocol, TypeGuard, cast

import numpy as np
import torch

from wotr_agents.networks.critic import seen_by_others
from wotr_env.core.kind import GameKind
from wotr_env.core.protocols import Games
from wotr_env.core.states import copy_states
from wotr_env.cuda.arrays import DeviceArray
from wotr_env.play.bots import Bot, view_of


class Sampler(Protocol):
    """A player that needs only observations, such as a network."""

    def sample(self, observations: torch.Tensor, masks: torch.Tensor) -> tuple[torch.Tensor, ...]:
        """Returns actions, ``int64[B]``, and further outputs for them."""
        ...


Opponent = Bot | Sampler
"""A player of the other team; on a GPU only samplers are possible."""


class DeviceGames(Protocol):
    """``Games`` in the memory of a GPU (``GameKind.device_games``)."""

    num_games: int
    observations: DeviceArray
    masks: DeviceArray
    seats: DeviceArray
    terminated: DeviceArray
    end_records: DeviceArray

    def step(self, actions: Any) -> Any:
        """As ``Games.step``; the actions are in the memory of the GPU."""
        ...

    def snapshot(self) -> dict[str, np.ndarray]:
        """As ``Games.snapshot``."""
        ...

    def restore(self, snapshot: Mapping[str, np.ndarray]) -> Any:
        """As ``Games.restore``."""
        ...


class GameTensors(Protocol):
    """N games that are played in step."""

    @property
    def observations(self) -> torch.Tensor:
        """``int8[N, I]``: the observations of the deciding seats."""
        ...

    @property
    def masks(self) -> torch.Tensor:
        """``bool[N, A]``"""
        ...

    @property
    def seats(self) -> torch.Tensor:
        """``int8[N]``: the deciding seats."""
        ...

    @property
    def others(self) -> torch.Tensor:
        """``int8[N, K]``: inputs of the critic from the other seats (``critic.seen_by_others``)."""
        ...

    def step(self, actions: torch.Tensor) -> torch.Tensor:
        """Plays an action (``int64[N]``) in every game.

        Returns:
            ``int64[N]``: the ends of the games that ended, 0 for the others.

        Raises:
            IllegalAction: an action is illegal; then no game is changed.
        """
        ...

    def ask(self, player: Opponent, rows: torch.Tensor) -> torch.Tensor:
        """An opponent's actions in some games (``int64[R]``): ``int64[R]``."""
        ...


class HostTensors:
    """Games on this machine.

    Args:
        games: a batch of games.
        kind: the board game.
        number: number of seats.
    """

    def __init__(self, games: Games, kind: GameKind, number: int) -> None:
        self._games, self._kind, self._number = games, kind, number

    @property
    def observations(self) -> torch.Tensor:
        return torch.from_numpy(self._games.observations)

    @property
    def masks(self) -> torch.Tensor:
        return torch.from_numpy(self._games.masks)

    @property
    def seats(self) -> torch.Tensor:
        return torch.from_numpy(self._games.seats)

    @property
    def others(self) -> torch.Tensor:
        seen = seen_by_others(self._kind, self._games.states, self._games.seats, self._number)
        return torch.from_numpy(seen)

    def step(self, actions: torch.Tensor) -> torch.Tensor:
        self._games.step(actions.numpy())
        ended = np.where(self._games.terminated, self._games.end_records["reason"], 0)
        return torch.from_numpy(ended.astype(np.int64))

    def ask(self, player: Any, rows: torch.Tensor) -> torch.Tensor:
        some = rows.numpy()
        view = view_of(copy_states(self._games.states, some), self._games.masks[some], self._kind)
        return torch.from_numpy(player.act(view))


class DeviceTensors:
    """Games in the memory of a GPU; nothing is copied to this machine.

    Args:
        games: a batch with auto-reset.
    """

    def __init__(self, games: DeviceGames) -> None:
        self._games = games
        self.observations, self.masks = shared(games.observations), shared(games.masks)
        self.seats = shared(games.seats)
        self._terminated = shared(games.terminated)
        fields = games.end_records.dtype.fields or {}
        self._reasons = shared(games.end_records.as_bytes())[:, fields["reason"][1]]
        self._taken = DeviceArray(games.seats.machine, (games.num_games,), np.int64)
        self._actions = shared(self._taken)

    @property
    def others(self) -> torch.Tensor:
        raise NotImplementedError("a critic needs games on this machine")

    def step(self, actions: torch.Tensor) -> torch.Tensor:
        self._actions.copy_(actions)
        self._games.step(self._taken)
        return self._terminated * self._reasons.long()

    def ask(self, player: Any, rows: torch.Tensor) -> torch.Tensor:
        seen = self.observations.index_select(0, rows), self.masks.index_select(0, rows)
        return player.sample(*seen)[0]


def shared(array: DeviceArray) -> torch.Tensor:
    """An array as a tensor in the same memory."""
    return torch.from_dlpack(array)


def on_device(games: Games | DeviceGames) -> TypeGuard[DeviceGames]:
    """Whether the games are in the memory of a GPU."""
    return isinstance(games.seats, DeviceArray)


def tensors_of(games: Games | DeviceGames, kind: GameKind, seats: int) -> GameTensors:
    """Wraps games with this number of seats as tensors."""
    if on_device(games):
        return DeviceTensors(games)
    return HostTensors(cast(Games, games), kind, seats)
