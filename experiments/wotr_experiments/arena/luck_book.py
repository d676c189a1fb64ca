"""The luck of the games of a tournament, stored in a separate file in the same folder.

Luck can always be measured again from the records of the games. So a file that is damaged, or that was made
with other settings, is replaced.
"""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Any

from wotr_env.core.values import read_text
from wotr_env.play.record import GameRecord
from wotr_experiments.arena.played_games import GameOfLuck, PlayedGame, kept_luck
from wotr_experiments.files import write_text
from wotr_experiments.luck.measure import Method, measure

_TOGETHER = 64
"""Number of games that are measured together; a second or two."""
LUCK = "luck.jsonl"
"""The file in the folder of a tournament: a line with the settings of the measurement, then a line for each
game."""


class LuckBook:
    """Stores the luck of games by pairing and number.

    Args:
        method: the settings of the measurement.
        folder: the folder of the tournament; None: nothing is stored.
    """

    def __init__(self, method: Method, folder: Path | None = None) -> None:
        self._method = method
        self._path = folder and folder / LUCK
        self._head = json.dumps({"kind": "luck", **method.to_dict()})
        self._known = self._read()

    def _read(self) -> dict[tuple[int, int], GameOfLuck]:
        if self._path is None:
            return {}
        try:
            head, *lines = read_text(self._path).splitlines()
            rows = [json.loads(line) for line in lines] if head == self._head else None
            if rows is not None:
                return {
                    (row["pairing"], row["number"]): tuple(tuple(map(float, each)) for each in row["luck"])
                    for row in rows
                }
        except (OSError, ValueError, KeyError, TypeError):
            pass
        self._path.parent.mkdir(parents=True, exist_ok=True)
        write_text(self._path, self._head + "\n")
        return {}

    def add(self, games: Iterable[PlayedGame]) -> None:
        """Stores the luck of the given games that have been measured.

        Raises:
            OSError: the file cannot be written.
        """
        lines: list[str] = []
        for game in games:
            if game.luck is not None and (game.pairing, game.number) not in self._known:
                self._known[game.pairing, game.number] = game.luck
                lines.append(_line(game))
        if self._path is not None and lines:
            with self._path.open("a", encoding="utf-8") as file:
                file.writelines(lines)

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
        missing = [game for game in games if (game.pairing, game.number) not in self._known]
        for first in range(0, len(missing), _TOGETHER):
            on_measured(first, len(missing))
            some = missing[first : first + _TOGETHER]
            records = [record_of(game.pairing, game.number) for game in some]
            found = measure(records, self._method)
            pairs = zip(some, found, strict=True)
            self.add(dataclasses.replace(game, luck=kept_luck(luck)) for game, luck in pairs)
        if missing:
            on_measured(len(missing), len(missing))
        return [dataclasses.replace(game, luck=self._known[game.pairing, game.number]) for game in games]


def _line(game: PlayedGame) -> str:
    row: dict[str, Any] = {"pairing": game.pairing, "number": game.number, "luck": game.luck}
    return json.dumps(row) + "\n"
