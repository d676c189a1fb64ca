"""The command ``wotr mcp``."""

from __future__ import annotations

import contextlib
import importlib.util
from pathlib import Path
from typing import Annotated

import typer

from wotr_agents.compiled import start_background_compiler
from wotr_agents.registry import is_slow
from wotr_env.play.games import DEFAULT_GAME
from wotr_env.play.plugins import how_to_install
from wotr_experiments.arena.schedule import canonical_bot_spec, find_game, find_ruleset
from wotr_experiments.cli import completion
from wotr_experiments.cli.groups import grouped
from wotr_experiments.cli.options import BotProcesses, GameName, Rules
from wotr_experiments.errors import CommandError
from wotr_experiments.isolation.bots import Bots, check_made


@grouped
def mcp(
    against: Annotated[
        list[str] | None,
        typer.Option(
            metavar="SPEC",
            autocompletion=completion.bots,
            help="Spec of a bot to play against. By default scripted. Repeatable.",
        ),
    ] = None,
    hints: Annotated[bool, typer.Option(help="Whether the language model may ask a bot for a hint.")] = True,
    game: GameName = DEFAULT_GAME,
    ruleset: Rules = None,
    seed: Annotated[
        int | None,
        typer.Option(
            min=0,
            max=2**63 - 1,
            help="Random seed of the first game; each further game adds one. By default a secret seed.",
        ),
    ] = None,
    records: Annotated[
        Path | None, typer.Option(help="File to append the records of finished games to.")
    ] = None,
    *,
    processes: BotProcesses,
) -> None:
    """Offer a game to a language model as tools (Model Context Protocol on stdin and stdout)."""
    if importlib.util.find_spec("mcp") is None:
        raise CommandError(f"wotr mcp needs mcp: {how_to_install('mcp')}")
    kind = find_game(game)
    rules = find_ruleset(kind, ruleset)
    bots = list(against or ["scripted"])
    # War of the Ring takes a minute or two to compile: clients do not wait that long for their first answer.
    compiling = start_background_compiler(kind.name)
    isolation = processes.isolation()
    with Bots(isolation) as made:  # what cannot be made is found now, not in the first game
        for spec in bots:
            known = canonical_bot_spec(spec, kind.name)
            if not (compiling and is_slow(known)):  # a search waits until it is compiled
                check_made(spec, *made.seat([known], [0], kind.name))
    if records is not None and not records.absolute().parent.is_dir():
        raise CommandError(f"there is no folder {records.parent}")
    from wotr_experiments.language.server import (  # after the check: it needs the extra
        ServerSettings,
        make_server,
    )

    server, table = make_server(ServerSettings(bots, rules, kind, hints, seed, records, isolation))
    with contextlib.closing(table):
        server.run("stdio")
