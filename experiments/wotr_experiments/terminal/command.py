"""The command ``wotr play``."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.console import Console

from wotr_agents.compiled import compile_later
from wotr_env.core.kind import GameKind, Seat
from wotr_env.games.war_of_the_ring.kind import WAR_OF_THE_RING
from wotr_env.play.games import DEFAULT_GAME
from wotr_experiments.arena.schedule import find_game, find_ruleset
from wotr_experiments.cli import completion
from wotr_experiments.cli.options import Apart, BotMemory, GameName, Position, Rules, seat_named
from wotr_experiments.cli.sources import read_position
from wotr_experiments.errors import CommandError
from wotr_experiments.games.war_of_the_ring.terminal.start import new_game, play_in_terminal, resumed_game
from wotr_experiments.isolation.bots import MEMORY, Isolate, Isolation
from wotr_experiments.terminal.any_game import new_match, play_any_game, resumed_match, saved_record
from wotr_experiments.terminal.readers import reader_of
from wotr_experiments.terminal.saves import SavedGame


def play(
    seat: Annotated[
        str | None,
        typer.Option(
            "--as",
            metavar="SEAT",
            autocompletion=completion.seats,
            help="Your seat: free-peoples or shadow; of three players free-peoples, sauron or isengard, "
            "of four gondor, rohan, sauron or isengard (--ruleset first:players=4).",
        ),
    ] = None,
    against: Annotated[
        str | None,
        typer.Option(
            metavar="SPEC",
            autocompletion=completion.bots,
            help="The bot at all other seats, a partner's too.",
        ),
    ] = None,
    bot: Annotated[
        list[str] | None,
        typer.Option(
            metavar="SEAT=SPEC",
            autocompletion=completion.seated_bots,
            help="The bot at one seat, such as isengard=random; repeatable.",
        ),
    ] = None,
    seed: Annotated[
        int | None,
        typer.Option(min=0, max=2**63 - 1, help="Seed of all chance; by default another each time."),
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
    takeback: Annotated[
        bool | None,
        typer.Option(
            help="Whether undo goes back past dice and bots' answers, which the record tells; by default it "
            "does. Own dice stay."
        ),
    ] = None,
    hint_bot: Annotated[
        str | None,
        typer.Option(
            metavar="SPEC",
            autocompletion=completion.bots,
            help="The bot that gives hints; by default scripted.",
        ),
    ] = None,
    script: Annotated[Path | None, typer.Option(help="Lines that are typed first.")] = None,
    isolate: Apart = Isolate.FOREIGN,
    bot_memory: BotMemory = MEMORY,
    game: GameName = DEFAULT_GAME,
) -> None:
    """Play against bots in the terminal; save at any time and go on later."""
    isolation = Isolation(isolate, bot_memory)
    if game != DEFAULT_GAME:
        if own_dice:
            raise CommandError(f"--own-dice is for {DEFAULT_GAME}, not for {game}")
        _play_another(
            game,
            seat,
            against,
            bot,
            seed,
            ruleset,
            position,
            load,
            save,
            out,
            hint_bot,
            script,
            isolation,
            takeback is not False,
        )
        return
    compile_later()
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
            takeback=takeback,
        )
    else:
        if seat is None or against is None:
            raise CommandError(
                "give your side and an opponent, such as --as shadow --against random, or --load FILE"
            )
        if ruleset is not None and position is not None:
            raise CommandError("a position has its own rules; leave out --ruleset")
        begun = None if position is None else _begun(WAR_OF_THE_RING, position, seed)
        rules = find_ruleset(WAR_OF_THE_RING, ruleset) if begun is None else begun.ruleset
        saved = new_game(
            seat_named(seat, rules.seats),
            against,
            bots=_bots(bot, rules.seats),
            seed=seed,
            ruleset=rules,
            hint_bot=hint_bot,
            own_dice=own_dice,
            game=begun,
            takeback=takeback is not False,
        )
    play_in_terminal(saved, save=save or load, out=out, script=script, isolation=isolation)


def _play_another(
    game: str,
    seat: str | None,
    against: str | None,
    bot: Sequence[str] | None,
    seed: int | None,
    ruleset: str | None,
    position: str | None,
    load: Path | None,
    save: Path | None,
    out: Path | None,
    hint_bot: str | None,
    script: Path | None,
    isolation: Isolation,
    takeback: bool,
) -> None:
    """The command for any other game than War of the Ring."""
    kind = find_game(game)
    if load is not None and (seed is not None or ruleset is not None or position is not None):
        raise CommandError("--seed, --ruleset and --position are for a new game; leave them out with --load")
    if ruleset is not None and position is not None:
        raise CommandError("a position has its own rules; leave out --ruleset")
    if load is None and (seat is None or against is None):
        raise CommandError("give your seat and an opponent: --as SEAT --against BOT, or --load FILE")
    record = None if load is None else saved_record(kind, load)
    begun = None if position is None else _begun(kind, position, seed)
    if record is not None:
        rules = record.ruleset
    else:
        rules = find_ruleset(kind, ruleset) if begun is None else begun.ruleset
    person = None if seat is None else seat_named(seat, rules.seats)
    single = _bots(bot, rules.seats)
    if person in single:
        raise CommandError("the seat that you play takes no bot")
    specs = [single.get(place, against or "") for place in range(len(rules.seats))]
    console = Console(highlight=False)
    reader = reader_of(script, console)
    if record is not None:
        match = resumed_match(record, person, specs, isolation, takeback)
    else:
        assert person is not None
        match = new_match(kind, person, specs, rules, seed, isolation, begun, takeback)
    loaded = load is not None and save in (None, load)
    play_any_game(match, reader, console, save=save or load, loaded=loaded, out=out, hint_bot=hint_bot)


def _begun(kind: GameKind, position: str, seed: int | None) -> Any:
    """The game that begins from a position.

    Raises:
        CommandError: it is none, or one of another game.
    """
    found, game = read_position(position, seed)
    if found is not kind:
        raise CommandError(f"that is a position of {found.title}: --game {found.name}")
    return game


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
