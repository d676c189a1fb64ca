"""What the environments of any game share: one game stepped in place, its spaces, rewards and words."""

from __future__ import annotations

import operator
from typing import Any

import numpy as np
from gymnasium import spaces

from wotr_env.core.errors import IllegalAction
from wotr_env.core.kind import GOING_ON, GameKind, copy_states
from wotr_env.core.values import check_seed
from wotr_env.envs.env_game import RENDER_MODES, RenderMode
from wotr_env.play.games import game_kind


def render_modes(kind: GameKind) -> tuple[RenderMode, ...]:
    """How environments can show a game; one that is not drawn has no ``rgb_array``."""
    return RENDER_MODES if kind.drawing is not None else RENDER_MODES[:-1]


def kind_of(game: str | GameKind) -> GameKind:
    """The game of a name, or the game itself.

    Raises:
        ValueError: there is no game of that name.
    """
    return game if isinstance(game, GameKind) else game_kind(game)


class KindGame:
    """One game of a kind as a batch of one.

    Attributes:
        kind: the game.
        ruleset: what it is played by.
        states: ``kind.state[1]``.
        masks: ``bool[1, A]``, the legal actions.

    Args:
        game: a game by its name, or its ``GameKind``.
        ruleset: one of the game's, its ``to_dict``, or a spec such as ``open``; None: the default.

    Raises:
        ValueError: there is no such game or ruleset.
    """

    def __init__(self, game: str | GameKind, ruleset: Any = None) -> None:
        self.kind = kind = kind_of(game)
        self.ruleset: Any = kind.read_ruleset(ruleset)
        self.states = np.zeros(1, dtype=kind.state)
        self.states["winner"] = GOING_ON
        self.masks = np.zeros((1, kind.actions.size), dtype=np.bool_)
        self.observation_space = spaces.Box(-128, 127, (kind.layout.size,), np.int8)
        self.mask_space = spaces.Box(0, 1, (kind.actions.size,), np.int8)
        self.action_space = spaces.Discrete(kind.actions.size)

    def __getstate__(self) -> dict[str, Any]:
        """For copies: the bytes of a state, padding included."""
        return {**self.__dict__, "states": self.states.tobytes()}

    def __setstate__(self, values: dict[str, Any]) -> None:
        states = np.frombuffer(values["states"], dtype=values["kind"].state).copy()
        self.__dict__.update({**values, "states": states})

    def start(self, seed: int) -> None:
        """Starts the game of a seed, 0 <= seed < 2**63.

        Raises:
            ValueError: the seed is no integer or out of range.
        """
        seeds = np.array([check_seed(seed)], dtype=np.int64)
        self.kind.kernels.prepare()
        self.kind.kernels.start(self.states, self.masks, seeds, self.ruleset)

    def step(self, action: Any) -> None:
        """Plays one legal action.

        Raises:
            IllegalAction: the action is not legal now, no integer, or the game is over; nothing has changed.
        """
        if self.over:
            raise IllegalAction(f"action {action} after the end: the game is over")
        try:
            number = operator.index(action)
        except TypeError:
            number = -1
        if not (0 <= number < self.masks.shape[1] and self.masks[0, number]):
            legal = ", ".join(self.kind.actions.names[each] for each in np.flatnonzero(self.masks[0]))
            raise IllegalAction(f"action {action} is illegal; legal: {legal}")
        self.kind.kernels.step(self.states, self.masks, np.array([number], dtype=np.int64))

    @property
    def seat(self) -> int:
        """The seat that decides; of no meaning when the game is over."""
        return int(self.states["seat"][0])

    @property
    def over(self) -> bool:
        """Whether the game has ended."""
        return bool(self.states["winner"][0] != GOING_ON)

    @property
    def at_turn_limit(self) -> bool:
        """Never: a game does not say which of its ends that would be."""
        return False

    def observe(self, seat: int) -> np.ndarray:
        """What a seat sees: a new ``int8[D]``."""
        return self.kind.kernels.observe(self.states, np.array([seat], dtype=np.int64))[0]

    def mask(self, seat: int) -> np.ndarray:
        """The legal actions of a seat: a new ``int8[A]``; zeros if it does not decide."""
        decides = not self.over and seat == self.seat
        return self.masks[0].astype(np.int8) if decides else np.zeros(self.masks.shape[1], dtype=np.int8)

    def rewards(self) -> list[float]:
        """What the end of the game is worth to each seat."""
        outcome = self._outcome()
        worths = self.kind.worths[int(outcome["reason"]) - 1]
        return [float(worths[seat.team]) for seat in self.ruleset.seats]

    def result(self) -> dict[str, Any]:
        """How the game ended: ``winner`` (a team or ``draw``), ``reason`` and ``winning_seats``."""
        outcome = self._outcome()
        winning = self.kind.winning_seats(self.states, self.ruleset)[0]
        return {
            "winner": self.kind.winner_name(int(outcome["winner"])),
            "reason": self.kind.reason_name(int(outcome["reason"])),
            "winning_seats": tuple(
                seat.name for seat, wins in zip(self.ruleset.seats, winning, strict=True) if wins
            ),
        }

    def text(self) -> str:
        """The position as the seat that decides may see it; of a game that is over, how it ended."""
        state = copy_states(self.states)[0]
        words = self.kind.words
        return words.decision(state) if self.over else f"{words.position(state)}\n{words.decision(state)}"

    def shown(self, mode: str, seat: int) -> str | np.ndarray | None:
        """The text, for the mode ``ansi``; printed for ``human``; what a seat sees, drawn, for ``rgb_array``:
        ``uint8[height, width, 3]``.
        """
        if mode == "rgb_array":
            from wotr_env.core.raster import raster  # not needed by those who never render

            assert self.kind.drawing is not None
            return raster(self.kind.drawing(copy_states(self.states)[0], seat))
        if mode == "ansi":
            return self.text()
        print(self.text())
        return None

    def _outcome(self) -> np.void:
        outcomes = np.zeros(1, dtype=self.kind.outcome)
        self.kind.kernels.conclude(self.states, outcomes)
        return outcomes[0]
