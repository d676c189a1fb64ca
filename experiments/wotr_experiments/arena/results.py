"""The results of a tournament's folder as rows for notebooks and pandas: games, bots, ratings."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from wotr_env.core.rows import Rows, flat
from wotr_env.core.values import read_text
from wotr_experiments.arena.result_tables import kind_of, seats_of
from wotr_experiments.arena.store import GAMES, read_store
from wotr_experiments.arena.tournament import SUMMARY
from wotr_experiments.errors import CommandError


class Results:
    """The tables of a tournament, or of a comparison.

    Args:
        folder: the folder ``--out`` of ``wotr tournament`` or ``wotr compare``.

    Raises:
        CommandError: the folder has no tournament that this package can read.
    """

    def __init__(self, folder: str | Path) -> None:
        self.folder = Path(folder)
        path = self.folder / SUMMARY
        try:
            found = json.loads(read_text(path))
        except OSError as error:
            raise CommandError(f"{path}: {error.strerror}; is this the folder of a tournament?") from None
        except (ValueError, RecursionError):
            raise CommandError(f"{path} is damaged: it is not JSON") from None
        if not isinstance(found, dict) or not {"results", "pairings", "ratings"} <= found.keys():
            raise CommandError(f"{path} is not the summary of a tournament")
        self.summary: Mapping[str, Any] = found
        """The contents of ``summary.json``."""

    @property
    def bots(self) -> Rows:
        """A row for each bot: its share of wins on each side with 95% intervals, and its forfeits."""
        return Rows(flat(row) for row in self.summary["results"])

    @property
    def ratings(self) -> Rows:
        """A row for each bot: ratings in Elo, for both sides and each side, with 95% intervals."""
        return Rows(flat(row) for row in self.summary["ratings"]["bots"])

    @property
    def pairings(self) -> Rows:
        """A row for each pairing: wins, kinds of victory, length."""
        return Rows(flat(row) for row in self.summary["pairings"])

    @property
    def games(self) -> Rows:
        """A row for each game: players, winner, kind of end, and the columns that are specific to the board
        game.

        Raises:
            CommandError: the games cannot be read.
        """
        names = [row["bot"] for row in self.summary["results"]]
        kind, seats = kind_of(self.summary), seats_of(self.summary)
        with read_store(self.folder / GAMES) as store:
            return Rows(
                {
                    "pairing": game.pairing,
                    "number": game.number,
                    **{seat.name: names[bot] for seat, bot in zip(seats, game.players, strict=True)},
                    "winner": kind.winner_name(game.winner),
                    "reason": game.reason,
                    "forfeit": game.forfeit,
                    **game.columns,
                    "decisions": game.decisions,
                    "seed": game.seed,
                }
                for game in store.games()
            )
