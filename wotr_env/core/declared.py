"""Derived parts of a game's declared fields and actions: dtype, value ranges, positions of fields, ids."""

from __future__ import annotations

import functools
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from wotr_env.compiler.codes import TableCodes
from wotr_env.core.observation_layout import Field


class StateField(NamedTuple):
    """A field of a game's state."""

    name: str
    least: Any
    """The smallest value, or nested tuples of values that broadcast to the shape. None means that all values
    are possible, or that the game checks the field itself."""
    most: Any
    """The largest value, in the same form."""
    meaning: str
    shape: tuple[int, ...] = ()
    dtype: npt.DTypeLike = np.int8


CHANCE = (
    StateField("key", None, None, "the key of the random stream", (2,), np.uint32),
    StateField("counter", None, None, "numbers drawn from the random stream", (), np.uint32),
)
"""The fields of the random stream of ``wotr_env.core.chance``."""


@functools.cache
def state_of(fields: tuple[StateField, ...]) -> np.dtype:
    """The dtype of a game's state: these fields, packed, in this order."""
    return np.dtype((np.record, [(each.name, each.dtype, each.shape) for each in fields]))


def check_ranges(fields: tuple[StateField, ...], states: np.ndarray, title: str) -> None:
    """Checks states from an unknown source.

    Raises:
        ValueError: the dtype is not ``state_of(fields)``, the shape is not ``(N,)``, or a value is out of
            range.
    """
    if states.dtype != state_of(fields):
        raise ValueError(f"these are not states of {title}")
    for name, least, most, *_ in fields:
        if least is not None and ((states[name] < least) | (states[name] > most)).any():
            raise ValueError(f"{name} must be {least} to {most}")


def places_of(fields: Iterable[Field], first: int = 0) -> type[TableCodes]:
    """The start of each part of an observation whose parts follow one another, as constants for kernels:
    ``At.HAND``."""
    places = {}
    for field in fields:
        places[field.name.upper()] = first
        first += field.size
    return TableCodes.of("At", places)


def size_of(fields: Iterable[Field]) -> int:
    """The total size of these parts of an observation."""
    return sum(field.size for field in fields)


class Actions(NamedTuple):
    """The actions of a game, in blocks of objects."""

    first: type[TableCodes]
    """The first action of each block, for kernels: ``Act.PLAY``."""
    names: tuple[str, ...]
    """The names by id, such as ``play:grey-1``. A block of one action without an object gives its own name to
    this action."""
    blocks: dict[str, range]
    """The ids of each block."""


def actions_of(objects: Mapping[str, Sequence[str]]) -> Actions:
    """Numbers the actions.

    Args:
        objects: the names of the objects of each block, by the name of the block; ``("",)`` for an action
            without an object.
    """
    names: list[str] = []
    blocks = {}
    for block, members in objects.items():
        blocks[block] = range(len(names), len(names) + len(members))
        names += [f"{block}:{member}" if member else block for member in members]
    firsts = {block.upper(): ids.start for block, ids in blocks.items()}
    return Actions(TableCodes.of("Act", firsts), tuple(names), blocks)
