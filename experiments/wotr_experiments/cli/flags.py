"""Commands whose help shows flags as they are typed: ``--json``, not ``--json <bool>``."""

from __future__ import annotations

from typing import Any

from typer.core import TyperCommand, TyperGroup, TyperOption


class PlainCommand(TyperCommand):
    """A command whose flags show no value."""

    def get_params(self, *arguments: Any, **named: Any) -> list[Any]:
        """The parameters; flags have no metavar."""
        return _without_values(super().get_params(*arguments, **named))


class PlainGroup(TyperGroup):
    """The main command, whose flags show no value."""

    def get_params(self, *arguments: Any, **named: Any) -> list[Any]:
        """The parameters; flags have no metavar."""
        return _without_values(super().get_params(*arguments, **named))


def _without_values(parameters: list[Any]) -> list[Any]:
    for each in parameters:
        if isinstance(each, TyperOption) and each.is_flag and each.metavar is None:
            each.metavar = ""
    return parameters
