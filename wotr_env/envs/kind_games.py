"""Many games of any kind that wait when they end, so that an environment can show how they did."""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np

from wotr_env.core.batches import Threads
from wotr_env.core.errors import IllegalAction
from wotr_env.core.kind import GOING_ON, MAX_SEED, GameKind, bytes_of, copy_states
from wotr_env.core.values import check_seed


class KindGames:
    """N games of a kind, made of its kernels alone; the games of a seed are those of ``GameKind.games``.

    The arrays are made once and written in place. What is written into them changes no game.

    Attributes:
        num_games: N.
        num_seats: S.
        ruleset: what they are played by.
        masks: ``bool[N, A]``, the legal actions; all False for a finished game.
        seats: ``int8[N]``, the seat that decides.
        observations: ``int8[N, D]``, what that seat sees.
        terminated: ``bool[N]``, whether a game is over.

    Args:
        kind: the game.
        num_games: N >= 1.
        ruleset: one of the game's.
        threads: worker threads, each with a share of the games.

    Raises:
        ValueError: there are fewer than one game or thread.
    """

    def __init__(self, kind: GameKind, num_games: int, ruleset: Any, threads: int = 1) -> None:
        self.kind = kind
        self.num_games, threads = _positive("num_games", num_games), _positive("threads", threads)
        self.ruleset = ruleset
        self.num_seats = len(ruleset.seats)
        self._states = np.zeros(num_games, dtype=kind.state)
        self._masks = np.zeros((num_games, kind.actions.size), dtype=np.bool_)
        self.masks = self._masks.copy()
        self.seats = np.zeros(num_games, dtype=np.int8)
        self.observations = np.zeros((num_games, kind.layout.size), dtype=np.int8)
        self.terminated = np.zeros(num_games, dtype=np.bool_)
        self._episodes = np.zeros(num_games, dtype=np.int64)
        bounds = np.linspace(0, num_games, min(threads, num_games) + 1).astype(np.int64).tolist()
        self._slices = list(itertools.pairwise(bounds))
        self._pool = Threads(threads) if len(self._slices) > 1 else None
        kind.kernels.prepare()
        self.reset(0)

    @property
    def states(self) -> np.ndarray:
        """``kind.state[N]``, read-only."""
        states = self._states.view()
        states.flags.writeable = False
        return states

    def reset(self, seed: int) -> None:
        """Starts every game anew, as if just made with that seed.

        Raises:
            ValueError: the seed is no integer or out of range; no game has changed.
        """
        self._seed = check_seed(seed)
        self._episodes[:] = 0
        self.restart(np.ones(self.num_games, dtype=np.bool_))

    def restart(self, which: np.ndarray) -> None:
        """Starts the next episode of some games (``bool[N]``); the others stay as they are."""
        rows = np.flatnonzero(which)
        self._episodes[rows] += 1
        entropy = [(self._seed, row, int(self._episodes[row])) for row in rows.tolist()]
        seeds = [np.random.SeedSequence(each).generate_state(1, np.uint64)[0] for each in entropy]
        states, masks = np.zeros(rows.size, dtype=self.kind.state), np.zeros_like(self._masks[rows])
        self.kind.kernels.start(
            states, masks, np.array(seeds, dtype=np.uint64) & np.uint64(MAX_SEED), self.ruleset
        )
        self.put_back(rows, states, masks)
        self.observations[rows] = self.kind.kernels.observe(states, states["seat"].astype(np.int64))

    def step(self, actions: np.ndarray) -> None:
        """Plays one action (integers, N) in every game; none of them may be over.

        Raises:
            TypeError: the actions are no integers.
            ValueError: their shape is not ``(N,)``.
            IllegalAction: an action is illegal in its game.

        No game has changed after an error.
        """
        actions = self._check(np.asarray(actions))

        def work(bounds: tuple[int, int]) -> None:
            self.kind.kernels.step(self._states, self._masks, actions, *bounds)

        list(self._pool.map(work, self._slices) if self._pool else map(work, self._slices))
        self.put_back(slice(None), self._states, self._masks)
        self.observations[:] = self.kind.kernels.observe(self._states, self.seats.astype(np.int64))

    def _check(self, actions: np.ndarray) -> np.ndarray:
        """The actions as ``int64[N]``."""
        if actions.dtype.kind not in "iu":
            raise TypeError(f"actions are integers, one per game, not {actions.dtype}")
        if actions.shape != (self.num_games,):
            raise ValueError(f"actions have shape ({self.num_games},), one per game, not {actions.shape}")
        known = (actions >= 0) & (actions < self._masks.shape[1])
        legal = known & self._masks[np.arange(self.num_games), np.where(known, actions, 0)]
        if not legal.all():
            game = int(np.argmin(legal))
            raise IllegalAction(f"action {actions[game]} of game {game} is illegal; no game has changed")
        return actions.astype(np.int64, copy=False)

    def take(self, rows: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Copies of the states and masks of some games (``int64[R]``), to play on outside of the batch."""
        return copy_states(self._states, rows), self._masks[rows]

    def put_back(self, rows: Any, states: np.ndarray, masks: np.ndarray) -> None:
        """Goes on with some games from what the rules made of their copies; checks and observes nothing."""
        bytes_of(self._states)[rows] = bytes_of(states)
        self._masks[rows] = self.masks[rows] = masks
        self.seats[rows] = states["seat"]
        self.terminated[rows] = states["winner"] != GOING_ON

    def close(self) -> None:
        """Ends the worker threads; later calls do the same work without them."""
        if self._pool is not None:
            self._pool.shutdown()
            self._pool = None


def _positive(name: str, value: Any) -> int:
    """The value of an argument; ValueError unless it is an integer >= 1."""
    if isinstance(value, bool) or not isinstance(value, (int, np.integer)) or value < 1:
        raise ValueError(f"{name} is an integer >= 1, not {value!r}")
    return int(value)
