"""``wotr study``: how bots play, as figures and plots."""

from __future__ import annotations

import dataclasses
import sys
from pathlib import Path
from typing import Annotated

import typer

from wotr_experiments.arena.tables import share_text
from wotr_experiments.cli import completion
from wotr_experiments.cli.arena import SeededGames, Workshop
from wotr_experiments.cli.groups import grouped
from wotr_experiments.cli.options import (
    Json,
    file_name,
    print_json,
)
from wotr_experiments.games.war_of_the_ring.study.sides import Sides

_RUNS = Path("runs")


@dataclasses.dataclass(frozen=True)
class OptionsStudied:
    """Which options of the rules are changed."""

    options: Annotated[
        bool,
        typer.Option(
            "--options", help="Also play games with each single option changed that rule sets dispute."
        ),
    ] = False
    option: Annotated[
        list[str] | None,
        typer.Option(metavar="NAME", help="Only with this option changed, or edition; may be given again."),
    ] = None
    option_games: Annotated[
        int | None,
        typer.Option(
            min=1,
            help="Games with each option changed, in whole batches; by default as many as --games.",
            show_default=False,
        ),
    ] = None

    def wanted(self) -> tuple[str, ...] | None:
        """Their names, none for all; None if no games are played for them."""
        return tuple(self.option or ()) if self.options or self.option else None


@grouped
def study(
    bot: Annotated[
        str,
        typer.Argument(
            metavar="BOT", autocompletion=completion.bots, help="Spec of the bot that is studied."
        ),
    ],
    shadow: Annotated[
        str | None,
        typer.Argument(
            metavar="[SHADOW]",
            autocompletion=completion.bots,
            help="Spec of another that plays the Shadow; by default the same bot.",
        ),
    ] = None,
    *,
    changed: OptionsStudied,
    played: SeededGames,
    workshop: Workshop,
    games: Annotated[int, typer.Option(help="Games that are played.")] = 2000,
    out: Annotated[
        Path | None,
        typer.Option(
            help="Folder for games, figures and pages, continued if begun; by default runs/study-BOT.",
            show_default=False,
        ),
    ] = None,
    page: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="Also write the page in Markdown here, and its plots beside it."),
    ] = None,
    as_json: Json = False,
) -> None:
    """Studies the play of a bot against itself, or of two: dice, Hunt, Fellowship, captures, cards, ends.

    Stop it with Ctrl-C; the same command goes on.
    """
    from wotr_experiments.games.war_of_the_ring.reports.study.writing import REPORT
    from wotr_experiments.games.war_of_the_ring.study.running import hold_study

    out = out or _RUNS / f"study-{file_name(bot if shadow is None else f'{bot}-{shadow}')}"
    sides = Sides((bot, shadow or bot), games, played.seed, played.rules(), game=played.game)
    figures = hold_study(
        sides, out.absolute(), workshop.crew(), changed.wanted(), changed.option_games or games, page
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
