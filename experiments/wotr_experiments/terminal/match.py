"""A game between a person and bots: playing, takebacks and hints, without input and output."""

from __future__ import annotations

import contextlib
import dataclasses
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np

from wotr_agents.identity import with_identity
from wotr_env import GameRecord
from wotr_env.core.descriptions import Sentence
from wotr_env.core.kind import GameKind
from wotr_env.play.bots import Bot, BotView, view_of
from wotr_env.play.history import SingleGameHistory
from wotr_experiments.arena.schedule import canonical_bot_spec
from wotr_experiments.errors import CommandError
from wotr_experiments.isolation.bots import Bots, Isolation, ask, check_made, identity_of
from wotr_experiments.terminal.hints import Hint, hint_of
from wotr_experiments.terminal.saves import SavedGame
from wotr_experiments.terminal.takeback import Takeback, Undone

OutcomesOf = Callable[[Any, int], Sequence[int]]
"""A function that asks the person for the tape of a step, given the game before the step and the action."""


class Step(NamedTuple):
    """One decision and its consequences."""

    seat: int
    action: int
    before: np.record
    """The state before the decision."""
    sentences: Sequence[Sentence]
    """The decision and its consequences, from the view of the person."""
    news: bool
    """Whether the deciding seat got new information from the step."""


class Earlier(NamedTuple):
    """The match before a choice of the person, for takebacks."""

    game: Any
    lines: int
    """Number of lines of the story at that time."""


class Match:
    """A game of a person, with bots in all other seats.

    Args:
        saved: the game, new or continued, with its players.
        isolation: the settings for bots in separate processes; these processes end when the match is closed.

    Attributes:
        changed: the specs of bots that have changed since the game was saved.

    Raises:
        BotError: a bot cannot be made.
    """

    def __init__(self, saved: SavedGame, isolation: Isolation | None = None) -> None:
        self.saved = saved
        self._isolation = isolation or Isolation()
        self._followed = SingleGameHistory(self.kind)
        self._takeback: Takeback[Earlier] = Takeback(saved.full_takeback)
        self._processes = contextlib.ExitStack()
        self._hint_bots: dict[str, Bot] = {}
        with contextlib.ExitStack() as made:
            made.callback(self.close)
            # Partners share a bot; two teams do not, because a bot may remember the hands that it saw.
            keys = [(seat.team, spec) for seat, spec in zip(self.game.ruleset.seats, saved.bots, strict=True)]
            bots = {key: self._make(key[1]) for key in dict.fromkeys(keys) if key[1]}
            self.bots = {place: bots[key] for place, key in enumerate(keys) if key[1]}
            self.changed = self._note_identities()
            made.pop_all()

    def close(self) -> None:
        """Stops the processes of the bots."""
        self._processes.close()

    @property
    def game(self) -> Any:
        """The game, a ``wotr_env.core.game.Game``."""
        return self.saved.game

    @property
    def kind(self) -> GameKind:
        """The game that is played."""
        return self.game.kind

    @property
    def seat(self) -> int:
        """The seat of the person."""
        return self.saved.seat

    @property
    def over(self) -> bool:
        """Whether the game has ended."""
        return self.game.result is not None

    @property
    def persons_turn(self) -> bool:
        """Whether the person decides now."""
        return not self.over and int(self.game.state["seat"]) == self.seat

    def record(self) -> GameRecord:
        """The record of the game so far, with its players.

        Raises:
            RecordError: the game used the player's own dice, and an older version saved it without their
                outcomes.
        """
        record = GameRecord.from_game(self.game, self.saved.names)
        return dataclasses.replace(record, identities=tuple(self.saved.identities))

    @property
    def progress(self) -> tuple[Any, ...]:
        """A value that changes whenever the game is worth saving."""
        return tuple(self.game.actions), self.saved.taken_back

    def play(self, action: int, outcomes_of: OutcomesOf | None = None, joined: bool = False) -> Step:
        """Plays a choice of the person.

        Args:
            action: a legal action.
            outcomes_of: asks for the random outcomes, in a game with the player's own dice.
            joined: whether the choice is taken back together with the previous choice.

        Raises:
            Whatever ``outcomes_of`` raises; then nothing has been played.
        """
        earlier = Earlier(self.game.clone(), len(self.saved.log))
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
        place = int(self.game.state["seat"])
        chosen = ask(self.bots[place], self._view(), self.saved.bots[place])
        step = self._step(int(chosen[0]), outcomes_of)
        self._takeback.seen()
        return step

    def undo(self) -> Undone[Earlier] | None:
        """Takes back the person's latest choice, with the choices joined to it; None if this is impossible.

        In a casual game, random outcomes and answers of bots are taken back too, and this is counted.
        """
        undone = self._takeback.take()
        if undone is not None:
            self.saved.taken_back += undone.seen
            self.saved.game = undone.earlier.game
            del self.saved.log[undone.earlier.lines :]
        return undone

    def hint(self, spec: str) -> Hint:
        """A bot's choice in the person's place, with its values.

        Args:
            spec: spec of the bot.

        Raises:
            BotError: the bot is unknown or failed.
        """
        spec = canonical_bot_spec(spec, self.kind.name)
        if spec not in self._hint_bots:
            self._hint_bots[spec] = self._make(spec)
        return hint_of(self._hint_bots[spec], self._view(), spec)

    def _step(self, action: int, outcomes_of: OutcomesOf | None) -> Step:
        game = self.game.clone()
        if outcomes_of is not None and (tape := outcomes_of(game, action)):
            game.with_tape(tape)
        before = game.state
        game.step(action)
        if game.tape_left:
            raise CommandError("more outcomes were given than needed; this is a bug in wotr play")
        seat = int(before["seat"])
        sentences = self.kind.step_of(before, action, self.seat).sentences
        self.saved.game = game
        return Step(seat, action, before, sentences, seat in self.kind.who_learns(before, action))

    def _view(self) -> BotView:
        """The view of the deciding seat, for bots."""
        states = np.array([self.game.state], dtype=self.kind.state)
        return view_of(states, self.kind.masks(states), self.kind, self._followed.past(self.game))

    def _make(self, spec: str) -> Bot:
        bots = self._processes.enter_context(Bots(self._isolation))
        bot = bots.seat([spec], [self.saved.bot_seed], self.kind.name)[0]
        check_made(spec, bot)
        return bot

    def _note_identities(self) -> list[str]:
        """Stores the identities of the bots; returns the bots whose identity has changed."""
        changed: list[str] = []
        identities = self.saved.identities
        for place, spec in enumerate(self.saved.bots):
            if not spec:
                continue
            known = identities[place]
            identities[place] = with_identity(known, identity_of(self.bots[place], spec, self.kind.name))
            if known and identities[place] != known:
                changed.append(spec)
        return list(dict.fromkeys(changed))
