"""The command ``wotr play``."""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from wotr_env.codes import Side
from wotr_env.war_of_the_ring import WAR_OF_THE_RING
from wotr_experiments.arena.schedule import find_ruleset
from wotr_experiments.cli.options import Rules
from wotr_experiments.errors import CommandError
from wotr_experiments.terminal.start import new_game, play_in_terminal, resumed_game


class Seat(StrEnum):
    """The sides a person can play."""

    free_peoples = "free-peoples"
    shadow = "shadow"


_SIDES = {None: None, Seat.free_peoples: int(Side.FREE_PEOPLES), Seat.shadow: int(Side.SHADOW)}


def play(
    seat: Annotated[Seat | None, typer.Option("--as", help="The side you play.")] = None,
    against: Annotated[str | None, typer.Option(metavar="SPEC", help="The bot you play against.")] = None,
    seed: Annotated[
        int | None, typer.Option(min=0, max=2**63 - 1, help="Of all chance; by default another each time.")
    ] = None,
    ruleset: Rules = None,
    load: Annotated[Path | None, typer.Option(help="Go on with this saved game.")] = None,
    save: Annotated[
        Path | None, typer.Option(help="Where the game is saved; by default the file loaded, or a new one.")
    ] = None,
    out: Annotated[Path | None, typer.Option(help="Write the record of the finished game here.")] = None,
    own_dice: Annotated[
        bool, typer.Option("--own-dice", help="Roll dice and draw tiles yourself and type them in.")
    ] = False,
    hint_bot: Annotated[
        str | None, typer.Option(metavar="SPEC", help="The bot that gives hints; by default scripted.")
    ] = None,
    script: Annotated[Path | None, typer.Option(help="Lines that are typed first.")] = None,
) -> None:
    """Play against a bot in the terminal; save at any time and go on later."""
    if load is not None:
        if seed is not None or ruleset is not None:
            raise CommandError("--seed and --ruleset are for a new game; leave them out with --load")
        saved = resumed_game(load, seat=_SIDES[seat], against=against, hint_bot=hint_bot, own_dice=own_dice)
    else:
        if seat is None or against is None:
            raise CommandError(
                "give your side and an opponent, such as --as shadow --against random, or --load FILE"
            )
        saved = new_game(
            _SIDES[seat],
            against,
            seed=seed,
            ruleset=find_ruleset(WAR_OF_THE_RING, ruleset),
            hint_bot=hint_bot,
            own_dice=own_dice,
        )
    play_in_terminal(saved, save=save or load, out=out, script=script)
