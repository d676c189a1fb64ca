"""One game between a person and bots: playing, undoing and saving, without any text."""

from __future__ import annotations

import contextlib
import dataclasses
import random
from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np

from wotr_agents import Bot, BotView
from wotr_env import STATE, Game
from wotr_env.games.war_of_the_ring.actions import Block
from wotr_env.games.war_of_the_ring.codes import Decision
from wotr_env.games.war_of_the_ring.engine.kernel import NO_ACTION
from wotr_env.games.war_of_the_ring.events import Trace, learners
from wotr_env.games.war_of_the_ring.events.types import Event
from wotr_env.games.war_of_the_ring.kind import WAR_OF_THE_RING
from wotr_env.play.bots import view_of
from wotr_env.play.games import DEFAULT_GAME
from wotr_env.play.history import FollowedGame
from wotr_experiments.errors import CommandError
from wotr_experiments.games.war_of_the_ring.terminal.battle import followed
from wotr_experiments.isolation.bots import (
    Bots,
    Isolation,
    ask,
    check_made,
    identity_of,
)
from wotr_experiments.terminal.answers import Answer, Question, answer_of
from wotr_experiments.terminal.hints import Hint, hint_of
from wotr_experiments.terminal.saves import SavedGame
from wotr_experiments.terminal.takeback import Takeback, Undone

_THEN = ", then "
"""Between what a bot was and what it is since the game was resumed."""
OutcomesOf = Callable[[Game, int], Sequence[int]]
"""Asks the person for the tape of a step, given the game before it and the action."""


@dataclasses.dataclass(frozen=True)
class Step:
    """One decision and what it led to."""

    seat: int
    action: int
    trace: Trace
    idle: bool = False
    """Whether it was without a consequence (``idle_answer``)."""

    @property
    def chance(self) -> bool:
        """Whether it needed a random outcome."""
        return any(self.trace.draws())

    @property
    def news(self) -> bool:
        """Whether the one who decided has learned by it what he could not foresee."""
        return self.seat in learners(self.trace)

    @property
    def forced(self) -> list[Answer]:
        """What the rules answered for him after it, since there was no other choice."""
        taken = zip(self.trace.states[1:], self.trace.actions[1:], strict=False)
        return [
            answer_of(before, action)
            for before, action in taken
            if action != NO_ACTION and int(before["seat"]) == self.seat
        ]


class _Earlier(NamedTuple):
    """What a choice of the person is taken back to."""

    game: Game
    lines: int
    """Told until then."""
    fought: tuple[Event, ...]
    """Of the battle under way then."""


