"""Tiny games with known optima, to check learners and the arena against. They are no part of War of the Ring.

A toy's positions are numbered, and everything about them is public, so backward induction through chance
gives the optimum and the best answer to any policy exactly.
"""

from __future__ import annotations

import abc
import collections
import functools
from collections.abc import Callable, Hashable
from typing import Any, NamedTuple

import numpy as np

from tests.toy_kind import WORTHS, Position, ToyEnd, ToyRuleset, ToyTables, toy_kind
from wotr_env.core.kind import GameKind
from wotr_env.core.seats import Seat, Team
from wotr_env.core.vector import VectorGame


class ToyGames(VectorGame, abc.ABC):
    """N games of a toy in step, and its solution; subclasses say what is played.

    Args:
        num_games: N >= 1.
        seed: of all chance.

    Raises:
        ValueError: there are fewer than one game.
    """

    FIRST: Hashable
    """Key of the position that games start from."""
    RULESET: type[ToyRuleset]
    TEAMS = (Team("walkers", "Walkers", "W"), Team("eye", "Eye", "E"))

    def __init__(self, num_games: int, seed: int) -> None:
        super().__init__(self.of_kind(), num_games, seed)
        self.tables: ToyTables = self.kind.kernels

    @classmethod
    @abc.abstractmethod
    def describe(cls, key: Any) -> Position:
        """The position of a key. Games never come back to a position."""

    @classmethod
    @functools.cache
    def of_kind(cls) -> GameKind:
        """The toy as a game."""
        name = "".join(f"-{letter.lower()}" if letter.isupper() else letter for letter in cls.__name__)
        return toy_kind(
            name.strip("-"),
            cls.__name__,
            cls.RULESET,
            cls.TEAMS,
            ToyTables(_explore(cls.FIRST, cls.describe)),
        )

    def team_of(self, number: int) -> int:
        """The team that decides in a position."""
        return self.RULESET.seats[self.tables.all_seats[number]].team

    def optimal_value(self) -> float:
        """What the game is worth to team 0 if both teams play as well as can be, from -1 to 1."""
        return self._solve(None, ())[0]

    def optimal_policy(self) -> np.ndarray:
        """One best action in each position, whatever came before: ``float64[S, A]`` of zeros and ones."""
        return self._solve(None, ())[1]

    def value(self, policy: np.ndarray) -> float:
        """What the game is worth to team 0 if both teams play a policy: ``float64[S, A]``, chances."""
        return self._solve(policy, (0, 1))[0]

    def regret(self, policy: np.ndarray, team: int) -> float:
        """What a team loses against the best answer to its policy, compared with best play: from 0 to 2."""
        loss = self.optimal_value() - self._solve(policy, (team,))[0]
        return -loss if team else loss

    def _solve(self, policy: np.ndarray | None, teams: tuple[int, ...]) -> tuple[float, np.ndarray]:
        """The value and the policies if these teams play a policy and the others the best answers."""
        tables = self.tables
        count = len(tables.all_seats)
        # Negative numbers index the ends, which lie behind the positions.
        values = np.zeros(count + len(WORTHS))
        for end, worth in enumerate(WORTHS, start=1):
            values[-end] = worth
        played = np.zeros(tables.all_masks.shape)
        for number in range(count - 1, -1, -1):
            worth = (tables.chances[number] * values[tables.following[number]]).sum(axis=1)
            team = self.team_of(number)
            if policy is not None and team in teams:
                played[number] = policy[number]
            else:
                gain = -worth if team else worth
                played[number, np.where(tables.all_masks[number], gain, -np.inf).argmax()] = 1.0
            values[number] = played[number] @ worth
        return float(values[0]), played


def _explore(first: Hashable, describe: Callable[[Any], Position]) -> dict[Any, Position]:
    """The positions that can come about, each before those that it leads to."""
    found = {first: describe(first)}
    coming = collections.Counter[Any]()
    waiting = [first]
    while waiting:
        for key in _successors(found[waiting.pop()]):
            coming[key] += 1
            if key not in found:
                found[key] = describe(key)
                waiting.append(key)
    ordered = {}
    waiting = [first]
    while waiting:
        key = waiting.pop()
        ordered[key] = found[key]
        for after in _successors(found[key]):
            coming[after] -= 1
            if coming[after] == 0:
                waiting.append(after)
    return ordered


def _successors(position: Position) -> list[Any]:
    return [key for results in position.actions.values() for key in results if not isinstance(key, ToyEnd)]


