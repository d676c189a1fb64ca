"""Specs of Gymnasium's environments in a form that JSON can store, for ``EnvSpec.to_json`` and data sets."""

from __future__ import annotations

import copy
from collections.abc import Mapping
from typing import Any

import numpy as np
from gymnasium.envs.registration import EnvSpec

from wotr_env.core.kind import GameKind


class PlainSpec:
    """An environment whose ``spec`` contains the ruleset as a dictionary and the game as a name."""

    _spec: EnvSpec | None = None

    @property
    def spec(self) -> EnvSpec | None:
        """The spec with which ``gymnasium.make`` created the environment; None if it was created
        otherwise."""
        return self._spec

    @spec.setter
    def spec(self, spec: EnvSpec | None) -> None:
        self._spec = None if spec is None else plain_spec(spec)


def plain_spec(spec: EnvSpec) -> EnvSpec:
    """A copy of a spec in which all arguments are words and numbers, except bots and functions, which JSON
    cannot store."""
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
