"""Shared parts of all environments: a game that is stepped in place, its rewards, infos and frames."""

from __future__ import annotations

import functools
import operator
from collections.abc import Iterable, Mapping
from typing import Any, Literal, NoReturn, get_args

import numpy as np
from gymnasium import spaces
from gymnasium.error import ResetNeeded

from wotr_env.core.codes import GOING_ON
from wotr_env.core.errors import IllegalAction
from wotr_env.core.game import Game
from wotr_env.core.kind import GameKind
from wotr_env.core.rulesets import Ruleset
from wotr_env.core.states import bytes_of, copy_states
from wotr_env.core.values import check_seed
from wotr_env.play.games import game_kind

RenderMode = Literal["human", "ansi", "rgb_array"]
RENDER_MODES: tuple[RenderMode, ...] = get_args(RenderMode)
RulesetLike = Ruleset | str | Mapping[str, Any]
"""A ruleset of a game, its ``to_dict``, or a spec (``GameKind.read_ruleset``)."""
MOST_STARTS = 1000
"""Number of games in a row without a decision of the learner after which an environment gives up."""


def render_modes(kind: GameKind) -> tuple[RenderMode, ...]:
    """The render modes of a game's environments; a game without drawings has no ``rgb_array``."""
    drawn = kind.drawing is not None or kind.environments.image is not None
    return RENDER_MODES if drawn else RENDER_MODES[:-1]


def kind_of(game: str | GameKind) -> GameKind:
    """Returns the game with a name, or the given game.

    Raises:
        ValueError: there is no game with this name.
    """
    return game if isinstance(game, GameKind) else game_kind(game)


def observation_box(kind: GameKind) -> spaces.Box:
    """The space of one observation: ``int8[D]``."""
    return spaces.Box(-128, 127, (kind.layout.size,), np.int8)


def check_arguments(given: Iterable[str], known: type) -> None:
    """Raises TypeError if an argument of an environment is unknown or a required one is missing.

    Args:
        given: the names of the given arguments.
        known: the ``TypedDict`` of the known arguments.
    """
    for name in given:
        if name not in known.__annotations__:
            wanted = ", ".join(known.__annotations__)
            raise TypeError(f"unknown argument {name!r} of the environment; known: {wanted}")
    for name in sorted(getattr(known, "__required_keys__")):  # noqa: B009 (of any TypedDict)
        if name not in given:
            raise TypeError(f"the environment needs the argument {name!r}")


def with_turn_limit(game: str | GameKind, ruleset: RulesetLike | None, max_turns: int | None) -> Any:
    """Returns the ruleset of a game, with the turn limit ``max_turns`` unless ``max_turns`` is None.

    Raises:
        ValueError: the ruleset is unknown, or the game has no turn limit, or not this one.
    """
    kind = kind_of(game)
    rules = kind.read_ruleset(ruleset)
    return rules if max_turns is None else kind.with_turn_limit(rules, max_turns)


def check_word(name: str, value: Any, known: tuple[str | None, ...]) -> Any:
    """Returns the value if it is known.

    Raises:
        ValueError: the value is not one of the known words.
    """
    if not (value is None or isinstance(value, str)) or value not in known:
        raise ValueError(f"{name} is one of {', '.join(map(str, known))}, not {value!r}")
    return value


def never_decides(kind: GameKind, seat: Any) -> ValueError:
    """The error for a learner without a decision in ``MOST_STARTS`` games in a row."""
    return ValueError(
        f"{MOST_STARTS} games of {kind.title} in a row ended before {seat.name} made a decision; "
        "use a ruleset with a higher turn limit"
    )


def draw_seed(generator: np.random.Generator) -> int:
    """Draws a seed for a game or a bot, 0 <= seed < 2**63."""
    return int(generator.integers(2**63, dtype=np.uint64))


def truncated(kind: GameKind, states: np.ndarray) -> np.ndarray:
    """Which of these finished games were truncated (``End.truncates``): ``bool[N]``."""
    return np.array([end.truncates for end in kind.ends])[kind.conclude(states)["reason"] - 1]


