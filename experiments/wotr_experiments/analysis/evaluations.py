"""A bot's evaluation of positions: its best choices, each with the winning chance after it.

If the values of a bot are winning chances, they are used. Otherwise, the bot plays both sides to the end,
several times after each of its best choices, from worlds sampled for the deciding seat. So all bots are on
one scale.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np

from wotr_agents import Bot
from wotr_agents.registry import CHANCE
from wotr_env.core.codes import GOING_ON
from wotr_env.core.descriptions import Tone
from wotr_env.core.kind import GameKind
from wotr_env.core.states import copy_states
from wotr_env.play.bots import view_of
from wotr_experiments.arena.playouts import Positions, after, playout_results, sampled_worlds
from wotr_experiments.isolation.bots import ask, explanation, meaning_of_values

_LONGEST_LINE = 60
"""Maximal number of choices of a line; a die has about ten."""


@dataclasses.dataclass(frozen=True)
class Choice:
    """A legal action with a bot's evaluation."""

    action: int
    chance: float
    """The winning chance of the deciding team, from 0 to 1."""


@dataclasses.dataclass(frozen=True)
class Evaluation:
    """A bot's evaluation of a position."""

    best: tuple[Choice, ...]
    """The best choices, best first, at least one."""
    played: Choice | None
    """The played choice, if there is one and the bot has evaluated it."""

    @property
    def chance(self) -> float:
        """The winning chance of the deciding team after the best choice."""
        return self.best[0].chance

    @property
    def lost(self) -> float:
        """The loss of the played choice compared with the best choice, from 0 to 1."""
        return 0.0 if self.played is None else max(0.0, self.chance - self.played.chance)


class Line(NamedTuple):
    """Consecutive choices of a seat."""

    actions: list[int]
    words: str
    """The choices in words: ``use the Army die · attack · ...``."""


class Evaluator:
    """A bot that evaluates positions.

    Args:
        spec: spec of the bot.
        bot: the bot, made by ``Bots.seat``.
        kind: the game.
        ruleset: the ruleset of the positions.
        playouts: playouts per choice, for a bot whose values are not winning chances.
        choices: number of choices to report, and to play out.
        seed: seed of worlds and playouts.
    """

    def __init__(
        self,
        spec: str,
        bot: Bot,
        kind: GameKind,
        ruleset: Any,
        playouts: int = 64,
        choices: int = 5,
        seed: int = 0,
    ) -> None:
        self.spec, self._bot, self._kind, self._ruleset = spec, bot, kind, ruleset
        self._playouts, self._choices, self._seed = playouts, choices, seed

    @property
    def own(self) -> bool:
        """Whether the bot's own values are winning chances."""
        return meaning_of_values(self._bot, self.spec) == CHANCE

    @property
    def scale(self) -> str:
        """The source of the chances, in words."""
        return "the bot's own estimate" if self.own else f"{self._playouts} playouts by this bot per choice"

    def think(self, states: np.ndarray, played: Sequence[int | None]) -> list[Evaluation]:
        """Evaluates positions.

        Args:
            states: ``kind.state[P]``, each with a pending decision.
            played: the played action of each position, or None.

        Raises:
            BotError: the bot failed.
        """
        states = copy_states(states)
        masks = self._kind.masks(states)
        view = view_of(states, masks, self._kind)
        told = explanation(self._bot, view, self.spec)
        if told is None:
            told = [[(int(action), 0.0)] for action in ask(self._bot, view, self.spec)]
        if self.own:
            return [self._evaluation(row, action) for row, action in zip(told, played, strict=True)]
        tried = [
            _with([action for action, _ in row[: self._choices]], action)
            for row, action in zip(told, played, strict=True)
        ]
        ends = playout_results(
            self._kind,
            self._bot,
            Positions(states, masks, np.arange(states.size)),
            tried,
            self._playouts,
            self._ruleset,
            self._seed,
        )
        found = []
        for actions, action, chances in zip(tried, played, ends, strict=True):
            means = chances.mean(axis=1).tolist()
            row = sorted(zip(actions, means, strict=True), key=lambda each: -each[1])
            found.append(self._evaluation(row, action))
        return found

    def measure_loss(self, state: np.record, played: int, best: int) -> float | None:
        """Returns the winning chance after ``best`` minus the winning chance after ``played``; None if the
        bot has no values for these actions.

        Args:
            state: ``kind.state``, with a pending decision.
            played, best: legal actions.

        Raises:
            BotError: the bot failed.
        """
        kind, states = self._kind, np.array([state], dtype=self._kind.state)
        masks = kind.masks(states)
        if self.own:
            told = explanation(self._bot, view_of(states, masks, kind), self.spec)
            chances = dict(told[0]) if told else {}
            return chances[best] - chances[played] if {best, played} <= chances.keys() else None
        positions, tried = Positions(states, masks, np.arange(1)), [[best, played]]
        given = (positions, tried, self._playouts, self._ruleset, self._seed)
        ((of_best, of_played),) = playout_results(kind, self._bot, *given)
        return float(of_best.mean() - of_played.mean())

    def _evaluation(self, row: Iterable[tuple[int, float]], played: int | None) -> Evaluation:
        choices = [Choice(action, min(1.0, max(0.0, chance))) for action, chance in row]
        tried = next((choice for choice in choices if choice.action == played), None)
        return Evaluation(tuple(choices[: self._choices]), tried)

    def line(self, state: np.record, action: int) -> Line:
        """The line that the bot plays, starting with the given action, until a new line starts or another
        seat decides.

        The line is played in a world sampled for the deciding seat, so it reveals no hidden information.

        Args:
            state: ``kind.state``, with a pending decision.
            action: a legal action.

        Raises:
            BotError: the bot failed.
        """
        followed = [(at.copy(), chosen) for at, chosen in self._follow(state, action)]
        return Line([chosen for _, chosen in followed], in_words(self._kind, followed))

    def _follow(self, state: np.record, action: int) -> Iterator[tuple[np.record, int]]:
        """The positions of ``line`` with their choices; a position is valid until the next one is
        requested."""
        kind, states = self._kind, np.array([state], dtype=self._kind.state)
        (worlds,) = sampled_worlds(kind, states, 1, self._seed)
        for _ in range(_LONGEST_LINE):
            yield worlds[0], action
            worlds, masks = after(kind, worlds, action)
            if ends_line(kind, state, worlds[0]):
                return
            action = int(ask(self._bot, view_of(worlds, masks, kind), self.spec)[0])


def ends_line(kind: GameKind, begun: np.record, now: np.record) -> bool:
    """Whether a line has ended: another seat decides, or a new line starts."""
    over = int(now["winner"]) != GOING_ON or int(now["seat"]) != int(begun["seat"])
    return over or kind.opens(now)


def in_words(kind: GameKind, line: Iterable[tuple[np.record, int]]) -> str:
    """A seat's choices in words, from its view: ``use the Army die · attack · ...``."""
    told = []
    for state, action in line:
        seat = int(state["seat"])
        for sentence in kind.step_of(state, action, seat).sentences:
            if sentence.seat == seat and sentence.tone in (Tone.CHOICE, Tone.FORCED):
                told.append(sentence.text)
    return " · ".join(kind.words.merge_repeats(told))


def _with(actions: list[int], played: int | None) -> list[int]:
    return actions if played is None or played in actions else [*actions, played]
