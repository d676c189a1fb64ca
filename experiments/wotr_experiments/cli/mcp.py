"""The command ``wotr mcp``."""

from __future__ import annotations

import contextlib
import importlib.util
from pathlib import Path
from typing import Annotated

import typer

from wotr_agents.compiled import compile_elsewhere
from wotr_agents.registry import is_slow
from wotr_env.games.war_of_the_ring.game import WAR_OF_THE_RING
from wotr_env.play.games import DEFAULT_GAME
from wotr_env.play.plugins import how_to_install
from wotr_experiments.arena.schedule import find_ruleset, settled
from wotr_experiments.cli import completion
from wotr_experiments.cli.options import Apart, BotMemory, Rules
from wotr_experiments.errors import CommandError
from wotr_experiments.isolation.bots import MEMORY, Bots, Isolate, Isolation, check_made


def mcp(
    against: Annotated[
        list[str] | None,
        typer.Option(
            metavar="SPEC",
            autocompletion=completion.bots,
            help="A bot to play against; repeatable. By default scripted.",
        ),
    ] = None,
    hints: Annotated[bool, typer.Option(help="Whether the bot may be asked what it would do.")] = True,
    ruleset: Rules = None,
    seed: Annotated[
        int | None,
        typer.Option(
            min=0, max=2**63 - 1, help="Seed of the first game, one more for each; by default secret."
        ),
    ] = None,
    records: Annotated[Path | None, typer.Option(help="Add finished games to this file.")] = None,
    isolate: Apart = Isolate.FOREIGN,
    bot_memory: BotMemory = MEMORY,
) -> None:
    """Serves War of the Ring to a language model as tools (Model Context Protocol, over stdin and stdout).

    Other games are played by language models in tournaments in text: wotr text-tournament --game.
    """
    if importlib.util.find_spec("mcp") is None:
        raise CommandError(f"wotr mcp needs mcp: {how_to_install('mcp')}")
    bots = list(against or ["scripted"])
    compiling = compile_elsewhere()  # clients do not wait minutes for their first answer
    isolation = Isolation(isolate, bot_memory)
    with Bots(isolation) as made:  # what cannot be made is found now, not in the first game
        for spec in bots:
            known = settled(spec, DEFAULT_GAME)
            if not (compiling and is_slow(known)):  # a search waits until it is compiled
                check_made(spec, *made.seat([known], [0], DEFAULT_GAME))
    if records is not None and not records.absolute().parent.is_dir():
        raise CommandError(f"there is no folder {records.parent}")
    from wotr_experiments.language.server import Host, make_server  # after the check: it needs the extra

    rules = find_ruleset(WAR_OF_THE_RING, ruleset)
    server, table = make_server(Host(bots, rules, hints, seed, records, isolation))
    with contextlib.closing(table):
        server.run("stdio")
