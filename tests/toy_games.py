"""Tiny games with known optima, to check learners against. They are no part of War of the Ring.

A toy's positions are numbered, and everything about them is public, so backward induction through chance
gives the optimum and the best answer to any policy exactly. Learners play toys like a ``VectorGame``.
"""

from __future__ import annotations

import collections
from collections.abc import Callable, Hashable
from typing import Any, NamedTuple

import numpy as np
import torch

from wotr_agents.networks.config import NetworkConfig
from wotr_agents.networks.models import END_VALUES, MlpNetwork, legal_log_probabilities
from wotr_env.codes import Reason, Side
from wotr_env.errors import IllegalAction

OUTCOME = np.dtype([("reason", np.int8)])


class Position(NamedTuple):
    """A position of a toy."""

    seat: int
    decision: int
    """Number of the kind of decision."""
    seen: tuple[int, ...]
    """What tells it from the others that ask the same decision: small numbers from 0."""
    actions: dict[int, dict[Any, float]]
    """Where each legal action leads: to keys of positions or to a ``Reason``, with their chances."""


class ToyGames:
    """N games of a toy in step, each replaced by a new one when it ends.

    The observation is one-hot: the kind of decision first, then each number that is seen.

    Args:
        num_games: N >= 1.
        seed: of all chance.
        first: key of the position that games start from.
        describe: the position of a key. Games never come back to a position.

    Attributes:
        observations: ``int8[N, I]``.
        masks: ``bool[N, A]``, the legal actions.
        seats: ``int8[N]``, who decides.
        terminated: ``bool[N]``: a game ended in the last step; the other arrays show the next one.
        outcomes: ``OUTCOME[N]``: how it ended; ``Reason.NONE`` where none did.
        decisions: kinds of decisions.
        all_observations: ``int8[S, I]``, of each position.
        all_masks: ``bool[S, A]``.
        all_seats: ``int8[S]``.

    Raises:
        ValueError: there are fewer than one game.
    """

    def __init__(
        self, num_games: int, seed: int, first: Hashable, describe: Callable[[Any], Position]
    ) -> None:
        if num_games < 1:
            raise ValueError(f"num_games must be at least 1, not {num_games}")
        self.num_games = num_games
        found = _explore(first, describe)
        numbers = {key: number for number, key in enumerate(found)}
        positions = list(found.values())
        self._write_tables(positions, numbers)
        self._generator = np.random.default_rng(seed)
        self._at = np.zeros(num_games, dtype=np.int64)
        self.terminated = np.zeros(num_games, dtype=np.bool_)
        self.outcomes = np.zeros(num_games, dtype=OUTCOME)
        self._show()

    def _write_tables(self, positions: list[Position], numbers: dict[Any, int]) -> None:
        self.decisions = 1 + max(position.decision for position in positions)
        self.all_seats = np.array([position.seat for position in positions], dtype=np.int8)
        seen = np.array([position.seen for position in positions])
        columns = [np.array([position.decision for position in positions]), *seen.T]
        one_hot = [np.eye(column.max() + 1, dtype=np.int8)[column] for column in columns]
        self.all_observations = np.concatenate(one_hot, axis=1)
        actions = 1 + max(action for position in positions for action in position.actions)
        ways = max(len(ways) for position in positions for ways in position.actions.values())
        self.all_masks = np.zeros((len(positions), actions), dtype=np.bool_)
        self._chances = np.zeros((len(positions), actions, ways))
        self._following = np.zeros(self._chances.shape, dtype=np.int64)
        """Number of the next position; minus the ``Reason`` where the game ends."""
        for number, position in enumerate(positions):
            for action, results in position.actions.items():
                self.all_masks[number, action] = True
                for way, (key, chance) in enumerate(results.items()):
                    self._chances[number, action, way] = chance
                    self._following[number, action, way] = -key if isinstance(key, Reason) else numbers[key]

    def _show(self) -> None:
        self.observations = self.all_observations[self._at]
        self.masks = self.all_masks[self._at]
        self.seats = self.all_seats[self._at]

    def step(self, actions: np.ndarray) -> ToyGames:
        """Plays an action in every game.

        Args:
            actions: integers ``(N,)``.

        Raises:
            IllegalAction: an action is illegal in its game; no game has changed.
        """
        actions = np.asarray(actions)
        in_range = (actions >= 0) & (actions < self.masks.shape[1])
        legal = in_range & self.masks[np.arange(self.num_games), np.where(in_range, actions, 0)]
        if not legal.all():
            game = int(np.flatnonzero(~legal)[0])
            raise IllegalAction(f"action {actions[game]} of game {game} is illegal; no game has changed")
        sums = self._chances[self._at, actions].cumsum(axis=1)
        draws = self._generator.random(self.num_games) * sums[:, -1]
        ways = (sums <= draws[:, None]).sum(axis=1)
        following = self._following[self._at, actions, ways]
        self.terminated[:] = following < 0
        self.outcomes["reason"] = np.where(self.terminated, -following, Reason.NONE)
        self._at = np.where(self.terminated, 0, following)
        self._show()
        return self

    def optimal_value(self) -> float:
        """What the game is worth to the Free Peoples if both sides play as well as can be, from -1 to 1."""
        return self._solve(None, ())[0]

    def optimal_policy(self) -> np.ndarray:
        """One best action in each position, whatever came before: ``float64[S, A]`` of zeros and ones."""
        return self._solve(None, ())[1]

    def value(self, policy: np.ndarray) -> float:
        """What the game is worth to the Free Peoples if both sides play a policy.

        Args:
            policy: ``float64[S, A]``, chances of the actions.
        """
        return self._solve(policy, (Side.FREE_PEOPLES, Side.SHADOW))[0]

    def regret(self, policy: np.ndarray, seat: int) -> float:
        """What a seat loses against the best answer to its policy, compared with best play: from 0 to 2.

        Args:
            policy: ``float64[S, A]``; only the positions of the seat matter.
            seat: who plays it.
        """
        loss = self.optimal_value() - self._solve(policy, (seat,))[0]
        return loss if seat == Side.FREE_PEOPLES else -loss

    def _solve(self, policy: np.ndarray | None, seats: tuple[int, ...]) -> tuple[float, np.ndarray]:
        """Backward induction: some seats play a policy, the others what is best.

        Returns:
            The value of the first position, and what is played: ``float64[S, A]``.
        """
        count = len(self.all_seats)
        # Negative numbers index the ends, which lie behind the positions.
        values = np.zeros(count + len(END_VALUES))
        for end, worth in enumerate(END_VALUES, start=1):
            values[-end] = worth
        played = np.zeros(self.all_masks.shape)
        for number in range(count - 1, -1, -1):
            worth = (self._chances[number] * values[self._following[number]]).sum(axis=1)
            if self.all_seats[number] in seats:
                played[number] = policy[number]
            else:
                sign = 1 if self.all_seats[number] == Side.FREE_PEOPLES else -1
                best = np.where(self.all_masks[number], sign * worth, -np.inf).argmax()
                played[number, best] = 1.0
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
    return [key for ways in position.actions.values() for key in ways if not isinstance(key, Reason)]


