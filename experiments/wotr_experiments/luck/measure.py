"""The luck of games, measured by replaying their records.

If chance decides something in a step, the luck of the step is a difference of two values: the value of the
position after the step, minus the mean value after the same action from the same position with resampled
chance (other dice, other tiles, another order of the cards that no seat knows). The real outcome and the
resampled outcomes have the same distribution, given everything that the players had seen. So the mean of luck
is 0 for every player and for every value function.
"""

from __future__ import annotations

import dataclasses
import functools
import hashlib
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from wotr_env import GameRecord
from wotr_env.core.kind import GameKind
from wotr_env.core.luck import NO_SOURCE, random_words
from wotr_env.core.states import copy_states
from wotr_env.play.replaying import Replay
from wotr_experiments.errors import CommandError
from wotr_experiments.luck.policies import MixedPolicy, mixed_policy
from wotr_experiments.luck.values import identity_of_value, open_value

DEFAULT_SAMPLES = 8
"""Default number of repetitions of a step with resampled chance."""
AT_ONCE = 256
"""Number of records that are replayed together."""
_DRAWN = 0xFF
"""A constant for sampled choices in the seeds of resampled chance, in place of the number of known stages."""
_STARTS = 4096
"""Number of new games whose positions are evaluated for the mean value of a set-up."""
SET_UP = "set-up"
"""The source of luck before the first decision, such as the cards dealt."""
CHOICES = "drawn choices"
"""The source of luck in choices that bots sample by probabilities: the value of the sampled choice, compared
with other possible choices (``policies``)."""


class StepLuck(NamedTuple):
    """Luck from one source in one step of a game."""

    number: int
    """The number of actions before the step."""
    turn: int
    """The turn; -1 in a game without turns."""
    source: int
    """The index of the source in ``Luck.sources``; the index after the last one is ``CHOICES``."""
    luck: np.ndarray
    """The gain of each team: ``float64[T]``."""


@dataclasses.dataclass(frozen=True)
class GameLuck:
    """The luck of one game."""

    sources: tuple[str, ...]
    """The names of the sources, from ``sources_of``."""
    set_up: np.ndarray
    """The gain of each team from the set-up: ``float64[T]``; 0 in a game that started from a position."""
    stages: tuple[StepLuck, ...]
    """The stages in the order of the game."""

    @functools.cached_property
    def by_source(self) -> np.ndarray:
        """The luck of each team by source: ``float64[S, T]``, in the order of ``sources``."""
        found = np.zeros((len(self.sources), len(self.set_up)))
        found[0] = self.set_up
        for stage in self.stages:
            found[1 + stage.source] += stage.luck
        return found

    @property
    def total(self) -> np.ndarray:
        """The total gain of each team: ``float64[T]``."""
        return self.by_source.sum(axis=0)


def sources_of(kind: GameKind) -> tuple[str, ...]:
    """The sources of luck in a game: ``SET_UP``, the sources of the game, ``CHOICES``."""
    return SET_UP, *kind.chance.sources, CHOICES


@dataclasses.dataclass(frozen=True)
class LuckMethod:
    """The settings of a measurement of luck. The same settings give the same numbers for the same records.

    Raises:
        CommandError: ``again`` is less than 1.
    """

    value: str
    """Spec of the value function (``values.open_value``)."""
    again: int = DEFAULT_SAMPLES
    """The number of repetitions of each step in which chance decides."""
    seed: int = 0
    """The seed of the resampled chance."""
    all_views: bool = False
    """Whether values are the means of the views of all teams (``ValueFunction.of``). Then the luck of single
    steps is more precise, and the measurement takes about twice as long."""
    order_given: bool = False
    """Whether the order of face-down cards and tiles at the start of a game is given, so that only other
    outcomes are chance. Games from the same position share this order; otherwise their mean luck is not 0."""

    def __post_init__(self) -> None:
        if self.again < 1:
            raise CommandError(f"the number of luck samples must be at least 1, not {self.again}")

    def to_dict(self) -> dict[str, Any]:
        """The settings for JSON, with the identity of the value function."""
        found = {**dataclasses.asdict(self), "identity": identity_of_value(self.value)}
        for later in ("all_views", "order_given"):  # files of 0.2.0 have neither
            if not found[later]:
                del found[later]
        return found


