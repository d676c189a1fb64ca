"""The command ``wotr book``, which writes open positions for ``--positions``."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated

import tqdm
import typer

from wotr_env.core.spelling import counted
from wotr_env.play.games import DEFAULT_GAME
from wotr_experiments.arena.schedule import check_two_teams, ending, find_game, find_ruleset
from wotr_experiments.cli.options import GameName, Rules, Seed
from wotr_experiments.errors import CommandError
from wotr_experiments.files import check_output, write_text
from wotr_experiments.luck.open_positions import Openness, open_positions
from wotr_experiments.luck.values import default_value_network

_HEAD = r"# \d+ open positions? of "
"""The start of a file that this command has written."""


def book(
    out: Annotated[Path, typer.Argument(metavar="FILE", help="Output file, with one position per line.")],
    positions: Annotated[int, typer.Option(min=1, max=100_000, help="Number of positions to write.")] = 100,
    low: Annotated[
        float, typer.Option(help="Minimal winning chance of the first team, from 0 to 1.")
    ] = Openness.low,
    high: Annotated[
        float, typer.Option(help="Maximal winning chance of the first team, from 0 to 1.")
    ] = Openness.high,
    network: Annotated[
        str | None,
        typer.Option(
            metavar="NETWORK",
            help="Network that plays the games and evaluates positions. Default: the best network of "
            "this package for this game and ruleset.",
            show_default=False,
        ),
    ] = None,
    game: GameName = DEFAULT_GAME,
    ruleset: Rules = None,
    seed: Seed = 0,
) -> None:
    """Write open positions for the option --positions of tournament and compare.

    A network plays games against itself. From each game the command takes one open position: one that both
    sides can still win, according to the network.
    """
    check_output(out, _HEAD, "a file of open positions")
    openness = Openness(low, high)
    kind = find_game(game)
    rules = ending(kind, find_ruleset(kind, ruleset))
    check_two_teams(kind, rules, "open positions need a game of two teams")
    value = network or default_value_network(kind, rules)
    if value is None:
        raise CommandError(f"this package has no network for {kind.title}: give --network")
    with tqdm.tqdm(total=positions, unit="position", disable=not sys.stderr.isatty()) as bar:
        found = open_positions(kind, rules, value, positions, openness, seed, bar.update)
    many = counted(positions, "open position")
    head = f"# {many} of {kind.title}, {rules.title}: chance of the {kind.teams[0].title} "
    head += f"{low:g} to {high:g} by {value}, seed {seed}"
    write_text(out, "\n".join([head, *found]) + "\n")
    print(f"wotr: wrote {many} to {out}; use them with --positions {out}", file=sys.stderr)
