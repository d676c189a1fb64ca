"""Starting and resuming a game of ``wotr play``, and what is left of it at the end."""

from __future__ import annotations

import secrets
from pathlib import Path

from rich.console import Console

from wotr_agents import bot_kinds, parse_spec
from wotr_env import Game, GameRecord, Ruleset
from wotr_env.words.names import SIDE_NAMES
from wotr_experiments.errors import CommandError
from wotr_experiments.terminal.match import Match
from wotr_experiments.terminal.readers import ChainReader, LineReader, Reader, standard_reader
from wotr_experiments.terminal.saves import SavedGame
from wotr_experiments.terminal.table import PlayTable, Quit, default_save_path

PERSON = "person"
"""The name of the person in records."""
_HINT_BOTS = ("scripted", "random")


def new_game(
    seat: int,
    against: str,
    *,
    seed: int | None = None,
    ruleset: Ruleset | None = None,
    hint_bot: str | None = None,
    own_dice: bool = False,
) -> SavedGame:
    """A game at its start.

    Args:
        seat: of the person, 0 (Free Peoples) or 1 (Shadow).
        against: the spec of the opponent.
        seed: of all chance and of the bots; by default another one each time.
        ruleset: by default the first edition.
        hint_bot: the spec of the bot that ``hint`` asks; by default ``scripted``.
        own_dice: whether the person rolls.

    Raises:
        BotError: there is no such bot.
    """
    seed = secrets.randbelow(2**63) if seed is None else seed
    hint_bot = hint_bot or next(name for name in _HINT_BOTS if name in bot_kinds())
    for spec in (against, hint_bot):
        parse_spec(spec)
    game = Game(seed, ruleset or Ruleset.first_edition())
    return SavedGame(seat, against, hint_bot, seed, own_dice, game, [])


def resumed_game(
    path: Path,
    *,
    seat: int | None = None,
    against: str | None = None,
    hint_bot: str | None = None,
    own_dice: bool = False,
) -> SavedGame:
    """A saved game; another opponent or hint bot may take over, and dice of one's own begin.

    Raises:
        BotError: there is no such bot.
        CommandError: the file is no saved game, or the person played the other side.
        OSError: the file cannot be read.
    """
    saved = SavedGame.read(path)
    if seat not in (None, saved.seat):
        raise CommandError(f"in {path} you play the {SIDE_NAMES[saved.seat]}; leave out --as")
    saved.against = against or saved.against
    saved.hint_bot = hint_bot or saved.hint_bot
    saved.own_dice = saved.own_dice or own_dice
    for spec in (saved.against, saved.hint_bot):
        parse_spec(spec)
    return saved


def play_in_terminal(
    saved: SavedGame,
    *,
    save: Path | None = None,
    out: Path | None = None,
    script: Path | None = None,
    reader: Reader | None = None,
    console: Console | None = None,
) -> bool:
    """Plays a game to its end, or until the person leaves; returns whether it is over.

    Args:
        saved: the game.
        save: where it is saved to; by default a new file in the working folder.
        out: where the record of the finished game is written.
        script: lines that are typed first.
        reader: asks for the other lines; by default the terminal.
        console: shows; by default the standard output.

    Raises:
        BotError: the opponent cannot be made.
        CommandError: the opponent failed; the game has been saved.
        KeyboardInterrupt: Ctrl-C; the game has been saved.
        OSError: a file cannot be read or written.
    """
    for path in (save, out):
        if path is not None and not path.absolute().parent.is_dir():
            raise CommandError(f"there is no folder {path.parent}")
    console = console or Console(highlight=False)
    lines = [] if script is None else _lines(script)
    reader = reader or standard_reader(console)
    if lines:
        reader = ChainReader(LineReader(lines, console), reader)
    match = Match(saved)
    table = PlayTable(match, reader, console, save or default_save_path())
    try:
        table.run()
    except (Quit, EOFError):
        return False
    if out is not None:
        _write_record(match, table, out, console)
    return True


def _lines(script: Path) -> list[str]:
    try:
        return script.read_text(encoding="utf-8").splitlines()
    except UnicodeDecodeError as error:
        raise CommandError(f"{script} is no text of lines to type: {error.reason}") from None


def _write_record(match: Match, table: PlayTable, out: Path, console: Console) -> None:
    saved = match.saved
    if match.game.seed is None:
        console.print("No record is written: no seed leads to a game with dice of one's own.", style="yellow")
        return
    players = (PERSON, saved.against) if match.seat == 0 else (saved.against, PERSON)
    try:
        GameRecord.from_game(match.game, players).save(out)
    except OSError:
        saved.write(table.save_path)
        raise
    console.print(f"The record is in {out}; wotr replay {out} --html PAGE makes a page of it.", markup=False)
