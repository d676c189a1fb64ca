"""VectorGame: many games in step, for learning and measuring. Threads change the speed, never a byte."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np

from wotr_env import kernel
from wotr_env.actions import ACTION_NAMES, NUM_ACTIONS
from wotr_env.codes import Decision, Winner
from wotr_env.compile import ensure_compiled
from wotr_env.errors import IllegalAction
from wotr_env.game import FIRST_EDITION, check_ruleset, check_seed
from wotr_env.ruleset import Ruleset
from wotr_env.state import NUM_SIDES, STATE

NO_ACTION = -1
"""The action of a finished game (without auto-reset)."""
NO_EPISODE = -1
"""The episode whose seed gives the random choices of ``random_steps``: no game is played with it."""
STREAM_KEY = 2**32 - 1
"""The half of a stream that tells it from the others; the other half counts its choices."""

_REWARDS = np.array([[0, 0], [1, -1], [-1, 1], [0, 0]], dtype=np.float32)  # by Winner + 1


class VectorGame:
    """N games that take one action each per step.

    The arrays are reused: copy what must outlive the next call.

    Attributes:
        states: ``STATE[N]``.
        masks: ``bool[N, NUM_ACTIONS]``, the legal actions; all False for a finished game.
        seats: ``int8[N]``, the seat that decides.
        rewards: ``float32[N, 2]`` by side, for the last call: +1 and -1 where a game ended, 0 otherwise.
        terminated: ``bool[N]``. With auto-reset: the game ended in the last call, and the arrays already show
            the next one. Without: the game is over.

    Args:
        num_games: N >= 1.
        seed: of the first episodes, and of all that follow (``kernel.episode_seeds``); 0 <= seed < 2**63.
        threads: worker threads, each with a contiguous slice of the games.
        ruleset: the edition and options played.
        auto_reset: replace a finished game at once by a new one.

    Raises:
        ValueError: a number is out of range.
    """

    def __init__(
        self,
        num_games: int,
        seed: int = 0,
        threads: int = 1,
        ruleset: Ruleset = FIRST_EDITION,
        auto_reset: bool = True,
    ) -> None:
        self.num_games = _check_positive("num_games", num_games)
        self.threads = _check_positive("threads", threads)
        self.seed = check_seed(seed)
        self.ruleset = check_ruleset(ruleset)
        self.auto_reset = bool(auto_reset)
        self.states = np.zeros(num_games, dtype=STATE)
        self.masks = np.zeros((num_games, NUM_ACTIONS), dtype=np.bool_)
        self.seats = np.zeros(num_games, dtype=np.int8)
        self.rewards = np.zeros((num_games, NUM_SIDES), dtype=np.float32)
        self.terminated = np.zeros(num_games, dtype=np.bool_)
        self._winners = np.full(num_games, Winner.NONE, dtype=np.int8)
        self._episodes = np.zeros(num_games, dtype=np.int64)
        self._streams = np.zeros(num_games, dtype=np.int64)
        self._options = ruleset.encode()
        bounds = np.linspace(0, num_games, min(threads, num_games) + 1).astype(np.int64).tolist()
        self._slices = list(itertools.pairwise(bounds))
        self._pool = ThreadPoolExecutor(len(self._slices)) if len(self._slices) > 1 else None
        ensure_compiled(kernel.compile_all)
        self.reset(seed)

    def reset(self, seed: int | None = None) -> VectorGame:
        """Starts every game anew: its next episode, or, with a seed, as if just made with that seed.

        Raises:
            ValueError: the seed is no integer or out of range; no game has changed.
        """
        if seed is None:
            self._episodes += 1
        else:
            self.seed = check_seed(seed)
            self._episodes[:] = 0
            before = np.full(self.num_games, NO_EPISODE, dtype=np.int64)
            self._streams[:] = kernel.episode_seeds(self.seed, before) & STREAM_KEY
        seeds = kernel.episode_seeds(self.seed, self._episodes)
        kernel.new_games(self.states, self.masks, seeds, self._options, self.ruleset.max_turns)
        self._winners[:] = Winner.NONE
        self._publish()
        return self

    def step(self, actions: np.ndarray) -> VectorGame:
        """Plays one action in every game.

        Args:
            actions: integers ``(N,)``; ``NO_ACTION`` (-1) for the games that are over (without auto-reset).

        Raises:
            TypeError: the actions are no integers.
            ValueError: their shape is not ``(N,)``, or all games are over.
            IllegalAction: an action is illegal in its game.

        No game has changed after an error.
        """
        actions = self._check_actions(actions)
        if self.auto_reset:
            self._share(
                lambda first, last: kernel.step_auto(
                    self.states,
                    self.masks,
                    actions,
                    self._winners,
                    self._episodes,
                    self.seed,
                    self._options,
                    self.ruleset.max_turns,
                    first,
                    last,
                )
            )
        else:
            over = self.terminated.copy()
            self._share(lambda first, last: kernel.step(self.states, self.masks, actions, first, last))
            self._find_winners(over)
        self._publish()
        return self

    def random_steps(self, k: int, preferences: np.ndarray | None = None) -> int:
        """Plays k random decisions in every game, inside the kernel.

        Args:
            k: decisions per game, >= 0; a game that ends without auto-reset plays fewer.
            preferences: ``int8[2, NUM_ACTIONS]`` by side; the choice is uniform among the legal actions of
                highest preference. By default among all.

        Returns:
            The decisions made. ``rewards`` are those of the last game that ended in each place.

        Raises:
            ValueError: k or the preferences are something else, or all games are over.
        """
        if isinstance(k, bool) or not isinstance(k, (int, np.integer)) or k < 0:
            raise ValueError(f"k is a number of decisions, an integer >= 0, not {k!r}")
        preferences = _check_preferences(preferences)
        self._check_not_all_over()
        if self.auto_reset:
            made = self._share(
                lambda first, last: kernel.random_steps_auto(
                    self.states,
                    self.masks,
                    int(k),
                    self._streams,
                    preferences,
                    self._winners,
                    self._episodes,
                    self.seed,
                    self._options,
                    self.ruleset.max_turns,
                    first,
                    last,
                )
            )
        else:
            over = self.terminated.copy()
            made = self._share(
                lambda first, last: kernel.random_steps(
                    self.states, self.masks, int(k), self._streams, preferences, first, last
                )
            )
            self._find_winners(over)
        self._publish()
        return sum(made)

    def close(self) -> None:
        """Ends the worker threads; later calls do the same work without them."""
        if self._pool is not None:
            self._pool.shutdown()
            self._pool = None

    def __enter__(self) -> VectorGame:
        return self

    def __exit__(self, *_error: object) -> None:
        self.close()

    def _share(self, work: Callable[[int, int], Any]) -> list[Any]:
        """Calls ``work(first, last)`` for the slice of each thread; the results in their order."""
        if self._pool is None:
            return [work(first, last) for first, last in self._slices]
        return list(self._pool.map(lambda bounds: work(*bounds), self._slices))

    def _find_winners(self, over: np.ndarray) -> None:
        """Without auto-reset: the winners of the games that ended in this call."""
        self._winners[:] = np.where(over, Winner.NONE, self.states["winner"])

    def _publish(self) -> None:
        self.seats[:] = self.states["seat"]
        self.rewards[:] = _REWARDS[self._winners + 1]
        ended = self._winners if self.auto_reset else self.states["winner"]
        np.not_equal(ended, Winner.NONE, out=self.terminated)

    def _check_not_all_over(self) -> None:
        if not self.auto_reset and self.terminated.all():
            raise ValueError("all games are over; start new ones with reset()")

    def _check_actions(self, actions: Any) -> np.ndarray:
        """The actions as contiguous ``int64[N]``, all of them legal."""
        actions = np.asarray(actions)
        if actions.dtype.kind not in "iu":
            raise TypeError(f"actions are integers, one per game, not {actions.dtype}")
        if actions.shape != (self.num_games,):
            raise ValueError(f"actions have shape ({self.num_games},), one per game, not {actions.shape}")
        self._check_not_all_over()
        known = (actions >= 0) & (actions < NUM_ACTIONS)
        ids = np.where(known, actions, 0).astype(np.int64)
        legal = known & self.masks[np.arange(self.num_games), ids]
        if not self.auto_reset:
            legal |= self.terminated & (actions == NO_ACTION)
        if not legal.all():
            self._refuse(actions, np.flatnonzero(~legal))
        return ids

    def _refuse(self, actions: np.ndarray, games: np.ndarray) -> None:
        game, action = int(games[0]), int(actions[games[0]])
        name = f" ({ACTION_NAMES[action]})" if 0 <= action < NUM_ACTIONS else ""
        if self.terminated[game] and not self.auto_reset:
            why = f"the game is over and takes {NO_ACTION}"
        else:
            why = f"it is illegal in decision {Decision(int(self.states[game]['decision'])).name.lower()}"
        more = f"; {len(games) - 1} more games have illegal actions" if len(games) > 1 else ""
        raise IllegalAction(f"action {action}{name} of game {game}: {why}{more}; no game has changed")


def _check_positive(name: str, value: Any) -> int:
    if isinstance(value, bool) or not isinstance(value, (int, np.integer)) or value < 1:
        raise ValueError(f"{name} is an integer >= 1, not {value!r}")
    return int(value)


def _check_preferences(preferences: Any) -> np.ndarray:
    shape = (NUM_SIDES, NUM_ACTIONS)
    if preferences is None:
        return np.zeros(shape, dtype=np.int8)
    preferences = np.asarray(preferences)
    if preferences.dtype != np.int8 or preferences.shape != shape:
        given = f"{preferences.dtype} of shape {preferences.shape}"
        raise ValueError(f"preferences are int8 of shape {shape}, not {given}")
    return np.ascontiguousarray(preferences)
