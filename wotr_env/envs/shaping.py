"""Potential-based shaping of rewards (A. Ng, D. Harada and S. Russell, "Policy invariance under reward
transformations", 1999), which leaves the best policies what they are.

    from wotr_env.envs.shaping import Shaping

    env = wotr_env.env(shaping=Shaping(potential, gamma=0.99))

A seat's time is counted in its own decisions. To the reward that it gets between two of them, seen as
observations ``o`` and ``o'``, ``gamma * potential(o') - potential(o)`` is added; at the end of the game, the
turn limit and a loss by an illegal action too, ``-potential(o)``: the potential of the end is 0. So all that
is added, discounted by gamma, comes to ``-potential(o0)``, where ``o0`` is what the seat sees at its first
decision, whatever is played. A learner must discount by the same gamma, once for each of its own decisions,
and must take nothing from beyond the end, the turn limit too.

A potential is given observations and nothing else, so it cannot tell a seat what that may not know.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from typing import Any

import numpy as np


@dataclasses.dataclass(frozen=True)
class Shaping:
    """What is added to the rewards, see above.

    Raises:
        TypeError: the potential is no function.
        ValueError: gamma is not from 0 to 1.
    """

    potential: Callable[[np.ndarray], Any]
    """Of observations, ``int8[N, D]``, read-only, each of a seat that decides: N finite numbers.

    ``wotr_env.games.war_of_the_ring.observation.as_dict`` names their parts. The seat that sees one is told
    in it."""
    gamma: float = 1.0
    """The discount from one decision of a seat to its next."""

    def __post_init__(self) -> None:
        if not callable(self.potential):
            raise TypeError(f"a potential is a function of observations, not {self.potential!r}")
        number = isinstance(self.gamma, (int, float, np.number)) and not isinstance(self.gamma, bool)
        if not number or not 0 <= self.gamma <= 1:
            raise ValueError(f"gamma is a number from 0 to 1, not {self.gamma!r}")


class ShapedRewards:
    """What shaping adds to the rewards of N games, by seat.

    Args:
        shaping: None: it adds nothing, and costs nothing.
        num_games: N.
        num_seats: S.

    Raises:
        TypeError: the shaping is none.
    """

    def __init__(self, shaping: Shaping | None, num_games: int, num_seats: int) -> None:
        if shaping is not None and not isinstance(shaping, Shaping):
            raise TypeError(f"shaping is a wotr_env.envs.shaping.Shaping or None, not {shaping!r}")
        self._shaping = shaping
        self._potentials = np.zeros((num_games, num_seats))
        """At the last decision of each seat."""
        self._decided = np.zeros((num_games, num_seats), dtype=np.bool_)
        """Whether it has had one in this game."""

    def __bool__(self) -> bool:
        """Whether anything is added."""
        return self._shaping is not None

    def begin(self) -> None:
        """All games begin anew."""
        self._decided[:] = False

    def decide(self, games: Any, seats: Any, observations: np.ndarray) -> np.ndarray:
        """What these seats (integers of M), who decide now in these games, get for it: ``float64[M]``.

        Args:
            games: integers of M, each once.
            seats: who decides.
            observations: ``int8[M, D]``, what they see.

        Raises:
            ValueError: the potential has not told a finite number for each.
        """
        if self._shaping is None:
            return np.zeros(len(observations))
        shown = observations.view()
        shown.flags.writeable = False
        potentials = np.asarray(self._shaping.potential(shown), dtype=np.float64)
        if potentials.shape != (len(shown),):
            wanted = f"a potential returns one number per row: shape ({len(shown)},)"
            raise ValueError(f"{wanted}, not {potentials.shape}")
        if not np.isfinite(potentials).all():
            raise ValueError("a potential must return finite numbers")
        gained = self._shaping.gamma * potentials - self._potentials[games, seats]
        rewards = np.where(self._decided[games, seats], gained, 0.0)
        self._potentials[games, seats] = potentials
        self._decided[games, seats] = True
        return rewards

    def end(self, games: Any) -> np.ndarray:
        """What all seats get as games (integers of M) end: ``float64[M, S]``. Others may begin there."""
        rewards = np.where(self._decided[games], -self._potentials[games], 0.0)
        self._decided[games] = False
        return rewards
