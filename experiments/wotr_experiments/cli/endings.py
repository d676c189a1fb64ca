"""Data about a game that are stored in a tournament's folder, but not in the record: its ending, and texts of
players."""

from __future__ import annotations

from pathlib import Path

from wotr_env import GameRecord
from wotr_experiments.arena.endings import Ending, ending_of
from wotr_experiments.arena.store import is_store, read_store
from wotr_experiments.language.text_env import Answer
from wotr_experiments.language.text_games import RECORDS, played_with


def ending_in(file: Path, number: int, record: GameRecord) -> Ending | None:
    """Returns the ending of a game that was not played to the end.

    Args:
        file: the file of the record: ``games.sqlite`` of a tournament, ``records.jsonl`` of a tournament in
            text, or another file.
        number: number of the game in the file, from 1.
        record: the record of the game.

    Returns:
        None if the game was played to the end, or its ending is unknown.

    Raises:
        CommandError: the file of the tournament is damaged.
    """
    if record.result is not None:
        return None
    if is_store(file):
        with read_store(file) as store:
            game = store.game_at(number - 1)
    else:
        game = played_with(file.parent, record) if file.name == RECORDS else None
    return None if game is None else ending_of(game, record.ruleset.seats)


def answers_in(file: Path, record: GameRecord) -> tuple[Answer, ...]:
    """All answers of players in text in a game, in order; empty if the file is not of a tournament in text.

    Args:
        file: the file of the record: ``records.jsonl`` of a tournament in text, or another file.
        record: the record of the game.

    Raises:
        CommandError: the file of the tournament is damaged.
    """
    game = played_with(file.parent, record) if file.name == RECORDS else None
    return () if game is None else game.answers
