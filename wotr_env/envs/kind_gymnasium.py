"""Plays any board game through Gymnasium: one learner plays one seat, and bots play the other seats.

    import gymnasium, wotr_env

    env = gymnasium.make("LotrDuel-v0", seat="sauron", opponent="random")
    observation, info = env.reset(seed=1)
    action = env.action_space.sample(info["action_mask"])
    observation, reward, terminated, truncated, info = env.step(action)

One step is one decision of the learner's seat. The bots decide inside ``step`` and ``reset``.
``gymnasium.make_vec`` makes a batch of such games, which is faster than single environments. A batch replaces
each finished game by the next game in the same step.
"""

from __future__ import annotations

from typing import Any, Literal, get_args

import gymnasium
import numpy as np
from gymnasium import spaces

from wotr_env.core.errors import IllegalAction
from wotr_env.core.kind import GameKind
from wotr_env.core.values import check_bonus, check_seed
from wotr_env.envs.kind_game import (
    MOST_STARTS,
    RENDER_MODES,
    KindGame,
    RenderMode,
    RulesetLike,
    check_word,
    draw_seed,
    never_decides,
    observation_box,
    render_modes,
    with_turn_limit,
)
from wotr_env.envs.opponents import Opponents, seat_number
from wotr_env.envs.shaping import ShapedRewards, Shaping
from wotr_env.envs.specs import PlainSpec

Illegal = Literal["error", "loss"]
ILLEGAL: tuple[Illegal, ...] = get_args(Illegal)
_NOBODY = -1
"""The seat of a viewer without a seat, for whom no action is legal."""


