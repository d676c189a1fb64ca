"""Batches of games that step together: the base class ``Batch``, and ``VectorGame`` for any game with
kernels.

A game that does more work in compiled code has its own subclass, such as War of the Ring. Threads change only
the speed, never the results.
"""

from __future__ import annotations

import abc
import itertools
import warnings
from collections.abc import Callable, Iterator, Mapping
from typing import Any, Self

import numpy as np

from wotr_env.core.batches import Threads
from wotr_env.core.chance import stream_word
from wotr_env.core.codes import GOING_ON, MAX_SEED, NO_ACTION
from wotr_env.core.errors import IllegalAction
from wotr_env.core.kind import GameKind
from wotr_env.core.states import bytes_of, copy_states
from wotr_env.core.values import check_seed
from wotr_env.core.vector_arguments import (
    Statistics,
    check_actions,
    check_decisions,
    check_positive,
    check_preferences,
    check_which,
    rulesets_for,
    statistics_of,
)

_WORD = 0xFFFFFFFF


class Batch(abc.ABC):
    """N games that take one action each per step.

    The arrays are created once and written in place: copy what you need after the next call. Writing into
    them does not change a game in progress: ``states`` are read-only, and ``masks`` are a copy.

    Attributes:
        device: ``cpu``.
        observations: ``int8[N, D]``, the observation of the deciding seat; without rows if observations are
            off.
        masks: ``bool[N, A]``, the legal actions; all False for a finished game.
        seats: ``int8[N]``, the deciding seat.
        rewards: ``float32[N, S]`` by seat, for the last call: the value of the end for the seat, if the game
            ended in the call; 0 otherwise, and for a seat that does not play.
        terminated: ``bool[N]``. With auto-reset: the game ended in the last call, and the arrays already show
            the next game. Without auto-reset: the game is over.
        end_records: N records with the fields ``winner`` and ``reason``, for the games that ended in the last
            call; the winner is -1 where no game ended.
        rulesets: the ruleset of each game.
        num_seats: S, the largest number of seats of any of the games.

    Args:
        num_games: N >= 1.
        seed: the seed of all episodes; 0 <= seed < 2**63.
        rulesets: the ruleset of each game.
        threads: worker threads, each with a contiguous slice of the games.
        auto_reset: whether a finished game is replaced at once by a new one.

    Raises:
        ValueError: a number is out of range.
    """

    device = "cpu"
    observations: np.ndarray
    masks: np.ndarray
    seats: np.ndarray
    rewards: np.ndarray
    terminated: np.ndarray
    end_records: np.ndarray
    _states: np.ndarray
    _masks: np.ndarray

    def __init__(
        self, num_games: int, seed: int, rulesets: tuple[Any, ...], threads: int, auto_reset: bool
    ) -> None:
        self.num_games = check_positive("num_games", num_games)
        self.threads = check_positive("threads", threads)
        self.seed = check_seed(seed)
        self.rulesets = rulesets
        self.num_seats = max(len(rules.seats) for rules in rulesets)
        self.auto_reset = bool(auto_reset)
        self._actions = np.zeros(num_games, dtype=np.int64)
        bounds = np.linspace(0, num_games, min(threads, num_games) + 1).astype(np.int64).tolist()
        self._slices = list(itertools.pairwise(bounds))
        self._pool = Threads(len(self._slices)) if len(self._slices) > 1 else None

    @property
    def states(self) -> np.ndarray:
        """``kind.state[N]``, read-only."""
        states = self._states.view()
        states.flags.writeable = False
        return states

    def reset(self, seed: int | None = None) -> Self:
        """Starts the next episode of every game. Returns the batch itself.

        If a seed is given, the episodes are those of a new batch with this seed.

        Raises:
            ValueError: the seed is not an integer or is out of range; then no game is changed.
        """
        if seed is not None:
            self.seed = check_seed(seed)
            self._forget()
        return self.restart(np.ones(self.num_games, dtype=np.bool_))

    def restart(self, which: np.ndarray) -> Self:
        """Starts the next episode of some games (``bool[N]``), finished or not; the others stay as they are.
        Returns the batch itself.

        Raises:
            ValueError: ``which`` has another shape or dtype.
        """
        self._begin(check_which(which, self.num_games))
        self._show_masks()
        return self

    @property
    def outcomes(self) -> np.ndarray:
        """``end_records`` under its name of version 0.1; this name will be removed in the next version."""
        warnings.warn("VectorGame.outcomes is now end_records", DeprecationWarning, stacklevel=2)
        return self.end_records

    def step(self, actions: np.ndarray) -> Self:
        """Plays one action in every game. Returns the batch itself.

        Args:
            actions: integers ``(N,)``; ``NO_ACTION`` (-1) for the games that are over (without auto-reset).

        Raises:
            TypeError: the actions are not integers.
            ValueError: their shape is not ``(N,)``, or all games are over.
            IllegalAction: an action is illegal in its game.

        If an error is raised, no game is changed.
        """
        actions = check_actions(actions, self.num_games)
        self._check_not_all_over()
        np.copyto(self._actions, actions)
        if (game := self._first_illegal()) >= 0:
            raise self._refusal(game, int(actions[game]))
        self._play()
        self._show_masks()
        return self

    def random_steps(self, k: int, preferences: np.ndarray | None = None) -> int:
        """Plays k random decisions in every game.

        Args:
            k: decisions per game, >= 0. Without auto-reset, a game that ends during the call plays fewer.
            preferences: ``int8[T, A]`` by team; the choice is uniform among the legal actions with the
                highest preference. By default, it is uniform among all legal actions.

        Returns:
            The number of decisions made. After the call, ``rewards[i]`` holds the rewards of the last game
                that ended at index i. Observations are written only once, at the end.

        Raises:
            ValueError: k or the preferences are invalid, or all games are over.
        """
        k = check_decisions(k)
        preferences = check_preferences(preferences, (self._num_teams, self.masks.shape[1]))
        self._check_not_all_over()
        made = self._play_at_random(k, preferences)
        self._show_masks()
        return made

    @property
    @abc.abstractmethod
    def statistics(self) -> Statistics:
        """Statistics of the ended games."""

    @abc.abstractmethod
    def snapshot(self) -> dict[str, np.ndarray]:
        """Everything that determines the future of the games, apart from the constructor arguments.

        Returns:
            Copies: ``states`` as ``uint8[N, bytes]``, and further arrays of length N.
        """

    def restore(self, snapshot: Mapping[str, np.ndarray]) -> Self:
        """Continues from a snapshot of games made with the same arguments; rewards become 0. Returns the
        batch itself.

        Raises:
            ValueError: the snapshot has another number of games or other dtypes, or a state is invalid; then
                no game is changed.
        """
        if not isinstance(snapshot, Mapping):
            raise ValueError(f"a snapshot must be a result of snapshot(), not {snapshot!r}")
        for name, value in self.snapshot().items():
            given = snapshot.get(name)
            if given is None or given.shape != value.shape or given.dtype != value.dtype:
                raise ValueError(f"the snapshot's {name} must be {value.dtype} of shape {value.shape}")
        states = np.ascontiguousarray(snapshot["states"]).reshape(-1).view(self._states.dtype).copy()
        self._masks[:] = self._checked(states)
        self._states[:] = states
        self._restore_counters(snapshot)
        self._show_masks()
        self.seats[:] = self._states["seat"]
        self.rewards[:] = 0.0
        self.terminated[:] = False if self.auto_reset else self._states["winner"] != GOING_ON
        self._observe()
        return self

    def take(self, rows: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Copies of the states and masks of some games (``int64[R]``), to continue them outside the batch."""
        return copy_states(self._states, rows), self._masks[rows]

    def put_back(self, rows: np.ndarray, states: np.ndarray, masks: np.ndarray) -> None:
        """Replaces some games (``int64[R]``) by their continued copies; the states are not checked."""
        bytes_of(self._states)[rows] = bytes_of(states)
        self._masks[rows] = self.masks[rows] = masks
        self.seats[rows] = states["seat"]
        self.terminated[rows] = states["winner"] != GOING_ON

    def close(self) -> None:
        """Stops the worker threads; later calls work without them."""
        if self._pool is not None:
            self._pool.shutdown()
            self._pool = None

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_error: object) -> None:
        self.close()

    @property
    @abc.abstractmethod
    def _num_teams(self) -> int:
        """T, the number of teams."""

    @abc.abstractmethod
    def _forget(self) -> None:
        """Resets the episode counters, possibly with another seed."""

    @abc.abstractmethod
    def _begin(self, which: np.ndarray) -> None:
        """Starts the next episode of the games of a mask (``bool[N]``), and marks that no game has ended in
        this call."""

    @abc.abstractmethod
    def _play(self) -> None:
        """Plays ``_actions``, which are legal."""

    @abc.abstractmethod
    def _play_at_random(self, k: int, preferences: np.ndarray) -> int:
        """See ``random_steps``."""

    @abc.abstractmethod
    def _checked(self, states: np.ndarray) -> np.ndarray:
        """Checks external states; returns their masks. Raises ValueError if a state is invalid."""

    @abc.abstractmethod
    def _restore_counters(self, snapshot: Mapping[str, np.ndarray]) -> None:
        """Takes over all parts of a snapshot except the states."""

    @abc.abstractmethod
    def _observe(self) -> None:
        """Writes the observations, if they are on."""

    @abc.abstractmethod
    def _first_illegal(self) -> int:
        """The first game whose action in ``_actions`` is illegal; -1: none."""

    @abc.abstractmethod
    def _refusal(self, game: int, action: int) -> IllegalAction:
        """The error for an action that a game refuses."""

    def _share(self, work: Callable[[int, int], Any]) -> list[Any]:
        """Calls ``work(first, last)`` for the slice of each thread; returns the results in order."""
        if self._pool is None:
            return [work(first, last) for first, last in self._slices]
        return list(self._pool.map(lambda bounds: work(*bounds), self._slices))

    def _show_masks(self) -> None:
        """Copies the masks to the array that callers may write."""
        np.copyto(self.masks, self._masks)

    def _check_not_all_over(self) -> None:
        if not self.auto_reset and self.terminated.all():
            raise ValueError("all games are over; start new ones with reset()")


class VectorGame(Batch):
    """N games of a kind that take one action each per step, see ``Batch``.

    ``end_records`` are ``kind.end_record[N]``; rewards are taken from ``GameKind.worths``.

    Args:
        kind: the game.
        num_games: N >= 1.
        seed: the seed of all episodes; 0 <= seed < 2**63.
        ruleset: a ruleset in any form that ``GameKind.read_ruleset`` accepts, or a list with one for each
            game.
        threads: worker threads, each with a contiguous slice of the games.
        auto_reset: whether a finished game is replaced at once by a new one.
        observations: whether observations are written.

    Raises:
        ValueError: a number is out of range, there is not one ruleset for each game, or a ruleset is unknown.
    """

    def __init__(
        self,
        kind: GameKind,
        num_games: int,
        seed: int = 0,
        ruleset: Any = None,
        *,
        threads: int = 1,
        auto_reset: bool = True,
        observations: bool = True,
    ) -> None:
        rulesets = rulesets_for(ruleset, check_positive("num_games", num_games), kind.read_ruleset)
        super().__init__(num_games, seed, rulesets, threads, auto_reset)
        self.kind = kind
        self._states = np.zeros(num_games, dtype=kind.state)
        self._masks = np.zeros((num_games, kind.actions.size), dtype=np.bool_)
        self.masks = self._masks.copy()
        self.observations = np.zeros((num_games if observations else 0, kind.layout.size), dtype=np.int8)
        self.seats = np.zeros(num_games, dtype=np.int8)
        self.terminated = np.zeros(num_games, dtype=np.bool_)
        self.end_records = np.zeros(num_games, dtype=kind.end_record)
        self.rewards = np.zeros((num_games, self.num_seats), dtype=np.float32)
        self.episodes = np.zeros(num_games, dtype=np.int64)
        self._lengths = np.zeros(num_games, dtype=np.int64)
        self._totals = np.zeros(num_games, dtype=self._book())
        self._rules = list(dict.fromkeys(rulesets))
        self._rules_of = np.array([self._rules.index(rules) for rules in rulesets])
        self._teams = np.zeros((len(self._rules), self.num_seats), dtype=np.int64)
        for teams, rules in zip(self._teams, self._rules, strict=True):
            teams[: len(rules.seats)] = [seat.team for seat in rules.seats]
        worths = kind.worths
        self._worths = [worths[:, [seat.team for seat in rules.seats]] for rules in self._rules]
        kind.kernels.prepare()
        self.reset(seed)

    def _book(self) -> np.dtype:
        """The dtype of the statistics of the games that have ended in one place of the batch."""
        kind = self.kind
        return np.dtype(
            [
                ("winners", np.int64, (kind.draw + 1,)),
                ("all_won", np.int64, (self.num_seats,)),
                ("reasons", np.int64, (len(kind.ends) + 1,)),
                ("all_turns", np.int64),
                ("all_decisions", np.int64),
            ]
        )

    @property
    def statistics(self) -> Statistics:
        """Statistics of the games that have ended since the batch was made, reset with a seed or restored.

        ``reasons`` has the names of ends as keys; ``turns`` counts only in games that count turns.
        """
        reasons = {number: end.name for number, end in enumerate(self.kind.ends, start=1)}
        return statistics_of(self._totals, self.num_seats, reasons)

    def snapshot(self) -> dict[str, np.ndarray]:
        """As ``Batch.snapshot``, with ``episodes`` and ``lengths`` (number of decisions in the current
        episode), ``int64[N]``."""
        return {
            "states": bytes_of(self.states).copy(),
            "episodes": self.episodes.copy(),
            "lengths": self._lengths.copy(),
        }

    @property
    def _num_teams(self) -> int:
        return len(self.kind.teams)

    def _forget(self) -> None:
        self.episodes[:] = 0
        self._totals[:] = np.zeros(1, dtype=self._totals.dtype)

    def _begin(self, which: np.ndarray) -> None:
        rows = np.flatnonzero(which)  # which may be one of the arrays that are cleared
        self._clear()
        self._start(rows)
        self._look()

    def _play(self) -> None:
        self._clear()
        self._advance()
        self._look()

    def _play_at_random(self, k: int, preferences: np.ndarray) -> int:
        self._clear()
        made = 0
        for _ in range(k):
            going = self._states["winner"] == GOING_ON
            np.copyto(self._actions, np.where(going, self._drawn(preferences), NO_ACTION))
            made += int(going.sum())
            self._advance()
        self._look()
        return made

    def _drawn(self, preferences: np.ndarray) -> np.ndarray:
        """A random action of each game (``int64[N]``), which depends only on the game's place and past."""
        liked = self._masks
        if preferences.any():
            liking = np.where(liked, preferences[self._teams[self._rules_of, self._states["seat"]]], -128)
            liked = liked & (liking == liking.max(axis=1, keepdims=True))
        place = np.arange(self.num_games)
        low, high = stream_word(self.seed & _WORD, self.seed >> 32, place), self.episodes & _WORD
        words = stream_word(low, high, self._lengths & _WORD)
        counts = liked.cumsum(axis=1)
        return (counts > ((words * counts[:, -1]) >> 32)[:, None]).argmax(axis=1)

    def _checked(self, states: np.ndarray) -> np.ndarray:
        self.kind.kernels.check(states)
        if "options" in (states.dtype.names or ()):
            if not np.array_equal(states["options"], self._states["options"]):
                raise ValueError("the snapshot is of games with another ruleset")
        return self.kind.masks(states)

    def _restore_counters(self, snapshot: Mapping[str, np.ndarray]) -> None:
        self.episodes[:] = snapshot["episodes"]
        self._lengths[:] = snapshot["lengths"]
        self._clear()
        self._totals[:] = np.zeros(1, dtype=self._totals.dtype)

    def _observe(self) -> None:
        if len(self.observations):
            self._share(self._observe_some)

    def _observe_some(self, first: int, last: int) -> None:
        seen = self.kind.kernels.observe(self._states[first:last], self.seats[first:last])
        self.observations[first:last] = seen

    def _first_illegal(self) -> int:
        actions, over = self._actions, self._states["winner"] != GOING_ON
        in_range = (actions >= 0) & (actions < self._masks.shape[1])
        legal = in_range & self._masks[np.arange(self.num_games), np.where(in_range, actions, 0)]
        fits = np.where(over, actions == NO_ACTION, legal)
        return -1 if fits.all() else int(fits.argmin())

    def _refusal(self, game: int, action: int) -> IllegalAction:
        over = self._states["winner"][game] != GOING_ON
        why = f"the game is over and takes {NO_ACTION}" if over else "it is illegal"
        return IllegalAction(f"action {action} of game {game}: {why}; no game has changed")

    def _clear(self) -> None:
        """Marks that no game has ended in this call yet."""
        self.rewards[:] = 0.0
        bytes_of(self.end_records)[:] = 0
        self.end_records["winner"] = GOING_ON
        self.terminated[:] = False

    def _advance(self) -> None:
        """Plays ``_actions`` and starts the next episodes of the games that end."""
        going = self._states["winner"] == GOING_ON
        self._share(
            lambda first, last: self.kind.kernels.step(self._states, self._masks, self._actions, first, last)
        )
        self._lengths += going
        ended = np.flatnonzero(going & (self._states["winner"] != GOING_ON))
        if ended.size:
            self._end(ended)
            if self.auto_reset:
                self._start(ended)

    def _end(self, rows: np.ndarray) -> None:
        """Records how some games (``int64[R]``) ended."""
        states = copy_states(self._states, rows)
        end_records = self.kind.conclude(states)
        self.end_records[rows] = end_records
        self.terminated[rows] = True
        reasons, books = end_records["reason"], self._totals
        for rules, worths, mine in self._by_rules(rows):
            some, seats = rows[mine], len(rules.seats)
            self.rewards[some, :seats] = worths[reasons[mine] - 1]
            books["all_won"][some, :seats] += self.kind.winning_seats(states[mine], rules)
        books["winners"][rows, end_records["winner"]] += 1
        books["reasons"][rows, reasons] += 1
        books["all_decisions"][rows] += self._lengths[rows]
        if self.kind.counts_turns:
            books["all_turns"][rows] += states["turn"]

    def _start(self, rows: np.ndarray) -> None:
        """Starts the next episode of some games."""
        self.episodes[rows] += 1
        self._lengths[rows] = 0
        for rules, _, mine in self._by_rules(rows):
            some = rows[mine]
            entropy = [(self.seed, row, int(self.episodes[row])) for row in some.tolist()]
            seeds = [np.random.SeedSequence(each).generate_state(1, np.uint64)[0] for each in entropy]
            states, masks = self.kind.new_states(np.array(seeds) & np.uint64(MAX_SEED), rules)
            bytes_of(self._states)[some], self._masks[some] = bytes_of(states), masks

    def _by_rules(self, rows: np.ndarray) -> Iterator[tuple[Any, np.ndarray, Any]]:
        """The rulesets of some games: each with the value of each end (``float64[E, S]``) and an index of its
        games in ``rows``."""
        if len(self._rules) > 1:
            numbers = self._rules_of[rows]
            for number in np.unique(numbers).tolist():
                yield self._rules[number], self._worths[number], numbers == number
        elif rows.size:
            yield self._rules[0], self._worths[0], slice(None)

    def _look(self) -> None:
        if not self.auto_reset:
            self.terminated[:] = self._states["winner"] != GOING_ON
        self.seats[:] = self._states["seat"]
        self._observe()
