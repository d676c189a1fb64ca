"""Positions and games that a command line names: as text, or in files."""

from __future__ import annotations

import contextlib
import io
import json
import sys
from pathlib import Path
from typing import Any, NamedTuple

from wotr_env import Game, GameRecord
from wotr_env.core.kind import GameKind
from wotr_env.core.notation import eyes_of
from wotr_env.core.read_errors import reason
from wotr_env.core.values import MOST_BYTES, read_text, text_of, without_mark
from wotr_env.games.war_of_the_ring.ruleset import Ruleset
from wotr_env.games.war_of_the_ring.setups import position_from
from wotr_env.play.game_text import OPENS
from wotr_env.play.games import game_kind, game_kinds
from wotr_env.play.record import PUBLISHED
from wotr_experiments.arena.store import GAMES, is_store, load_records
from wotr_experiments.errors import CommandError
from wotr_experiments.language.text_games import RECORDS

STDIN = "-"
PUBLISHED_NAME = "published"
"""Names the record that comes with the package, where no file has this name."""


class Begun(NamedTuple):
    """A game that begins from a position."""

    kind: GameKind
    game: Any
    """Of ``GameKind.positions``."""


def read_source(source: str, seed: int | None = None) -> Begun | list[GameRecord] | dict[str, Any]:
    """What a source holds: a position, records, or a position by hand as ``wotr position --json`` prints it.

    Args:
        source: a position as text, the path of a file, ``-``: standard input, or ``PUBLISHED_NAME``.
        seed: of what a seat's position does not tell; by default that is as in the text.

    Raises:
        CommandError, RecordError: it is none of those.
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
    with contextlib.suppress(ValueError, RecursionError):
        whole = json.loads(written)
        if isinstance(whole, dict) and "setup" in whole:
            return whole
    lines = enumerate(written.splitlines(), start=1)
    return [GameRecord.from_json(line, f"{source}, line {number}") for number, line in lines if line.strip()]


def file_named(path: Path) -> Path:
    """The path of a file that a person names: of the package's record for ``PUBLISHED_NAME``."""
    return PUBLISHED if str(path) == PUBLISHED_NAME and not path.exists() else path


def records_named(path: Path) -> Path:
    """As ``file_named``; for the folder of a tournament the file with its games."""
    return next((path / name for name in (GAMES, RECORDS) if (path / name).is_file()), file_named(path))


def _read_stdin() -> str:
    """What is piped in: UTF-8 like a file, whatever the encoding of the console."""
    if isinstance(sys.stdin, io.TextIOWrapper):
        return text_of(sys.stdin.buffer.read(MOST_BYTES))
    return without_mark(sys.stdin.read(MOST_BYTES))


def recorded_game(records: list[GameRecord], number: int) -> GameRecord:
    """The record with a number from 1, verified.

    Raises:
        CommandError: there is none.
        RecordError: it does not replay to its hash.
    """
    if not records:
        raise CommandError("it contains no game")
    if number > len(records):
        raise CommandError(f"it has {len(records)} games; there is no game {number}")
    records[number - 1].verify()
    return records[number - 1]


def check_place(record: GameRecord, number: int, at: int | None) -> None:
    """Raises CommandError if a record has no position after so many decisions."""
    if at is not None and at > len(record.actions):
        raise CommandError(f"game {number} has {len(record.actions)} decisions; there is no position {at}")


def game_by_hand(setup: Any, options: Any, seed: int) -> Game:
    """A game that begins from a position set up by hand.

    Args:
        setup: as of ``wotr_env.games.war_of_the_ring.setups``.
        options: of its ruleset, as JSON has them.
        seed: of the order of the decks and of all chance to come.

    Raises:
        CommandError: it cannot be.
    """
    try:
        return Game.from_state(position_from(setup, Ruleset.from_dict(options), seed))
    except (TypeError, ValueError) as error:
        raise CommandError(str(error)) from None


def read_position(written: str, seed: int | None = None) -> Begun:
    """A game that begins from a position of any game that has them as text.

    Args:
        written: the position as text, or the path of a file that holds it.
        seed: of what a seat's position does not tell; by default that is as in the text.

    Raises:
        CommandError: it is neither, or no game can be there.
        OSError: the file cannot be read.
    """
    if not is_position(written):
        try:
            written = read_text(written)
        except UnicodeDecodeError as error:
            raise CommandError(f"{written} cannot be read as a position: {reason(error)}") from None
    return position_game(written, seed)


def is_position(written: str) -> bool:
    """Whether a text, rather than being the path of a file, begins as positions do: with a game's name."""
    name, colon, _ = written.lstrip().partition(":")
    return bool(colon) and name in game_kinds()


def position_game(text: str, seed: int | None = None) -> Begun:
    """The game of ``read_position`` from the text itself."""
    try:
        seat = eyes_of(text)
        kind = game_kind(text.lstrip().partition(":")[0])
        if kind.positions is None:
            raise ValueError(f"{kind.title} has no text form of positions")
        return Begun(kind, kind.positions.read(text, None if seat is None else seed, None))
    except ValueError as error:
        raise CommandError(str(error)) from None
