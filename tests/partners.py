"""Positions of three and four players for rules tests."""

from __future__ import annotations

from typing import Self

from tests.positions import Position, play, region
from wotr_env import Game, Ruleset
from wotr_env.games.war_of_the_ring.rules.seats import SEAT_SIDE

GONDOR, SAURON, ISENGARD, ROHAN = range(4)
SEATS = (GONDOR, SAURON, ISENGARD, ROHAN)
NATIONS = ("dwarves", "elves", "gondor", "north", "rohan", "sauron", "isengard", "southrons")


class Table(Position):
    """A position of partners, four unless said; in turn 1 Gondor and Sauron lead."""

    def __init__(self, players: int = 4, setup: bool = False, seed: int = 1, **options: object) -> None:
        super().__init__(Ruleset(**{"players": players, "ask_single": True, **options}), setup, seed)

    def turn(self, number: int) -> Self:
        self.state.turn = number
        return self

    def acts(self, seat: int, free_peoples: str = "event", shadow: str = "event") -> Self:
        """This seat has the next action, with these dice of its side and of the other."""
        side = int(SEAT_SIDE[seat])
        self.dice(free_peoples, shadow, acting=side)
        self.state.next_seat[side] = seat
        return self

    def uses(self, seat: int, face: str, *names: str, tape: tuple[int, ...] = ()) -> Game:
        """The game after the seat has taken a die of this result and made these choices."""
        own, other = f"{face} {face}", "event event"
        dice = (own, other) if SEAT_SIDE[seat] == 0 else (other, own)
        return play(self.acts(seat, *dice).game(*tape), f"face:{face.replace('_', '-')}", *names)

    def mixed(self, side: int, place: str) -> Self:
        """The units of both partners there are one army."""
        where = region(place)
        self.state.mixed[side, where // 32] |= 1 << where % 32
        return self


def is_mixed(game: Game, side: int, place: str) -> bool:
    where = region(place)
    return bool(int(game.state.mixed[side, where // 32]) >> where % 32 & 1)


def asked(game: Game) -> tuple[str, int]:
    """The pending decision by name, and the seat that decides."""
    return game.decision.name, int(game.seat)
