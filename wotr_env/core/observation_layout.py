"""The parts of an observation."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Callable, Mapping, Sequence

import numpy as np


@dataclasses.dataclass(frozen=True)
class Field:
    """A named part of the observation, ``int8`` of this shape."""

    name: str
    shape: tuple[int, ...]
    meaning: str
    visible_to: str = "both"
    """Who sees the field: ``both``, ``owner`` (of the cards) or ``decider`` (zeros for a seat that does not
    decide)."""
    scale: float = 1.0
    """The factor by which training multiplies the numbers, so that they are of order 1."""

    @property
    def size(self) -> int:
        """The number of values."""
        return math.prod(self.shape)


@dataclasses.dataclass(frozen=True, eq=False)
class EntitySet:
    """N similar objects of a game, such as its regions, for entity networks."""

    name: str
    """A Python identifier, in the plural: ``regions``."""
    fields: Mapping[str, int]
    """The fields that describe the objects: by name, the axis of the field along which the objects lie."""
    actions: Mapping[str, Sequence[int] | np.ndarray] = dataclasses.field(default_factory=dict)
    """The object that each action of a block names, by the name of the block; -1: none."""
    near: np.ndarray | None = None
    """``bool[N, N]``, which objects are adjacent; None: the objects have no such relation."""


@dataclasses.dataclass(frozen=True)
class Layout:
    """An observation: D numbers of int8."""

    fields: tuple[Field, ...]
    decision: range
    """The indices of the one-hot encoding of the pending decision's kind; these numbers are 0 if the seat
    does not decide."""
    split: Callable[[np.ndarray], dict[str, np.ndarray]] | None = None
    """Returns the parts by name, as ``named`` does, for fields that do not follow one another."""
    fixed_scales: bool = False
    """Whether the scales never change. Then network files do not have to store them (some files are older
    than scales)."""
    entities: tuple[EntitySet, ...] = ()
    """The objects that an observation describes; empty: the game has no entity networks."""

    def columns(self, entities: EntitySet) -> np.ndarray:
        """The positions of the numbers that describe each object: ``int64[N, F]``.

        Raises:
            ValueError: two fields have different numbers of objects.
        """
        parts = self.named(np.arange(self.size))
        rows = [np.moveaxis(parts[name], axis, 0) for name, axis in entities.fields.items()]
        return np.ascontiguousarray(np.concatenate([row.reshape(len(row), -1) for row in rows], axis=1))

    def named(self, observations: np.ndarray) -> dict[str, np.ndarray]:
        """The parts of observations (``[..., D]``) by name: views of shape ``[..., *shape]``."""
        if self.split is not None:
            return self.split(observations)
        parts, place = {}, 0
        for field in self.fields:
            part = observations[..., place : place + field.size]
            parts[field.name] = part.reshape(*observations.shape[:-1], *field.shape)
            place += field.size
        return parts

    @property
    def size(self) -> int:
        """D, the number of values."""
        return sum(field.size for field in self.fields)
