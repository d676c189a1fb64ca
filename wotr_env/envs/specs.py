"""The specs of Gymnasium's environments as JSON can carry them, for ``EnvSpec.to_json`` and data sets."""

from __future__ import annotations

import copy
from collections.abc import Mapping
from typing import Any

import numpy as np
from gymnasium.envs.registration import EnvSpec

from wotr_env.core.kind import GameKind


class PlainSpec:
    """An environment whose ``spec`` has its ruleset as a dictionary, and its game by its name."""

    _spec: EnvSpec | None = None

    @property
    def spec(self) -> EnvSpec | None:
        """How ``gymnasium.make`` made it; None if it was made otherwise."""
        return self._spec

    @spec.setter
    def spec(self, spec: EnvSpec | None) -> None:
        self._spec = None if spec is None else plain_spec(spec)


def plain_spec(spec: EnvSpec) -> EnvSpec:
    """A copy whose arguments are words and numbers, but for bots and functions, which JSON cannot carry."""
    plain = copy.copy(spec)
    plain.kwargs = {name: _plain(value) for name, value in spec.kwargs.items()}
    if isinstance(ruleset := plain.kwargs.get("ruleset"), Mapping):
        plain.kwargs["ruleset"] = dict(ruleset)
    return plain


def _plain(value: Any) -> Any:
    if isinstance(value, GameKind):
        return value.name
    if isinstance(value, np.generic):
        return value.item()
    return value.to_dict() if hasattr(value, "to_dict") else value
