"""Starts and resumes games of ``wotr play``, and writes the files at the end."""

from __future__ import annotations

import contextlib
import shlex
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from rich.console import Console

from wotr_agents import BotError
from wotr_agents.compiled import start_background_compiler
from wotr_agents.registry import starts_program
from wotr_env.compiler.code_cache import say
from wotr_env.core.errors import RecordError
from wotr_env.core.kind import GameKind
from wotr_env.core.seats import check_seat
from wotr_env.play.record import GameRecord
from wotr_experiments import games
from wotr_experiments.arena.schedule import canonical_bot_spec
from wotr_experiments.chance import new_seed
from wotr_experiments.errors import CommandError
from wotr_experiments.isolation.bots import Isolation
from wotr_experiments.luck.report import NONE
from wotr_experiments.terminal.luck import tell_luck
from wotr_experiments.terminal.match import Match
from wotr_experiments.terminal.readers import Reader, reader_of
from wotr_experiments.terminal.saves import SavedGame
from wotr_experiments.terminal.screen import Leave, Screen, default_path

_HINT_BOT = "scripted"
_JUDGE = "mcts"
"""The bot that is proposed for the evaluation of a finished game."""


def new_game(
    kind: GameKind,
    seat: int,
    against: str,
    *,
    bots: Mapping[int, str] | None = None,
    seed: int | None = None,
    ruleset: Any = None,
    hint_bot: str | None = None,
    own_dice: bool = False,
    game: Any = None,
    takeback: bool = True,
) -> SavedGame:
    """Makes a new game.

    Args:
        kind: the game.
        seat: the seat of the person.
        against: the spec of the bot in the other seats, including a partner's.
        bots: specs of single seats with a different bot.
        seed: seed of all chance and of the bots; by default a new seed each time.
        ruleset: the ruleset; by default the first of the game.
        hint_bot: the spec of the bot for ``hint``; by default ``scripted``, or an opponent in games that
            ``scripted`` does not play.
        own_dice: whether the person rolls the dice.
        game: a game that begins from a position, used instead of the seed and the ruleset.
        takeback: whether the person may take back choices after random outcomes and answers of bots.

    Raises:
        BotError: there is no such bot.
        CommandError: this game has no dice of one's own.
        ValueError: there is no such seat.
    """
    if own_dice:
        check_own_dice(kind)
    ruleset = game.ruleset if game else kind.read_ruleset(ruleset)
    seat = check_seat(seat, ruleset.seats)
    seed = new_seed() if seed is None else seed
    specs = _specs([against] * len(ruleset.seats), seat, bots)
    saved = SavedGame(
        seat, specs, seed, hint_bot or "", own_dice, game or kind.game(seed, ruleset), [], takeback=takeback
    )
    _check_bots(saved)
    return saved


def _specs(specs: Sequence[str], seat: int, bots: Mapping[int, str] | None) -> list[str]:
    """The spec of the player of each seat; empty for the person."""
    bots = bots or {}
    if seat in bots:
        raise CommandError("--bot names your own seat")
    return ["" if place == seat else bots.get(place, spec) for place, spec in enumerate(specs)]


def resume(
    saved: SavedGame,
    *,
    seat: int | None = None,
    against: str | None = None,
    bots: Mapping[int, str] | None = None,
    hint_bot: str | None = None,
    own_dice: bool = False,
    takeback: bool | None = None,
) -> SavedGame:
    """Continues a saved game; other bots may take over, and own dice may begin. Returns the same object.

    Args:
        saved: the game, from a file.
        seat: the expected seat of the person; None: not checked.
        against: the spec of the bot that takes over the other seats.
        bots: specs of bots that take over single seats.
        hint_bot: the spec of the bot for ``hint`` from now on.
        own_dice: whether the person rolls the dice from now on.
        takeback: whether the person may take back choices after random outcomes and answers of bots; by
            default as saved.

    Raises:
        BotError: there is no such bot.
        CommandError: the person played another seat or without takeback, the file names a program to start,
            or this game has no dice of one's own.
    """
    seats = saved.game.ruleset.seats
    if seat not in (None, saved.seat):
        raise CommandError(f"you play {seats[saved.seat].title} in {saved.path}; leave out --as")
    specs = [against] * len(saved.bots) if against else saved.bots
    before, saved.bots = saved.bots, _specs(specs, saved.seat, bots)
    for place, spec in enumerate(saved.bots):
        if spec != before[place]:
            saved.identities[place] = ""
        if not spec and place != saved.seat:
            raise CommandError(
                f"{saved.path} does not say who plays {seats[place].title}; give a bot with --against"
            )
    saved.hint_bot = hint_bot or saved.hint_bot
    saved.own_dice = saved.own_dice or own_dice
    if takeback and not saved.takeback:
        raise CommandError(f"the game in {saved.path} was started with --no-takeback; leave out --takeback")
    saved.takeback = saved.takeback if takeback is None else takeback
    given = (against, hint_bot, *(bots or {}).values())
    for spec, option in (*((spec, "--against") for spec in saved.bots), (saved.hint_bot, "--hint-bot")):
        if starts_program(spec) and spec not in given:  # the file may come from anybody
            raise CommandError(
                f"{saved.path} names a program, {spec}; to start it, give it again with {option}"
            )
    if saved.own_dice:
        check_own_dice(saved.game.kind)
    _check_bots(saved)
    return saved


