"""What the terminal shows of a game: its seats, questions, events and views. The defaults need only the words
of a game."""

from __future__ import annotations

import dataclasses
import random
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, ClassVar, NamedTuple

import numpy as np
from rich.console import Group, RenderableType
from rich.text import Text

from wotr_env.core.descriptions import Sentence, Tone
from wotr_experiments.errors import printable
from wotr_experiments.terminal.choices import Answer, Question, TypedLine
from wotr_experiments.terminal.match import Match, Step
from wotr_experiments.terminal.saves import Told
from wotr_experiments.terminal.typed import can_mean, find_named

TURN = "bold yellow"
IMPORTANT = "bold magenta"
EFFECT = "default"
_STYLES = ("bold dodger_blue1", "bold red1", "bold green3", "bold gold3", "bold magenta")
"""Styles of the seats, in order."""
_NAMED = 4
"""Maximal number of parts that are named as examples."""

Ask = Callable[[str, Sequence[str]], str]
"""A function from a prompt and completions to a typed line."""


class OwnDice(NamedTuple):
    """How the person gives the random outcomes of a game."""

    explanation: str
    ask: Callable[[Any, int, Ask, Callable[[str], object], random.Random, Callable[[], object]], list[int]]
    """Asks for the tape of a step; the tape is empty if the step needs no random outcomes. The arguments are
    the game before the step, the action, a function that asks the person, a function that prints an error, a
    generator for outcomes that are left to the computer, and a function to call before the first question."""


class Room(NamedTuple):
    """The space for a drawing that leaves room for a question and its answer below."""

    width: int
    height: int


class Look(NamedTuple):
    """A command that shows something of the game."""

    argument: str
    """The argument as shown in help; empty if there is none."""
    summary: str
    show: Callable[[Any, str, Room], RenderableType]
    """From the presenter, the rest of the line after the command word, and the room. Raises ArgumentError if
    the rest has no meaning."""


class ArgumentError(ValueError):
    """The argument of a command has no meaning; the message explains why."""


