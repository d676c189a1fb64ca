"""Options and print functions shared by several commands."""

from __future__ import annotations

import dataclasses
import importlib.util
import json
import os
import sys
from collections.abc import Sequence
from typing import Annotated, Any

import rich.console
import rich.table
import typer

from wotr_env.core.seats import Seat, check_seat, check_viewer
from wotr_experiments.cli import completion
from wotr_experiments.cli.fitting import fitted
from wotr_experiments.errors import as_command_error
from wotr_experiments.isolation.bots import MEMORY, WATCHDOG, Isolate, Isolation

PIPED_WIDTH = 200
"""Width of tables that are not printed to a terminal, if the environment variable COLUMNS is not set."""


Json = Annotated[bool, typer.Option("--json", help="Print JSON on stdout instead of tables.")]
Seed = Annotated[
    int, typer.Option(min=0, max=2**63 - 1, help="Random seed. The same seed gives the same games.")
]
Rules = Annotated[
    str | None,
    typer.Option(
        "--ruleset",
        metavar="SPEC",
        autocompletion=completion.rulesets,
        help="Ruleset: an edition and the options that differ from it, such as second or "
        "second:mordor_idle=move. By default the game's first edition.",
    ),
]
Watchdog = Annotated[
    float,
    typer.Option(
        min=0,
        metavar="SECONDS",
        help="Seconds in which a bot without a time limit must answer, plus a tenth for each further game "
        "in the same call. A slower bot forfeits. 0 means no limit.",
    ),
]
Position = Annotated[
    str | None,
    typer.Option(
        metavar="TEXT",
        help="Start from this position: the text that wotr position prints, or a file with this text. If "
        "the position contains only the information of one seat, --seed determines the hidden "
        "information.",
    ),
]
RecordNumber = Annotated[
    int, typer.Option("--record", min=1, help="Number of the game in a file of records, from 1.")
]
LuckOfGame = Annotated[
    str | None,
    typer.Option(
        "--luck",
        metavar="NETWORK",
        help="Network whose values are used to measure the luck of a whole game; none: luck is not "
        "measured. Default: the best network of this package for this game and ruleset.",
        show_default=False,
    ),
]
GameName = Annotated[str, typer.Option("--game", help="Name of the game.", autocompletion=completion.games)]


@dataclasses.dataclass(frozen=True)
class BotProcesses:
    """Options for the processes of bots."""

    isolate: Annotated[
        Isolate,
        typer.Option(
            "--isolate",
            help="Which bots run in separate processes with only the information of their own seats: foreign "
            "(bots of other packages), all, or none.",
        ),
    ] = Isolate.FOREIGN
    bot_memory: Annotated[
        int,
        typer.Option(
            min=0,
            metavar="MIB",
            help="Memory limit of a bot's process in MiB. 0 means no limit; a bot that uses a GPU needs 0.",
        ),
    ] = MEMORY

    def isolation(self, watchdog: float = WATCHDOG) -> Isolation:
        """The isolation settings, with the watchdog in seconds; 0: no limit."""
        return Isolation(self.isolate, self.bot_memory, watchdog)


def seat_named(name: str, seats: Sequence[Seat]) -> int:
    """The number of a seat by its name, as ``wotr_env.core.spelling`` reads it.

    Raises:
        CommandError: there is no seat with this name.
    """
    with as_command_error():
        return check_seat(name, seats)


def viewer_named(name: str, seats: Sequence[Seat]) -> int | None:
    """A viewer by its name: the number of a seat, ``PUBLIC``, or None for ``all``.

    Raises:
        CommandError: there is no seat with this name.
    """
    with as_command_error():
        return check_viewer(name, seats)


def file_name(spec: str) -> str:
    """A spec as the name of a folder."""
    return "".join(each if each.isalnum() or each in "._=" else "-" for each in spec)


def print_tables(*renderables: Any, markup: bool = True, width: int | None = None) -> None:
    """Prints to stdout in the width of the terminal; wider tables are split.

    Args:
        renderables: objects for rich.
        markup: whether words in brackets are rich markup; switch it off if the specs of bots may contain
            brackets.
        width: the width in characters; by default ``table_width()``.
    """
    console = rich.console.Console(width=width or table_width(), markup=markup)
    for each in renderables:
        console.print(*fitted(each, console.width) if isinstance(each, rich.table.Table) else [each])


def table_width() -> int:
    """The width of tables on stdout, in characters."""
    if sys.stdout.isatty():
        return rich.console.Console().width
    columns = os.environ.get("COLUMNS", "")
    return int(columns) if columns.isdecimal() and int(columns) else PIPED_WIDTH


def tell_loading() -> None:
    """Prints on a terminal that torch is being loaded, which takes seconds."""
    if sys.stderr.isatty() and "torch" not in sys.modules and importlib.util.find_spec("torch"):
        print("wotr: loading torch ...", file=sys.stderr, flush=True)


def print_json(value: Any) -> None:
    """Prints JSON to stdout."""
    print(json.dumps(value, indent=2))
