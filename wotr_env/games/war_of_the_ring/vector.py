"""VectorGame: many games in step, for learning and measuring. Threads change the speed, never a byte."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Literal, Self, overload

import numpy as np

from wotr_env.core.batches import Threads
from wotr_env.core.kind import bytes_of, copy_states
from wotr_env.core.values import check_bonus, check_seed
from wotr_env.games.war_of_the_ring.actions import NUM_ACTIONS
from wotr_env.games.war_of_the_ring.codes import Winner
from wotr_env.games.war_of_the_ring.engine import kernel
from wotr_env.games.war_of_the_ring.engine.buffers import BOOK, Buffers
from wotr_env.games.war_of_the_ring.engine.invariants import check_batch
from wotr_env.games.war_of_the_ring.engine.layout import OBSERVATION_SIZE
from wotr_env.games.war_of_the_ring.game import FIRST_EDITION
from wotr_env.games.war_of_the_ring.options import NUM_OPTIONS
from wotr_env.games.war_of_the_ring.ruleset import RulesetLike
from wotr_env.games.war_of_the_ring.state import STATE
from wotr_env.games.war_of_the_ring.vector_arguments import (
    NO_EPISODE,
    STREAM_KEY,
    Statistics,
    check_actions,
    check_decisions,
    check_positive,
    check_preferences,
    check_rulesets,
    check_which,
    refusal,
    statistics_of,
)

if TYPE_CHECKING:
    from wotr_env.games.war_of_the_ring.device.game import DeviceGame


class VectorGame:
    """N games that take one action each per step.

    Copies (``copy.deepcopy``, ``pickle``) go on from the same positions with the same future.

    The arrays are made once and written in place: copy what must outlive the next call. All but ``states``
    and ``outcomes`` are C-contiguous and of plain dtypes, so ``torch.from_numpy`` wraps them without a copy.
    What is written into them changes no game: ``states`` are read-only, and ``masks`` a copy of those that
    actions are checked by.

    Attributes:
        device: ``cpu``.
        states: ``STATE[N]``, read-only.
        observations: ``int8[N, OBSERVATION_SIZE]``, what the seat that decides sees (``observation.py``);
            without rows if not wanted.
        masks: ``bool[N, NUM_ACTIONS]``, the legal actions; all False for a finished game.
        seats: ``int8[N]``, the seat that decides.
        rewards: ``float32[N, S]`` by seat, for the last call: where a game ended, +1 for the side that won
            and -1 for the other; 0 otherwise, and for a seat that does not play.
        terminated: ``bool[N]``. With auto-reset: the game ended in the last call, and the arrays already show
            the next one. Without: the game is over.
        outcomes: ``BOOK[N]``: the episode that each game is at, the decisions made in it, and how the last
            game in its place ended; ``outcomes["winner"]`` is -1 where none ended in the last call.
            ``outcomes["won"]``, ``int8[N, 4]``, has 1 for the seats that won it, of partners those of R13.8.
        rulesets: the ruleset of each game.
        num_seats: S, the most that any of them has.

    Args:
        num_games: N >= 1.
        seed: of the first episodes, and of all that follow (``kernel.episode_seeds``); 0 <= seed < 2**63.
        threads: worker threads, each with a contiguous slice of the games.
        ruleset: the edition and options played, one for all games or a list with one for each; each is a
            ``Ruleset``, its ``to_dict``, or a spec such as ``second:null_events=false``.
        auto_reset: replace a finished game at once by a new one.
        observations: write observations; without them a step takes about two thirds of the time.
        individual_bonus: added to the reward of a partner who wins inside his side (R13.8), alone or not.
        device: where they are played. ``cuda``, or ``cuda:1`` and so on, gives no ``VectorGame`` but a
            ``DeviceGame``, with the same methods and the same games on that GPU, and its arrays there; it
            takes no ``threads``, and ``sort`` besides (``wotr_env.cuda``).

    Raises:
        ValueError: a number is out of range, there is not one ruleset for each game, or no such ruleset or
            device.
        CudaError: there is no such GPU.
    """

    @overload
    def __new__(cls, *arguments: Any, device: Literal["cpu"] = "cpu", **settings: Any) -> Self: ...
    @overload
    def __new__(
        cls,
        num_games: int,
        seed: int = 0,
        *,
        device: Literal["cuda", "cuda:0", "cuda:1", "cuda:2", "cuda:3"],
        ruleset: RulesetLike | Sequence[RulesetLike] = FIRST_EDITION,
        auto_reset: bool = True,
        observations: bool = True,
        individual_bonus: float = 0.0,
        sort: bool = False,
    ) -> DeviceGame: ...
    @overload
    def __new__(cls, *arguments: Any, device: str, **settings: Any) -> Self | DeviceGame: ...
    def __new__(cls, *arguments: Any, device: str = "cpu", **settings: Any) -> Any:
        if device == "cpu":
            return super().__new__(cls)
        from wotr_env.games.war_of_the_ring.device.game import game_on  # not before somebody wants a GPU

        return game_on(device, *arguments, **settings)

    def __init__(
        self,
        num_games: int,
        seed: int = 0,
        threads: int = 1,
        ruleset: RulesetLike | Sequence[RulesetLike] = FIRST_EDITION,
        auto_reset: bool = True,
        observations: bool = True,
        individual_bonus: float = 0.0,
        *,
        device: str = "cpu",
    ) -> None:
        self.device = device
        self.num_games = check_positive("num_games", num_games)
        self.threads = check_positive("threads", threads)
        self.seed = check_seed(seed)
        self.rulesets = check_rulesets(ruleset, num_games)
        self.num_seats = max(len(rules.seats) for rules in self.rulesets)
        self.auto_reset = bool(auto_reset)
        self._buffers = Buffers(
            states=np.zeros(num_games, dtype=STATE),
            masks=np.zeros((num_games, NUM_ACTIONS), dtype=np.bool_),
            observations=np.zeros((num_games if observations else 0, OBSERVATION_SIZE), dtype=np.int8),
            seats=np.zeros(num_games, dtype=np.int8),
            rewards=np.zeros((num_games, self.num_seats), dtype=np.float32),
            bonuses=np.full(num_games, check_bonus(individual_bonus), dtype=np.float32),
            terminated=np.zeros(num_games, dtype=np.bool_),
            books=np.zeros(num_games, dtype=BOOK),
            streams=np.zeros(num_games, dtype=np.int64),
            options=np.zeros((num_games, NUM_OPTIONS), dtype=np.int8),
            max_turns=np.array([rules.max_turns for rules in self.rulesets], dtype=np.int64),
        )
        self._buffers.options[:] = [rules.encode() for rules in self.rulesets]
        self.masks = self._buffers.masks.copy()
        self.observations = self._buffers.observations
        self.seats = self._buffers.seats
        self.rewards = self._buffers.rewards
        self.terminated = self._buffers.terminated
        self.outcomes = self._buffers.books
        self._actions = np.zeros(num_games, dtype=np.int64)
        bounds = np.linspace(0, num_games, min(threads, num_games) + 1).astype(np.int64).tolist()
        self._slices = list(itertools.pairwise(bounds))
        self._pool = Threads(len(self._slices)) if len(self._slices) > 1 else None
        self.reset(seed)

    @property
    def states(self) -> np.ndarray:
        """``STATE[N]``, read-only."""
        states = self._buffers.states.view()
        states.flags.writeable = False
        return states

    def reset(self, seed: int | None = None) -> VectorGame:
        """Starts every game anew: its next episode, or, with a seed, as if just made with that seed.

        Raises:
            ValueError: the seed is no integer or out of range; no game has changed.
        """
        if seed is not None:
            self.seed = check_seed(seed)
            self.outcomes[:] = np.zeros(1, dtype=BOOK)
            self.outcomes["episode"] = -1
            before = np.full(self.num_games, NO_EPISODE, dtype=np.int64)
            self._buffers.streams[:] = kernel.episode_seeds(self.seed, before) & STREAM_KEY
        return self.restart(np.ones(self.num_games, dtype=np.bool_))

    def restart(self, which: np.ndarray) -> VectorGame:
        """Starts the next episode of some games (``bool[N]``), finished or not; the others stay as they are.

        Raises:
            ValueError: ``which`` has another shape or dtype.
        """
        self._actions[:] = check_which(which, self.num_games)
        self._share(
            lambda first, last: kernel.restart_batch(self._buffers, self._actions, self.seed, first, last)
        )
        self._show_masks()
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
        self._take_actions(actions)
        self._share(
            lambda first, last: kernel.step_batch(
                self._buffers, self._actions, self.seed, self.auto_reset, first, last
            )
        )
        self._show_masks()
        return self

    def random_steps(self, k: int, preferences: np.ndarray | None = None) -> int:
        """Plays k random decisions in every game, inside the kernel.

        Args:
            k: decisions per game, >= 0; a game that ends without auto-reset plays fewer.
            preferences: ``int8[2, NUM_ACTIONS]`` by side; the choice is uniform among the legal actions of
                highest preference. By default among all.

        Returns:
            The decisions made. ``rewards`` are those of the last game that ended in each place; observations
            are written once, at the end.

        Raises:
            ValueError: k or the preferences are something else, or all games are over.
        """
        check_decisions(k)
        preferences = check_preferences(preferences)
        self._check_not_all_over()
        made = self._share(
            lambda first, last: kernel.random_batch(
                self._buffers, int(k), preferences, self.seed, self.auto_reset, first, last
            )
        )
        self._show_masks()
        return sum(made)

    @property
    def statistics(self) -> Statistics:
        """What the games that have ended were like."""
        return statistics_of(self.outcomes, self.num_seats)

    def snapshot(self) -> dict[str, np.ndarray]:
        """Everything that the games' future follows from, besides the arguments given when they were made.

        Returns:
            Copies: ``states`` and ``outcomes`` as ``uint8[N, bytes]``, ``streams`` ``int64[N]``.
        """
        return {
            "states": bytes_of(self.states).copy(),
            "outcomes": bytes_of(self.outcomes).copy(),
            "streams": self._buffers.streams.copy(),
        }

    def restore(self, snapshot: Mapping[str, np.ndarray]) -> VectorGame:
        """Goes on from a snapshot of games made with the same arguments; rewards are zeros.

        Raises:
            ValueError: it is of another number of games or of other dtypes; no game has changed.
            StateError: the rules cannot go on from one of its states; no game has changed.
        """
        if not isinstance(snapshot, Mapping):
            raise ValueError(f"a snapshot is what snapshot() gives, not {snapshot!r}")
        for name, value in self.snapshot().items():
            given = snapshot.get(name)
            if given is None or given.shape != value.shape or given.dtype != value.dtype:
                raise ValueError(f"the snapshot's {name} must be {value.dtype} of shape {value.shape}")
        states = np.ascontiguousarray(snapshot["states"]).reshape(-1).view(STATE).copy()
        masks = np.zeros_like(self.masks)
        kernel.check(states)
        check_batch(states)
        if not np.array_equal(states["options"], self._buffers.options):
            raise ValueError("options: the snapshot is of games of other rules")
        kernel.refresh(states, masks)
        self._buffers.states[:] = states
        self._buffers.masks[:] = masks
        self._show_masks()
        bytes_of(self.outcomes)[:] = snapshot["outcomes"]
        self._buffers.streams[:] = snapshot["streams"]
        self.seats[:] = self.states["seat"]
        self.rewards[:] = 0.0
        self.terminated[:] = False if self.auto_reset else self.states["winner"] != Winner.NONE
        if len(self.observations):
            kernel.observe(self.states, self.seats.astype(np.int64), self.observations)
        return self

    def take(self, rows: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Copies of the states and masks of some games (``int64[R]``), to play on outside of the batch."""
        return copy_states(self._buffers.states, rows), self._buffers.masks[rows]

    def put_back(self, rows: np.ndarray, states: np.ndarray, masks: np.ndarray) -> None:
        """Goes on with some games from what the rules made of their copies; nothing is checked."""
        bytes_of(self._buffers.states)[rows] = bytes_of(states)
        self._buffers.masks[rows] = self.masks[rows] = masks
        self.seats[rows] = states["seat"]
        self.terminated[rows] = states["winner"] != Winner.NONE

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

    def _show_masks(self) -> None:
        """Copies the masks to where callers may write."""
        np.copyto(self.masks, self._buffers.masks)

    def _check_not_all_over(self) -> None:
        if not self.auto_reset and self.terminated.all():
            raise ValueError("all games are over; start new ones with reset()")

    def _take_actions(self, actions: Any) -> None:
        """Checks that all actions are legal, and copies them."""
        actions = check_actions(actions, self.num_games)
        self._check_not_all_over()
        np.copyto(self._actions, actions)
        game = kernel.first_illegal(self._buffers, self._actions)
        if game >= 0:
            is_over = bool(self.terminated[game]) and not self.auto_reset
            raise refusal(game, int(self._actions[game]), int(self.states[game]["decision"]), is_over)
