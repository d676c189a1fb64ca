"""Starts and resumes games of ``wotr play``, and writes the files at the end."""

from __future__ import annotations

import contextlib
import secrets
from collections.abc import Mapping
from pathlib import Path

from rich.console import Console

from wotr_agents.compiled import compile_elsewhere
from wotr_agents.registry import starts_program
from wotr_env import Game, Ruleset
from wotr_env.compiler.kept_code import say
from wotr_env.core.errors import RecordError
from wotr_env.core.seats import check_seat
from wotr_env.games.war_of_the_ring.words.names import the_seat
from wotr_env.play.games import DEFAULT_GAME
from wotr_experiments.arena.schedule import settled
from wotr_experiments.errors import CommandError
from wotr_experiments.games.war_of_the_ring.terminal.match import WarMatch
from wotr_experiments.games.war_of_the_ring.terminal.saves import SavedGame
from wotr_experiments.games.war_of_the_ring.terminal.screen import WarScreen, default_save_path
from wotr_experiments.isolation.bots import Isolation
from wotr_experiments.luck.telling import NONE
from wotr_experiments.terminal.base import Leave
from wotr_experiments.terminal.luck import tell_luck
from wotr_experiments.terminal.readers import ChainReader, LineReader, Reader, script_lines, standard_reader

_HINT_BOT = "scripted"


def new_game(
    seat: int,
    against: str,
    *,
    bots: Mapping[int, str] | None = None,
    seed: int | None = None,
    ruleset: Ruleset | None = None,
    hint_bot: str | None = None,
    own_dice: bool = False,
    game: Game | None = None,
    takeback: bool = True,
) -> SavedGame:
    """Makes a new game.

    Args:
        seat: the seat of the person.
        against: the spec of the bot in the other seats, including a partner's.
        bots: specs of single seats with a different bot.
        seed: seed of all chance and of the bots; by default a new seed each time.
        ruleset: the ruleset; by default the first edition.
        hint_bot: the spec of the bot for ``hint``; by default ``scripted``.
        own_dice: whether the person rolls the dice.
        game: a game that begins from a position, used instead of the seed and the ruleset.
        takeback: whether the person may take back choices after random outcomes and answers of bots.

    Raises:
        BotError: there is no such bot.
        ValueError: there is no such seat.
    """
    ruleset = game.ruleset if game else ruleset or Ruleset.first_edition()
    seat = check_seat(seat, ruleset.seats)
    seed = secrets.randbelow(2**63) if seed is None else seed
    hint_bot = hint_bot or _HINT_BOT
    specs = _specs([against] * len(ruleset.seats), seat, bots)
    _check_specs(*specs, hint_bot)
    game = game or Game(seed, ruleset)
    return SavedGame(seat, specs, seed, hint_bot, own_dice, game, [], takeback=takeback)


def _specs(specs: list[str], seat: int, bots: Mapping[int, str] | None) -> list[str]:
    """The spec of the player of each seat; empty for the person."""
    bots = bots or {}
    if seat in bots:
        raise CommandError("--bot names your own seat")
    return ["" if place == seat else bots.get(place, spec) for place, spec in enumerate(specs)]


def resumed_game(
    path: Path,
    *,
    seat: int | None = None,
    against: str | None = None,
    bots: Mapping[int, str] | None = None,
    hint_bot: str | None = None,
    own_dice: bool = False,
    takeback: bool | None = None,
) -> SavedGame:
    """Loads a saved game; other bots may take over, and own dice may begin.

    Args:
        path: the path of the file.
        seat: the expected seat of the person; None: not checked.
        against: the spec of the bot that takes over the other seats.
        bots: specs of bots that take over single seats.
        hint_bot: the spec of the bot for ``hint`` from now on.
        own_dice: whether the person rolls the dice from now on.
        takeback: whether the person may take back choices after random outcomes and answers of bots; by
            default as saved.

    Raises:
        BotError: there is no such bot.
        CommandError: the file is not a saved game, or the person played another seat, or without takeback.
        OSError: the file cannot be read.
    """
    saved = SavedGame.read(path)
    if seat not in (None, saved.seat):
        me = the_seat(saved.game.state, saved.seat)
        raise CommandError(f"you play {me} in {path}; leave out --as")
    specs = [against] * len(saved.bots) if against else saved.bots
    before, saved.bots = saved.bots, _specs(specs, saved.seat, bots)
    for place, spec in enumerate(saved.bots):
        if spec != before[place]:
            saved.identities[place] = ""
    saved.hint_bot = hint_bot or saved.hint_bot
    saved.own_dice = saved.own_dice or own_dice
    if takeback and not saved.takeback:
        raise CommandError(f"the game in {path} was started with --no-takeback; leave out --takeback")
    saved.takeback = saved.takeback if takeback is None else takeback
    given = (against, hint_bot, *(bots or {}).values())
    for spec in (*saved.bots, saved.hint_bot):
        if starts_program(spec) and spec not in given:  # the file may come from anybody
            raise CommandError(f"{path} names a program, {spec}; to start it, give it again with --against")
    _check_specs(*saved.bots, saved.hint_bot)
    return saved


def _check_specs(*specs: str) -> None:
    """Raises BotError if the spec of a built-in bot is wrong; specs of other bots are checked when the bots
    are made."""
    for spec in filter(None, specs):
        settled(spec, DEFAULT_GAME)


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
        save: the file to save to; by default a new file in the working folder.
        out: the file for the record of the finished game.
        script: lines that are used as the first input.
        reader: the source of further input lines; by default the terminal.
        console: the console for output; by default the standard output.
        isolation: the settings for bots in separate processes.
        luck: the network that measures luck after the end (``luck.telling.method_of``).

    Raises:
        BotError: the opponent cannot be made.
        CommandError: the opponent failed twice; the game has been saved.
        KeyboardInterrupt: Ctrl-C; the game has been saved.
        OSError: a file cannot be read or written.
    """
    for path in (save, out):
        if path is not None and not path.absolute().parent.is_dir():
            raise CommandError(f"there is no folder {path.parent}")
    console = console or Console(highlight=False)
    lines = [] if script is None else script_lines(script)
    reader = reader or standard_reader(console)
    if lines:
        reader = ChainReader(LineReader(lines, console), reader)
    with contextlib.closing(WarMatch(saved, isolation)) as match:
        if compile_elsewhere():
            say(
                "compiling in the background for a minute or two, once per version; hints of search bots "
                "wait for it"
            )
        screen = WarScreen(match, reader, console, save or default_save_path())
        try:
            screen.run()
        except (Leave, EOFError):
            return False
        if out is not None:
            _write_record(match, screen, out, console)
        tell_luck(match, luck, console)
    return True


def _write_record(match: WarMatch, screen: WarScreen, out: Path, console: Console) -> None:
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
    console.print(
        f"The record is in {out}; wotr replay {out} --html PAGE writes it as a web page.", markup=False
    )