def check_own_dice(kind: GameKind) -> None:
    """Raises CommandError if a person cannot roll the dice of a game."""
    if games.presenter_of(kind).own_dice is None:
        raise CommandError(f"{kind.title} has no dice of your own; leave out --own-dice")


def _check_bots(saved: SavedGame) -> None:
    """Checks the bots of a game, and fills in the bot for hints.

    Raises:
        BotError: the spec of a built-in bot is wrong; specs of other bots are checked when the bots are made.
    """
    kind = saved.game.kind
    for spec in filter(None, (*saved.bots, saved.hint_bot)):
        canonical_bot_spec(spec, kind.name)
    if not saved.hint_bot:
        try:
            saved.hint_bot = canonical_bot_spec(_HINT_BOT, kind.name)
        except BotError:
            saved.hint_bot = next(filter(None, saved.bots))


def play_in_terminal(
    saved: SavedGame,
    *,
    save: Path | None = None,
    out: Path | None = None,
    script: Path | None = None,
    reader: Reader | None = None,
    console: Console | None = None,
    isolation: Isolation | None = None,
    luck: str | None = NONE,
) -> bool:
    """Plays a game to its end, or until the person leaves; returns whether it is over.

    Args:
        saved: the game.
        save: the file to save to; by default the file of the game, or a new file in the working folder.
        out: a new file for the record of the finished game.
        script: lines that are used as the first input.
        reader: the source of further input lines; by default the terminal.
        console: the console for output; by default the standard output.
        isolation: the settings for bots in separate processes.
        luck: the network that measures luck after the end (``luck.report.method_of``).

    Raises:
        BotError: the opponent cannot be made.
        CommandError: the opponent failed twice, and the game has been saved; or a file of something else
            would be replaced, or its folder does not exist.
        KeyboardInterrupt: Ctrl-C; the game has been saved.
        OSError: a file cannot be read or written.
    """
    for path in filter(None, (save, out)):
        if not path.absolute().parent.is_dir():
            raise CommandError(f"there is no folder {path.parent}")
        own = path is save and saved.path is not None and path.absolute() == saved.path.absolute()
        if path.exists() and not own:
            raise CommandError(f"{path} exists; name a new file")
    kind = saved.game.kind
    console = console or Console(highlight=False)
    reader = reader_of(script, console, reader)
    with contextlib.closing(Match(saved, isolation)) as match:
        if start_background_compiler(kind.name):
            say(
                "compiling in the background for a minute or two, once per version; hints of search bots "
                "wait for it"
            )
        screen = Screen(match, reader, console, save or saved.path or default_path(kind))
        try:
            screen.run()
        except (Leave, EOFError):
            return False
        if out is not None:
            _write_record(match, screen, out, console)
        tell_luck(match, luck, console)
    return True


def _write_record(match: Match, screen: Screen, out: Path, console: Console) -> None:
    try:
        record = match.record()
    except RecordError as error:  # saved by an older version, in a game with own dice
        console.print(f"No record was written: {error}", style="yellow", markup=False)
        return
    try:
        record.save(out)
    except OSError:
        match.saved.write(screen.path)
        raise
    file = shlex.quote(str(out))
    console.print(
        f"The record is in {out}; wotr replay {file} --html PAGE writes it as a web page.", markup=False
    )
    if _judged(record):
        console.print(
            f"wotr analyse {file} --bot {_JUDGE} lists costly choices; this can take minutes.", markup=False
        )


def _judged(record: GameRecord) -> bool:
    """Whether ``wotr analyse`` can list the costly choices of a game by ``_JUDGE``."""
    if len(record.kind.teams_of(record.ruleset)) != 2:
        return False
    try:
        canonical_bot_spec(_JUDGE, record.game)
    except BotError:
        return False
    return True
