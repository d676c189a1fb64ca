"""What a game says of its chance, so that the luck of players can be measured.

Luck is what a position is worth after chance has decided, less its mean worth over what chance could have
decided instead. A game says when chance decides, what it decides, and how to let it decide again.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

_GAMMA = np.uint64(0x9E3779B97F4A7C15)
_MIXERS = (np.uint64(0xBF58476D1CE4E5B9), np.uint64(0x94D049BB133111EB))
_HALF = np.uint64(32)
NO_SOURCE = -1
"""In ``Luck.stages``: chance decided nothing more."""


def random_words(seeds: np.ndarray, count: int) -> np.ndarray:
    """Random numbers that depend on nothing but a seed: a new ``uint64[N, count]``.

    Args:
        seeds: ``uint64[N]``.
        count: of each seed.

    The generator is SplitMix64 (Steele, Lea and Flood, OOPSLA 2014).
    """
    steps = np.arange(1, count + 1, dtype=np.uint64) * _GAMMA
    words = seeds[:, None] + steps
    for mixer, shift in zip(_MIXERS, (30, 27), strict=True):
        words = (words ^ (words >> np.uint64(shift))) * mixer
    return words ^ (words >> np.uint64(31))


def renew_stream(states: np.ndarray, seeds: np.ndarray) -> None:
    """Begins the stream of random numbers of each state anew, in place (``wotr_env.core.chance``).

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
        movable: ``bool[N, M]``: the values that change places with each other.
        words: ``uint64[N, M]``, random.
    """
    keys = np.where(movable, words >> np.uint64(1), np.uint64(2**64 - 1))
    shuffled = keys.argsort(axis=1, kind="stable")  # the movable places first, in a random order
    places = np.where(movable, 0, 1).argsort(axis=1, kind="stable")  # the same places in ascending order
    np.put_along_axis(values, places, np.take_along_axis(values, shuffled, axis=1), axis=1)


class Luck(NamedTuple):
    """How chance decides in a game."""

    sources: tuple[str, ...]
    """What chance is needed for, in words for people: ``action dice``, ``Hunt tiles``."""
    renew: Callable[[np.ndarray, np.ndarray], None]
    """Draws anew, in place, all that chance has still to decide in states ``[N]``, from seeds ``uint64[N]``:
    the stream of random numbers, and the order of cards and tiles that lie face down and that no seat knows.
    Each way is equally likely, and nothing changes that a seat has seen."""
    stages: Callable[[np.ndarray, np.ndarray], np.ndarray]
    """From the states before and after a step ``[N]``: what chance decided in it, one after the other, as
    places in ``sources``: ``int8[N, M]``, filled up with ``NO_SOURCE``. Whether chance decides anything
    follows from the state before and the action alone."""
    repeat: Callable[[np.ndarray, np.ndarray, np.ndarray], None] | None = None
    """Gives renewed states ``[N]`` before a step, in place, the outcomes of its first stages: (the renewed
    states, the states after the step as it was played, ``int64[N]`` stages). None: a step has one stage."""


def _stages(before: np.ndarray, after: np.ndarray) -> np.ndarray:
    return np.where(before["counter"] != after["counter"], 0, NO_SOURCE).astype(np.int8)[:, None]


STREAM_ALONE = Luck(("chance",), renew_stream, _stages)
"""Of a game in which all that chance decides is drawn from the stream when it is needed."""
