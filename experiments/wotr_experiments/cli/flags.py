"""Help texts in which flags have no value (``--json``), numbers appear as ``<int>``, and examples follow.

The module of a command is imported when the command is needed.
"""

from __future__ import annotations

import importlib
from collections.abc import Iterator, Mapping
from typing import Any

import typer
from rich.markup import escape
from typer.core import TyperCommand, TyperGroup, TyperOption

from wotr_experiments.cli.examples import EXAMPLES


class PlainCommand(TyperCommand):
    """A command whose flags have no value in the help, and whose help ends with examples."""

    def __init__(self, *arguments: Any, **named: Any) -> None:
        super().__init__(*arguments, **named)
        self.help = _in_paragraphs(self.help)
        examples = EXAMPLES.get(self.name or "", ())
        self.epilog = "\n\n".join(["Examples:", *map(escape, examples)]) if examples else None

    def get_params(self, *arguments: Any, **named: Any) -> list[Any]:
        """The parameters; flags have no metavar, and no range is longer than needed."""
        return _plain(super().get_params(*arguments, **named))


class PlainGroup(TyperGroup):
    """The main command; its flags have no value in the help."""

    def get_params(self, *arguments: Any, **named: Any) -> list[Any]:
        """The parameters; flags have no metavar."""
        return _plain(super().get_params(*arguments, **named))


class LazyCommands(Mapping[str, Any]):
    """Commands by name, each of which is imported at its first use.

    Args:
        places: the functions of the commands, as ``module:name``, by panels of the help and by names.
    """

    def __init__(self, places: Mapping[str, Mapping[str, str]]) -> None:
        self._places = {
            name: (panel, place) for panel, names in places.items() for name, place in names.items()
        }
        self._loaded: dict[str, Any] = {}

    def __getitem__(self, name: str) -> Any:
        if name not in self._loaded:
            panel, place = self._places[name]
            module, _, function = place.partition(":")
            program = typer.Typer(add_completion=False)
            register = program.command(name, cls=PlainCommand, rich_help_panel=panel)
            register(getattr(importlib.import_module(module), function))
            self._loaded[name] = typer.main.get_command(program)
        return self._loaded[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._places)

    def __len__(self) -> int:
        return len(self._places)


def _in_paragraphs(text: str | None) -> str | None:
    """A text whose paragraphs are one line each, so that they are wrapped to the width of the terminal."""
    return text and "\n\n".join(" ".join(each.split()) for each in text.split("\n\n"))


def _plain(parameters: list[Any]) -> list[Any]:
    for each in parameters:
        if isinstance(each, TyperOption) and each.is_flag and each.metavar is None:
            each.metavar = ""
        if isinstance(each, TyperOption) and each.metavar is None and (each.min, each.max) != (None, None):
            each.metavar = f"<{each.type_descriptor.ranged_type_name}>"
        if getattr(each, "max", None) == _UNBOUNDED:
            each._get_number_range_help_str = f"x>={each.min}".__str__
    return parameters


_UNBOUNDED = 2**63 - 1
"""The largest number that fits; the help does not show this bound."""
