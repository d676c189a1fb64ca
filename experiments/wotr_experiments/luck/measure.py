"""The luck of games, measured by replaying their records.

When chance decides something in a step, luck is the value of the position after the step, less the mean value
over the same action from the same position with other chance: other dice, other tiles, another order of the
cards that no seat knows. So the mean of luck is 0 for every player and for every value function: what chance
did and what it does when it is drawn anew have the same distribution, given all that the players had seen.
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

AGAIN = 8
"""How often a step is played again with other chance, by default."""
AT_ONCE = 256
"""Records that are replayed together."""
_DRAWN = 0xFF
"""Where other stages have their number, in the keys of other chance."""
_STARTS = 4096
"""Games whose first positions are valued for the mean of a set-up."""
SET_UP = "set-up"
"""The source of luck before the first decision: what was dealt."""
CHOICES = "drawn choices"
"""The source of luck in the choices that bots draw by probabilities: what was drawn, against what could have
been drawn (``policies``)."""


class Stage(NamedTuple):
    """What chance decided for one purpose in one step of a game."""

    number: int
    """Of the actions before."""
    turn: int
    """-1 in a game that counts none."""
    source: int
    """A place in ``Luck.sources``; behind them ``CHOICES``."""
    luck: np.ndarray
    """What each team gained: ``float64[T]``."""


@dataclasses.dataclass(frozen=True)
class GameLuck:
    """The luck of one game."""

    sources: tuple[str, ...]
    """As ``sources_of``."""
    set_up: np.ndarray
    """What each team gained when the game was set up: ``float64[T]``; 0 in a game from a position."""
    stages: tuple[Stage, ...]
    """In the order of the game."""

    @functools.cached_property
    def by_source(self) -> np.ndarray:
        """``float64[S, T]``, by ``sources``."""
        found = np.zeros((len(self.sources), len(self.set_up)))
        found[0] = self.set_up
        for stage in self.stages:
            found[1 + stage.source] += stage.luck
        return found

    @property
    def total(self) -> np.ndarray:
        """What each team gained in all: ``float64[T]``."""
        return self.by_source.sum(axis=0)


def sources_of(kind: GameKind) -> tuple[str, ...]:
    """The sources of luck in a game: ``SET_UP``, those of its own, ``CHOICES``."""
    return SET_UP, *kind.chance.sources, CHOICES


@dataclasses.dataclass(frozen=True)
class Method:
    """How luck is measured: the same method gives the same numbers for the same records.

    Raises:
        CommandError: ``again`` is less than 1.
    """

    value: str
    """Spec of the value function (``values.open_value``)."""
    again: int = AGAIN
    """How often each step in which chance decides is played again."""
    seed: int = 0
    """Of what chance decides then."""
    all_views: bool = False
    """Whether values are means of the views of all teams (``ValueFunction.of``): single steps are more exact,
    and the price is about twice as high."""

    def __post_init__(self) -> None:
        if self.again < 1:
            raise CommandError(f"a step must be played again at least once, not {self.again} times")

    def to_dict(self) -> dict[str, Any]:
        """For JSON, with what the value function is."""
        found = {**dataclasses.asdict(self), "identity": identity_of_value(self.value)}
        if not self.all_views:  # as in files of 0.2.0
            del found["all_views"]
        return found


def measure(records: Sequence[GameRecord], method: Method) -> list[GameLuck]:
    """The luck of games, each as if it were alone.

    Args:
        records: of one game and one ruleset; finished or not.
        method: whose value function is of that game.

    Raises:
        RecordError: a record does not replay.
    """
    found: list[GameLuck] = []
    for first in range(0, len(records), AT_ONCE):
        found += _Measuring(records[first : first + AT_ONCE], method).run()
    return found


@functools.lru_cache(maxsize=16)
def _mean_start(method: Method, kind: GameKind, ruleset: Any) -> np.ndarray:
    """The mean value of a new game: ``float64[T]``."""
    seeds = random_words(_key(method, "starts"), _STARTS)[0] >> np.uint64(1)
    states, masks = kind.started(seeds, ruleset)
    return open_value(method.value, kind).of(states, masks, ruleset, method.all_views).mean(axis=0)


def _key(method: Method, *what: object) -> np.ndarray:
    """A number that other chance follows from: ``uint64[1]``."""
    words = " ".join(map(str, (method.seed, *what))).encode()
    return np.frombuffer(hashlib.blake2b(words, digest_size=8).digest(), dtype="<u8").astype(np.uint64)


class _Measuring:
    """Some games that are replayed together."""

    def __init__(self, records: Sequence[GameRecord], method: Method) -> None:
        self._replay = Replay(records)
        self._kind: GameKind = self._replay.kind
        self._method, self._ruleset = method, records[0].ruleset
        self._value = open_value(method.value, self._kind)
        begun = [record.position or record.seed for record in self._replay.records]
        self._keys = np.concatenate([_key(method, "game", each) for each in begun])
        self._stages: list[list[Stage]] = [[] for _ in records]
        self._drawing = self._who_draws()

    def run(self) -> list[GameLuck]:
        """The luck of each game, in the order in which they were given."""
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
        """The bots that draw their choices, each with the seats that are its own: ``bool[N, S]``."""
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
        """Notes the luck of choices that were drawn in a step of the first games.

        Args:
            number: of the actions before.
            before: the states before the step.
            masks: their legal actions.
            means: by game the mean value after what was chosen, where chance decided something then.
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
                self._stages[game].append(Stage(number, int(turns[game]), source, gained))

    def _after_choices(self, games: np.ndarray, means: dict[int, np.ndarray]) -> np.ndarray:
        """The values of the choices in a step, ``float64[N, T]``: without the luck of what chance decided.

        Args:
            games: ``int64[N]``.
            means: as for ``_look_at_draws``.
        """
        sure = np.array([game for game in games.tolist() if game not in means], dtype=np.int64)
        values = self._values(copy_states(self._replay.states, sure), self._replay.masks[sure])
        known = means | dict(zip(sure.tolist(), values, strict=True))
        return np.array([known[game] for game in games.tolist()])

    @staticmethod
    def _turns(before: np.ndarray) -> np.ndarray:
        return before["turn"] if "turn" in (before.dtype.names or ()) else np.full(len(before), -1)

    def _look(self, number: int, before: np.ndarray, actions: np.ndarray) -> dict[int, np.ndarray]:
        """Notes the luck of a step of the first games.

        Returns:
            The mean values over what chance could have decided, by game, where it decided anything.
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
                self._stages[row].append(Stage(number, int(turns[row]), int(stages[row, stage]), gained))
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
        """The mean values of a step that is played again, ``float64[M, T]``: of games (``int64[M]``) where so
        many of the first stages (``int64[M]``) come as they came."""
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
        """The values after a step with other chance, ``float64[M, T]``.

        Args:
            before: the states before it.
            rows: ``int64[M]``: of which of them, each as often as the others.
            actions: ``int64[M]``.
            seeds: ``uint64``, of each in ``rows`` once.
            after: the states after the step as it was played.
            fixed: ``int64[M]``: so many of its first stages come as they came.
        """
        luck, states = self._kind.chance, copy_states(before, rows)
        luck.renew(states, random_words(seeds, rows.size // seeds.size).reshape(-1))
        if luck.repeat and after is not None and fixed is not None and fixed.any():
            some = np.flatnonzero(fixed)
            given = copy_states(states, some)
            luck.repeat(given, copy_states(after, rows[some]), fixed[some])
            states[some] = given
        masks = np.zeros((rows.size, self._kind.actions.size), dtype=np.bool_)
        self._kind.kernels.step(states, masks, actions)
        return self._values(states, masks)
