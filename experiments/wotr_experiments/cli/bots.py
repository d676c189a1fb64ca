"""The commands ``wotr bots`` and ``wotr check-bot``."""

from __future__ import annotations

import dataclasses
import sys
from collections.abc import Sequence
from typing import Annotated

import tqdm
import typer
from rich.table import Table

from wotr_agents import BotKind, bot_kinds
from wotr_agents.networks.files import FIXED_NAMES, ZOO, NetworkFile, read_network
from wotr_agents.networks.weight_files import zoo_names
from wotr_agents.parameters import Parameter, parameters_of
from wotr_env.play.games import DEFAULT_GAME
from wotr_experiments.arena.check_bot import CHECK_WATCHDOG, Check, check_bot
from wotr_experiments.arena.check_protocol import check_protocol
from wotr_experiments.arena.result_tables import NOTHING
from wotr_experiments.arena.schedule import find_game
from wotr_experiments.cli import completion
from wotr_experiments.cli.groups import grouped
from wotr_experiments.cli.options import (
    BotProcesses,
    GameName,
    Json,
    Rules,
    Watchdog,
    print_json,
    print_tables,
    table_width,
)
from wotr_experiments.errors import CommandError


def bots(
    game: Annotated[
        str | None, typer.Option(help="List only bots that play this game.", autocompletion=completion.games)
    ] = None,
    as_json: Json = False,
) -> None:
    """List all bots with their parameters, and the networks of the package."""
    name = None if game is None else find_game(game).name
    kinds = [kind for kind in bot_kinds().values() if name is None or kind.plays(name)]
    kinds = kinds if name is None else [kind.in_game(name) for kind in kinds]
    if as_json:
        print_json([kind.to_dict() for kind in kinds])
    else:
        networks = [each for each in map(read_network, zoo_names(ZOO)) if name in (None, each.kind.name)]
        tables = [zoo_table(networks)] if networks else []
        width = min(table_width(), _WIDEST)
        print_tables(bots_table(kinds), parameters_table(kinds, width), *tables, width=width)


@grouped
def check_bot_command(
    spec: Annotated[
        str,
        typer.Argument(
            metavar="BOT", autocompletion=completion.bots, help="Spec of the bot, such as scripted."
        ),
    ],
    processes: BotProcesses,
    games: Annotated[int, typer.Option(min=1, help="Number of games played at the same time.")] = 8,
    decisions: Annotated[int, typer.Option(min=1, help="Maximal number of decisions per game.")] = 200,
    seed: Annotated[
        int | None,
        typer.Option(
            min=0,
            max=2**63 - 1,
            help="Random seed, to repeat the same games. By default the seeds of games come from a random "
            "secret.",
        ),
    ] = None,
    as_json: Json = False,
    game: GameName = DEFAULT_GAME,
    ruleset: Rules = None,
    watchdog: Watchdog = CHECK_WATCHDOG,
    protocol: Annotated[
        bool,
        typer.Option(help="Check only whether the program of stdio:COMMAND follows the protocol."),
    ] = False,
) -> None:
    """Check a bot: legal actions, no use of hidden information or guessed seeds, same play for the same seed,
    time per decision."""
    if protocol:
        _show_checks(spec, check_protocol(spec, seed, game, ruleset), as_json)
        return
    isolation, total = processes.isolation(watchdog), games * decisions
    with tqdm.tqdm(total=total, unit="decision", disable=None, leave=False, delay=_BAR_AFTER) as bar:
        checks = check_bot(spec, games, decisions, seed, bar.update, game, ruleset, isolation, _tell_silence)
    _show_checks(spec, checks, as_json)


_WIDEST = 100
"""Width of the tables of ``wotr bots`` where there is room, in characters."""
_BAR_AFTER = 0.5
"""Seconds before the progress bar appears, so that immediate failures show no bar."""


def _tell_silence(words: str) -> None:
    tqdm.tqdm.write(f"wotr: {words}", file=sys.stderr)


