"""The luck of the games of a tournament, stored in a separate file in the same folder.

Luck can always be measured again from the records of the games. So a file that was made with other settings
is replaced. Lines that are damaged, and lines of games that are no longer in the tournament, do not count.
"""

from __future__ import annotations

import contextlib
import dataclasses
import hashlib
import json
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import NamedTuple

from wotr_env.core.values import open_file
from wotr_env.play.record import GameRecord
from wotr_experiments.arena.played_games import GameOfLuck, PlayedGame, rounded_luck
from wotr_experiments.files import write_text
from wotr_experiments.luck.measure import LuckMethod, measure

_TOGETHER = 64
"""Number of games that are measured together; a second or two."""
LUCK = "luck.jsonl"
"""The file in the folder of a tournament: a line with the settings of the measurement, then a line for each
game."""


class _Row(NamedTuple):
    """The luck of one game."""

    place: tuple[int, int]
    """The pairing and the number of the game."""
    mark: str
    """The ``_mark`` of the game."""
    luck: GameOfLuck


class LuckStore:
    """Stores the luck of games by pairing and number.

    Args:
        method: the settings of the measurement.
        folder: the folder of the tournament; None: nothing is stored.
    """

    def __init__(self, method: LuckMethod, folder: Path | None = None) -> None:
        self._method = method
        self._path = folder and folder / LUCK
        self._head = json.dumps({"kind": "luck", **method.to_dict()})
        self._known = self._read()

    def _read(self) -> dict[tuple[int, int], _Row]:
        """The rows of the file; an unsuitable file is written again with the rows that are whole."""
        if self._path is None:
            return {}
        rows: list[_Row] = []
        is_whole = False
        with contextlib.suppress(FileNotFoundError, UnicodeDecodeError), open_file(self._path) as file:
            if next(file, b"").decode().removesuffix("\n") == self._head:
                is_whole = True
                for line in file:
                    row = _row_of(line.decode()) if line.endswith(b"\n") else None
                    is_whole &= row is not None
                    rows += [] if row is None else [row]
        if not is_whole:
            self._path.parent.mkdir(parents=True, exist_ok=True)
            write_text(self._path, "".join(f"{line}\n" for line in (self._head, *map(_line, rows))))
        return {row.place: row for row in rows}

    def add(self, games: Iterable[PlayedGame]) -> None:
        """Stores the luck of the given games that have been measured.

        Raises:
            OSError: the file cannot be written; complete lines are kept.
        """
        rows = [
            _Row((game.pairing, game.number), _mark(game), game.luck)
            for game in games
            if game.luck is not None and self._luck_of(game) is None
        ]
        if self._path is not None and rows:
            with self._path.open("a", encoding="utf-8") as file:
                file.writelines(f"{_line(row)}\n" for row in rows)
        self._known |= {row.place: row for row in rows}

    def _luck_of(self, game: PlayedGame) -> GameOfLuck | None:
        """The stored luck of a game; None if there is none, or if it is that of another game."""
        row = self._known.get((game.pairing, game.number))
        return row.luck if row is not None and row.mark == _mark(game) else None

    def fill(
        self,
        games: Sequence[PlayedGame],
        record_of: Callable[[int, int], GameRecord],
        on_measured: Callable[[int, int], object] = lambda _measured, _missing: None,
    ) -> list[PlayedGame]:
        """Returns the games with their luck, and measures it for games without luck.

        Args:
            games: games of the tournament.
            record_of: returns the record of a game, by pairing and number.
            on_measured: called at the start and after each group of games with two numbers: the games
                measured so far in this call, and the games without luck at its start. It is not called if all
                games have luck.

        Raises:
            RecordError: a game does not replay.
            OSError: the file cannot be written.
        """
        missing = [game for game in games if self._luck_of(game) is None]
        for first in range(0, len(missing), _TOGETHER):
            on_measured(first, len(missing))
            some = missing[first : first + _TOGETHER]
            records = [record_of(game.pairing, game.number) for game in some]
            found = measure(records, self._method)
            pairs = zip(some, found, strict=True)
            self.add(dataclasses.replace(game, luck=rounded_luck(luck)) for game, luck in pairs)
        if missing:
            on_measured(len(missing), len(missing))
        return [dataclasses.replace(game, luck=self._luck_of(game)) for game in games]


def _mark(game: PlayedGame) -> str:
    """16 hex digits that differ between a game and another game with the same number."""
    text = " ".join(map(str, (*game.players, game.forfeit, *game.fingerprint)))
    return hashlib.blake2b(text.encode(), digest_size=8).hexdigest()


def _line(row: _Row) -> str:
    pairing, number = row.place
    return json.dumps({"pairing": pairing, "number": number, "game": row.mark, "luck": row.luck})


def _row_of(line: str) -> _Row | None:
    """The inverse of ``_line``; None if the line is damaged, or of a version without marks."""
    try:
        row = json.loads(line)
        luck = tuple(tuple(map(float, each)) for each in row["luck"])
        return _Row((int(row["pairing"]), int(row["number"])), str(row["game"]), luck)
    except (ValueError, KeyError, TypeError, RecursionError):
        return None
