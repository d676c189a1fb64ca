"""Endings of games that were not played to the end (forfeits and stops), which records do not contain."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from typing import Any, Protocol

from wotr_env.core.seats import Seat
from wotr_experiments.arena.played_games import STOPPED
from wotr_experiments.arena.result_tables import words
from wotr_experiments.errors import printable


class _Played(Protocol):
    """A game of a tournament, of bots or in text."""

    @property
    def winners(self) -> tuple[int, ...]: ...
    @property
    def reason(self) -> str: ...
    @property
    def forfeit(self) -> str: ...
    @property
    def quitter(self) -> int | None: ...
    @property
    def message(self) -> str: ...


@dataclasses.dataclass(frozen=True)
class Ending:
    """The end of a game that was forfeited or stopped."""

    seats: Sequence[Seat]
    """All seats of the game."""
    winners: tuple[int, ...]
    """The seats that won."""
    forfeit: str
    """The kind of forfeit; empty if the game was stopped."""
    quitter: int | None
    """The seat that forfeited the game."""
    message: str
    """A description; it may contain the decision, which other seats may not know."""

    def text(self, all_eyes: bool = True) -> str:
        """Describes the ending, such as ``Shadow won by forfeit of Free Peoples (crash: ...)``.

        Args:
            all_eyes: whether the reader may see all information; if not, the message is left out.
        """
        if self.quitter is None:
            return "draw: the game was stopped because it had too many decisions"
        names = " and ".join(self.seats[seat].title for seat in self.winners) or "nobody"
        why = words(self.forfeit)
        if all_eyes and self.message:
            why += f": {printable(self.message)}"
        return f"{names} won by forfeit of {self.seats[self.quitter].title} ({why})"

    def to_dict(self) -> dict[str, Any]:
        """The ending for JSON; seats have their names."""
        return {
            "winners": [self.seats[seat].name for seat in self.winners],
            "forfeit": self.forfeit or STOPPED,
            "quitter": None if self.quitter is None else self.seats[self.quitter].name,
            "message": self.message,
        }


def ending_of(game: _Played, seats: Sequence[Seat]) -> Ending | None:
    """The ending of a game; None if it was played to the end."""
    if not game.forfeit and game.reason != STOPPED:
        return None
    return Ending(seats, game.winners, game.forfeit, game.quitter, game.message)
