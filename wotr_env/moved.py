"""Modules under their names of version 0.1: importing one prints a warning and returns the current module."""

from __future__ import annotations

import importlib
import importlib.abc
import importlib.machinery
import sys
import warnings
from collections.abc import Mapping, Sequence
from types import ModuleType
from typing import Any

_GAME = "wotr_env.games.war_of_the_ring"
MOVED: Mapping[str, str] = {
    **{
        f"wotr_env.{name}": f"{_GAME}.{name}"
        for name in (
            "actions",
            "cards",
            "codes",
            "components",
            "data",
            "engine",
            "events",
            "game",
            "kernels",
            "observation",
            "options",
            "picture",
            "render",
            "rules",
            "ruleset",
            "seating",
            "state",
            "vector",
            "winners",
            "words",
        )
    },
    "wotr_env.outcomes": f"{_GAME}.given_chance",
    "wotr_env.ways": f"{_GAME}.choice_tree",
    "wotr_env.war_of_the_ring": f"{_GAME}.game",
    **{
        f"wotr_env.{name}": f"wotr_env.core.{name}"
        for name in (
            "batches",
            "columns",
            "errors",
            "kind",
            "notation",
            "rows",
            "shapes",
            "spelling",
            "values",
        )
    },
    "wotr_env.any_game": "wotr_env.core.game",
    "wotr_env.streams": "wotr_env.core.chance",
    "wotr_env.house": "wotr_env.core.palette",
    "wotr_env.reasons": "wotr_env.core.read_errors",
    "wotr_env.kind_positions": "wotr_env.core.position_text",
    "wotr_env.positions": f"{_GAME}.setups",
    "wotr_env.past": "wotr_env.play.history",
    **{f"wotr_env.{name}": f"wotr_env.play.{name}" for name in ("bots", "game_text", "plugins", "record")},
    **{
        f"wotr_env.cuda.{name}": f"{_GAME}.device.{name}"
        for name in ("build", "driver", "emulation", "game", "images", "rules")
    },
    **{f"wotr_env.{name}": f"wotr_env.games.{name}" for name in ("duel", "two_towers")},
    "wotr_env.envs.env_game": "wotr_env.envs.kind_game",
    "wotr_env.envs.seats_aec": "wotr_env.envs.kind_pettingzoo",
}
"""Old names of modules and packages of this package, with their new names."""


class _Moved(importlib.abc.MetaPathFinder, importlib.abc.Loader):
    """Finds a module by its old name; it is the same module object as under the new name."""

    def __init__(self, moved: Mapping[str, str]) -> None:
        self.moved = moved
        self._own: dict[str, Any] = {}

    def today(self, name: str) -> str | None:
        """The current name of a module; None if it was not moved."""
        old = name
        while old:
            if old in self.moved:
                return self.moved[old] + name[len(old) :]
            old = old.rpartition(".")[0]
        return None

    def find_spec(
        self, name: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> importlib.machinery.ModuleSpec | None:
        return importlib.machinery.ModuleSpec(name, self) if self.today(name) else None

    def create_module(self, spec: importlib.machinery.ModuleSpec) -> ModuleType:
        name = self.today(spec.name)
        assert name is not None
        warnings.warn(
            f"{spec.name} is now {name}; the old name goes with the next version", DeprecationWarning, 2
        )
        module = importlib.import_module(name)
        self._own[spec.name] = module.__spec__
        return module

    def exec_module(self, module: ModuleType) -> None:
        """Does nothing: the module was executed under its current name."""
        assert module.__spec__ is not None
        module.__spec__ = self._own.pop(module.__spec__.name)


def know(moved: Mapping[str, str]) -> None:
    """Makes these old names importable."""
    sys.meta_path.insert(0, _Moved(moved))  # before an old folder in which Python has left something