class TwoStepBandit(ToyGames):
    """One player pulls two arms; the pair tells the chance to win.

    The first arm that is best if the second is pulled at random is not the best one. Of the five actions,
    some are illegal after each first arm, and the last one always until the third arm was pulled.

    Args:
        num_games: N >= 1.
        seed: of all chance.
    """

    CHANCES: tuple[dict[int, float], ...] = (
        {0: 0.6, 1: 0.6, 2: 0.6},
        {0: 0.1, 2: 0.1, 3: 0.95},
        {1: 0.4, 4: 0.5},
    )
    """Of winning, by first arm and legal second arm."""

    def __init__(self, num_games: int, seed: int) -> None:
        super().__init__(num_games, seed, None, self._describe)

    @classmethod
    def _describe(cls, first: int | None) -> Position:
        if first is None:
            return Position(Side.FREE_PEOPLES, 0, (0,), {arm: {arm: 1.0} for arm in range(len(cls.CHANCES))})
        wins = cls.CHANCES[first]
        ends = {
            arm: {Reason.RING_DESTROYED: chance, Reason.CORRUPTION: 1.0 - chance}
            for arm, chance in wins.items()
        }
        return Position(Side.FREE_PEOPLES, 1, (1 + first,), ends)


class _Hunt(NamedTuple):
    """A position of ``HuntOnly``; ``hunting`` is None until the Shadow has decided."""

    turn: int = 0
    steps: int = 0
    corruption: int = 0
    eyes: int = 0
    hunting: int | None = None


