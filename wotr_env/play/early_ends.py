"""Ends of games that the players caused, not the rules: a resignation, an agreed draw, or an expired
clock."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

from wotr_env.core.kind import GameKind
from wotr_env.core.seats import Seat

RESIGNED = "resigned"
AGREED = "agreed"
OUT_OF_TIME = "out_of_time"
REASONS = (RESIGNED, AGREED, OUT_OF_TIME)


class EarlyEnd(NamedTuple):
    """An end by the players, such as a resignation. It is not part of the rules: by the rules, the game is
    not over in its last state."""

    reason: str
    """``resigned``, ``agreed`` (a draw) or ``out_of_time``."""
    seat: int | None = None
    """The seat that resigned or ran out of time; all seats of its team lose. None for a draw."""

    @classmethod
    def from_dict(cls, values: Any, seats: Sequence[Seat]) -> EarlyEnd:
        """The inverse of ``to_dict``.

        Raises:
            ValueError: the values do not describe an early end of a game with these seats.
        """
        names = [seat.name for seat in seats]
        if not isinstance(values, dict) or values.keys() != {"reason", "seat"}:
            raise ValueError(f"an early end is an object with reason and seat, not {values!r}")
        reason, name = values["reason"], values["seat"]
        if reason not in REASONS:
            raise ValueError(f"the reason of an early end is one of {', '.join(REASONS)}, not {reason!r}")
        if (name is None) != (reason == AGREED) or (name is not None and name not in names):
            wanted = "null" if reason == AGREED else f"one of {', '.join(names)}"
            raise ValueError(f"the seat of an early end by {reason!r} is {wanted}, not {name!r}")
        return cls(reason, None if name is None else names.index(name))

    def to_dict(self, seats: Sequence[Seat]) -> dict[str, Any]:
        """The end as a dictionary for JSON, with the name of the seat."""
        return {"reason": self.reason, "seat": None if self.seat is None else seats[self.seat].name}

    def winner(self, kind: GameKind, ruleset: Any) -> int:
        """The team that won, or ``GameKind.draw``."""
        return kind.draw if self.seat is None else kind.forfeit_result(self.seat, ruleset)[0]

    def winning_seats(self, kind: GameKind, ruleset: Any) -> tuple[int, ...]:
        """The seats that won: all seats of the other teams; none in a draw."""
        return () if self.seat is None else kind.forfeit_result(self.seat, ruleset)[1]

    def words(self, kind: GameKind, ruleset: Any) -> str:
        """A sentence such as ``Shadow won: Free Peoples resigned``."""
        if self.seat is None:
            return "a draw by agreement"
        winners = " and ".join(ruleset.seats[seat].title for seat in self.winning_seats(kind, ruleset))
        how = "resigned" if self.reason == RESIGNED else "ran out of time"
        return f"{winners} won: {ruleset.seats[self.seat].title} {how}"
