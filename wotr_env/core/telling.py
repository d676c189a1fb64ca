"""A game for people: its words, its drawing, what happened, chance that comes from outside."""

from __future__ import annotations

import dataclasses
import enum
from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple, Protocol

import numpy as np

from wotr_env.core.protocols import Game


class Draw(Protocol):
    """Draws positions."""

    def __call__(self, state: np.record, viewer: int | None, *, upright: bool = False) -> Any:
        """A position as a viewer may see it (``check_viewer``), as a ``wotr_env.core.shapes.Drawing``.

        Args:
            state: of a game.
            viewer: whose eyes.
            upright: for a page as wide as a phone, 390 pixels, rather than for a wide one.
        """
        ...


class Tone(enum.StrEnum):
    """What kind of sentence it is, for those who show it."""

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
    """Whose doing it is, if anybody's."""
    text: str
    opens: bool = False
    """Whether a new line of choices begins with it, rather than it going on with the seat's last one."""
    team: int | None = None
    """Whose doing it is, if it is a whole team's of several seats."""


class Step(NamedTuple):
    """An action, and all that the rules did until the next decision."""

    events: list[dict[str, Any]]
    """What happened, for JSON."""
    told: Sequence[Sentence]
    """The same in English, the action first."""


class Words(NamedTuple):
    """A game in English; the functions take a state."""

    position: Callable[[np.record], str]
    """As the seat that decides may see it."""
    decision: Callable[[np.record], str]
    """One sentence: who must decide what, or how the game ended."""
    action: Callable[[np.record, int], str]
    """An action of the pending decision."""
    layout: Callable[[np.record], str] | None = None
    """What lies on the table as a picture of letters, as the seat that decides may see it; may be empty."""
    parts: Callable[[np.record], Mapping[str, str]] | None = None
    """What can be looked up, as that seat may know it: by name a title, and after a line break the rest."""
    board: Callable[[], str] | None = None
    """The map, which is the same in all games: a line for each place, which begins with its name."""


class ProperNames(NamedTuple):
    """The names of a game's world, for those who show the game under other names.

    Accents do not count. A name in lower case is also found with a capital.
    """

    titles: Mapping[str, Sequence[str]]
    """Names that are replaced as a whole, by what they name: ``region``: ``Minas Tirith``."""
    words: Sequence[tuple[str, ...]]
    """Names that are replaced wherever they stand, each with its other forms: ``Elf``, ``Elves``."""
    actions: Mapping[str, str]
    """The name of what an action points at, where the action's own name is another:
    ``card:fp-char-01``: ``Elven Cloaks``."""


class Asked(NamedTuple):
    """Outcomes of chance that a step needs next."""

    text: str
    """What is rolled or drawn, in words without a full stop."""
    number: int
    possible: Mapping[int, str]
    """The values that each may have, with their names; equal names are equally good."""
    secret: bool
    """Whether the values tell what is hidden, so that nobody may be asked for them."""
    asked_others: bool
    """Whether the step has asked another seat before, which had no choice: that tells of its hand."""


class Entry(NamedTuple):
    """A line of a legend."""

    name: str
    text: str
    """A sentence."""
    drawing: Any = None
    """How it looks, a small ``wotr_env.core.shapes.Drawing``; None: it has no looks of its own."""


class Guide(NamedTuple):
    """What a page that shows the ``drawing`` of a game tells besides."""

    question: Callable[[np.record], str]
    """The pending decision, said to who takes it: ``take a card or a landmark``."""
    legend: Callable[[Any], Mapping[str, Sequence[Entry]]]
    """Of a ruleset: what is seen in its drawings, by headings."""
    groups: Mapping[str, str]
    """Headings of choices, by the block of the actions (``ActionSpace.blocks``)."""
    finishing: frozenset[str] = frozenset()
    """The blocks of choices by which nothing more is done."""
    scores: Callable[[np.record], Sequence[int]] | None = None
    """Points of each seat at the end; None: the game has none."""


class Outcomes(NamedTuple):
    """Chance that comes from outside; the functions take a state, which they leave as it is."""

    asked: Callable[[np.record, int, Sequence[int]], Asked | None]
    """What a legal action needs after the first outcomes of its step; None: nothing more. ValueError if one
    of those does not fit."""
    check_tape: Callable[[Any], list[int]]
    """Outcomes as a list of integers; ValueError for what is none, or too long."""
    with_tape: Callable[[np.record, Sequence[int]], np.record]
    """The state with the next outcomes of its chance."""
    used: Callable[[np.record, np.record], tuple[int, ...]]
    """The outcomes that a step needed of those given, from the states before and after it."""
    left: Callable[[np.record], bool]
    """Whether outcomes that were given are still to come."""
    misfit: Callable[[np.record, int], str]
    """Why the outcomes given do not fit a legal action, in words."""


class Positions(NamedTuple):
    """Positions as one line of text (``wotr_env.core.notation``)."""

    write: Callable[[np.record, int | None], str]
    """Of a state that waits for a decision or is over, for the eyes of a seat; None: all of it."""
    read: Callable[[str, int | None, Any], Game]
    """A game that begins there, of whoever's eyes; ValueError for what is none. It has ``start``, the text of
    where it began for all eyes.

    From the text, a seed of the chance to come and of what those eyes do not see, and a ruleset to be played
    instead; None: as the text has it."""