def _show_checks(spec: str, checks: Sequence[Check], as_json: bool) -> None:
    """Prints the checks; raises CommandError if a check has failed."""
    if as_json:
        print_json([dataclasses.asdict(check) for check in checks])
    else:
        print_tables(checks_table(spec, checks))
    failed = [check.name for check in checks if not check.passed]
    if failed:
        raise CommandError(f"bot {spec} failed: {', '.join(failed)}")


def bots_table(kinds: Sequence[BotKind]) -> Table:
    """The table of registered bots."""
    table = Table("bot", "what it does", title="bots")
    for kind in kinds:
        table.add_row(kind.name, "\n".join(filter(None, (kind.summary, games_of(kind)))))
    return table


_BROAD = 100
"""Minimal width for a separate column with the meaning of a parameter."""


def parameters_table(kinds: Sequence[BotKind], width: int) -> Table:
    """The table of the bots' parameters, as in specs: ``mcts:sims=800,rollout=random``.

    Args:
        kinds: the bots.
        width: available width in characters.
    """
    broad = width >= _BROAD
    columns = ("value", "default", "meaning") if broad else ("value, default and meaning",)
    table = Table("bot", "name", *columns, title="parameters: BOT:NAME=VALUE,NAME=VALUE")
    for kind in kinds:
        for number, each in enumerate(parameters_of(kind.parameters)):
            default = default_of(each)
            cells = (values_of(each), default, each.help)
            if not broad:
                given = default if each.required else f"by default {default}"
                cells = (f"{cells[0]}; {given}\n{each.help}",)
            table.add_row("" if number else kind.name, each.name, *cells)
    return table


ZOO_HEADS = ("name", "plays", "learned from", "size")
"""The headings of ``zoo_rows``."""


def zoo_rows(networks: Sequence[NetworkFile]) -> list[tuple[str, ...]]:
    """The name, the ruleset, the experience and the size of each network, then the fixed names."""
    rows, fixed = [], []
    for each in networks:
        ruleset = each.facts["config"].get("ruleset") or next(iter(each.kind.rulesets))
        plays = f"{each.kind.title}, {ruleset}"
        million = each.facts["decisions"] / 1e6
        size = f"{each.path.stat().st_size / 1e6:.1f} MB"
        name = f"zoo/{each.path.stem}"
        rows.append((name, plays, f"{million:,.0f} million decisions", size))
        fixed += [(also, plays, f"now {name}", size) for also, what in FIXED_NAMES.items() if what == name]
    return rows + fixed


def zoo_table(networks: Sequence[NetworkFile]) -> Table:
    """The table of the networks that come with the package."""
    title = "networks that come with the package: net:NAME, search:NAME, playouts:NAME"
    table = Table(*ZOO_HEADS, title=title)
    for row in zoo_rows(networks):
        table.add_row(*row)
    return table


def values_of(parameter: Parameter) -> str:
    """The possible values of a parameter: its words, or its type and range."""
    if parameter.choices:
        return ", ".join(parameter.choices)
    inside = "" if parameter.range is None else f", {parameter.range}"
    return _VALUES[parameter.type] + inside


_VALUES = {"bool": "true, false", "int": "whole number", "float": "number", "str": "text"}


def default_of(parameter: Parameter) -> str:
    """The default of a parameter in words."""
    if parameter.required:
        return "required"
    if isinstance(parameter.default, bool):
        return str(parameter.default).lower()
    return NOTHING if parameter.default == "" else str(parameter.default)


def games_of(kind: BotKind) -> str:
    """The games of a bot in words; empty for a bot that plays only War of the Ring."""
    if kind.games is None:
        return (
            "plays every game" if kind.game_of is None else "plays one game, which its parameters determine"
        )
    return "" if kind.games == (DEFAULT_GAME,) else f"plays {', '.join(kind.games)}"


def checks_table(spec: str, checks: Sequence[Check]) -> Table:
    """The table of the results of ``wotr check-bot``."""
    table = Table("check", "", "found", title=f"bot {spec}")
    for check in checks:
        table.add_row(check.name, "passed" if check.passed else "FAILED", check.found)
    return table
