"""What the environments of PettingZoo and Gymnasium share: one game stepped in place, spaces and words."""

from __future__ import annotations

import dataclasses
import operator
from collections.abc import Iterable
from typing import Any, Literal, get_args

import numpy as np
from gymnasium import spaces

from wotr_env.core.kind import copy_states
from wotr_env.core.values import check_seed
from wotr_env.games.war_of_the_ring.actions import NUM_ACTIONS
from wotr_env.games.war_of_the_ring.codes import Reason, Winner
from wotr_env.games.war_of_the_ring.engine import kernel
from wotr_env.games.war_of_the_ring.engine.buffers import BOOK, Buffers
from wotr_env.games.war_of_the_ring.game import Game, Result
from wotr_env.games.war_of_the_ring.observation import OBSERVATION_SIZE
from wotr_env.games.war_of_the_ring.options import NUM_OPTIONS
from wotr_env.games.war_of_the_ring.rules.seats import SEAT_SIDE
from wotr_env.games.war_of_the_ring.ruleset import Ruleset, RulesetLike, ruleset_of
from wotr_env.games.war_of_the_ring.state import NUM_SEATS, NUM_SIDES, STATE
from wotr_env.games.war_of_the_ring.winners import winning_partners

RenderMode = Literal["human", "ansi", "rgb_array"]
RENDER_MODES: tuple[RenderMode, ...] = get_args(RenderMode)

_SEATS = tuple(np.full(1, seat, dtype=np.int64) for seat in range(NUM_SEATS))


def observation_box() -> spaces.Box:
    """The space of one observation: ``int8[OBSERVATION_SIZE]``."""
    return spaces.Box(low=-128, high=127, shape=(OBSERVATION_SIZE,), dtype=np.int8)


def mask_box() -> spaces.Box:
    """The space of one mask of legal actions: ``int8[NUM_ACTIONS]`` of 0 and 1."""
    return spaces.Box(low=0, high=1, shape=(NUM_ACTIONS,), dtype=np.int8)


def check_arguments(given: Iterable[str], known: type) -> None:
    """Raises TypeError unless all arguments of an environment are there, and those that it needs.

    Args:
        given: their names.
        known: the ``TypedDict`` that has them.
    """
    for name in given:
        if name not in known.__annotations__:
            wanted = ", ".join(known.__annotations__)
            raise TypeError(f"the environment has no argument {name!r}; it has {wanted}")
    for name in sorted(getattr(known, "__required_keys__")):  # noqa: B009 (of any TypedDict)
        if name not in given:
            raise TypeError(f"the environment needs the argument {name!r}")


def with_turn_limit(ruleset: RulesetLike | None, max_turns: int | None) -> Ruleset:
    """The ruleset, with another turn limit unless ``max_turns`` is None.

    Raises:
        ValueError: there is no such ruleset, or the turn limit is out of range.
    """
    rules = ruleset_of(ruleset)
    return rules if max_turns is None else dataclasses.replace(rules, max_turns=max_turns)


def check_word(name: str, value: Any, known: tuple[str | None, ...]) -> Any:
    """The value itself.

    Raises:
        ValueError: it is not one of the known words.
    """
    if not (value is None or isinstance(value, str)) or value not in known:
        raise ValueError(f"{name} is one of {', '.join(map(str, known))}, not {value!r}")
    return value


def draw_seed(generator: np.random.Generator) -> int:
    """A seed for a game or a bot, 0 <= seed < 2**63."""
    return int(generator.integers(2**63, dtype=np.uint64))


def result_words(state: np.record, ruleset: Ruleset) -> dict[str, Any]:
    """How a finished game ended: ``winner`` (a side or ``draw``), ``reason`` and ``turn``.

    Of more than two players also ``winning_seats``, the names of those who win (R13.8).
    """
    words = {
        "winner": Winner(int(state["winner"])).name.lower(),
        "reason": Reason(int(state["reason"])).name.lower(),
        "turn": int(state["turn"]),
    }
    result = Result.of(state)
    if result is not None and len(ruleset.seats) > NUM_SIDES:
        words["winning_seats"] = tuple(ruleset.seats[seat].name for seat in result.seats)
    return words


def rewards_of(states: np.ndarray, ruleset: Ruleset, individual_bonus: float) -> np.ndarray:
    """The rewards of finished games (``STATE[N]``) by seat, ``float32[N, S]``.

    They are 1 for the side that won, -1 for the other and 0 in a draw; a partner who wins inside his side
    (R13.8), alone or not, gets the individual bonus, too.
    """
    seats = len(ruleset.seats)
    winner = states["winner"][:, None]
    rewards = np.where(winner == SEAT_SIDE[:seats], 1, -1) * (winner != Winner.DRAW)
    bonuses = np.float32(individual_bonus) * winning_partners(states)[:, :seats]
    return rewards.astype(np.float32) + bonuses


def frame(state: np.record, mode: str, viewer: int | None) -> str | np.ndarray | None:
    """One picture of a position.

    Args:
        state: one record of dtype ``STATE``.
        mode: ``ansi``: a string; ``rgb_array``: ``uint8[H, W, 3]``; ``human``: printed, and None returned.
        viewer: the seat whose hand is shown; None: all of them.
    """
    from wotr_env.games.war_of_the_ring.render.drawing import (  # not needed by those who never render
        render_image,
        render_text,
    )

    if mode == "rgb_array":
        return render_image(state, viewer)
    text = render_text(state, viewer)
    if mode == "ansi":
        return text
    print(text)
    return None


