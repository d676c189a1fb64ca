"""The command ``wotr play``."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Annotated

import typer

from wotr_agents.compiled import compile_elsewhere
from wotr_env.compiler.kept_code import say
from wotr_env.kind import Seat
from wotr_env.war_of_the_ring import WAR_OF_THE_RING
from wotr_experiments.arena.schedule import find_ruleset
from wotr_experiments.cli.options import Apart, BotMemory, Position, Rules, seat_named
from wotr_experiments.cli.sources import read_position
from wotr_experiments.errors import CommandError
from wotr_experiments.isolation.bots import MEMORY, Isolate, Isolation
from wotr_experiments.terminal.saves import SavedGame
from wotr_experiments.terminal.start import new_game, play_in_terminal, resumed_game


def play(
    seat: Annotated[
        str | None,
        typer.Option(
            "--as",
            metavar="SEAT",
            help="Whom you play: free-peoples or shadow; of three players free-peoples, sauron or isengard, "
            "of four gondor, rohan, sauron or isengard (--ruleset first:players=4).",
        ),
    ] = None,
    against: Annotated[
        str | None, typer.Option(metavar="SPEC", help="The bot at all other seats, a partner's too.")
    ] = None,
    bot: Annotated[
        list[str] | None,
        typer.Option(metavar="SEAT=SPEC", help="The bot at one seat, such as isengard=random; repeatable."),
    ] = None,
    seed: Annotated[
        int | None, typer.Option(min=0, max=2**63 - 1, help="Of all chance; by default another each time.")
    ] = None,
    ruleset: Rules = None,
    position: Position = None,
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
    isolate: Apart = Isolate.FOREIGN,
    bot_memory: BotMemory = MEMORY,
) -> None:
    """Play against bots in the terminal; save at any time and go on later."""
    if compile_elsewhere():
        say("compiling behind the game, for a minute or two, once per version; bots that search wait for it")
    if load is not None:
        if seed is not None or ruleset is not None or position is not None:
            raise CommandError(
                "--seed, --ruleset and --position are for a new game; leave them out with --load"
            )
        seats = SavedGame.read(load).game.ruleset.seats
        saved = resumed_game(
            load,
            seat=None if seat is None else seat_named(seat, seats),
            against=against,
            bots=_bots(bot, seats),
            hint_bot=hint_bot,
            own_dice=own_dice,
        )
    else:
        if seat is None or against is None:
            raise CommandError(
                "give your side and an opponent, such as --as shadow --against random, or --load FILE"
            )
        if ruleset is not None and position is not None:
            raise CommandError("a position has its own rules; leave out --ruleset")
        game = None if position is None else read_position(position, seed)
        rules = find_ruleset(WAR_OF_THE_RING, ruleset) if game is None else game.ruleset
        saved = new_game(
            seat_named(seat, rules.seats),
            against,
            bots=_bots(bot, rules.seats),
            seed=seed,
            ruleset=rules,
            hint_bot=hint_bot,
            own_dice=own_dice,
            game=game,
        )
    isolation = Isolation(isolate, bot_memory)
    play_in_terminal(saved, save=save or load, out=out, script=script, isolation=isolation)


def _bots(written: Sequence[str] | None, seats: Sequence[Seat]) -> dict[int, str]:
    """The specs of single seats by their numbers."""
    bots: dict[int, str] = {}
    for each in written or ():
        name, separator, spec = each.partition("=")
        if not separator or not spec:
            raise CommandError(f"--bot takes SEAT=SPEC, such as isengard=random, not {each!r}")
        seat = seat_named(name, seats)
        if seat in bots:
            raise CommandError(f"--bot names {seats[seat].title} twice: {bots[seat]} and {spec}")
        bots[seat] = spec
    return bots
