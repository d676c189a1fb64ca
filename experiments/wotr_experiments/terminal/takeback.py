"""What a person may take back: own choices, in casual games also what chance and bots have answered."""

from __future__ import annotations

import dataclasses
from typing import Generic, NamedTuple, TypeVar

Earlier = TypeVar("Earlier")


class Undone(NamedTuple, Generic[Earlier]):
    """A choice that is taken back."""

    earlier: Earlier
    """What the game goes back to."""
    seen: bool
    """Whether something that was seen is taken back with it."""


@dataclasses.dataclass
class _Choice(Generic[Earlier]):
    earlier: Earlier
    joined: bool
    seen: bool = False
    """Whether something has been seen after it, before the next."""


class Takeback(Generic[Earlier]):
    """The choices of a person since the game began or was loaded.

    Attributes:
        full: whether what was seen may be taken back too.
    """

    def __init__(self, full: bool) -> None:
        self.full = full
        self._choices: list[_Choice[Earlier]] = []

    def __len__(self) -> int:
        """How many choices can be taken back."""
        return len(self._choices)

    def chosen(self, earlier: Earlier, joined: bool = False) -> None:
        """Notes a choice.

        Args:
            earlier: what it is taken back to.
            joined: whether it is taken back together with the choice before it, as the whole of a line is.
        """
        if self._choices or not joined:
            self._choices.append(_Choice(earlier, joined))

    def seen(self) -> None:
        """Notes that something has been seen that could not be foreseen: chance, or another seat."""
        if not self.full:
            self._choices.clear()
        elif self._choices:
            self._choices[-1].seen = True

    def take(self) -> Undone[Earlier] | None:
        """The latest choice, which is taken back now with those joined to it; None if there is none."""
        if not self._choices:
            return None
        choice = self._choices.pop()
        seen = choice.seen
        while choice.joined and self._choices:
            choice = self._choices.pop()
            seen |= choice.seen
        return Undone(choice.earlier, seen)
