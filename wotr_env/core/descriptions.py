"""Descriptions of a game for people: words, drawings, events, and functions for given random outcomes."""

from __future__ import annotations

import dataclasses
import enum
import itertools
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, NamedTuple, Protocol

import numpy as np


class Form(enum.StrEnum):
    """The room for which a drawing is made."""

    WIDE = "wide"  # a monitor: 1060 by 840 pixels
    SQUARE = "square"  # a tablet: 680 pixels across
    UPRIGHT = "upright"  # a phone: 390 pixels across


class Draw(Protocol):
    """Draws positions."""

    def __call__(self, state: np.record, viewer: int | None, *, form: Form = Form.WIDE) -> Any:
        """A position from the view of a viewer (``check_viewer``), as a ``wotr_env.core.shapes.Drawing``.

        Args:
            state: the state of a game.
            viewer: the viewer.
            form: the form of the page.
        """
        ...


class Tone(enum.StrEnum):
    """The kind of a sentence, which decides how it is shown."""

    TURN = "turn"
    CHOICE = "choice"
    FORCED = "forced"  # the only legal choice, taken by the rules
    DEED = "deed"
    EFFECT = "effect"
    TEXT = "text"  # the rules text of a card
    MAJOR = "major"


@dataclasses.dataclass(frozen=True)
class Sentence:
    """A sentence about a step, without a full stop."""

    tone: Tone
    seat: int | None
    """The seat that caused the event, if any."""
    text: str
    opens: bool = False
    """Whether the sentence starts a new line of choices instead of continuing the seat's last line."""
    team: int | None = None
    """The team that caused the event, if a team of several seats did."""


class Step(NamedTuple):
    """An action and its consequences until the next decision."""

    events: list[dict[str, Any]]
    """The events, for JSON."""
    sentences: Sequence[Sentence]
    """The events in English, the action first."""


class Words(NamedTuple):
    """Functions that describe a game in English. Each takes a state, unless stated otherwise."""

    position: Callable[[np.record], str]
    """The position, from the view of the deciding seat."""
    decision: Callable[[np.record], str]
    """One sentence: the deciding seat and its decision, or how the game ended."""
    action: Callable[[np.record, int], str]
    """An action of the pending decision."""
    layout: Callable[[np.record], str] | None = None
    """The table as a text picture, from the view of the deciding seat; may be empty."""
    parts: Callable[[np.record], Mapping[str, str]] | None = None
    """Parts of the position that a player can look up, by name, from the view of the deciding seat. Each is a
    title, and further text after a line break."""
    board: Callable[[], str] | None = None
    """The map, which is the same in all games: one line per place, starting with its name."""
    hand: Callable[[np.record, int], str] | None = None
    """The cards in the hand of a seat, which only this seat may read."""
    pieces: Mapping[str, str] = {}
    """The names of pieces in actions, with their plurals, for ``merge_repeats``."""

    def described(self, state: np.record) -> str:
        """The position, and in the last line the pending decision or how the game ended."""
        return f"{self.position(state)}\n\n{self.decision(state)}"

    def merge_repeats(self, texts: Iterable[str]) -> list[str]:
        """Choices of a seat in words, in order; repeated choices are combined.

        If ``Regular`` is a piece and ``take a Regular of Isengard along`` occurs twice, the result is
        ``take 2 Regulars of Isengard along``. Other repeated choices end with ``(2 times)``.
        """
        summed = []
        for text, group in itertools.groupby(texts):
            times = len(list(group))
            summed.append(text if times == 1 else self._repeated(text, times))
        return summed

    def _repeated(self, text: str, times: int) -> str:
        piece = re.search(rf"\ban? ({'|'.join(self.pieces)})\b", text) if self.pieces else None
        if piece is None:
            return f"{text} ({times} times)"
        return f"{text[: piece.start()]}{times} {self.pieces[piece[1]]}{text[piece.end() :]}"


