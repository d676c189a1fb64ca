"""The commands ``wotr bots`` and ``wotr check-bot``."""

from __future__ import annotations

import dataclasses
import sys
from collections.abc import Mapping, Sequence
from typing import Annotated, Any

import tqdm
import typer
from rich.table import Table

from wotr_agents import BotKind, bot_kinds
from wotr_env.games import DEFAULT_GAME
from wotr_experiments.arena.check_bot import Check, check_bot
from wotr_experiments.arena.check_protocol import check_protocol
from wotr_experiments.arena.schedule import find_game
from wotr_experiments.arena.tables import NOTHING
from wotr_experiments.cli.options import (
    Apart,
    BotMemory,
    GameName,
    Json,
    Rules,
    Watchdog,
    print_json,
    print_tables,
)
from wotr_experiments.errors import CommandError
from wotr_experiments.isolation.bots import MEMORY, WATCHDOG, Isolate, Isolation


def bots(
    game: Annotated[str | None, typer.Option(help="Only bots that play this game.")] = None,
    as_json: Json = False,
) -> None:
    """Lists every registered bot with its parameters."""
    name = None if game is None else find_game(game).name
    kinds = [kind for kind in bot_kinds().values() if name is None or kind.plays(name)]
    if as_json:
        print_json([kind.to_dict() for kind in kinds])
    else:
        print_tables(bots_table(kinds))


def check_bot_command(
    spec: Annotated[str, typer.Argument(metavar="BOT", help="Spec of the bot, such as scripted.")],
    games: Annotated[int, typer.Option(min=1, help="Games played at once.")] = 8,
    decisions: Annotated[int, typer.Option(min=1, help="Decisions per game, at most.")] = 200,
    seed: Annotated[
        int | None,
        typer.Option(
            min=0, max=2**63 - 1, help="Of the games, to have them again; by default they come from a secret."
        ),
    ] = None,
    as_json: Json = False,
    game: GameName = DEFAULT_GAME,
    ruleset: Rules = None,
    isolate: Apart = Isolate.FOREIGN,
    bot_memory: BotMemory = MEMORY,
    watchdog: Watchdog = WATCHDOG,
    protocol: Annotated[
        bool,
        typer.Option(help="Of stdio:COMMAND: check instead whether the program speaks the protocol."),
    ] = False,
) -> None:
    """Checks a bot: legal actions, fairness, determinism for a seed, guessed seeds, time per decision."""
    if protocol:
        _show_checks(spec, check_protocol(spec, seed, game, ruleset), as_json)
        return
    with tqdm.tqdm(total=games * decisions, unit="decision", file=sys.stderr, leave=False) as bar:
        isolation = Isolation(isolate, bot_memory, watchdog)
        checks = check_bot(spec, games, decisions, seed, bar.update, game, ruleset, isolation)
    _show_checks(spec, checks, as_json)


def _show_checks(spec: str, checks: Sequence[Check], as_json: bool) -> None:
    """Prints what was found; CommandError if a check has failed."""
    if as_json:
        print_json([dataclasses.asdict(check) for check in checks])
    else:
        print_tables(checks_table(spec, checks))
    failed = [check.name for check in checks if not check.passed]
    if failed:
        raise CommandError(f"bot {spec} failed: {', '.join(failed)}")


def bots_table(kinds: Sequence[BotKind]) -> Table:
    """The registered bots."""
    table = Table(title="bots")
    for column in ("bot", "what it does", "parameters"):
        table.add_column(column)
    for kind in kinds:
        parameters = kind.to_dict()["parameters"]
        table.add_row(
            kind.name,
            "\n".join(filter(None, (kind.summary, _games(kind)))),
            "\n".join(f"{each['name']}: {each['type']}, {_default(each)}" for each in parameters) or NOTHING,
        )
    return table


def _games(kind: BotKind) -> str:
    """What it plays, if that is anything but War of the Ring alone."""
    if kind.games is None:
        return "plays every game" if kind.game_of is None else "plays the game that its parameters are for"
    return "" if kind.games == (DEFAULT_GAME,) else f"plays {', '.join(kind.games)}"


def _default(parameter: Mapping[str, Any]) -> str:
    return "must be given" if parameter["required"] else f"default {parameter['default']}"


def checks_table(spec: str, checks: Sequence[Check]) -> Table:
    """What ``wotr check-bot`` found."""
    table = Table(title=f"bot {spec}")
    for column in ("check", "", "found"):
        table.add_column(column)
    for check in checks:
        table.add_row(check.name, "passed" if check.passed else "FAILED", check.found)
    return table
