"""A choice at a table that waits for random outcomes, and a possible undo."""

from __future__ import annotations

from typing import Literal, NamedTuple

from wotr_env.core.descriptions import Asked


class UndoOffer(NamedTuple):
    """The possible undo of a seat."""

    number: int
    """Number of actions that remain after the undo."""
    kind: Literal["free", "study"]


class Pending(NamedTuple):
    """A choice that waits for outcomes that people enter; it is not stored."""

    action: int
    gesture: int
    """The number of the first action of the gesture."""
    tape: tuple[int, ...]
    asked: Asked
    """The outcomes that are needed after those of the tape."""
    key: bytes
    """A key that is different for each question."""

    @property
    def is_fresh(self) -> bool:
        """Whether the choice has not revealed any information yet."""
        return not self.tape and not self.asked.asked_others
