"""What follows from a game's declarations: its record, the ranges of its fields, places in an observation."""

from __future__ import annotations

import functools
from collections.abc import Iterable
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from wotr_env.compiler.codes import TableCodes
from wotr_env.core.layout import Field


class StateField(NamedTuple):
    """A field of a game's record."""

    name: str
    least: int | None
    """Of its numbers; None: any are possible, or a check of the game's own says which."""
    most: int | None
    meaning: str
    shape: tuple[int, ...] = ()
    dtype: npt.DTypeLike = np.int8


CHANCE = (
    StateField("key", None, None, "of the stream of chance", (2,), np.uint32),
    StateField("counter", None, None, "numbers drawn from it", (), np.uint32),
)
"""The fields of the chance that ``wotr_env.core.chance`` draws from."""


@functools.cache
def state_of(fields: tuple[StateField, ...]) -> np.dtype:
    """The dtype of a game's record: these fields, packed, in their order."""
    return np.dtype((np.record, [(each.name, each.dtype, each.shape) for each in fields]))


def check_ranges(fields: tuple[StateField, ...], states: np.ndarray, title: str) -> None:
    """Checks records from anywhere.

    Raises:
        ValueError: they are no ``state_of(fields)[N]``, or a number is out of its range.
    """
    if states.dtype != state_of(fields):
        raise ValueError(f"these are not states of {title}")
    for name, least, most, *_ in fields:
        if least is not None and ((states[name] < least) | (states[name] > most)).any():
            raise ValueError(f"{name} must be {least} to {most}")


def places_of(fields: Iterable[Field], first: int = 0, name: str = "At") -> type[TableCodes]:
    """Where each part of an observation begins if they follow one another, for kernels: ``At.HAND``."""
    places = {}
    for field in fields:
        places[field.name.upper()] = first
        first += field.size
    return TableCodes.of(name, places)


def size_of(fields: Iterable[Field]) -> int:
    """Numbers in these parts of an observation."""
    return sum(field.size for field in fields)
