"""The result of a game of War of the Ring."""

from __future__ import annotations

import dataclasses
from typing import Any

import numpy as np

from wotr_env.core.values import check_fields, check_integer, check_member
from wotr_env.games.war_of_the_ring.codes import Reason, Winner
from wotr_env.games.war_of_the_ring.rules.seats import SEAT_SIDE
from wotr_env.games.war_of_the_ring.winners import winning_partners
from wotr_env.games.war_of_the_ring.words.positions import victory_points

_MAX_VICTORY_POINTS = 20


@dataclasses.dataclass(frozen=True)
class Result:
    """How a game ended."""

    winner: Winner
    reason: Reason
    turn: int
    victory_points: tuple[int, int]
    """The points for enemy Settlements controlled by the Free Peoples and by the Shadow (R12.6)."""
    corruption: int
    """The Corruption, from 0 to 12."""
    mordor_step: int
    """The step on the Mordor Track, 1..6; 0: the Fellowship never entered the track."""
    winning_partners: tuple[int, ...] = ()
    """The winning seats of a side that two players share (R13.8); otherwise empty."""

    @property
    def seats(self) -> tuple[int, ...]:
        """The winning seats: the winning partners of a shared side, or the single seat of a side; empty in a
        draw."""
        return () if self.winner == Winner.DRAW else self.winning_partners or (int(self.winner),)

    @classmethod
    def of(cls, state: np.record) -> Result | None:
        """The result in a state; None if the game is not over."""
        if int(state["winner"]) == Winner.NONE:
            return None
        return cls(
            winner=Winner(int(state["winner"])),
            reason=Reason(int(state["reason"])),
            turn=int(state["turn"]),
            victory_points=victory_points(state),
            corruption=int(state["corruption"]),
            mordor_step=int(state["mordor_step"]),
            winning_partners=_places(winning_partners(np.asarray(state).reshape(1))[0]),
        )

    def to_dict(self) -> dict[str, Any]:
        """The result as a dictionary for JSON, with the names of winner and reason; ``winning_partners`` is
        left out if it is empty."""
        values = {
            **dataclasses.asdict(self),
            "winner": self.winner.name.lower(),
            "reason": self.reason.name.lower(),
            "victory_points": list(self.victory_points),
            "winning_partners": list(self.winning_partners),
        }
        if not self.winning_partners:
            del values["winning_partners"]
        return values

    @classmethod
    def from_dict(cls, values: Any) -> Result:
        """The inverse of ``to_dict``.

        Raises:
            ValueError: a field is missing, unknown or out of range.
        """
        names = [field.name for field in dataclasses.fields(cls)]
        if isinstance(values, dict) and "winning_partners" not in values:
            names.remove("winning_partners")
        check_fields(values, names, "result")
        winner = check_member(Winner, values["winner"])
        points = values["victory_points"]
        if not isinstance(points, list) or len(points) != 2:
            raise ValueError(f"victory points are two numbers, not {points!r}")
        first, second = (check_integer("points", number, 0, _MAX_VICTORY_POINTS) for number in points)
        return cls(
            winner=winner,
            reason=check_member(Reason, values["reason"]),
            turn=check_integer("the turn", values["turn"], 1, 2**15 - 1),
            victory_points=(first, second),
            corruption=check_integer("corruption", values["corruption"], 0, 12),
            mordor_step=check_integer("the Mordor step", values["mordor_step"], 0, 6),
            winning_partners=_check_partners(values.get("winning_partners", []), winner),
        )


def _places(flags: np.ndarray) -> tuple[int, ...]:
    return tuple(np.flatnonzero(flags).tolist())


def _check_partners(seats: Any, winner: Winner) -> tuple[int, ...]:
    """Checks the winning partners of a record and returns them."""
    known = _places(SEAT_SIDE == winner)
    if not isinstance(seats, list) or any(type(seat) is not int for seat in seats):
        raise ValueError(f"the winning partners are a list of seats, not {seats!r}")
    partners = tuple(seat for seat in known if seat in seats)
    if list(partners) != seats:
        raise ValueError(f"the winning partners are among the seats {known} of the winner, not {seats!r}")
    return partners