class Match:
    """A person at one game, and bots at all other seats of it.

    Args:
        saved: the game, new or begun, and who plays.
        isolation: which bots have processes of their own; they end when the match is closed.

    Attributes:
        changed: the specs of bots that are not what they were when the game was saved.

    Raises:
        BotError: a bot cannot be made.
    """

    def __init__(self, saved: SavedGame, isolation: Isolation | None = None) -> None:
        self.saved = saved
        self.game = saved.game
        self._isolation = isolation or Isolation()
        self._processes = contextlib.ExitStack()
        with contextlib.ExitStack() as made:
            made.callback(self.close)
            self.bots = {spec: self._make(spec) for spec in dict.fromkeys(filter(None, saved.bots))}
            self._note_identities()
            made.pop_all()
        self.fought: tuple[Event, ...] = ()
        """The course of the battle under way, as the person knows it (``battle.followed``)."""
        self._takeback: Takeback[_Earlier] = Takeback(saved.full_takeback)
        self._followed = FollowedGame(WAR_OF_THE_RING)
        self._generator = random.Random()
        self._hint_bots: dict[str, Bot] = {}

    def close(self) -> None:
        """Ends the processes of the bots."""
        self._processes.close()

    @property
    def seat(self) -> int:
        """Of the person."""
        return self.saved.seat

    @property
    def persons_turn(self) -> bool:
        """Whether the person decides now."""
        return not self.game.over and self.game.seat == self.seat

    def play(self, action: int, outcomes_of: OutcomesOf | None = None, joined: bool = False) -> Step:
        """Plays a choice of the person.

        Args:
            action: legal now.
            outcomes_of: asks for the outcomes of chance, for a game with dice of one's own.
            joined: whether it is taken back together with the choice before it.

        Raises:
            Whatever ``outcomes_of`` raises; nothing has been played then.
        """
        earlier = _Earlier(self.game.clone(), len(self.saved.log), self.fought)
        step = self._step(action, outcomes_of)
        self._takeback.chosen(earlier, joined)
        if step.news:
            self._takeback.seen()
        return step

    def answer(self, outcomes_of: OutcomesOf | None = None) -> Step:
        """Lets the bot whose turn it is decide once, and plays it.

        Raises:
            BotError: the bot failed, or answered with something that is not legal; it may be asked again.
            Whatever ``outcomes_of`` raises; nothing has been played then.
        """
        spec = self.saved.bots[self.game.seat]
        action = int(ask(self.bots[spec], self._view(), spec)[0])
        idle = idle_answer(self.game) is not None
        step = dataclasses.replace(self._step(action, outcomes_of), idle=idle)
        self._takeback.seen()
        return step

    def undo(self) -> Undone[_Earlier] | None:
        """Takes the latest choice of the person back, with those joined to it; None if none can be.

        In a casual game also what chance and the bots have answered to it, which is counted.
        """
        undone = self._takeback.take()
        if undone is not None:
            self.saved.taken_back += undone.seen
            self.game = self.saved.game = undone.earlier.game
            self.fought = undone.earlier.fought
            del self.saved.log[undone.earlier.lines :]
        return undone

    def hint(self, spec: str) -> Hint:
        """What a bot would do in the person's place, and how it values its best actions.

        Args:
            spec: of the bot.

        Raises:
            BotError: there is no such bot, or it failed.
        """
        if spec not in self._hint_bots:
            self._hint_bots[spec] = self._make(spec)
        return hint_of(self._hint_bots[spec], self._view(), spec)

    def _view(self) -> BotView:
        """What the seat that decides may see, as bots get it."""
        states = np.empty(1, dtype=STATE)
        states[0] = self.game.state
        return view_of(states, self.game.mask()[None], past=self._followed.past(self.game))

    def _make(self, spec: str) -> Bot:
        bots = self._processes.enter_context(Bots(self._isolation))
        bot = bots.seat([spec], [self.saved.bot_seed])[0]
        check_made(spec, bot)
        return bot

    def _note_identities(self) -> None:
        """What each bot is, and was before."""
        self.changed: list[str] = []
        for place, spec in enumerate(self.saved.bots):
            if not spec:
                continue
            now, before = identity_of(self.bots[spec], spec, DEFAULT_GAME), self.saved.identities[place]
            if not before:
                self.saved.identities[place] = now
            elif before.split(_THEN)[-1] != now:
                self.saved.identities[place] = before + _THEN + now
                self.changed.append(spec)
        self.changed = list(dict.fromkeys(self.changed))

    def _step(self, action: int, outcomes_of: OutcomesOf | None) -> Step:
        game = self.game.clone()
        seat = game.seat
        if outcomes_of is not None and (tape := outcomes_of(game, action)):
            game.with_tape(tape)
        trace = game.trace(action)
        game.step(action)
        if int(trace.after["tape_length"]):
            raise CommandError("the outcomes given were not all needed; this is an error of wotr play")
        self.game = self.saved.game = game
        self.fought = followed(self.fought, trace.events(self.seat))
        return Step(seat, action, trace)


def idle_answer(game: Game) -> int | None:
    """The answer to a question that need not be asked: which is played does not matter. None for another.

    So it is with a single legal answer, and where to declare the Fellowship changes nothing.
    """
    legal = game.legal()
    if len(legal) == 1:
        return legal[0]
    # Of the Fellowship all lies open: whether this is asked tells nothing that is hidden.
    if game.decision != Decision.DECLARE_FELLOWSHIP or len(legal) > 2:
        return None
    return legal[0] if len({_after(game, action).hash() for action in legal}) == 1 else None


def pickable(game: Game, asked: Question) -> dict[int, int]:
    """How many of each figure that is offered can be picked one after the other, by action."""
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
    """Figures picked so far."""
    state = game.state
    return sum(int(state[f"chosen_{kind}"].sum()) for kind in ("regular", "elite", "leader"))


def _after(game: Game, action: int) -> Game:
    after = game.clone()
    after.step(action)
    return after
