"""One game and many games of any kind, made of a game's kernels alone.

War of the Ring has its own, ``Game`` and ``VectorGame``, which do more, and more of it in compiled code.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Self

import numpy as np

from wotr_env.core.errors import IllegalAction
from wotr_env.core.kind import GOING_ON, MAX_SEED, GameKind, bytes_of, state_hash
from wotr_env.core.values import check_seed


class AnyGame:
    """One game of a kind.

    Args:
        kind: the game.
        seed: of all chance, 0 <= seed < 2**63.
        ruleset: the options played, in any form that ``GameKind.read_ruleset`` takes.

    Raises:
        ValueError: the seed is no integer or out of range, or there is no such ruleset.
    """

    start: str | None = None
    """Where a game without a seed began, as text (``GameKind.positions``)."""

    def __init__(self, kind: GameKind, seed: int, ruleset: Any) -> None:
        self.kind = kind
        self.seed: int | None = check_seed(seed)
        self.ruleset = rules = kind.read_ruleset(ruleset)
        self.actions: tuple[int, ...] = ()
        self._states = np.zeros(1, dtype=kind.state)
        self._masks = np.zeros((1, kind.actions.size), dtype=np.bool_)
        kind.kernels.prepare()
        kind.kernels.start(self._states, self._masks, np.array([seed]), rules)

    @classmethod
    def begun(cls, kind: GameKind, states: np.ndarray, ruleset: Any, start: str) -> Self:
        """A game that begins from a position.

        Args:
            kind: the game.
            states: ``kind.state[1]``, checked, which waits for a decision or is over; copied.
            ruleset: that it is played by.
            start: the position as text.
        """
        game = cls(kind, 0, ruleset)
        game.seed, game.start = None, start
        game._states[:] = states
        kind.kernels.refresh(game._states, game._masks)
        return game

    @property
    def state(self) -> np.record:
        """A copy of the whole state."""
        return self._states.copy()[0]

    @property
    def seat(self) -> int:
        """Who decides; of no meaning when the game is over."""
        return int(self._states[0]["seat"])

    @property
    def result(self) -> Any:
        """How the game ended, of the type ``kind.result``; None while it goes on."""
        return self.kind.result.of(self._states[0])

    def legal(self) -> list[int]:
        """The ids of the legal actions, ascending; empty when the game is over."""
        return np.flatnonzero(self._masks[0]).tolist()

    def describe(self) -> str:
        """The position in words, as the seat that decides may see it."""
        return self.kind.words.position(self._states[0])

    def name_of(self, action: int) -> str:
        """The stable name of an action; ValueError: there is none."""
        return self.kind.actions.names[self.kind.actions.find(action)]

    def moves(self) -> list[str]:
        """The names of the actions so far."""
        return [self.kind.actions.names[action] for action in self.actions]

    def step(self, action: int | str) -> Self:
        """Plays one legal action, and on to the next decision; returns the game itself.

        Args:
            action: its id or its name.

        Raises:
            IllegalAction: the action is not legal now, no id or name of one, or the game is over; it is as it
                was.
        """
        try:
            action = self.kind.actions.find(action)
        except ValueError as error:
            raise IllegalAction(str(error)) from None
        if self.result is not None:
            raise IllegalAction(f"action {action} after the end: the game is over")
        if action not in self.legal():
            names = ", ".join(self.kind.actions.names[choice] for choice in self.legal())
            raise IllegalAction(f"action {action} is illegal; legal: {names}")
        self.kind.kernels.step(self._states, self._masks, np.array([action], dtype=np.int64))
        self.actions = (*self.actions, int(action))
        return self

    def hash(self) -> str:
        """A fingerprint of the state's bytes, 32 hex digits."""
        return state_hash(self._states)


