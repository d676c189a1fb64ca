"""One game between a person and a bot: playing, undoing and saving, without any text."""

from __future__ import annotations

import contextlib
import dataclasses
import random
from collections.abc import Callable, Sequence

import numpy as np

from wotr_agents import Bot, BotView, make_bot
from wotr_env import STATE, Game
from wotr_env.bots import BotError, choose, view_of
from wotr_env.codes import CardZone
from wotr_experiments.errors import CommandError
from wotr_experiments.terminal.chance_trace import ChanceTracer, Roll
from wotr_experiments.terminal.saves import SavedGame

OutcomesOf = Callable[[np.record, int], Sequence[int]]
"""Asks the person for the tape of a step, given the position and the action."""


@dataclasses.dataclass(frozen=True)
class Step:
    """One decision and what it led to."""

    seat: int
    before: np.record
    action: int
    after: np.record
    chance: bool
    """Whether it needed a random outcome."""
    rolls: tuple[Roll, ...]
    """The outcomes; none where nobody can tell them."""


class Match:
    """A person and a bot at one game.

    Args:
        saved: the game, new or begun, and who plays.
        tracer: knows what is rolled; None: rolls are not known, and dice of one's own are not possible.

    Raises:
        BotError: the opponent cannot be made.
    """

    def __init__(self, saved: SavedGame, tracer: ChanceTracer | None) -> None:
        self.saved = saved
        self.game = saved.game
        self.bot = make_bot(saved.against, saved.bot_seed)
        self._tracer = tracer
        self._undo: list[tuple[Game, int]] = []
        self._generator = random.Random()
        self._hint_bots: dict[str, Bot] = {}

    @property
    def seat(self) -> int:
        """Of the person."""
        return self.saved.seat

    @property
    def persons_turn(self) -> bool:
        """Whether the person decides now."""
        return not self.game.over and self.game.seat == self.seat

    @property
    def undoable(self) -> int:
        """How many of the person's latest choices can be taken back."""
        return len(self._undo)

    def play(self, action: int, outcomes_of: OutcomesOf | None = None) -> Step:
        """Plays a choice of the person.

        Args:
            action: legal now.
            outcomes_of: asks for the outcomes of chance, for a game with dice of one's own.

        Raises:
            Whatever ``outcomes_of`` raises; nothing has been played then.
        """
        earlier = self.game.clone()
        lines = len(self.saved.log)
        step = self._step(action, outcomes_of)
        if _is_private(step):
            self._undo.append((earlier, lines))
        else:
            self._undo.clear()
        return step

    def answer(self, outcomes_of: OutcomesOf | None = None) -> Step:
        """Lets the bot decide once, and plays it.

        Raises:
            CommandError: the bot failed, or answered with something that is not legal.
            Whatever ``outcomes_of`` raises; nothing has been played then.
        """
        action = _ask_bot(self.bot, self.saved.against, self.game)
        step = self._step(action, outcomes_of)
        self._undo.clear()
        return step

    def undo(self) -> bool:
        """Takes the latest choice of the person back; False if there is none that can be."""
        if not self._undo:
            return False
        self.game, lines = self._undo.pop()
        self.saved.game = self.game
        del self.saved.log[lines:]
        return True

    def hint(self, spec: str) -> tuple[int, list[tuple[int, float]]]:
        """What a bot would do in the person's place, and how it values its best actions.

        Args:
            spec: of the bot.

        Returns:
            Its action, and pairs of action and value, best first; empty if the bot does not explain itself.

        Raises:
            BotError: there is no such bot.
            CommandError: it failed.
        """
        if spec not in self._hint_bots:
            self._hint_bots[spec] = make_bot(spec, self.saved.bot_seed)
        bot = self._hint_bots[spec]
        action = _ask_bot(bot, spec, self.game)
        explain = getattr(bot, "explain", None)
        if explain is None:
            return action, []
        try:
            values = [(int(each), float(value)) for each, value in explain(_view(self.game))[0]]
        except Exception as error:
            raise CommandError(f"bot {spec} cannot explain itself: {error}") from error
        return action, values

    def _step(self, action: int, outcomes_of: OutcomesOf | None) -> Step:
        game = self.game.clone()
        before = game.state
        tape = list(outcomes_of(before, action)) if outcomes_of is not None else []
        if tape:
            game.with_tape(tape)
        game.step(action)
        after = game.state
        if int(after["tape_length"]):
            raise CommandError("the outcomes given were not all needed; this is an error of wotr play")
        chance = bool(tape) or bool(after["counter"] != before["counter"])
        rolls: list[Roll] = []
        if self._tracer is not None and chance:
            with contextlib.suppress(CommandError):  # without the helper process the rolls are not told
                rolls = self._tracer.rolls(before, action, tape)
        self.game = self.saved.game = game
        return Step(int(before["seat"]), before, action, after, chance, tuple(rolls))


def _view(game: Game) -> BotView:
    """What the seat that decides may see, as bots get it."""
    states = np.empty(1, dtype=STATE)
    states[0] = game.state
    return view_of(states, game.mask()[None])


def _ask_bot(bot: Bot, spec: str, game: Game) -> int:
    try:
        return int(choose(bot, _view(game), spec)[0])
    except BotError as error:
        raise CommandError(str(error)) from None
    except Exception as error:
        raise CommandError(f"bot {spec} failed: {type(error).__name__}: {error}") from error


def _is_private(step: Step) -> bool:
    """Whether a choice of the person told neither of them anything new, so that it may be taken back.

    Not so after chance, after the opponent was asked, or after a card was drawn or shown.
    """
    before, after = step.before, step.after
    other = 1 - step.seat
    hidden = np.isin(before["card_zone"], (CardZone.HAND + other, CardZone.COMMITTED + other))
    return (
        not step.chance
        and after["seat"] == step.seat
        and bool((after["deck_size"] == before["deck_size"]).all())
        and bool((after["card_zone"] == before["card_zone"])[hidden].all())
        and after["turn"] == before["turn"]
    )
