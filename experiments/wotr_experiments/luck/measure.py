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
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np

from wotr_env import GameRecord
from wotr_env.core.kind import GameKind
from wotr_env.core.luck import NO_SOURCE, random_words
from wotr_env.core.states import copy_states
from wotr_env.play.replaying import Replay
from wotr_experiments.errors import CommandError
from wotr_experiments.luck.values import identity_of_value, open_value

AGAIN = 8
"""How often a step is played again with other chance, by default."""
AT_ONCE = 256
"""Records that are replayed together."""
_STARTS = 4096
"""Games whose first positions are valued for the mean of a set-up."""
SET_UP = "set-up"
"""The source of luck before the first decision: what was dealt."""


class Stage(NamedTuple):
    """What chance decided for one purpose in one step of a game."""

    number: int
    """Of the actions before."""
    turn: int
    """-1 in a game that counts none."""
    source: int
    """A place in ``Luck.sources``."""
    luck: np.ndarray
    """What each team gained: ``float64[T]``."""


@dataclasses.dataclass(frozen=True)
class GameLuck:
    """The luck of one game."""

    sources: tuple[str, ...]
    """``SET_UP``, then those of the game."""
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

    def __post_init__(self) -> None:
        if self.again < 1:
            raise CommandError(f"a step must be played again at least once, not {self.again} times")

    def to_dict(self) -> dict[str, Any]:
        """For JSON, with what the value function is."""
        return {**dataclasses.asdict(self), "identity": identity_of_value(self.value)}


def measure(
    records: Sequence[GameRecord],
    method: Method,
    on_done: Callable[[int], object] = lambda _games: None,
) -> list[GameLuck]:
    """The luck of games, each as if it were alone.

    Args:
        records: of one game and one ruleset; finished or not.
        method: whose value function is of that game.
        on_done: told how many more games are measured.

    Raises:
        RecordError: a record does not replay.
    """
    found: list[GameLuck] = []
    for first in range(0, len(records), AT_ONCE):
        some = records[first : first + AT_ONCE]
        found += _Measuring(some, method).run()
        on_done(len(some))
    return found


@functools.lru_cache(maxsize=16)
def _mean_start(method: Method, kind: GameKind, ruleset: Any) -> np.ndarray:
    """The mean value of a new game: ``float64[T]``."""
    states = np.zeros(_STARTS, dtype=kind.state)
    masks = np.zeros((_STARTS, kind.actions.size), dtype=np.bool_)
    seeds = random_words(_key(method, "starts"), _STARTS)[0] >> np.uint64(1)
    kind.kernels.start(states, masks, seeds, ruleset)
    return open_value(method.value, kind).of(states, masks, ruleset).mean(axis=0)


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
            before = copy_states(replay.states[:running])
            kind.kernels.step(replay.states, replay.masks, actions, 0, running)
            self._look(number, before, actions)
        replay.check()
        sources = (SET_UP, *kind.luck.sources)
        found = [
            GameLuck(sources, dealt, tuple(stages))
            for dealt, stages in zip(set_up, self._stages, strict=True)
        ]
        return [found[place] for place in np.argsort(replay.order)]

    def _values(self, states: np.ndarray, masks: np.ndarray) -> np.ndarray:
        return self._value.of(states, masks, self._ruleset)

    def _look(self, number: int, before: np.ndarray, actions: np.ndarray) -> None:
        """Notes the luck of a step of the first games."""
        replay, luck = self._replay, self._kind.luck
        running = len(before)
        after = replay.states[:running]
        stages = luck.stages(before, after)
        rows = np.flatnonzero(stages[:, 0] != NO_SOURCE)
        if not rows.size:
            return
        counts = (stages[rows] != NO_SOURCE).sum(axis=1) if luck.repeat else np.ones(rows.size, dtype=int)
        games = np.repeat(rows, counts)
        known = np.concatenate([np.arange(count) for count in counts])
        means = self._means(number, before, after, actions, games, known)
        now = self._values(copy_states(after, rows), replay.masks[rows])
        turns = before["turn"] if "turn" in (before.dtype.names or ()) else np.full(running, -1)
        place = 0
        for row, count, reached in zip(rows.tolist(), counts.tolist(), now, strict=True):
            levels = [*means[place : place + count], reached]
            place += count
            for stage in range(count):
                gained = levels[stage + 1] - levels[stage]
                self._stages[row].append(Stage(number, int(turns[row]), int(stages[row, stage]), gained))

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
        luck, again = self._kind.luck, self._method.again
        rows = np.repeat(games, again)
        states = copy_states(before, rows)
        steps = self._keys[games] + np.uint64(number << 8) + known.astype(np.uint64)
        luck.renew(states, random_words(random_words(steps, 1)[:, 0], again).reshape(-1))
        if luck.repeat and known.any():
            fixed = np.flatnonzero(np.repeat(known, again))
            some = copy_states(states, fixed)
            luck.repeat(some, copy_states(after, rows[fixed]), np.repeat(known, again)[fixed])
            states[fixed] = some
        masks = np.zeros((rows.size, self._kind.actions.size), dtype=np.bool_)
        self._kind.kernels.step(states, masks, actions[rows])
        return self._values(states, masks).reshape(games.size, again, -1).mean(axis=1)