class AnyVectorGame:
    """N games of a kind in step, each replaced by a new one when it ends.

    Args:
        kind: the game.
        num_games: N >= 1.
        seed: of all chance, 0 <= seed < 2**63.
        ruleset: that they are played by, in any form that ``GameKind.read_ruleset`` takes.

    What is written into the arrays changes no game. Attributes are those of ``Games``; ``terminated`` and
    ``outcomes`` (``kind.outcome[N]``) are of the last step, with the winner ``GOING_ON`` where no game ended.
    ``rewards``, ``float32[N, S]`` by seat, are what the end of a game that ended in it is worth to the seat's
    team (``GameKind.worths``), else 0.

    Raises:
        ValueError: there are fewer than one game, the seed is out of range, or there is no such ruleset.
    """

    def __init__(self, kind: GameKind, num_games: int, seed: int, ruleset: Any = None) -> None:
        if num_games < 1:
            raise ValueError(f"num_games must be at least 1, not {num_games}")
        self.kind = kind
        self.num_games = num_games
        self.seed = check_seed(seed)
        self.ruleset = kind.read_ruleset(ruleset)
        self._states = np.zeros(num_games, dtype=kind.state)
        self._masks = np.zeros((num_games, kind.actions.size), dtype=np.bool_)
        self.masks = self._masks.copy()
        self.observations = np.zeros((num_games, kind.layout.size), dtype=np.int8)
        self.seats = np.zeros(num_games, dtype=np.int8)
        self.terminated = np.zeros(num_games, dtype=np.bool_)
        self.outcomes = np.zeros(num_games, dtype=kind.outcome)
        self._worths = kind.worths[:, [seat.team for seat in self.ruleset.seats]]
        self.rewards = np.zeros((num_games, len(self.ruleset.seats)), dtype=np.float32)
        self.episodes = np.zeros(num_games, dtype=np.int64)
        kind.kernels.prepare()
        self._start(np.arange(num_games))
        self._look()

    @property
    def states(self) -> np.ndarray:
        """``kind.state[N]``, read-only."""
        states = self._states.view()
        states.flags.writeable = False
        return states

    def reset(self, seed: int | None = None) -> Self:
        """Starts every game anew: its next episode, or, with a seed, as if just made with that seed.

        Raises:
            ValueError: the seed is no integer or out of range; no game has changed.
        """
        if seed is not None:
            self.seed = check_seed(seed)
            self.episodes[:] = 0
        self.terminated[:] = False
        self.rewards[:] = 0.0
        self.outcomes[:] = np.zeros(1, dtype=self.kind.outcome)
        self._start(np.arange(self.num_games))
        self._look()
        return self

    def step(self, actions: np.ndarray) -> Self:
        """Plays an action in every game.

        Args:
            actions: integers ``(N,)``.

        Raises:
            IllegalAction: an action is illegal in its game; no game has changed.
        """
        actions = np.asarray(actions).astype(np.int64)
        in_range = (actions >= 0) & (actions < self.masks.shape[1])
        legal = in_range & self._masks[np.arange(self.num_games), np.where(in_range, actions, 0)]
        if not legal.all():
            game = int(np.argmin(legal))
            raise IllegalAction(f"action {actions[game]} of game {game} is illegal; no game has changed")
        self.kind.kernels.step(self._states, self._masks, actions)
        self.outcomes[:] = np.zeros(1, dtype=self.kind.outcome)
        self.kind.kernels.conclude(self._states, self.outcomes)
        self.terminated[:] = self.outcomes["winner"] != GOING_ON
        ends = self._worths[self.outcomes["reason"] - 1]
        self.rewards[:] = np.where(self.terminated[:, None], ends, 0.0)
        self._start(np.flatnonzero(self.terminated))
        self._look()
        return self

    def snapshot(self) -> dict[str, np.ndarray]:
        """Everything that the games' future follows from, besides the arguments given when they were made."""
        return {"states": bytes_of(self.states).copy(), "episodes": self.episodes.copy()}

    def restore(self, snapshot: Mapping[str, np.ndarray]) -> Self:
        """Goes on from a snapshot of games made with the same arguments.

        Raises:
            ValueError: it is of another number of games or of other dtypes, or a state is none of the game;
                no game has changed.
        """
        if not isinstance(snapshot, Mapping):
            raise ValueError(f"a snapshot is what snapshot() gives, not {snapshot!r}")
        for name, value in self.snapshot().items():
            given = snapshot.get(name)
            if given is None or given.shape != value.shape or given.dtype != value.dtype:
                raise ValueError(f"the snapshot's {name} must be {value.dtype} of shape {value.shape}")
        states = np.ascontiguousarray(snapshot["states"]).reshape(-1).view(self.kind.state).copy()
        masks = np.zeros_like(self.masks)
        self.kind.kernels.check(states)
        self.kind.kernels.refresh(states, masks)
        self._states[:], self._masks[:] = states, masks
        self.episodes[:] = snapshot["episodes"]
        self.terminated[:] = False
        self.rewards[:] = 0.0
        self._look()
        return self

    def _start(self, rows: np.ndarray) -> None:
        """The next episode of some games."""
        if not rows.size:
            return
        self.episodes[rows] += 1
        entropy = [(self.seed, row, int(self.episodes[row])) for row in rows.tolist()]
        seeds = [np.random.SeedSequence(each).generate_state(1, np.uint64)[0] for each in entropy]
        states = np.zeros(rows.size, dtype=self.kind.state)
        masks = np.zeros((rows.size, self.masks.shape[1]), dtype=np.bool_)
        some = np.array(seeds) & np.uint64(MAX_SEED)
        self.kind.kernels.start(states, masks, some, self.ruleset)
        self._states[rows], self._masks[rows] = states, masks

    def _look(self) -> None:
        self.masks[:] = self._masks
        self.seats[:] = self._states["seat"]
        self.observations[:] = self.kind.kernels.observe(self._states, self.seats)
