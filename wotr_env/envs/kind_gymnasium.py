"""Any game for one learner: one seat, and bots at the others.

    import gymnasium, wotr_env

    env = gymnasium.make("LotrDuel-v0", seat="sauron", opponent="random")
    observation, info = env.reset(seed=1)
    action = env.action_space.sample(info["action_mask"])
    observation, reward, terminated, truncated, info = env.step(action)

One step is one decision of the learner's seat; those of the others are played inside ``step`` and ``reset``.
"""

from __future__ import annotations

from typing import Any

import gymnasium
import numpy as np

from wotr_env.envs.env_game import check_word, draw_seed
from wotr_env.envs.gymnasium_env import ILLEGAL, Opponents, seat_number
from wotr_env.envs.kind_game import RENDER_MODES, KindGame
from wotr_env.errors import IllegalAction
from wotr_env.kind import GameKind
from wotr_env.values import check_seed


class KindEnv(gymnasium.Env[np.ndarray, int | np.int64]):
    """One seat of a game with bots at the others.

    Observations are ``int8[D]`` as the learner's seat sees the game, actions ``Discrete(A)``. The reward is
    what the end is worth to the learner's team, 0 before. ``info["action_mask"]`` is ``int8[A]``, zeros at
    the end, where ``info`` also tells ``winner``, ``reason`` and ``winning_seats``.

    Seeds of ``reset`` are as in ``WarOfTheRingEnv``. No options of ``reset`` are used.

    Args:
        game: a game by its name, or its ``GameKind``.
        seat: the learner's, by its name in ``ruleset.seats``; by default the first.
        opponent: who plays all other seats: the spec of a registered bot, a ``Bot``, or a mapping that has
            one of these for each other seat by its name.
        ruleset: one of the game's, or the spec of one; None: the default.
        illegal: what an illegal action does. ``error``: it raises ``IllegalAction`` and the game goes on;
            ``loss``: it ends the game with reward -1.
        render_mode: ``ansi`` (a string) or ``human`` (prints the text after every step).

    Raises:
        TypeError: the ruleset is none of this game.
        ValueError: another argument has an unknown value.
        BotError: there is no such bot.
    """

    metadata = {"render_modes": list(RENDER_MODES), "render_fps": 2}  # noqa: RUF012 (Gymnasium's protocol)

    def __init__(
        self,
        game: str | GameKind,
        seat: str | None = None,
        opponent: Any = "random",
        ruleset: Any = None,
        illegal: str = "error",
        render_mode: str | None = None,
    ) -> None:
        self._illegal_loses = check_word("illegal", illegal, ILLEGAL) == "loss"
        self.render_mode = check_word("render_mode", render_mode, (None, *RENDER_MODES))
        self.game = KindGame(game, ruleset)
        self.action_space = self.game.action_space
        self.observation_space = self.game.observation_space
        seats = self.game.ruleset.seats
        self._seat = seat_number(seat, seats)
        self._opponents = Opponents(opponent, seats, self._seat, self.game.kind)
        self._opponents_seeded = False
        self._forfeited = False

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[np.ndarray, dict[str, Any]]:
        """Starts a game and plays it to the learner's first decision: its observation and info.

        Raises:
            ValueError: the seed is no integer or out of range.
        """
        seed = None if seed is None else check_seed(seed)
        super().reset(seed=seed)
        if seed is not None or not self._opponents_seeded:
            self._opponents.reseed(self.np_random)
            self._opponents_seeded = True
        self.game.start(draw_seed(self.np_random) if seed is None else seed)
        self._forfeited = False
        self._play_opponents()
        self._show()
        return self.game.observe(self._seat), self._info()

    def step(self, action: int) -> tuple[np.ndarray, float, bool, bool, dict[str, Any]]:
        """Plays one decision of the learner, and the others' up to the learner's next one.

        Raises:
            IllegalAction: the action is not legal now (unless ``illegal="loss"``), or the game is over.
        """
        if self._forfeited:
            raise IllegalAction(f"action {action} after the end: the game was lost by an illegal action")
        game = self.game
        try:
            game.step(action)
        except IllegalAction:
            if game.over or not self._illegal_loses:
                raise
            self._forfeited = True
            return game.observe(self._seat), -1.0, True, False, self._info()
        self._play_opponents()
        self._show()
        reward = game.rewards()[self._seat] if game.over else 0.0
        return game.observe(self._seat), reward, game.over, False, self._info()

    def action_masks(self) -> np.ndarray:
        """The legal actions, as MaskablePPO asks for them: ``bool[A]``."""
        return self._mask().view(np.bool_)

    def render(self) -> str | None:
        """The position as the learner's seat sees it; None without a render mode or where it was printed."""
        if self.render_mode is None:
            gymnasium.logger.warn("render() without a render_mode; give one, such as render_mode='ansi'")
            return None
        return self.game.shown(self.render_mode)

    def _play_opponents(self) -> None:
        game = self.game
        while not game.over and game.seat != self._seat:
            game.step(self._opponents.act(game.states, game.masks)[0])

    def _mask(self) -> np.ndarray:
        return (
            np.zeros_like(self.game.masks[0], dtype=np.int8)
            if self._forfeited
            else self.game.mask(self._seat)
        )

    def _info(self) -> dict[str, Any]:
        info: dict[str, Any] = {"action_mask": self._mask()}
        if self.game.over:
            info.update(self.game.result())
        return info

    def _show(self) -> None:
        if self.render_mode == "human":
            self.render()