def measure(records: Sequence[GameRecord], method: LuckMethod) -> list[GameLuck]:
    """Measures the luck of games. The result of a game does not depend on the other games.

    Args:
        records: records of one game and one ruleset; the games may be unfinished.
        method: the settings; the value function must be for this game.

    Raises:
        RecordError: a record does not replay.
    """
    found: list[GameLuck] = []
    for first in range(0, len(records), AT_ONCE):
        found += _Measuring(records[first : first + AT_ONCE], method).run()
    return found


@functools.lru_cache(maxsize=16)
def _mean_start(method: LuckMethod, kind: GameKind, ruleset: Any) -> np.ndarray:
    """The mean value of a new game: ``float64[T]``."""
    seeds = random_words(_key(method, "starts"), _STARTS)[0] >> np.uint64(1)
    states, masks = kind.new_states(seeds, ruleset)
    return open_value(method.value, kind).of(states, masks, ruleset, method.all_views).mean(axis=0)


def _key(method: LuckMethod, *what: object) -> np.ndarray:
    """A seed of resampled chance, derived from the method: ``uint64[1]``."""
    words = " ".join(map(str, (method.seed, *what))).encode()
    return np.frombuffer(hashlib.blake2b(words, digest_size=8).digest(), dtype="<u8").astype(np.uint64)


