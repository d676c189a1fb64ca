"""Commands whose help shows flags as they are typed (``--json``, not ``--json <bool>``), and examples."""

from __future__ import annotations

from typing import Any

from rich.markup import escape
from typer.core import TyperCommand, TyperGroup, TyperOption

from wotr_experiments.cli.examples import EXAMPLES


class PlainCommand(TyperCommand):
    """A command whose flags show no value, and whose help ends with its examples."""

    def __init__(self, *arguments: Any, **named: Any) -> None:
        super().__init__(*arguments, **named)
        self.help = _in_paragraphs(self.help)
        examples = EXAMPLES.get(self.name or "", ())
        self.epilog = "\n\n".join(["Examples:", *map(escape, examples)]) if examples else None

    def get_params(self, *arguments: Any, **named: Any) -> list[Any]:
        """The parameters; flags have no metavar."""
        return _without_values(super().get_params(*arguments, **named))


class PlainGroup(TyperGroup):
    """The main command, whose flags show no value."""

    def get_params(self, *arguments: Any, **named: Any) -> list[Any]:
        """The parameters; flags have no metavar."""
        return _without_values(super().get_params(*arguments, **named))


def _in_paragraphs(text: str | None) -> str | None:
    """A text whose paragraphs are one line each, so that they are wrapped to the width of the terminal."""
    return text and "\n\n".join(" ".join(each.split()) for each in text.split("\n\n"))


def _without_values(parameters: list[Any]) -> list[Any]:
    for each in parameters:
        if isinstance(each, TyperOption) and each.is_flag and each.metavar is None:
            each.metavar = ""
    return parameters