class EnvGame:
    """One game as a batch of one: ``Game`` without the copies that undo an error and without the record.

    Attributes:
        states: ``STATE[1]``.
        masks: ``bool[1, NUM_ACTIONS]``, the legal actions.
        seats: ``int8[1]``, the seat that decides; of no meaning when the game is over.
        observations: ``int8[1, OBSERVATION_SIZE]``, what that seat sees.

    Args:
        ruleset: the edition and options played.
    """

    __slots__ = (
        "_actions",
        "_buffers",
        "_mask",
        "_winners",
        "masks",
        "observations",
        "ruleset",
        "seats",
        "states",
    )

    def __init__(self, ruleset: Ruleset) -> None:
        self.ruleset = ruleset
        self._buffers = Buffers(
            states=np.zeros(1, dtype=STATE),
            masks=np.zeros((1, NUM_ACTIONS), dtype=np.bool_),
            observations=np.zeros((1, OBSERVATION_SIZE), dtype=np.int8),
            books=np.zeros(0, dtype=BOOK),  # none are kept, so what follows is not written
            seats=np.zeros(0, dtype=np.int8),
            rewards=np.zeros((0, NUM_SIDES), dtype=np.float32),
            bonuses=np.zeros(0, dtype=np.float32),
            terminated=np.zeros(0, dtype=np.bool_),
            streams=np.zeros(0, dtype=np.int64),
            options=np.zeros((0, NUM_OPTIONS), dtype=np.int8),
            max_turns=np.zeros(0, dtype=np.int64),
        )
        self.states = self._buffers.states
        self.masks = self._buffers.masks
        self.observations = self._buffers.observations
        self.seats = self.states["seat"]
        self._mask = self.masks[0].view(np.int8)
        self._winners = self.states["winner"]
        self._winners[0] = Winner.NONE
        self._actions = np.zeros(1, dtype=np.int64)

    def __reduce__(self) -> tuple[Any, ...]:
        """For copies: ``seats`` and others are views, which copied one by one would lose their game."""
        return _restore, (self.ruleset, self.states, self.masks, self.observations)

    def start(self, seed: int) -> None:
        """Starts the game of a seed, 0 <= seed < 2**63.

        Raises:
            ValueError: the seed is no integer or out of range.
        """
        seeds = np.array([check_seed(seed)], dtype=np.int64)
        kernel.new_games(
            self.states,
            self.masks,
            seeds,
            self.ruleset.encode(),
            self.ruleset.max_turns,
            self.observations,
        )

    def step(self, action: Any) -> None:
        """Plays one legal action.

        Raises:
            IllegalAction: the action is not legal now, no integer, or the game is over; nothing has changed.
        """
        try:
            number = operator.index(action)
            legal = 0 <= number < NUM_ACTIONS and self._mask[number]
        except TypeError:
            legal = False
        if not legal:
            Game.from_state(self.states).step(action)  # raises the error in the words of Game
        self._actions[0] = action
        kernel.step_batch(self._buffers, self._actions, 0, False, 0, 1)

    @property
    def seat(self) -> int:
        """The seat that decides; of no meaning when the game is over."""
        return self.seats.item()

    @property
    def winner(self) -> int:
        """The ``Winner``; ``Winner.NONE`` while the game goes on."""
        return self._winners.item()

    @property
    def over(self) -> bool:
        """Whether the game has ended."""
        return self._winners.item() != Winner.NONE

    @property
    def at_turn_limit(self) -> bool:
        """Whether the game has ended at its turn limit."""
        return int(self.states["reason"][0]) == Reason.TURN_LIMIT

    @property
    def state(self) -> np.record:
        """A copy of the whole state: one record of dtype ``STATE``."""
        return copy_states(self.states)[0]

    def observe(self, seat: int) -> np.ndarray:
        """What a seat sees: a new ``int8[OBSERVATION_SIZE]``."""
        if seat == self.seats.item():
            return self.observations[0].copy()
        out = np.empty((1, OBSERVATION_SIZE), dtype=np.int8)
        kernel.observe(self.states, _SEATS[seat], out)
        return out[0]

    def mask(self, seat: int | None = None) -> np.ndarray:
        """The legal actions of a seat: a new ``int8[NUM_ACTIONS]``; zeros if it does not decide.

        None: of the seat that decides; zeros when the game is over.
        """
        decides = seat is None or seat == self.seats.item()
        return self._mask.copy() if decides else np.zeros(NUM_ACTIONS, dtype=np.int8)

    def result(self) -> dict[str, Any]:
        """How the game ended, see ``result_words``."""
        return result_words(self.states[0], self.ruleset)


def _restore(ruleset: Ruleset, states: np.ndarray, masks: np.ndarray, observations: np.ndarray) -> EnvGame:
    game = EnvGame(ruleset)
    game.states[:] = states
    game.masks[:] = masks
    game.observations[:] = observations
    return game
