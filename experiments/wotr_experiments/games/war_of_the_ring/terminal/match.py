"""A game between a person and bots: playing, undo and saving, without input and output."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Sequence
from typing import NamedTuple

from wotr_env import Game
from wotr_env.core.codes import NO_ACTION
from wotr_env.games.war_of_the_ring.actions import Block
from wotr_env.games.war_of_the_ring.codes import Decision
from wotr_env.games.war_of_the_ring.events import Trace, learners
from wotr_env.games.war_of_the_ring.events.types import Event
from wotr_experiments.errors import CommandError
from wotr_experiments.games.war_of_the_ring.terminal.answers import Answer, Question, answer_of
from wotr_experiments.games.war_of_the_ring.terminal.battle import followed
from wotr_experiments.games.war_of_the_ring.terminal.saves import SavedGame
from wotr_experiments.isolation.bots import Isolation
from wotr_experiments.terminal.match import BaseMatch

OutcomesOf = Callable[[Game, int], Sequence[int]]
"""A function that asks the person for the tape of a step, given the game before the step and the action."""


@dataclasses.dataclass(frozen=True)
class Step:
    """One decision and its consequences."""

    seat: int
    action: int
    trace: Trace
    idle: bool = False
    """Whether the answer did not matter (``idle_answer``)."""

    @property
    def chance(self) -> bool:
        """Whether the step needed a random outcome."""
        return any(self.trace.draws())

    @property
    def news(self) -> bool:
        """Whether the deciding seat got new information from the step."""
        return self.seat in learners(self.trace)

    @property
    def forced(self) -> list[Answer]:
        """The answers that the rules gave for the deciding seat after the decision, because there was no
        alternative."""
        taken = zip(self.trace.states[1:], self.trace.actions[1:], strict=False)
        return [
            answer_of(before, action)
            for before, action in taken
            if action != NO_ACTION and int(before["seat"]) == self.seat
        ]


class _Earlier(NamedTuple):
    """The state before a choice of the person, for takebacks."""

    game: Game
    lines: int
    """Number of log lines at that time."""
    fought: tuple[Event, ...]
    """The known events of the battle at that time."""


class WarMatch(BaseMatch[Game, _Earlier]):
    """A person at a game of War of the Ring.

    Args:
        saved: the game, new or continued, with its players.
        isolation: the settings for bots in separate processes; these processes end when the match
            is closed.

    Raises:
        BotError: a bot cannot be made.
    """

    def __init__(self, saved: SavedGame, isolation: Isolation | None = None) -> None:
        super().__init__(saved.game, saved, isolation)
        self.saved = saved
        self.fought: tuple[Event, ...] = ()
        """The course of the current battle, as far as the person knows it (``battle.followed``)."""

    def play(self, action: int, outcomes_of: OutcomesOf | None = None, joined: bool = False) -> Step:
        """Plays a choice of the person.

        Args:
            action: a legal action.
            outcomes_of: asks for the random outcomes, in a game with the player's own dice.
            joined: whether the choice is taken back together with the previous choice.

        Raises:
            Whatever ``outcomes_of`` raises; then nothing has been played.
        """
        earlier = _Earlier(self.game.clone(), len(self.saved.log), self.fought)
        step = self._step(action, outcomes_of)
        self._takeback.chosen(earlier, joined)
        if step.news:
            self._takeback.seen()
        return step

    def answer(self, outcomes_of: OutcomesOf | None = None) -> Step:
        """Lets the deciding bot decide once, and plays its action.

        Raises:
            BotError: the bot failed or chose an illegal action; it may be asked again.
            Whatever ``outcomes_of`` raises; then nothing has been played.
        """
        action = self._bots_action()
        idle = idle_answer(self.game) is not None
        step = dataclasses.replace(self._step(action, outcomes_of), idle=idle)
        self._takeback.seen()
        return step

    def _go_back(self, earlier: _Earlier) -> None:
        self.game = self.saved.game = earlier.game
        self.fought = earlier.fought
        del self.saved.log[earlier.lines :]

    def _step(self, action: int, outcomes_of: OutcomesOf | None) -> Step:
        game = self.game.clone()
        seat = game.seat
        if outcomes_of is not None and (tape := outcomes_of(game, action)):
            game.with_tape(tape)
        trace = game.trace(action)
        game.step(action)
        if int(trace.after["tape_length"]):
            raise CommandError("more outcomes were given than needed; this is a bug in wotr play")
        self.game = self.saved.game = game
        self.fought = followed(self.fought, trace.events(self.seat))
        return Step(seat, action, trace)


def idle_answer(game: Game) -> int | None:
    """The answer to a question that need not be asked, because all answers have the same effect; None for
    other questions.

    This is the case with a single legal answer, and if declaring the Fellowship would change nothing.
    """
    legal = game.legal()
    if len(legal) == 1:
        return legal[0]
    # Of the Fellowship all lies open: whether this is asked tells nothing that is hidden.
    if game.decision != Decision.DECLARE_FELLOWSHIP or len(legal) > 2:
        return None
    return legal[0] if len({_after(game, action).hash() for action in legal}) == 1 else None


def pickable(game: Game, asked: Question) -> dict[int, int]:
    """For each offered figure, the number of such figures that can be selected one after the other, by
    action."""
    counts = {}
    for answer in asked.answers:
        if Block.FIGURE <= answer.action < Block.COUNT:
            tried, count, picked = game.clone(), 0, _picked(game)
            while _picked(tried) == picked + count and answer.action in tried.legal():
                tried.step(answer.action)
                count += 1
            counts[answer.action] = count
    return counts


def _picked(game: Game) -> int:
    """Number of figures selected so far."""
    state = game.state
    return sum(int(state[f"chosen_{kind}"].sum()) for kind in ("regular", "elite", "leader"))


def _after(game: Game, action: int) -> Game:
    after = game.clone()
    after.step(action)
    return after
