"""The command ``wotr play``."""

from __future__ import annotations

import dataclasses
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Annotated, Any

import typer

from wotr_agents import BotError
from wotr_agents.compiled import defer_compilation
from wotr_agents.registry import parse_spec
from wotr_env.core.kind import GameKind
from wotr_env.core.seats import Seat, check_seat
from wotr_env.play.games import DEFAULT_GAME
from wotr_experiments.arena.schedule import find_game, find_ruleset
from wotr_experiments.cli import completion
from wotr_experiments.cli.groups import grouped
from wotr_experiments.cli.options import (
    BotProcesses,
    GameName,
    LuckOfGame,
    Position,
    Rules,
    seat_named,
)
from wotr_experiments.cli.sources import read_position
from wotr_experiments.errors import CommandError
from wotr_experiments.luck.report import method_of
from wotr_experiments.terminal.saves import SavedGame
from wotr_experiments.terminal.start import check_own_dice, new_game, play_in_terminal, resume


@dataclasses.dataclass(frozen=True)
class NewGameOptions:
    """Options for the game and its players."""

    seat: Annotated[
        str | None,
        typer.Option(
            "--as",
            metavar="SEAT",
            autocompletion=completion.seats,
            help="Your seat: free-peoples or shadow. With three players free-peoples, sauron or isengard; "
            "with four (--ruleset first:players=4) gondor, rohan, sauron or isengard.",
        ),
    ] = None
    against: Annotated[
        str | None,
        typer.Option(
            metavar="SPEC",
            autocompletion=completion.bots,
            help="Spec of the bot in all other seats, including your partner's.",
        ),
    ] = None
    bot: Annotated[
        list[str] | None,
        typer.Option(
            metavar="SEAT=SPEC",
            autocompletion=completion.seated_bots,
            help="Spec of the bot in one seat, such as isengard=random. Repeatable.",
        ),
    ] = None
    game: GameName = DEFAULT_GAME
    seed: Annotated[
        int | None,
        typer.Option(min=0, max=2**63 - 1, help="Random seed. By default a new one for each game."),
    ] = None
    ruleset: Rules = None
    position: Position = None
    load: Annotated[Path | None, typer.Option(help="Continue this saved game.")] = None

    def check(self) -> None:
        """Raises CommandError if options contradict each other."""
        new = (self.seed, self.ruleset, self.position)
        if self.load is not None and any(each is not None for each in new):
            raise CommandError("--seed, --ruleset and --position need a new game; leave them out with --load")
        if self.ruleset is not None and self.position is not None:
            raise CommandError("a position has its own rules; leave out --ruleset")

    def seated(self, kind: GameKind) -> NewGameOptions:
        """Returns the options with a seat and an opponent. In a terminal, the command asks the person for a
        missing seat or opponent.

        Raises:
            CommandError: the seat or the opponent is missing, and there is no terminal.
        """
        if self.load is not None or (self.seat is not None and self.against is not None):
            return self
        seats = self.rules(kind, self.begun(kind)).seats
        names = [each.name.replace("_", "-") for each in seats]
        if not sys.stdin.isatty():
            raise CommandError(
                f"give your seat and an opponent, such as --as {names[0]} --against scripted, or --load "
                f"FILE; the seats are {', '.join(names)}; wotr bots lists the bots"
            )
        seat, against = self.seat, self.against
        if seat is None:
            seat = _asked(f"Your seat ({', '.join(names)})", names[0], lambda name: check_seat(name, seats))
        if against is None:
            against = _asked("Your opponent, a bot (wotr bots lists them)", "scripted", parse_spec)
        return dataclasses.replace(self, seat=seat, against=against)

    def begun(self, kind: GameKind) -> Any:
        """The game that starts from the position; None if no position is given.

        Raises:
            CommandError: the position is invalid, or of another board game.
        """
        if self.position is None:
            return None
        found, game = read_position(self.position, self.seed)
        if found is not kind:
            raise CommandError(f"this is a position of {found.title}; give --game {found.name}")
        return game

    def rules(self, kind: GameKind, begun: Any) -> Any:
        """The ruleset of a new game."""
        return find_ruleset(kind, self.ruleset) if begun is None else begun.ruleset


@dataclasses.dataclass(frozen=True)
class Files:
    """Options for files."""

    save: Annotated[
        Path | None,
        typer.Option(help="File to save the game to. By default the file of --load, or a new file."),
    ] = None
    out: Annotated[Path | None, typer.Option(help="File to write the record of the finished game to.")] = None
    script: Annotated[
        Path | None, typer.Option(help="File with lines of input that are read before yours.")
    ] = None


@grouped
def play(
    begin: NewGameOptions,
    files: Files,
    own_dice: Annotated[
        bool, typer.Option("--own-dice", help="Roll dice and draw tiles yourself, and type in the results.")
    ] = False,
    takeback: Annotated[
        bool | None,
        typer.Option(
            help="Whether undo may go back beyond dice rolls and answers of bots; the record notes this. "
            "By default it may. With --own-dice, your rolls are kept."
        ),
    ] = None,
    hint_bot: Annotated[
        str | None,
        typer.Option(
            metavar="SPEC",
            autocompletion=completion.bots,
            help="Spec of the bot that gives hints. By default scripted.",
        ),
    ] = None,
    luck: LuckOfGame = None,
    *,
    processes: BotProcesses,
) -> None:
    """Play a game in the terminal against bots. You can save it at any time and continue later.

    Without --as and --against, you are asked for your seat and an opponent.
    """
    kind = find_game(begin.game)
    if own_dice:
        check_own_dice(kind)
    begin.check()
    begin = begin.seated(kind)
    defer_compilation(kind.name)
    loaded = None if begin.load is None else _loaded(begin.load, kind)
    begun = begin.begun(kind)
    rules = begin.rules(kind, begun) if loaded is None else loaded.game.ruleset
    if luck is not None:
        method_of(luck, kind, rules)  # refuses a network that cannot measure this game
    bots = _bots(begin.bot, rules.seats)
    if loaded is not None:
        saved = resume(
            loaded,
            seat=None if begin.seat is None else seat_named(begin.seat, rules.seats),
            against=begin.against,
            bots=bots,
            hint_bot=hint_bot,
            own_dice=own_dice,
            takeback=takeback,
        )
    else:
        assert begin.seat is not None and begin.against is not None
        saved = new_game(
            kind,
            seat_named(begin.seat, rules.seats),
            begin.against,
            bots=bots,
            seed=begin.seed,
            ruleset=rules,
            hint_bot=hint_bot,
            own_dice=own_dice,
            game=begun,
            takeback=takeback is not False,
        )
    play_in_terminal(
        saved,
        save=files.save,
        out=files.out,
        script=files.script,
        isolation=processes.isolation(),
        luck=luck,
    )


def _loaded(path: Path, kind: GameKind) -> SavedGame:
    """A saved game; raises CommandError if it is of another board game."""
    saved = SavedGame.read(path)
    if (found := saved.game.kind) is not kind:
        raise CommandError(f"{path} is a game of {found.title}; give --game {found.name}")
    return saved


def _asked(question: str, default: str, check: Callable[[str], object]) -> str:
    """The answer of a person, asked again until ``check`` raises no error."""

    def checked(answer: str) -> str:
        try:
            check(answer)
        except (BotError, ValueError) as error:
            raise typer.BadParameter(str(error)) from None
        return answer

    return typer.prompt(question, default=default, value_proc=checked)


def _bots(written: Sequence[str] | None, seats: Sequence[Seat]) -> dict[int, str]:
    """The specs of single seats, by seat number."""
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
