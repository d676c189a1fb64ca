"""VectorGame: many games that step together, for learning and measurements. Threads change only the speed,
never the results."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, Literal, Self, overload

import numpy as np

from wotr_env.core.errors import IllegalAction
from wotr_env.core.states import bytes_of
from wotr_env.core.values import check_bonus
from wotr_env.core.vector import Batch
from wotr_env.core.vector_arguments import Statistics, check_positive, rulesets_for, statistics_of
from wotr_env.games.war_of_the_ring.actions import NUM_ACTIONS
from wotr_env.games.war_of_the_ring.engine import kernel
from wotr_env.games.war_of_the_ring.engine.buffers import BOOK, Buffers
from wotr_env.games.war_of_the_ring.engine.invariants import check_batch
from wotr_env.games.war_of_the_ring.engine.observation_layout import OBSERVATION_SIZE
from wotr_env.games.war_of_the_ring.options import NUM_OPTIONS
from wotr_env.games.war_of_the_ring.ruleset import FIRST_EDITION, RulesetLike, ruleset_of
from wotr_env.games.war_of_the_ring.state import NUM_SIDES, STATE
from wotr_env.games.war_of_the_ring.vector_arguments import (
    NO_EPISODE,
    REASONS,
    STREAM_KEY,
    refusal,
)

if TYPE_CHECKING:
    from wotr_env.games.war_of_the_ring.device.game import DeviceGame


class VectorGame(Batch):
    """N games that take one action each per step.

    Copies (``copy.deepcopy``, ``pickle``) continue from the same positions with the same future.

    The arrays are created once and written in place: copy what you need after the next call. All arrays
    except ``states`` and ``end_records`` are C-contiguous and have plain dtypes; ``torch.from_numpy`` wraps
    them without a copy. Writing into the arrays does not change a game in progress: ``states`` are
    read-only, and ``masks`` are a copy of the masks with which actions are checked. But do not write into
    ``end_records``: the number of an episode determines the seed of the next one.

    Attributes:
        device: ``cpu``.
        states: ``STATE[N]``, read-only.
        observations: ``int8[N, OBSERVATION_SIZE]``, the observation of the deciding seat
            (``observation.py``); without rows if observations are off.
        masks: ``bool[N, NUM_ACTIONS]``, the legal actions; all False for a finished game.
        seats: ``int8[N]``, the deciding seat.
        rewards: ``float32[N, S]`` by seat, for the last call: if the game ended in the call, +1 for the
            winning side and -1 for the other side; 0 otherwise, and for a seat that does not play.
        terminated: ``bool[N]``. With auto-reset: the game ended in the last call, and the arrays already show
            the next game. Without auto-reset: the game is over.
        end_records: ``BOOK[N]``: the number of the current episode of each game, the number of decisions in
            it, and how the last game at this index ended; ``end_records["winner"]`` is -1 where no game ended
            in the last call. ``end_records["won"]``, ``int8[N, 4]``, has 1 for the seats that won this last
            game; R13.8 decides between partners.
        rulesets: the ruleset of each game.
        num_seats: S, the largest number of seats of any of the games.

    Args:
        num_games: N >= 1.
        seed: the seed of all episodes (``kernel.episode_seeds``); 0 <= seed < 2**63.
        threads: worker threads, each with a contiguous slice of the games.
        ruleset: the edition and options, one ruleset for all games or a list with one for each game; each is
            a ``Ruleset``, its ``to_dict``, or a spec such as ``second:null_events=false``.
        auto_reset: whether a finished game is replaced at once by a new one.
        observations: whether observations are written; without them, a step takes about two thirds of the
            time.
        individual_bonus: an addition to the reward of each partner who wins within the winning side (R13.8),
            alone or together.
        device: the device that plays the games. With ``cuda``, ``cuda:1`` and so on, the result is a
            ``DeviceGame`` instead of a ``VectorGame``. A ``DeviceGame`` has the same methods and plays the
            same games, and its arrays are on this GPU. It has no argument ``threads``, but an argument
            ``sort`` (``wotr_env.cuda``).

    Raises:
        ValueError: a number is out of range, there is not one ruleset for each game, or a ruleset or the
            device is unknown.
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
        rulesets = rulesets_for(ruleset, check_positive("num_games", num_games), ruleset_of)
        super().__init__(num_games, seed, rulesets, threads, auto_reset)
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
        self._states, self._masks = self._buffers.states, self._buffers.masks
        self.masks = self._masks.copy()
        self.observations = self._buffers.observations
        self.seats = self._buffers.seats
        self.rewards = self._buffers.rewards
        self.terminated = self._buffers.terminated
        self.end_records = self._buffers.books
        self.reset(seed)

    @property
    def statistics(self) -> Statistics:
        """Statistics of the ended games; the keys of ``reasons`` are members of ``Reason``."""
        return statistics_of(self.end_records, self.num_seats, REASONS)

    def snapshot(self) -> dict[str, np.ndarray]:
        """See ``Batch.snapshot``; ``outcomes`` as ``uint8[N, bytes]``, ``streams`` ``int64[N]``."""
        return {
            "states": bytes_of(self.states).copy(),
            "outcomes": bytes_of(self.end_records).copy(),
            "streams": self._buffers.streams.copy(),
        }

    @property
    def _num_teams(self) -> int:
        return NUM_SIDES

    def _forget(self) -> None:
        self.end_records[:] = np.zeros(1, dtype=BOOK)
        self.end_records["episode"] = -1
        before = np.full(self.num_games, NO_EPISODE, dtype=np.int64)
        self._buffers.streams[:] = kernel.episode_seeds(self.seed, before) & STREAM_KEY

    def _begin(self, which: np.ndarray) -> None:
        self._actions[:] = which
        self._share(
            lambda first, last: kernel.restart_batch(self._buffers, self._actions, self.seed, first, last)
        )

    def _play(self) -> None:
        self._share(
            lambda first, last: kernel.step_batch(
                self._buffers, self._actions, self.seed, self.auto_reset, first, last
            )
        )

    def _play_at_random(self, k: int, preferences: np.ndarray) -> int:
        made = self._share(
            lambda first, last: kernel.random_batch(
                self._buffers, k, preferences, self.seed, self.auto_reset, first, last
            )
        )
        return sum(made)

    def _checked(self, states: np.ndarray) -> np.ndarray:
        masks = np.zeros_like(self.masks)
        kernel.check(states)
        check_batch(states)
        if not np.array_equal(states["options"], self._buffers.options):
            raise ValueError("options: the snapshot is of games with another ruleset")
        kernel.refresh(states, masks)
        return masks

    def _restore_counters(self, snapshot: Mapping[str, np.ndarray]) -> None:
        bytes_of(self.end_records)[:] = snapshot["outcomes"]
        self._buffers.streams[:] = snapshot["streams"]

    def _observe(self) -> None:
        if len(self.observations):
            kernel.observe(self.states, self.seats.astype(np.int64), self.observations)

    def _first_illegal(self) -> int:
        return kernel.first_illegal(self._buffers, self._actions)

    def _refusal(self, game: int, action: int) -> IllegalAction:
        is_over = bool(self.terminated[game]) and not self.auto_reset
        return refusal(game, action, int(self.states[game]["decision"]), is_over)
