"""The interface of bots: the view that a bot receives, and its answer."""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol, runtime_checkable

import numpy as np

from wotr_env.core.codes import MAX_SEED
from wotr_env.core.kind import GameKind
from wotr_env.core.states import bytes_of
from wotr_env.play.games import DEFAULT_KIND
from wotr_env.play.history import GameHistory


class BotError(ValueError):
    """A bot cannot be made from its spec, or its answer is not a legal action for each game."""


class IllegalAnswerError(BotError):
    """A bot chose an illegal action.

    Args:
        message: the error message.
        row: the row of the view.
        action: the chosen action.
    """

    def __init__(self, message: str, row: int, action: int) -> None:
        super().__init__(message)
        self.row, self.action = row, action


class NoActionError(BotError):
    """The answer of a bot is not an action of the game; the message shows the answer. The bot continues."""


class BotView:
    """A bot's view of B games of one kind that wait for its decision.

    The arrays belong to the caller and are valid during one call of ``Bot.act``. The numbers A and D and the
    dtype of the worlds come from the ``GameKind`` of the game.

    Args:
        masks: ``bool[B, A]``: the legal actions; at least one in each row.
        seats: ``int8[B]``: the deciding seat of each game.
        observations: ``int8[B, D]``: the observations of these seats, or a function that computes them at the
            first access.
        worlds: a function that samples k worlds for each game from the knowledge of its deciding seat, with a
            seed for each world (``int64[B * k]``): states ``[B, k]``. Search bots need this function.
        seconds: the time limit in seconds for the whole answer; None: no limit, or unknown.
        past: the identity and the history of the games; None: not provided. A bot must work without it.
    """

    def __init__(
        self,
        masks: np.ndarray,
        seats: np.ndarray,
        observations: np.ndarray | Callable[[], np.ndarray],
        worlds: Callable[[int, np.ndarray], np.ndarray] | None = None,
        seconds: float | None = None,
        past: GameHistory | None = None,
    ) -> None:
        self.masks = masks
        self.seats = seats
        self.seconds = seconds
        self.past = past
        self._observations = observations
        self._worlds = worlds

    @property
    def observations(self) -> np.ndarray:
        """The observations of the deciding seats: ``int8[B, D]``."""
        if callable(self._observations):
            self._observations = self._observations()
        return self._observations

    def worlds(self, k: int, generator: np.random.Generator) -> np.ndarray:
        """Samples k worlds for each game: states ``[B, k]`` that the deciding seat cannot distinguish from
        the true state.

        Args:
            k: number of worlds for each game.
            generator: draws a seed for each world.

        Raises:
            BotError: this view has no worlds.
        """
        seeds = generator.integers(0, MAX_SEED, size=len(self.seats) * k, dtype=np.int64)
        return self.worlds_from(k, seeds)

    def worlds_from(self, k: int, seeds: np.ndarray) -> np.ndarray:
        """As ``worlds``, with given seeds of the worlds: ``int64[B * k]``, below ``MAX_SEED``.

        Raises:
            BotError: this view has no worlds.
        """
        if self._worlds is None:
            raise BotError("this bot needs sampled worlds, but its view has none")
        return self._worlds(k, seeds)


def view_of(
    states: np.ndarray, masks: np.ndarray, kind: GameKind = DEFAULT_KIND, past: GameHistory | None = None
) -> BotView:
    """The view of the deciding seats.

    Args:
        states: ``kind.state[B]``, each with a pending decision.
        masks: ``bool[B, A]``.
        kind: the game.
        past: the identity and the history of the games, if provided.
    """
    seats = states["seat"].copy()

    def imagine(k: int, seeds: np.ndarray) -> np.ndarray:
        worlds = np.repeat(bytes_of(states), k, axis=0).reshape(-1).view(kind.state)
        kind.kernels.sample_worlds(worlds, worlds["seat"].astype(np.int64), seeds)
        return worlds.reshape(states.size, k)

    return BotView(masks, seats, lambda: kind.kernels.observe(states, seats), imagine, past=past)


class Bot(Protocol):
    """A player of any seat in many games at once. It never receives the state of a game."""

    def act(self, view: BotView) -> np.ndarray:
        """One legal action for each game of the view: ``int64[B]``."""
        ...


@runtime_checkable
class ExplainingBot(Bot, Protocol):
    """A bot that can also show its values of actions."""

    def explain(self, view: BotView) -> list[list[tuple[int, float]]]:
        """For each game, the legal actions with the bot's values, best first."""
        ...


Explains = ExplainingBot
"""The name of ``ExplainingBot`` in 0.2."""


def ranked(values: np.ndarray, masks: np.ndarray) -> list[list[tuple[int, float]]]:
    """For each game, the legal actions with their values, best first, in the form of ``explain``.

    Args:
        values: the values of all actions, ``[B, A]``.
        masks: ``bool[B, A]``.
    """
    found = []
    for row, mask in zip(values, masks, strict=True):
        order = np.argsort(-row, kind="stable")
        found.append([(int(action), float(row[action])) for action in order if mask[action]])
    return found


def choose(bot: Bot, view: BotView, name: str) -> np.ndarray:
    """Asks a bot for its actions and checks them.

    Args:
        bot: the bot, which is called once.
        view: B games that wait for a decision.
        name: the bot's spec, for the message.

    Returns:
        ``int64[B]``, each action legal in its game.

    Raises:
        BotError: the answer has the wrong shape, is not integers, or has an illegal action.
    """
    games = len(view.seats)
    actions = np.asarray(bot.act(view))
    if actions.shape != (games,) or not np.issubdtype(actions.dtype, np.integer):
        raise BotError(
            f"bot {name} must answer with {games} integers, not with {actions.dtype} of shape {actions.shape}"
        )
    actions = actions.astype(np.int64, copy=False)
    in_range = (actions >= 0) & (actions < view.masks.shape[1])
    legal = in_range & view.masks[np.arange(games), np.where(in_range, actions, 0)]
    if not legal.all():
        row = int(np.flatnonzero(~legal)[0])
        action, seat = int(actions[row]), view.seats[row]
        words = f"bot {name} chose the illegal action {action} for seat {seat}"
        raise IllegalAnswerError(words, row, action)
    return actions


def describe_invalid_answer(answer: np.ndarray, games: int) -> str:
    """A description, for an error message, of an answer that is not a row of integers."""
    return f"{answer.dtype} of shape {answer.shape}, not with {games} integers"
