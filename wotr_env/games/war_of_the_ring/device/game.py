"""DeviceGame: ``VectorGame`` on a GPU. It plays the same games, byte for byte. Data leave the GPU only on
request."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from wotr_env.core.values import check_bonus, check_seed
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
from wotr_env.cuda.arrays import DeviceArray, device_array
from wotr_env.cuda.machines import Machine
from wotr_env.games.war_of_the_ring.actions import NUM_ACTIONS
from wotr_env.games.war_of_the_ring.codes import Winner
from wotr_env.games.war_of_the_ring.device.driver import gpu
from wotr_env.games.war_of_the_ring.device.rules import NOBODY, DeviceBuffers, DeviceRules
from wotr_env.games.war_of_the_ring.engine import kernel
from wotr_env.games.war_of_the_ring.engine.buffers import BOOK
from wotr_env.games.war_of_the_ring.engine.invariants import check_batch
from wotr_env.games.war_of_the_ring.engine.kernel import Mode
from wotr_env.games.war_of_the_ring.engine.observation_layout import OBSERVATION_SIZE
from wotr_env.games.war_of_the_ring.options import NUM_OPTIONS
from wotr_env.games.war_of_the_ring.ruleset import FIRST_EDITION, RulesetLike, ruleset_of
from wotr_env.games.war_of_the_ring.state import STATE
from wotr_env.games.war_of_the_ring.vector_arguments import (
    NO_EPISODE,
    PREFERENCES,
    REASONS,
    STREAM_KEY,
    refusal,
)

_DEVICE = re.compile(r"cuda(?::(\d+))?")


class DeviceGame:
    """N games on a GPU that take one action each per step; also created by ``VectorGame(N, device="cuda")``.

    The arrays, arguments and methods are the same as in ``VectorGame``, with ``DeviceArray`` instead of
    numpy's arrays. ``torch.as_tensor(games.observations, device="cuda")`` wraps an array without a copy, once
    for all steps. Actions may be such a tensor; they are checked on the GPU. ``states`` is not protected
    against writing; do not write into it.

    Attributes:
        device: the device of the arrays in torch's notation, ``cuda:0`` and so on.
        states: ``STATE[N]``.
        observations: ``int8[N, OBSERVATION_SIZE]``, or without rows.
        masks: ``bool[N, NUM_ACTIONS]``.
        seats: ``int8[N]``.
        rewards: ``float32[N, S]``.
        terminated: ``bool[N]``.
        end_records: ``BOOK[N]``.
        rulesets: the ruleset of each game.
        num_seats: S, the largest number of seats of any of the games.
        rules: the rules on the GPU.

    Args:
        num_games: N >= 1.
        machine: the machine that plays the games; by default the first GPU.
        seed: as in ``VectorGame``, like the arguments that follow it.
        sort: whether neighbouring threads play games with the same pending decision, so that their code
            diverges less. Sorting takes some time. It does not change the games.

    Raises:
        CudaError: there is no GPU.
        ValueError: a number is out of range, or there is not one ruleset for each game.
    """

    def __init__(
        self,
        num_games: int,
        machine: Machine | None = None,
        seed: int = 0,
        ruleset: RulesetLike | Sequence[RulesetLike] = FIRST_EDITION,
        auto_reset: bool = True,
        observations: bool = True,
        individual_bonus: float = 0.0,
        sort: bool = False,
    ) -> None:
        self.num_games = check_positive("num_games", num_games)
        self.seed = check_seed(seed)
        self.rulesets = rulesets_for(ruleset, num_games, ruleset_of)
        self.num_seats = max(len(rules.seats) for rules in self.rulesets)
        self.auto_reset = bool(auto_reset)
        bonus = check_bonus(individual_bonus)
        self.rules = DeviceRules(machine if machine is not None else gpu(0))
        where = self.rules.machine
        self.device = f"cuda:{where.number}" if where.is_cuda else "cpu"
        new = self.rules.array
        self._buffers = DeviceBuffers(
            states=new((num_games,), STATE),
            masks=new((num_games, NUM_ACTIONS), np.bool_),
            observations=new((num_games if observations else 0, OBSERVATION_SIZE), np.int8),
            seats=new((num_games,), np.int8),
            rewards=new((num_games, self.num_seats), np.float32),
            bonuses=new((num_games,), np.float32),
            terminated=new((num_games,), np.bool_),
            books=new((num_games,), BOOK),
            streams=new((num_games,), np.int64),
            options=new((num_games, NUM_OPTIONS), np.int8),
            max_turns=new((num_games,), np.int64),
        )
        self._buffers.bonuses.write(bonus)
        self._buffers.options.write([rules.encode() for rules in self.rulesets])
        self._buffers.max_turns.write([rules.max_turns for rules in self.rulesets])
        self.states = self._buffers.states
        self.masks = self._buffers.masks.copy()
        self.observations = self._buffers.observations
        self.seats = self._buffers.seats
        self.rewards = self._buffers.rewards
        self.terminated = self._buffers.terminated
        self.end_records = self._buffers.books
        self._actions = new((num_games,), np.int64)
        self._preferences = new((2, NUM_ACTIONS), np.int8)
        self._order = new((num_games,), np.int64) if sort else None
        self.reset(seed)

    def reset(self, seed: int | None = None) -> DeviceGame:
        """Starts the next episode of every game. Returns the batch itself.

        If a seed is given, the episodes are those of a new batch with this seed.

        Raises:
            ValueError: the seed is not an integer or is out of range; then no game is changed.
        """
        if seed is not None:
            self.seed = check_seed(seed)
            books = np.zeros(self.num_games, dtype=BOOK)
            books["episode"] = -1
            self.end_records.write(books)
            self._actions.write(NO_EPISODE)
            self._drive(Mode.SEEDS, self._actions)
            self._buffers.streams.write(self._buffers.streams.numpy() & STREAM_KEY)
        return self.restart(np.ones(self.num_games, dtype=np.bool_))

    def restart(self, which: np.ndarray) -> DeviceGame:
        """Starts the next episode of some games (``bool[N]``), finished or not; the others stay as they are.
        Returns the batch itself.

        Raises:
            ValueError: ``which`` has another shape or dtype.
        """
        self._actions.write(check_which(which, self.num_games))
        self._drive(Mode.RESTART, self._actions)
        self._show_masks()
        return self

    def step(self, actions: Any) -> DeviceGame:
        """Plays one action in every game. Returns the batch itself.

        Args:
            actions: integers ``(N,)``, or an array ``int64[N]`` on the GPU; ``NO_ACTION`` (-1) for the games
                that are over (without auto-reset).

        Raises:
            TypeError: the actions are not integers.
            ValueError: their shape is not ``(N,)``, or all games are over.
            IllegalAction: an action is illegal in its game.

        If an error is raised, no game is changed.
        """
        given = self._taken(actions)
        self._check_not_all_over()
        _, refused = self._drive(Mode.STEP, given, steps=1, checked=True)
        if refused != NOBODY:
            is_over = bool(self.terminated.row(refused)) and not self.auto_reset
            decision = int(self.states.row(refused)["decision"])
            raise refusal(refused, int(given.row(refused)), decision, is_over)
        self._show_masks()
        return self

    def random_steps(self, k: int, preferences: np.ndarray | None = None) -> int:
        """Plays k random decisions in every game, in one launch; see ``VectorGame.random_steps``.

        Returns:
            The number of decisions made.

        Raises:
            ValueError: k or the preferences are invalid, or all games are over.
        """
        check_decisions(k)
        preferences = check_preferences(preferences, PREFERENCES)
        self._check_not_all_over()
        self._preferences.write(preferences)
        made, _ = self._drive(Mode.RANDOM, self._actions, steps=int(k))
        self._show_masks()
        return made

    def sample_worlds(self, states: DeviceArray, seats: DeviceArray, seeds: DeviceArray) -> None:
        """Resamples the information in states (``STATE[R]``) that is hidden from the seats (int64[R]), in
        place.

        Args:
            states: copies of states of games, such as ``games.states.copy()``.
            seats: int64[R].
            seeds: int64[R].
        """
        self.rules.sample_worlds(states, seats, seeds)

    @property
    def statistics(self) -> Statistics:
        """Statistics of the ended games."""
        return statistics_of(self.end_records.numpy(), self.num_seats, REASONS)

    def snapshot(self) -> dict[str, np.ndarray]:
        """As ``VectorGame.snapshot``. Each of the two classes can continue from snapshots of the other."""
        return {
            "states": self.states.as_bytes().numpy(),
            "outcomes": self.end_records.as_bytes().numpy(),
            "streams": self._buffers.streams.numpy(),
        }

    def restore(self, snapshot: Mapping[str, np.ndarray]) -> DeviceGame:
        """Continues from a snapshot of games made with the same arguments; rewards become 0. Returns the
        batch itself.

        The CPU checks the states, as ``VectorGame.restore`` does.

        Raises:
            ValueError: the snapshot has another number of games, other dtypes or other rules; then no game is
                changed.
            StateError: the rules cannot continue from one of the states; then no game is changed.
        """
        for name, value in self.snapshot().items():
            given = snapshot.get(name)
            if given is None or given.shape != value.shape or given.dtype != value.dtype:
                raise ValueError(f"the snapshot's {name} must be {value.dtype} of shape {value.shape}")
        states = np.ascontiguousarray(snapshot["states"]).reshape(-1).view(STATE).copy()
        kernel.ensure_compiled()
        kernel.check(states)
        check_batch(states)
        if not np.array_equal(states["options"], self._buffers.options.numpy()):
            raise ValueError("options: the snapshot is of games with another ruleset")
        self.states.write(states)
        self.rules.refresh(self.states, self._buffers.masks)
        self._show_masks()
        self.end_records.as_bytes().write(snapshot["outcomes"])
        self._buffers.streams.write(snapshot["streams"])
        self.seats.write(states["seat"])
        self.rewards.clear()
        self.terminated.write(False if self.auto_reset else states["winner"] != Winner.NONE)
        if len(self.observations):
            seats = self.rules.put(states["seat"].astype(np.int64))
            self.rules.observe(self.states, seats, self.observations)
        return self

    def _drive(
        self, mode: Mode, actions: DeviceArray, steps: int = 0, checked: bool = False
    ) -> tuple[int, int]:
        if self._order is not None:
            self.rules.sort(self.states, self._order)
        return self.rules.drive(
            mode,
            self._buffers,
            actions,
            self._preferences,
            games=self.num_games,
            steps=steps,
            seed=self.seed,
            auto_reset=self.auto_reset,
            order=self._order,
            checked=checked,
        )

    def _taken(self, actions: Any) -> DeviceArray:
        """Checks the actions and returns them as an array on the machine."""
        there = device_array(self.rules.machine, actions)
        if there is None:
            self._actions.write(check_actions(actions, self.num_games))
            return self._actions
        if there.dtype != np.int64:
            raise TypeError(f"actions on the GPU are int64, one per game, not {there.dtype}")
        if there.shape != (self.num_games,):
            raise ValueError(f"actions have shape ({self.num_games},), one per game, not {there.shape}")
        return there

    def _show_masks(self) -> None:
        """Copies the masks to the array that callers may write."""
        self.masks.copy_from(self._buffers.masks)

    def _check_not_all_over(self) -> None:
        if not self.auto_reset and self.terminated.numpy().all():
            raise ValueError("all games are over; start new ones with reset()")


def game_on(
    device: Any,
    num_games: int,
    seed: int = 0,
    threads: int = 1,
    ruleset: RulesetLike | Sequence[RulesetLike] = FIRST_EDITION,
    auto_reset: bool = True,
    observations: bool = True,
    individual_bonus: float = 0.0,
    sort: bool = False,
) -> DeviceGame:
    """Makes the batch of ``VectorGame`` for a device other than the CPU. All other arguments are the same as
    in ``VectorGame``.

    Args:
        device: ``cuda`` for the first GPU, or ``cuda:1`` and so on.

    Raises:
        CudaError: there is no such GPU.
        ValueError: the device is unknown, ``threads`` is given, or for the same reasons as in ``DeviceGame``.
    """
    found = _DEVICE.fullmatch(device) if isinstance(device, str) else None
    if found is None:
        raise ValueError(f"device is cpu, cuda, or cuda:1 and so on, not {device!r}")
    if threads != 1:
        raise ValueError(f"threads applies only to games on the CPU; on {device} a game is a GPU thread")
    return DeviceGame(
        num_games,
        gpu(int(found[1] or 0)),
        seed,
        ruleset,
        auto_reset,
        observations,
        individual_bonus,
        sort,
    )
