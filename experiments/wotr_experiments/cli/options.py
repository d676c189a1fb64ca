"""What several commands of the command line share: options, and how they print."""

from __future__ import annotations

import json
import sys
from enum import StrEnum
from typing import Annotated, Any

import rich.console
import typer

from wotr_env.games import DEFAULT_GAME
from wotr_env.ruleset import EDITIONS
from wotr_experiments.arena.schedule import find_game
from wotr_experiments.errors import CommandError

PIPED_WIDTH = 200
"""Columns of tables that are not printed to a terminal."""


class Edition(StrEnum):
    """The rulesets that have a name."""

    first = "first"
    second = "second"


Json = Annotated[bool, typer.Option("--json", help="Print JSON on stdout instead of tables.")]
Seed = Annotated[
    int, typer.Option(min=0, max=2**63 - 1, help="Of all chance; the same seed gives the same games.")
]
Edit = Annotated[Edition, typer.Option("--ruleset", help="Edition of the rules.")]
Turns = Annotated[int, typer.Option(help="Turns after which a game is a draw; 0: no limit.")]


GameName = Annotated[str, typer.Option("--game", help="The game that is played.")]


def ruleset_of(edition: Edition, max_turns: int, game: str = DEFAULT_GAME) -> Any:
    """The ruleset that the options name; other games than War of the Ring have their default alone.

    Raises:
        CommandError: the turn limit cannot be, there is no such game, or it has no such options.
    """
    if game != DEFAULT_GAME:
        if edition is not Edition.first or max_turns:
            raise CommandError(f"--ruleset and --max-turns are options of {DEFAULT_GAME}, not of {game}")
        return find_game(game).ruleset()
    try:
        return EDITIONS[edition](max_turns=max_turns)
    except ValueError as error:
        raise CommandError(f"--max-turns: {error}") from None


def print_tables(*renderables: Any, markup: bool = True) -> None:
    """Prints to stdout, as wide as the terminal.

    Args:
        renderables: for rich.
        markup: whether words in brackets are colours; not where a bot's spec may have brackets.
    """
    width = None if sys.stdout.isatty() else PIPED_WIDTH
    console = rich.console.Console(width=width, markup=markup)
    console.print(*renderables)


def print_json(value: Any) -> None:
    """Prints JSON to stdout."""
    print(json.dumps(value, indent=2))