class _Measuring:
    """The measurement of a group of games that are replayed together."""

    def __init__(self, records: Sequence[GameRecord], method: LuckMethod) -> None:
        self._replay = Replay(records)
        self._kind: GameKind = self._replay.kind
        self._method, self._ruleset = method, records[0].ruleset
        self._value = open_value(method.value, self._kind)
        begun = [record.position or record.seed for record in self._replay.records]
        self._keys = np.concatenate([_key(method, "game", each) for each in begun])
        self._stages: list[list[StepLuck]] = [[] for _ in records]
        self._drawing = self._who_draws()

    def run(self) -> list[GameLuck]:
        """Returns the luck of each game, in the order of the records."""
        replay, kind = self._replay, self._kind
        new = np.array([not record.position for record in replay.records])
        first = self._values(replay.states, replay.masks) - _mean_start(self._method, kind, self._ruleset)
        set_up = np.where(new[:, None], first, 0.0)
        actions = np.zeros(len(replay.records), dtype=np.int64)
        for number in range(int(replay.lengths[0])):
            chosen = replay.chosen(number)
            running = len(chosen)
            actions[:running] = chosen
            before, masks = copy_states(replay.states[:running]), replay.masks[:running].copy()
            kind.kernels.step(replay.states, replay.masks, actions, 0, running)
            means = self._look(number, before, actions)
            if self._drawing:
                self._look_at_draws(number, before, masks, means)
        replay.check()
        sources = sources_of(kind)
        found = [
            GameLuck(sources, dealt, tuple(stages))
            for dealt, stages in zip(set_up, self._stages, strict=True)
        ]
        return [found[place] for place in np.argsort(replay.order)]

    def _values(self, states: np.ndarray, masks: np.ndarray) -> np.ndarray:
        return self._value.of(states, masks, self._ruleset, self._method.all_views)

    def _who_draws(self) -> dict[MixedPolicy, np.ndarray]:
        """The bots that sample their choices, each with a mask of its seats: ``bool[N, S]``."""
        records = self._replay.records
        found: dict[MixedPolicy, np.ndarray] = {}
        for game, record in enumerate(records):
            for seat, (spec, known) in enumerate(zip(record.players, record.identities, strict=False)):
                policy = mixed_policy(spec, known, self._kind)
                if policy is not None:
                    seats = np.zeros((len(records), len(record.players)), dtype=np.bool_)
                    found.setdefault(policy, seats)[game, seat] = True
        return found

    def _look_at_draws(
        self, number: int, before: np.ndarray, masks: np.ndarray, means: dict[int, np.ndarray]
    ) -> None:
        """Stores the luck of choices that were sampled in a step of the games that are still running.

        Args:
            number: number of actions before the step.
            before: the states before the step.
            masks: the legal actions of these states.
            means: the mean value after the choice, by game, if chance decided something in the step.
        """
        running, again = len(before), self._method.again
        for policy, seats in self._drawing.items():
            own = seats[np.arange(running), before["seat"]] & (masks.sum(axis=1) > 1)
            games = np.flatnonzero(own)
            if not games.size:
                continue
            states, legal = copy_states(before, games), np.ascontiguousarray(masks[games])
            keys = self._keys[games] + np.uint64((number << 8) + _DRAWN)
            words = random_words(keys, again + 1)
            others = policy.draw(states, legal, words[:, 1:])
            reached = self._play_on(before, np.repeat(games, again), others.reshape(-1), words[:, 0])
            expected = reached.reshape(games.size, again, -1).mean(axis=1)
            after = self._after_choices(games, means)
            turns = self._turns(before)
            for game, mean, now in zip(games.tolist(), expected, after, strict=True):
                gained = now - mean
                source = len(self._kind.chance.sources)
                self._stages[game].append(StepLuck(number, int(turns[game]), source, gained))

    def _after_choices(self, games: np.ndarray, means: dict[int, np.ndarray]) -> np.ndarray:
        """The values after the choices in a step, without the luck of chance in the step: ``float64[N, T]``.

        Args:
            games: ``int64[N]``.
            means: as for ``_look_at_draws``.
        """
        sure = np.array([game for game in games.tolist() if game not in means], dtype=np.int64)
        values = self._values(copy_states(self._replay.states, sure), self._replay.masks[sure])
        known = means | dict(zip(sure.tolist(), values, strict=True))
        return np.array([known[game] for game in games.tolist()])

    def _turns(self, before: np.ndarray) -> np.ndarray:
        return before["turn"] if self._kind.counts_turns else np.full(len(before), -1)

    def _look(self, number: int, before: np.ndarray, actions: np.ndarray) -> dict[int, np.ndarray]:
        """Stores the luck of a step of the games that are still running.

        Returns:
            By game, the mean value over all outcomes of chance; only for games in which chance decided
                something.
        """
        replay, luck = self._replay, self._kind.chance
        running = len(before)
        after = replay.states[:running]
        stages = luck.stages(before, after)
        rows = np.flatnonzero(stages[:, 0] != NO_SOURCE)
        if not rows.size:
            return {}
        counts = (stages[rows] != NO_SOURCE).sum(axis=1) if luck.repeat else np.ones(rows.size, dtype=int)
        games = np.repeat(rows, counts)
        known = np.concatenate([np.arange(count) for count in counts])
        means = self._means(number, before, after, actions, games, known)
        now = self._values(copy_states(after, rows), replay.masks[rows])
        turns, place, expected = self._turns(before), 0, {}
        for row, count, reached in zip(rows.tolist(), counts.tolist(), now, strict=True):
            levels = [*means[place : place + count], reached]
            expected[row] = means[place]
            place += count
            for stage in range(count):
                gained = levels[stage + 1] - levels[stage]
                self._stages[row].append(StepLuck(number, int(turns[row]), int(stages[row, stage]), gained))
        return expected

    def _means(
        self,
        number: int,
        before: np.ndarray,
        after: np.ndarray,
        actions: np.ndarray,
        games: np.ndarray,
        known: np.ndarray,
    ) -> np.ndarray:
        """The mean values of repetitions of a step, ``float64[M, T]``, for games (``int64[M]``) in which this
        number of the first stages (``int64[M]``) keeps its real outcomes."""
        again = self._method.again
        rows, fixed = np.repeat(games, again), np.repeat(known, again)
        keys = self._keys[games] + np.uint64(number << 8) + known.astype(np.uint64)
        first = random_words(keys, 1)[:, 0]
        reached = self._play_on(before, rows, actions[rows], first, after, fixed)
        return reached.reshape(games.size, again, -1).mean(axis=1)

    def _play_on(
        self,
        before: np.ndarray,
        rows: np.ndarray,
        actions: np.ndarray,
        seeds: np.ndarray,
        after: np.ndarray | None = None,
        fixed: np.ndarray | None = None,
    ) -> np.ndarray:
        """The values after a step with resampled chance: ``float64[M, T]``.

        Args:
            before: the states before the step.
            rows: ``int64[M]``: indices of these states, each equally often.
            actions: ``int64[M]``.
            seeds: ``uint64``: one seed for each different index in ``rows``.
            after: the states after the real step.
            fixed: ``int64[M]``: the number of first stages that keep their real outcomes.
        """
        luck, states = self._kind.chance, copy_states(before, rows)
        renew = luck.reseed_stream if self._method.order_given else luck.renew
        renew(states, random_words(seeds, rows.size // seeds.size).reshape(-1))
        if luck.repeat and after is not None and fixed is not None and fixed.any():
            some = np.flatnonzero(fixed)
            given = copy_states(states, some)
            luck.repeat(given, copy_states(after, rows[some]), fixed[some])
            states[some] = given
        masks = np.zeros((rows.size, self._kind.actions.size), dtype=np.bool_)
        self._kind.kernels.step(states, masks, actions)
        return self._values(states, masks)