class KindEnv(PlainSpec, gymnasium.Env[np.ndarray, int | np.int64]):
    """A game in which the learner plays one seat and bots play the other seats.

    Observations are ``int8[D]`` from the view of the learner's seat; actions are ``Discrete(A)``. The reward
    is the value of the end for the learner's team, and 0 before the end. ``info["action_mask"]`` is
    ``int8[A]``, zeros at the end. At the end, ``info`` also has ``winner``, ``reason`` and ``winning_seats``.

    Seeds of ``reset`` work as in ``WarOfTheRingEnv``. Options of ``reset`` are ignored.

    Args:
        game: a game by its name, or its ``GameKind``.
        seat: the learner's seat, by its name in ``ruleset.seats``; by default the first.
        opponent: the player of all other seats: the spec of a registered bot, a ``Bot``, or a mapping from
            the name of each other seat to one of these.
        ruleset: a ruleset of the game, its ``to_dict``, or a spec such as ``open``; None: the default.
        illegal: the effect of an illegal action. ``error``: the action raises ``IllegalAction`` and the game
            continues; ``loss``: the action ends the game with reward -1.
        render_mode: ``ansi`` (a string), ``human`` (prints the text after every step), or ``rgb_array`` if
            the game has drawings.
        shaping: reward shaping (``wotr_env.envs.shaping``); by default none.
        max_turns: turn limit (0: no limit); by default the limit of the ruleset.
        individual_bonus: an addition to the reward if the learner wins within a team of several players.

    Raises:
        TypeError: the shaping is not a ``Shaping``.
        ValueError: another argument has an unknown value, or the ruleset is unknown, or the game has no turn
            limit, or not this one.
        BotError: the bot is unknown.
    """

    metadata = {"render_modes": list(RENDER_MODES), "render_fps": 2}  # noqa: RUF012 (Gymnasium's protocol)

    def __init__(
        self,
        game: str | GameKind,
        seat: str | None = None,
        opponent: Any = "random",
        ruleset: RulesetLike | None = None,
        illegal: Illegal = "error",
        render_mode: RenderMode | None = None,
        shaping: Shaping | None = None,
        max_turns: int | None = None,
        individual_bonus: float = 0.0,
    ) -> None:
        self.game = KindGame(game, with_turn_limit(game, ruleset, max_turns))
        self.game.bonus = check_bonus(individual_bonus)
        kind, seats = self.game.kind, self.game.ruleset.seats
        modes = render_modes(kind)
        self.metadata = {**self.metadata, "render_modes": list(modes)}
        self._illegal_loses = check_word("illegal", illegal, ILLEGAL) == "loss"
        self.render_mode = check_word("render_mode", render_mode, (None, *modes))
        self.observation_space = observation_box(kind)
        self.action_space = spaces.Discrete(kind.actions.size)
        self._seat = seat_number(seat, seats)
        self._opponents = Opponents(opponent, seats, self._seat, kind)
        self._forfeited = False
        self._shaped = ShapedRewards(shaping, 1, len(seats))

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[np.ndarray, dict[str, Any]]:
        """Starts a game and plays it to the first decision of the learner; returns the observation and info.

        If the game ends before this decision, the next game is started, with a seed from ``np_random``.

        Raises:
            ValueError: the seed is not an integer or is out of range, or ``MOST_STARTS`` games in a row ended
                before the learner decided.
        """
        seed = None if seed is None else check_seed(seed)
        super().reset(seed=seed)
        self._opponents.begin(self.np_random, seeded=seed is not None)
        self._forfeited = False
        for _ in range(MOST_STARTS):
            self.game.start(draw_seed(self.np_random) if seed is None else seed)
            self._play_opponents()
            if not self.game.over:
                break
            seed = None
        else:
            raise never_decides(self.game.kind, self.game.ruleset.seats[self._seat])
        self._show()
        observation = self.game.observe(self._seat)
        if self._shaped:
            self._shaped.begin()
            self._shaping_reward(observation)
        return observation, self._info()

    def step(self, action: int) -> tuple[np.ndarray, float, bool, bool, dict[str, Any]]:
        """Plays one decision of the learner, and all decisions of the bots until the learner decides again.

        Returns:
            The observation, the reward, whether the game terminated (by the rules or by an illegal action),
                whether it was truncated (such as by a turn limit), and the info.

        Raises:
            IllegalAction: the action is illegal (unless ``illegal="loss"``), or no game is in progress.
        """
        if self._forfeited:
            raise IllegalAction(f"action {action} after the end: the game was lost by an illegal action")
        game = self.game
        try:
            game.step(action)
        except IllegalAction:
            if game.over or not game.begun or not self._illegal_loses:
                raise
            self._forfeited = True
            observation = game.observe(self._seat)
            return observation, -1.0 + self._shaping_reward(observation), True, False, self._info()
        self._play_opponents()
        self._show()
        over, truncated = game.over, game.truncated
        observation, reward = game.observe(self._seat), game.rewards()[self._seat] if over else 0.0
        if self._shaped:
            reward += self._shaping_reward(observation)
        return observation, reward, over and not truncated, truncated, self._info()

    def action_masks(self) -> np.ndarray:
        """The legal actions, in the form that MaskablePPO reads: ``bool[A]``."""
        return self._mask().view(np.bool_)

    def render(self) -> str | np.ndarray | None:
        """The position from the view of the learner's seat: text or ``uint8[H, W, 3]``; None if it was
        printed."""
        if self.render_mode is None:
            gymnasium.logger.warn("render() without a render_mode; give one, such as render_mode='ansi'")
            return None
        return self.game.frame(self.render_mode, self._seat)

    def _play_opponents(self) -> None:
        game = self.game
        while not game.over and game.seat != self._seat:
            game.step(self._opponents.act(game.states, game.masks)[0])

    def _shaping_reward(self, observation: np.ndarray) -> float:
        """The shaping reward for the learner's observation, at a decision or at the end."""
        if self.game.over or self._forfeited:
            return float(self._shaped.end([0])[0, self._seat])
        return float(self._shaped.decide([0], [self._seat], observation[None])[0])

    def _mask(self) -> np.ndarray:
        seat = _NOBODY if self._forfeited else self._seat
        return self.game.mask(seat)

    def _info(self) -> dict[str, Any]:
        info: dict[str, Any] = {"action_mask": self._mask()}
        if self.game.over:
            info.update(self.game.result())
        return info

    def _show(self) -> None:
        if self.render_mode == "human":
            self.render()
