"""Takeback of a person's own choices; in casual games also after random outcomes and answers of bots."""

from __future__ import annotations

import dataclasses
from typing import Generic, NamedTuple, TypeVar

Earlier = TypeVar("Earlier")


class Undone(NamedTuple, Generic[Earlier]):
    """A choice to take back."""

    earlier: Earlier
    """The state to return to."""
    seen: bool
    """Whether information that the person has seen is taken back with the choice."""


@dataclasses.dataclass
class _Choice(Generic[Earlier]):
    earlier: Earlier
    joined: bool
    seen: bool = False
    """Whether the person has seen new information between this choice and the next."""


class Takeback(Generic[Earlier]):
    """The choices of a person since the game was started or loaded.

    Attributes:
        full: whether choices may be taken back after information was seen.
    """

    def __init__(self, full: bool) -> None:
        self.full = full
        self._choices: list[_Choice[Earlier]] = []

    def __len__(self) -> int:
        """The number of choices that can be taken back."""
        return len(self._choices)

    def chosen(self, earlier: Earlier, joined: bool = False) -> None:
        """Adds a choice.

        Args:
            earlier: the state before the choice.
            joined: whether the choice is taken back together with the previous choice, as for a whole line of
                input.
        """
        if self._choices or not joined:
            self._choices.append(_Choice(earlier, joined))

    def seen(self) -> None:
        """Notes that the person has seen new information: a random outcome, or another seat's choice."""
        if not self.full:
            self._choices.clear()
        elif self._choices:
            self._choices[-1].seen = True

    def take(self) -> Undone[Earlier] | None:
        """Takes back the latest choice with the choices joined to it; None if there is none."""
        if not self._choices:
            return None
        choice = self._choices.pop()
        seen = choice.seen
        while choice.joined and self._choices:
            choice = self._choices.pop()
            seen |= choice.seen
        return Undone(choice.earlier, seen)