def rewards_of(kind: GameKind, states: np.ndarray, ruleset: Any, individual_bonus: float = 0.0) -> np.ndarray:
    """The rewards of finished games (``kind.state[N]``) by seat, floats ``[N, S]``.

    A reward is the value of the end for the seat's team. A seat that wins, alone or together, within a team
    of several seats also gets the individual bonus. The bonus is added in float32, as in batches.
    """
    teams = np.array([seat.team for seat in ruleset.seats])
    rewards = kind.worths[kind.conclude(states)["reason"] - 1][:, teams]
    if not individual_bonus:
        return rewards
    partners = kind.winning_seats(states, ruleset) & (np.bincount(teams)[teams] > 1)
    return rewards.astype(np.float32) + np.float32(individual_bonus) * partners


def end_info(kind: GameKind, state: np.record, ruleset: Any) -> dict[str, Any]:
    """The infos of a finished game: ``winner`` (a team or ``draw``), ``reason``, ``winning_seats``.

    A game may replace these infos (``Environments.end_info``).
    """
    if kind.environments.end_info is not None:
        return kind.environments.end_info(state, ruleset)
    states = np.array([state], dtype=kind.state)
    (end,), (winning,) = kind.conclude(states), kind.winning_seats(states, ruleset)
    return {
        "winner": kind.winner_name(int(end["winner"])),
        "reason": kind.reason_name(int(end["reason"])),
        "winning_seats": tuple(seat.name for seat, wins in zip(ruleset.seats, winning, strict=True) if wins),
    }


def frame(kind: GameKind, state: np.record, mode: str, viewer: int | None) -> str | np.ndarray | None:
    """Renders a position as one frame.

    Args:
        kind: the game.
        state: one record of ``kind.state``.
        mode: ``ansi``: a string; ``rgb_array``: ``uint8[H, W, 3]``; ``human``: the text is printed, and None
            is returned.
        viewer: the seat whose view is shown; None: all hands are shown. In a game without
            ``Environments.text``, the text describes the position only if this seat decides, or is None; to
            others it names the deciding seat.
    """
    own = kind.environments
    if mode == "rgb_array":
        if own.image is not None:
            return own.image(state, viewer)
        from wotr_env.core.raster import raster  # not needed by those who never render

        assert kind.drawing is not None
        return raster(kind.drawing(state, viewer))
    if own.text is not None:
        text = own.text(state, viewer)
    elif state["winner"] != GOING_ON:
        text = kind.words.decision(state)  # how the game ended
    elif viewer is None or viewer == state["seat"]:
        text = f"{kind.words.position(state)}\n{kind.words.decision(state)}"
    else:  # words are those of the deciding seat, and show its hand
        text = f"{kind.ruleset.of(state).seats[int(state['seat'])].title} decides"
    if mode == "ansi":
        return text
    print(text)
    return None


