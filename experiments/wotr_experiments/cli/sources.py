"""Positions and games given on the command line: as text, or in files."""

from __future__ import annotations

import contextlib
import io
import json
import sys
from pathlib import Path
from typing import Any, NamedTuple

from wotr_env import Game, GameRecord
from wotr_env.core.kind import GameKind
from wotr_env.core.notation import viewer_seat_of
from wotr_env.core.read_errors import reason
from wotr_env.core.spelling import counted
from wotr_env.core.values import MOST_BYTES, read_text, text_of, without_mark
from wotr_env.games.war_of_the_ring.ruleset import Ruleset
from wotr_env.games.war_of_the_ring.setups import position_from, setup_of
from wotr_env.play.game_text import OPENS
from wotr_env.play.games import game_kind, game_kinds
from wotr_env.play.record import PUBLISHED
from wotr_experiments.arena.store import GAMES, is_store, load_records
from wotr_experiments.errors import CommandError, as_command_error
from wotr_experiments.language.text_games import RECORDS

STDIN = "-"
PUBLISHED_NAME = "published"
"""Name of the record that comes with the package, unless a file has this name."""


class Begun(NamedTuple):
    """A game that starts from a position."""

    kind: GameKind
    game: Any
    """A game made by ``GameKind.positions``."""


def read_source(source: str, seed: int | None = None) -> Begun | list[GameRecord] | dict[str, Any]:
    """Reads a source: a position, records, or a position in the form of ``wotr position --json``.

    Args:
        source: a position as text, the path of a file, ``-``: standard input, or ``PUBLISHED_NAME``.
        seed: seed for information hidden in a seat's position; by default as in the text.

    Raises:
        CommandError, RecordError: the source is not one of these, or is invalid.
        OSError: the file cannot be read.
    """
    if is_position(source):
        return position_game(source, seed)
    source = str(records_named(Path(source)))
    if source != STDIN and is_store(Path(source)):
        return load_records(Path(source))
    try:
        written = _read_stdin() if source == STDIN else read_text(source)
    except UnicodeDecodeError as error:
        raise CommandError(f"{source} is neither a position nor records: {reason(error)}") from None
    if written.lstrip().startswith(OPENS):
        return GameRecord.from_text(written, source)
    if not written.lstrip().startswith("{"):
        return position_game(written, seed)
    whole = None
    with contextlib.suppress(ValueError, RecursionError):
        whole = json.loads(written)
    if isinstance(whole, dict) and "setup" in whole:
        return _read_json(whole, source, seed)
    lines = enumerate(written.splitlines(), start=1)
    return [GameRecord.from_json(line, f"{source}, line {number}") for number, line in lines if line.strip()]


def _read_json(written: dict[str, Any], source: str, seed: int | None) -> Begun | dict[str, Any]:
    """The exact position in the output of ``wotr position --json``, or the output itself if its setup or its
    ruleset has been changed."""
    text, setup = written.get("position"), written["setup"]
    if not isinstance(text, str):
        if setup is None:
            raise CommandError(f"{source} has neither a position nor a setup")
        return written
    game = position_game(text).game
    if written.get("ruleset", game.ruleset.to_dict()) == game.ruleset.to_dict():
        if setup in (None, setup_or_none(game)):
            return position_game(text, seed)
    elif setup is None:
        raise CommandError(f"{source} has no setup, so its ruleset cannot be changed")
    return written


def setup_or_none(game: Any) -> dict[str, Any] | None:
    """The position of a game as data, or None if it cannot be set up by hand."""
    if not isinstance(game, Game):
        return None
    try:
        return setup_of(game.state)
    except ValueError:
        return None


def file_named(path: Path) -> Path:
    """The path of a file; for ``PUBLISHED_NAME`` the path of the package's record."""
    return PUBLISHED if str(path) == PUBLISHED_NAME and not path.exists() else path


def records_named(path: Path) -> Path:
    """As ``file_named``; for the folder of a tournament, the file of its games."""
    return next((path / name for name in (GAMES, RECORDS) if (path / name).is_file()), file_named(path))


def _read_stdin() -> str:
    """Reads stdin as UTF-8, whatever the encoding of the console."""
    if isinstance(sys.stdin, io.TextIOWrapper):
        return text_of(sys.stdin.buffer.read(MOST_BYTES))
    return without_mark(sys.stdin.read(MOST_BYTES))


def recorded_game(records: list[GameRecord], number: int) -> GameRecord:
    """The verified record with a number, from 1.

    Raises:
        CommandError: there is no such record.
        RecordError: the record does not replay to its hash.
    """
    if not records:
        raise CommandError("it contains no game")
    if number > len(records):
        raise CommandError(f"it has {counted(len(records), 'game')}; there is no game {number}")
    records[number - 1].verify()
    return records[number - 1]


def check_place(record: GameRecord, number: int, at: int | None) -> None:
    """Raises CommandError if a record has fewer decisions than ``at``."""
    if at is not None and at > len(record.actions):
        raise CommandError(f"game {number} has {len(record.actions)} decisions; there is no position {at}")


def game_by_hand(setup: Any, options: Any, seed: int) -> Game:
    """A game that starts from a position set up by hand.

    Args:
        setup: the position in the form of ``wotr_env.games.war_of_the_ring.setups``.
        options: options of the ruleset, as in JSON.
        seed: seed of the order of the decks and of future chance.

    Raises:
        CommandError: the position is invalid.
    """
    with as_command_error((TypeError, ValueError)):
        return Game.from_state(position_from(setup, Ruleset.from_dict(options), seed))


def read_position(written: str, seed: int | None = None) -> Begun:
    """A game that starts from a position, for any game with a text form of positions.

    Args:
        written: the position as text, or the path of a file that holds it.
        seed: seed for information hidden in a seat's position; by default as in the text.

    Raises:
        CommandError: ``written`` is neither, or the position is invalid.
        OSError: the file cannot be read.
    """
    if not is_position(written):
        try:
            written = read_text(written)
        except UnicodeDecodeError as error:
            raise CommandError(f"{written} cannot be read as a position: {reason(error)}") from None
    return position_game(written, seed)


def is_position(written: str) -> bool:
    """Whether a text starts like a position, with the name of a game, and is not a path."""
    name, colon, _ = written.lstrip().partition(":")
    return bool(colon) and name in game_kinds()


def position_game(text: str, seed: int | None = None) -> Begun:
    """As ``read_position``, but only from a text."""
    with as_command_error():
        seat = viewer_seat_of(text)
        kind = game_kind(text.lstrip().partition(":")[0])
        if kind.positions is None:
            raise ValueError(f"{kind.title} has no text form of positions")
        return Begun(kind, kind.positions.read(text, None if seat is None else seed, None))
