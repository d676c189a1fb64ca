"""Potential-based shaping of rewards (A. Ng, D. Harada and S. Russell, "Policy invariance under reward
transformations", 1999), which does not change the optimal policies.

    from wotr_env.envs.shaping import Shaping

    env = wotr_env.env(shaping=Shaping(potential, gamma=0.99))

Time steps of a seat are its own decisions. Between two of them, with observations ``o`` and ``o'``, ``gamma *
potential(o') - potential(o)`` is added to the reward. At the end of the game (also by a turn limit or an
illegal action) ``-potential(o)`` is added: the potential of the end is 0. So, for all sequences of actions,
the discounted sum of all additions is ``-potential(o0)``, where ``o0`` is the observation at the first
decision. A learner must discount by the same gamma, once for each of its own decisions, and must not
bootstrap at the end, not even at a turn limit.

A potential receives only observations, so it cannot reveal hidden information.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from typing import Any

import numpy as np


@dataclasses.dataclass(frozen=True)
class Shaping:
    """Settings of the shaping, see above.

    Raises:
        TypeError: the potential is not a function.
        ValueError: gamma is not from 0 to 1.
    """

    potential: Callable[[np.ndarray], Any]
    """A function from observations of deciding seats (``int8[N, D]``, read-only) to N finite numbers.

    ``wotr_env.games.war_of_the_ring.observation.as_dict`` names the parts of an observation. An observation
    contains its seat."""
    gamma: float = 1.0
    """The discount factor from one decision of a seat to the next decision of this seat."""

    def __post_init__(self) -> None:
        if not callable(self.potential):
            raise TypeError(f"a potential is a function of observations, not {self.potential!r}")
        number = isinstance(self.gamma, (int, float, np.number)) and not isinstance(self.gamma, bool)
        if not number or not 0 <= self.gamma <= 1:
            raise ValueError(f"gamma is a number from 0 to 1, not {self.gamma!r}")


class ShapedRewards:
    """The shaping rewards of N games, by seat.

    Args:
        shaping: the settings; None: nothing is added.
        num_games: N.
        num_seats: S.

    Raises:
        TypeError: the shaping is not a ``Shaping``.
    """

    def __init__(self, shaping: Shaping | None, num_games: int, num_seats: int) -> None:
        if shaping is not None and not isinstance(shaping, Shaping):
            raise TypeError(f"shaping is a wotr_env.envs.shaping.Shaping or None, not {shaping!r}")
        self._shaping = shaping
        self._potentials = np.zeros((num_games, num_seats))
        """The potential at the last decision of each seat."""
        self._decided = np.zeros((num_games, num_seats), dtype=np.bool_)
        """Whether the seat has decided in this game."""

    def __bool__(self) -> bool:
        """Whether shaping is on."""
        return self._shaping is not None

    def begin(self) -> None:
        """Resets all games."""
        self._decided[:] = False

    def decide(self, games: Any, seats: Any, observations: np.ndarray) -> np.ndarray:
        """The shaping rewards of the seats that decide now in these games: ``float64[M]``.

        Args:
            games: integers of M, all different.
            seats: the deciding seats, integers of M.
            observations: ``int8[M, D]``, their observations.

        Raises:
            ValueError: the potential did not return a finite number for each observation.
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
        """The shaping rewards of all seats when games (integers of M) end: ``float64[M, S]``. After the call,
        the next games may start."""
        rewards = np.where(self._decided[games], -self._potentials[games], 0.0)
        self._decided[games] = False
        return rewards