class Presenter:
    """Shows a match of any game in the terminal. A game with more to show has a subclass in its folder
    (``wotr_experiments.games.presenter_of``).

    Args:
        match: the match.
    """

    own_dice: ClassVar[OwnDice | None] = None
    """How the person rolls the dice; None: this game has no dice of one's own."""
    how_to_answer: ClassVar[str] = (
        "Answer by number or by words; beginnings of words are enough. A command whose word is also the "
        "beginning of an answer can be written with a slash: /save."
    )

    completions: ClassVar[Sequence[str]] = ()
    """Further lines that Tab completes, besides answers and commands."""

    def __init__(self, match: Match) -> None:
        self.match = match

    @property
    def state(self) -> np.record:
        """The state of the game."""
        return self.match.game.state

    @property
    def looks(self) -> Mapping[str, Look]:
        """The commands that show something, by their words."""
        looks = {"position": Look("", "the position again", Presenter._position)}
        if self.match.kind.words.parts is not None:
            summary = "what a card or another part of the game costs and does"
            looks["about"] = Look("NAME", summary, Presenter._about)
        return looks

    def style(self, seat: int) -> str:
        """The style of a seat."""
        return _STYLES[seat % len(_STYLES)]

    def greeting(self) -> str:
        """The game, and the players of the seats."""
        match = self.match
        seats, bots = match.game.ruleset.seats, match.saved.bots
        others = [f"{printable(spec)} ({seats[place].title})" for place, spec in enumerate(bots) if spec]
        title = f"{match.kind.title}, {match.game.ruleset.title}. You play {seats[match.seat].title}"
        return f"{title}; {' and '.join(others)} at the table."

    def opening(self) -> list[Told]:
        """The first lines of the story of a game."""
        return []

    # --- Decisions. ---

    def question(self) -> Question:
        """The question of the pending decision to the person."""
        legal = enumerate(self.match.game.legal(), start=1)
        answers = tuple(
            dataclasses.replace(self.answer_of(action), label=str(number)) for number, action in legal
        )
        return Question(self.match.kind.words.decision(self.state), answers)

    def answer_of(self, action: int) -> Answer:
        """A single answer, without a number in a list."""
        kind = self.match.kind
        return Answer(action, "", kind.words.action(self.state, action), (kind.actions.names[action],))

    def idle_answer(self) -> int | None:
        """The answer to a question that need not be asked; None for other questions."""
        return None

    def own_words(self, action: int) -> str:
        """A choice of the person as a line of the story."""
        return self.match.kind.words.action(self.state, action)

    def overview(self) -> RenderableType | None:
        """A view above the first question after choices of bots; None: there is nothing to show."""
        return self._position("", Room(0, 0))

    def asked(self, asked: Question) -> Iterator[RenderableType]:
        """A question, and its answers."""
        yield Text(f"\n{asked.text}", style=self.style(self.match.seat))
        yield self.answers(asked)

    def answers(self, asked: Question) -> RenderableType:
        """The answers of a question."""
        width = len(str(len(asked.answers)))
        return Group(*(Text(f"  {each.label:>{width}}  {each.words}") for each in asked.answers))

    def line(self, text: str = "") -> TypedLine:
        """A typed line; an empty one answers nothing."""
        return TypedLine(text)

    # --- The story. ---

    def follow(self, step: Step) -> list[Answer]:
        """Takes note of a step. Returns the answers that the rules gave for the deciding seat after the
        decision, because there was no alternative."""
        return []

    def goes_without_saying(self, choice: Sentence) -> bool:
        """Whether a bot's choice need not be printed, because its consequence shows it."""
        return False

    def line_about(self, sentence: Sentence) -> Told | None:
        """A sentence as a line of the story; None: it is left out."""
        if sentence.tone == Tone.TEXT:
            return None
        if sentence.tone == Tone.FORCED and sentence.seat is not None:
            return self.style(sentence.seat), f"{self.name(sentence.seat)}: {sentence.text}"
        if self.match.over and sentence.text.removesuffix(".") == self._ending:
            return IMPORTANT, f"{self._ending}."
        return (TURN, sentence.text) if sentence.tone in (Tone.TURN, Tone.MAJOR) else self._effect(sentence)

    def end(self) -> list[Told]:
        """The last lines of the story of a finished game; lines that the last step has shown are left out."""
        return [(IMPORTANT, f"{self._ending}.")]

    def name(self, seat: int) -> str:
        """The name of a seat."""
        return self.match.game.ruleset.seats[seat].title

    @staticmethod
    def _effect(sentence: Sentence) -> Told:
        return EFFECT, f"  {sentence.text}"

    @property
    def _ending(self) -> str:
        """The end of the finished game in words."""
        return self.match.kind.words.decision(self.state).removesuffix(".")

    # --- Commands. ---

    def _position(self, rest: str, room: Room) -> RenderableType:
        words, state = self.match.kind.words, self.state
        drawn = words.layout(state) if words.layout is not None else ""
        return Text(f"{drawn}\n\n{words.position(state)}" if drawn else words.position(state))

    def _about(self, rest: str, room: Room) -> RenderableType:
        assert self.match.kind.words.parts is not None
        parts = self.match.kind.words.parts(self.state)
        names = list(parts)
        ask = f"about what? For example: {', '.join([*names[:_NAMED], names[-1]])}"
        found = found_of(names, rest, "part", ask, tuple(parts.values()))
        return Text(parts[names[found]], "cyan")


def found_of(
    names: Sequence[str], text: str, what: str, ask: str, meanings: Sequence[str] | None = None
) -> int:
    """The index of the name that a typed text means.

    Args:
        names: all names.
        text: the typed text.
        what: what is named, for the error.
        ask: the error if nothing is typed.
        meanings: the meaning of each name, if several names may mean the same; by default the name itself.

    Raises:
        ArgumentError: the text means no name, or several.
    """
    found = find_named(names, text)
    if len({(meanings or names)[place] for place in found}) == 1:
        return found[0]
    if found:
        raise ArgumentError(can_mean(text, [names[place] for place in found]))
    raise ArgumentError(f"there is no {what} {text!r}" if text else ask)