class KindGame:
    """One game of a kind, as a batch of one game. It keeps no record, and no copy with which a failed step
    could be undone.

    Attributes:
        kind: the game.
        ruleset: the ruleset.
        bonus: an addition to the reward of a seat that wins within a team of several seats.
        states: ``kind.state[1]``.
        masks: ``bool[1, A]``, the legal actions.
        seats: an array view of the deciding seat, integers of shape (1,); the number has no meaning when the
            game is over.
        observations: ``int8[1, D]``, the observation of the deciding seat; None in a game without
            ``Environments.stepper``, where observations are computed on demand.

    Args:
        game: a game by its name, or its ``GameKind``.
        ruleset: a ruleset of the game, its ``to_dict``, or a spec such as ``open``; None: the default.

    Raises:
        ValueError: there is no such game or ruleset.
    """

    def __init__(self, game: str | GameKind, ruleset: RulesetLike | None = None) -> None:
        self.kind = kind = kind_of(game)
        self.ruleset: Any = kind.read_ruleset(ruleset)
        self.bonus = 0.0
        self.states = np.zeros(1, dtype=kind.state)
        self.masks = np.zeros((1, kind.actions.size), dtype=np.bool_)
        self.observations: np.ndarray | None = None
        self._play: Any = functools.partial(kind.kernels.step, self.states, self.masks)
        if kind.environments.stepper is not None:
            self.observations = np.zeros((1, kind.layout.size), dtype=np.int8)
            self._play = kind.environments.stepper(self.states, self.masks, self.observations)
        self._seen = None if self.observations is None else self.observations[0]
        self.seats = self.states["seat"]
        self._winners = self.states["winner"]
        self._winners[0] = GOING_ON
        self._blank = self.states.tobytes()
        self._mask = self.masks[0].view(np.int8)
        self._actions = np.zeros(1, dtype=np.int64)

    def __getstate__(self) -> tuple[Any, ...]:
        """The state for copies. Copies of single views would not share the memory of their arrays; saving the
        state as bytes keeps the padding of the record."""
        return self.kind, self.ruleset, self.bonus, self.states.tobytes(), self.masks, self.observations

    def __setstate__(self, parts: tuple[Any, ...]) -> None:
        kind, ruleset, bonus, states, masks, observations = parts
        KindGame.__init__(self, kind, ruleset)
        self.bonus = bonus
        bytes_of(self.states)[0] = np.frombuffer(states, dtype=np.uint8)
        self.masks[:] = masks
        if self.observations is not None:
            self.observations[:] = observations

    def start(self, seed: int) -> None:
        """Starts the game of a seed, 0 <= seed < 2**63.

        Raises:
            ValueError: the seed is not an integer or is out of range.
        """
        kernels, seeds = self.kind.kernels, np.array([check_seed(seed)], dtype=np.int64)
        kernels.prepare()
        kernels.start(self.states, self.masks, seeds, self.ruleset)
        if self.observations is not None:
            self.observations[:] = kernels.observe(self.states, self.seats.astype(np.int64))

    def step(self, action: Any) -> None:
        """Plays one legal action.

        Raises:
            IllegalAction: the action is illegal or not an integer, or the game is over; the game is
                unchanged.
        """
        try:
            number = operator.index(action)
            legal = number >= 0 and self._mask[number]
        except (TypeError, IndexError):
            legal = number = 0
        if not legal:
            self._refuse(action)
        self._actions[0] = number
        self._play(self._actions)

    def _refuse(self, action: Any) -> NoReturn:
        """Raises IllegalAction. If the game has a text form of positions, the message is the game's own
        message."""
        if not hasattr(action, "__index__"):
            raise IllegalAction(f"an action is an integer, its id, not {action!r}")
        if not self.begun:
            raise IllegalAction(f"action {action} before a game has begun: call reset()")
        if self.kind.positions is not None:
            Game.begun(self.kind, self.states).step(action)
        if self.over:
            raise IllegalAction(f"action {action} after the end: the game is over")
        legal = ", ".join(self.kind.actions.names[each] for each in np.flatnonzero(self.masks[0]))
        raise IllegalAction(f"action {action} is illegal; legal: {legal}")

    @property
    def seat(self) -> int:
        """The deciding seat; the number has no meaning when the game is over."""
        return self.seats.item()

    @property
    def begun(self) -> bool:
        """Whether a game has been started."""
        return self.states.tobytes() != self._blank

    @property
    def over(self) -> bool:
        """Whether the game has ended."""
        return self._winners.item() != GOING_ON

    @property
    def truncated(self) -> bool:
        """Whether the game has ended by a truncation, such as a turn limit."""
        return self.over and bool(truncated(self.kind, self.states)[0])

    @property
    def state(self) -> np.record:
        """A copy of the whole state: one record of dtype ``kind.state``."""
        return copy_states(self.states)[0]

    def observe(self, seat: int) -> np.ndarray:
        """The observation of a seat: a new ``int8[D]``."""
        if self._seen is not None and seat == self.seats.item():
            return self._seen.copy()
        return self.kind.kernels.observe(self.states, np.array([seat], dtype=np.int64))[0]

    def mask(self, seat: int | None = None) -> np.ndarray:
        """The mask of a seat: a new ``int8[A]``; zeros if the seat does not decide.

        If the seat is None, the mask of the deciding seat; zeros when the game is over.
        """
        decides = seat is None or seat == self.seats.item()
        return self._mask.copy() if decides else np.zeros_like(self._mask)

    def rewards(self) -> list[float]:
        """The rewards of the seats at the end of the game, see ``rewards_of``."""
        return rewards_of(self.kind, self.states, self.ruleset, self.bonus)[0].tolist()

    def result(self) -> dict[str, Any]:
        """The infos about the end of the game, see ``end_info``."""
        return end_info(self.kind, self.states[0], self.ruleset)

    def frame(self, mode: str, viewer: int | None) -> str | np.ndarray | None:
        """One frame of the position, see ``frame``.

        Raises:
            gymnasium.error.ResetNeeded: no game has begun.
        """
        if not self.begun:
            raise ResetNeeded("render() before a game has begun: call reset()")
        return frame(self.kind, self.state, mode, viewer)
