"""Positions for tests of the bots that search."""

from __future__ import annotations

import numpy as np

from tests.positions import Position, play
from tests.random_play import positions, refreshed
from wotr_env import Game
from wotr_env.games.war_of_the_ring.codes import Side, Winner

WOUND = "sh-char-12"
"""Morgul Wound: Corruption, while the Fellowship is revealed."""


class Clock:
    """In the place of the module ``time``: every look at the clock moves it on by so many seconds."""

    def __init__(self, step: float) -> None:
        self.step, self.now = step, 0.0

    def perf_counter(self) -> float:
        self.now += self.step
        return self.now


def some_games(count: int = 6) -> tuple[np.ndarray, np.ndarray]:
    """Unfinished games of the first edition with their masks."""
    states, masks = refreshed(positions("first")[::9])
    running = states["winner"] == Winner.NONE
    return states[running][:count].copy(), masks[running][:count].copy()


def one_game(game: Game) -> tuple[np.ndarray, np.ndarray]:
    """A game as a batch of states and masks."""
    return game.state.reshape(1).copy(), game.mask().reshape(1, -1).copy()


def wound() -> Game:
    """The Shadow holds an Event that corrupts the Ring-bearers for good, and one that does not."""
    position = Position().fellowship("hollin", revealed=True, companions=["gandalf-grey"], corruption=11)
    position = position.hand(Side.SHADOW, WOUND, "sh-char-18").dice(
        "will", "event army army", acting=Side.SHADOW
    )
    return play(position.game(), "face:event", "plan:play-card")
