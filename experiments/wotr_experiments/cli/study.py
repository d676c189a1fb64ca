"""The command ``wotr study``: statistics and plots of how bots play."""

from __future__ import annotations

import dataclasses
import sys
from pathlib import Path
from typing import Annotated

import typer

from wotr_experiments.arena.result_tables import share_text
from wotr_experiments.cli import completion
from wotr_experiments.cli.arena import ExecutionOptions, LuckOptions, SeededGameOptions
from wotr_experiments.cli.groups import grouped
from wotr_experiments.cli.options import (
    Json,
    file_name,
    print_json,
)
from wotr_experiments.errors import CommandError
from wotr_experiments.games.war_of_the_ring.study.sides import FixedSidesTournament

_RUNS = Path("runs")


@dataclasses.dataclass(frozen=True)
class RuleVariantOptions:
    """Options for studying changed rules."""

    options: Annotated[
        bool,
        typer.Option(
            "--options", help="Also play games with each disputed option of the rules changed, one at a time."
        ),
    ] = False
    option: Annotated[
        list[str] | None,
        typer.Option(
            metavar="NAME", help="Play games with only this option (or edition) changed. Repeatable."
        ),
    ] = None
    option_games: Annotated[
        int | None,
        typer.Option(
            min=1,
            help="Games per changed option, in whole batches. By default the value of --games.",
            show_default=False,
        ),
    ] = None

    def wanted(self) -> tuple[str, ...] | None:
        """The names of the options to change, empty for all; None if no options are studied.

        Raises:
            CommandError: a number of games is given, but no options are studied.
        """
        if self.options or self.option:
            return tuple(self.option or ())
        if self.option_games is not None:
            raise CommandError("--option-games needs --options or --option NAME")
        return None


@grouped
def study(
    bot: Annotated[
        str,
        typer.Argument(metavar="BOT", autocompletion=completion.bots, help="Spec of the bot to study."),
    ],
    shadow: Annotated[
        str | None,
        typer.Argument(
            metavar="[SHADOW]",
            autocompletion=completion.bots,
            help="Spec of the bot that plays the Shadow. By default the same bot.",
        ),
    ] = None,
    *,
    changed: RuleVariantOptions,
    measured: LuckOptions,
    played: SeededGameOptions,
    execution: ExecutionOptions,
    games: Annotated[int, typer.Option(help="Number of games.")] = 2000,
    out: Annotated[
        Path | None,
        typer.Option(
            help=(
                "Folder for games, figures and pages. A started study in this folder is continued. By "
                "default runs/study-BOT."
            ),
            show_default=False,
        ),
    ] = None,
    page: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE", help="Also write the report as Markdown to this file, with its plots next to it."
        ),
    ] = None,
    as_json: Json = False,
) -> None:
    """Study how a bot plays against itself or another bot: dice, Hunt, Fellowship, captures, cards, ends.

    Ctrl-C stops the study. The same command continues it.
    """
    from wotr_experiments.games.war_of_the_ring.reports.study.writing import REPORT
    from wotr_experiments.games.war_of_the_ring.study.running import run_study

    out = out or _RUNS / f"study-{file_name(bot if shadow is None else f'{bot}-{shadow}')}"
    bots, luck = (bot, shadow or bot), measured.method()
    sides = FixedSidesTournament(bots, games, played.seed, played.rules(), game=played.game, luck=luck)
    figures = run_study(
        sides, out.absolute(), execution.crew(), changed.wanted(), changed.option_games or games, page
    )
    if as_json:
        print_json(figures)
    else:
        wins, turns = figures["ends"]["winners"]["free_peoples"], figures["ends"]["lengths"]["all"]
        print(
            f"{out}: {figures['games']:,} games, the Free Peoples win {share_text(wins)}, mean "
            f"{turns['mean']:.1f} turns; see {REPORT} there"
        )
    sys.stdout.flush()