class HuntOnly(ToyGames):
    """A toy of the hunt for the Ring, with rules of its own; it says nothing about the real game.

    Each turn the Shadow first puts 0 to 2 of its remaining eyes on the hunt, where they are spent. Then the
    Free Peoples rest, which heals one corruption, or move a step. If they move, they are found the more
    likely the more eyes there are, and then a tile is drawn that adds 0 to 3 corruption. The Shadow wins at
    the limit of corruption and when the turns are over; the Free Peoples win with the last step, if the tile
    drawn for it leaves them below the limit.

    Neither side has a simple best policy: the same number of eyes each turn loses the Shadow at least 0.08
    of value, and moving at once whenever few eyes are on the hunt loses the Free Peoples more.

    Actions 0, 1, 2: so many eyes; 3: move; 4: rest.

    Args:
        num_games: N >= 1.
        seed: of all chance.
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

    def __init__(self, num_games: int, seed: int) -> None:
        super().__init__(num_games, seed, _Hunt(eyes=self.EYES), self._describe)

    @classmethod
    def _describe(cls, at: _Hunt) -> Position:
        seen = (at.turn, at.steps, at.corruption, at.eyes, 1 + at.hunting if at.hunting is not None else 0)
        if at.hunting is None:
            most = min(len(cls.FOUND) - 1, at.eyes)
            eyes = {
                number: {at._replace(eyes=at.eyes - number, hunting=number): 1.0}
                for number in range(most + 1)
            }
            return Position(Side.SHADOW, 0, seen, eyes)
        found = cls.FOUND[at.hunting]
        moved: dict[Any, float] = collections.defaultdict(float)
        for damage, chance in enumerate(cls.TILES):
            moved[cls._next(at, at.steps + 1, at.corruption + damage)] += found * chance
        moved[cls._next(at, at.steps + 1, at.corruption)] += 1.0 - found
        rested = {cls._next(at, at.steps, max(0, at.corruption - 1)): 1.0}
        possible = {key: chance for key, chance in moved.items() if chance > 0}
        return Position(Side.FREE_PEOPLES, 1, seen, {cls.MOVE: possible, cls.REST: rested})

    @classmethod
    def _next(cls, at: _Hunt, steps: int, corruption: int) -> _Hunt | Reason:
        if corruption >= cls.LIMIT:
            return Reason.CORRUPTION
        if steps == cls.STEPS:
            return Reason.RING_DESTROYED
        if at.turn + 1 == cls.TURNS:
            # Not TURN_LIMIT, which would be a draw.
            return Reason.SHADOW_MILITARY
        return _Hunt(at.turn + 1, steps, corruption, at.eyes)


def make_toy_network(games: ToyGames, width: int = 64, hidden: int = 64) -> MlpNetwork:
    """A new network that can play a toy, its weights from torch's global generator."""
    inputs, actions = games.observations.shape[1], games.masks.shape[1]
    config = NetworkConfig(width=width, hidden=hidden)
    return MlpNetwork(config, torch.ones(inputs), actions, (0, games.decisions))


@torch.no_grad()
def network_policy(games: ToyGames, network: torch.nn.Module) -> np.ndarray:
    """The chances of a network's actions in every position of a toy: ``float64[S, A]``."""
    scores, _ = network(torch.from_numpy(games.all_observations))
    return legal_log_probabilities(scores, torch.from_numpy(games.all_masks)).exp().double().numpy()


def greedy(policy: np.ndarray) -> np.ndarray:
    """The likeliest action of a policy in every position: ``float64[S, A]`` of zeros and ones."""
    return np.eye(policy.shape[1])[policy.argmax(axis=1)]
