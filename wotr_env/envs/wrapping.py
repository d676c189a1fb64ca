"""PettingZoo's wrappers, in the same form for the environments of all games."""

from __future__ import annotations

from operator import attrgetter
from typing import Any

from pettingzoo import AECEnv
from pettingzoo.utils import wrappers


def _of_raw(name: str) -> Any:
    """A property that reads an attribute of the innermost environment, inside all wrappers."""
    return property(attrgetter(f"_raw.{name}"))


class _Direct(wrappers.BaseWrapper):
    """Reads public attributes directly from the innermost environment, not through the ``__getattr__`` of
    each wrapper.

    This halves the time of a step. Before the first reset, the attributes do not exist, and ``__getattr__``
    raises its usual error.
    """

    def __init__(self, env: AECEnv, **arguments: Any) -> None:
        super().__init__(env, **arguments)
        self._raw = env.unwrapped

    agents = _of_raw("agents")
    agent_selection = _of_raw("agent_selection")
    rewards = _of_raw("rewards")
    terminations = _of_raw("terminations")
    truncations = _of_raw("truncations")
    infos = _of_raw("infos")
    _cumulative_rewards = _of_raw("_cumulative_rewards")


class _TerminateIllegal(_Direct, wrappers.TerminateIllegalWrapper):
    """PettingZoo's wrapper. It also ends the shaping of a game that an illegal action ends."""

    def step(self, action: Any) -> None:
        ended = self._terminated
        super().step(action)
        if self._terminated and not ended:
            raw: Any = self._raw
            raw.forfeit()


class _AssertOutOfBounds(_Direct, wrappers.AssertOutOfBoundsWrapper):
    """PettingZoo's wrapper."""


class _OrderEnforcing(_Direct, wrappers.OrderEnforcingWrapper):
    """PettingZoo's wrapper."""

    def __str__(self) -> str:
        return str(self.env)


def wrapped(raw: AECEnv) -> AECEnv:
    """Adds the wrappers of PettingZoo's classic games, in which an illegal action loses the game."""
    return _OrderEnforcing(_AssertOutOfBounds(_TerminateIllegal(raw, illegal_reward=-1)))