class ProperNames(NamedTuple):
    """The names of a game's world, used to show the game under other names.

    Accents are ignored. Names in lower case also match with a capital.
    """

    titles: Mapping[str, Sequence[str]]
    """Names to replace only as a whole, by kind: ``region``: ``Minas Tirith``."""
    words: Sequence[tuple[str, ...]]
    """Names to replace anywhere in a text, each with its other forms: ``Elf``, ``Elves``."""
    actions: Mapping[str, str]
    """Names of objects in actions whose own names differ: ``card:fp-char-01``: ``Elven Cloaks``."""


class Asked(NamedTuple):
    """The random outcomes that a step needs next."""

    text: str
    """The roll or draw in words, without a full stop."""
    number: int
    possible: Mapping[int, str]
    """The possible values of each outcome, with their names; values with the same name are equivalent."""
    secret: bool
    """Whether the values are hidden information, so that the program may not ask a person for them."""
    asked_others: bool
    """Whether the step has passed a forced decision of another seat, which would reveal something about its
    hand."""


class Entry(NamedTuple):
    """A line of a legend."""

    name: str
    text: str
    """A sentence."""
    drawing: Any = None
    """A small ``wotr_env.core.shapes.Drawing``; None: the entry has no drawing."""


class Why(NamedTuple):
    """A reason why an action is impossible."""

    code: str
    """The kind of reason, such as ``cost``."""
    text: str
    """A sentence without a full stop."""


class Guide(NamedTuple):
    """Texts of a page that shows the ``drawing`` of a game."""

    question: Callable[[np.record], str]
    """The pending decision, addressed to the deciding player: ``take a card or a landmark``."""
    legend: Callable[[Any], Mapping[str, Sequence[Entry]]]
    """The legend of a ruleset's drawings, by headings."""
    groups: Mapping[str, str]
    """Headings of choices, by the block of the actions (``ActionSpace.blocks``)."""
    finishing: frozenset[str] = frozenset()
    """The blocks of choices that end a turn or decline to act."""
    scores: Callable[[np.record], Sequence[int]] | None = None
    """The points of each seat at the end; None: the game has no points."""
    why: Callable[[np.record], Mapping[str, Why]] | None = None
    """Reasons why actions are illegal, by the names of the actions; they use only information that the
    deciding seat has."""


class GivenChance(NamedTuple):
    """Functions for random outcomes that the caller supplies, such as own dice. They do not modify the states
    they receive."""

    asked: Callable[[np.record, int, Sequence[int]], Asked | None]
    """The random outcomes that a legal action needs in addition to the outcomes given so far; None if it
    needs no more. Raises ValueError if a given outcome is impossible."""
    check_tape: Callable[[Any], list[int]]
    """Checks outcomes and returns them as a list of integers; raises ValueError if they are invalid or too
    many."""
    with_tape: Callable[[np.record, Sequence[int]], np.record]
    """A copy of the state with these random outcomes on its tape."""
    used: Callable[[np.record, np.record], tuple[int, ...]]
    """The given outcomes that a step used, from the states before and after the step."""
    left: Callable[[np.record], bool]
    """Whether some given outcomes are not yet used."""
    explain_misfit: Callable[[np.record, int], str]
    """An explanation of why the given outcomes do not fit a legal action."""


class Positions(NamedTuple):
    """Positions as one line of text (``wotr_env.core.notation``)."""

    write: Callable[[np.record, int | None], str]
    """Writes a state that waits for a decision or is over, from the view of a seat; None: the complete
    state."""
    read: Callable[[str, int | None, Any], Any]
    """Makes a ``wotr_env.core.game.Game`` that starts from the position, whatever its view; raises ValueError
    if the text is not a position. ``start`` of the game is the text of the complete position.

    The arguments are the text, a seed for future chance and for hidden information, and a ruleset (None: the
    ruleset in the text)."""
