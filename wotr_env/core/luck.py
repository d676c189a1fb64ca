"""The description of a game's chance, used to measure luck.

Luck is the value of the position after a random outcome, minus the mean value over all possible outcomes. A
game defines which steps have random outcomes, the purposes of these outcomes, and how to resample them.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

_GAMMA = np.uint64(0x9E3779B97F4A7C15)
_MIXERS = (np.uint64(0xBF58476D1CE4E5B9), np.uint64(0x94D049BB133111EB))
_HALF = np.uint64(32)
NO_SOURCE = -1
"""Marks in ``Luck.stages`` that there is no further random outcome."""


def random_words(seeds: np.ndarray, count: int) -> np.ndarray:
    """Random numbers that depend only on seeds: a new ``uint64[N, count]``.

    Args:
        seeds: ``uint64[N]``.
        count: number of random numbers per seed.

    The generator is SplitMix64 (G. Steele, D. Lea and C. Flood, OOPSLA 2014).
    """
    steps = np.arange(1, count + 1, dtype=np.uint64) * _GAMMA
    words = seeds[:, None] + steps
    for mixer, shift in zip(_MIXERS, (30, 27), strict=True):
        words = (words ^ (words >> np.uint64(shift))) * mixer
    return words ^ (words >> np.uint64(31))


def reseed_stream(states: np.ndarray, seeds: np.ndarray) -> None:
    """Restarts the stream of random numbers of each state, in place (``wotr_env.core.chance``).

    Args:
        states: ``[N]``.
        seeds: ``uint64[N]``.
    """
    (words,) = random_words(seeds, 1).T
    states["key"] = np.stack([words & np.uint64(0xFFFFFFFF), words >> _HALF], axis=1)
    states["counter"] = 0


def shuffle_among(values: np.ndarray, movable: np.ndarray, words: np.ndarray) -> None:
    """Shuffles some of the values of each row, in place; each order is equally likely.

    Args:
        values: ``[N, M]``.
        movable: ``bool[N, M]``: which values to shuffle.
        words: ``uint64[N, M]``: random numbers.
    """
    keys = np.where(movable, words >> np.uint64(1), np.uint64(2**64 - 1))
    shuffled = keys.argsort(axis=1, kind="stable")  # the movable places first, in a random order
    places = np.where(movable, 0, 1).argsort(axis=1, kind="stable")  # the same places in ascending order
    np.put_along_axis(values, places, np.take_along_axis(values, shuffled, axis=1), axis=1)


class Luck(NamedTuple):
    """The random outcomes of a game."""

    sources: tuple[str, ...]
    """Purposes of random outcomes, in words: ``action dice``, ``Hunt tiles``."""
    renew: Callable[[np.ndarray, np.ndarray], None]
    """Resamples all future chance of states ``[N]``, in place, from seeds ``uint64[N]``: the stream of random
    numbers, and the order of face-down cards and tiles that no seat knows. All orders are equally likely, and
    information that a seat has already seen does not change."""
    stages: Callable[[np.ndarray, np.ndarray], np.ndarray]
    """The random outcomes of a step, from the states ``[N]`` before and after it: ``int8[N, M]``, the indices
    of ``sources`` in order, filled up with ``NO_SOURCE``. The state before the step and the action alone
    determine whether there are any."""
    repeat: Callable[[np.ndarray, np.ndarray, np.ndarray], None] | None = None
    """Writes the outcomes of the first stages of a step into renewed states ``[N]`` before the step, in
    place. Arguments: the renewed states, the states after the original step, and the numbers of stages
    ``int64[N]``. None: every step has at most one stage."""
    reseed_stream: Callable[[np.ndarray, np.ndarray], None] = reseed_stream
    """Like ``renew``, but face-down cards and tiles keep their order."""


def _stages(before: np.ndarray, after: np.ndarray) -> np.ndarray:
    return np.where(before["counter"] != after["counter"], 0, NO_SOURCE).astype(np.int8)[:, None]


STREAM_ALONE = Luck(("chance",), reseed_stream, _stages)
"""The luck of a game that draws every outcome from the stream at the moment when it is needed."""