class BanditRuleset(ToyRuleset):
    seats = (Seat("puller", "Puller", 0),)


class HuntRuleset(ToyRuleset):
    seats = (Seat("first", "First walker", 0), Seat("eye", "Eye", 1), Seat("second", "Second walker", 0))


class TwoStepBandit(ToyGames):
    """One player pulls two arms; the pair tells the chance to win.

    The first arm that is best if the second is pulled at random is not the best one. Of the five actions,
    some are illegal after each first arm, and the last one always until the third arm was pulled.
    """

    FIRST = None
    RULESET = BanditRuleset
    CHANCES: tuple[dict[int, float], ...] = (
        {0: 0.6, 1: 0.6, 2: 0.6},
        {0: 0.1, 2: 0.1, 3: 0.95},
        {1: 0.4, 4: 0.5},
    )
    """Of winning, by first arm and legal second arm."""

    @classmethod
    def describe(cls, first: int | None) -> Position:
        if first is None:
            return Position(0, 0, (0,), {arm: {arm: 1.0} for arm in range(len(cls.CHANCES))})
        wins = cls.CHANCES[first]
        ends = {arm: {ToyEnd.WON: chance, ToyEnd.LOST: 1.0 - chance} for arm, chance in wins.items()}
        return Position(0, 1, (1 + first,), ends)


class _Hunt(NamedTuple):
    """A position of ``HuntOnly``; ``hunting`` is None until the Eye has decided."""

    turn: int = 0
    steps: int = 0
    corruption: int = 0
    eyes: int = 0
    hunting: int | None = None


class HuntOnly(ToyGames):
    """A toy of a hunt, with rules of its own; it says nothing about the real game.

    Each turn the Eye first puts 0 to 2 of its remaining eyes on the hunt, where they are spent. Then one of
    the two walkers, who take turns, lets them rest, which heals one corruption, or move a step. If they move,
    they are found the more likely the more eyes there are, and then a tile is drawn that adds 0 to 3
    corruption. The Eye wins at the limit of corruption and when the turns are over; the walkers win with the
    last step, if the tile drawn for it leaves them below the limit.

    Neither team has a simple best policy: the same number of eyes each turn loses the Eye at least 0.08 of
    value, and moving at once whenever few eyes are on the hunt loses the walkers more.

    Actions 0, 1, 2: so many eyes; 3: move; 4: rest.
    """

    STEPS = 4
    TURNS = 6
    LIMIT = 3
    EYES = 4
    FOUND = (0.2, 0.4, 0.9)
    """Chances that a move is found, by eyes."""
    TILES = (0.1, 0.3, 0.3, 0.3)
    """Chances of the damage 0, 1, 2, 3."""
    MOVE, REST = 3, 4
    FIRST = _Hunt()
    RULESET = HuntRuleset

    @classmethod
    def describe(cls, at: _Hunt) -> Position:
        left = cls.EYES - at.eyes
        seen = (at.turn, at.steps, at.corruption, left, 1 + at.hunting if at.hunting is not None else 0)
        if at.hunting is None:
            most = min(len(cls.FOUND) - 1, left)
            eyes = {
                number: {at._replace(eyes=at.eyes + number, hunting=number): 1.0}
                for number in range(most + 1)
            }
            return Position(1, 0, seen, eyes)
        found = cls.FOUND[at.hunting]
        moved: dict[Any, float] = collections.defaultdict(float)
        for damage, chance in enumerate(cls.TILES):
            moved[cls._next(at, at.steps + 1, at.corruption + damage)] += found * chance
        moved[cls._next(at, at.steps + 1, at.corruption)] += 1.0 - found
        rested = {cls._next(at, at.steps, max(0, at.corruption - 1)): 1.0}
        possible = {key: chance for key, chance in moved.items() if chance > 0}
        return Position(2 * (at.turn % 2), 1, seen, {cls.MOVE: possible, cls.REST: rested})

    @classmethod
    def _next(cls, at: _Hunt, steps: int, corruption: int) -> _Hunt | ToyEnd:
        if corruption >= cls.LIMIT:
            return ToyEnd.LOST
        if steps == cls.STEPS:
            return ToyEnd.WON
        if at.turn + 1 == cls.TURNS:
            return ToyEnd.LATE
        return _Hunt(at.turn + 1, steps, corruption, at.eyes)


BANDIT = TwoStepBandit.of_kind()
HUNT = HuntOnly.of_kind()
