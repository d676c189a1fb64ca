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

from wotr_env.core.kind import GameKind
from wotr_env.envs.env_game import RENDER_MODES, RenderMode
from wotr_env.envs.gymnasium_env import Illegal, OneSeatEnv
from wotr_env.envs.kind_game import KindGame, render_modes
from wotr_env.envs.shaping import Shaping


class KindEnv(OneSeatEnv):
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
        ruleset: one of the game's, its ``to_dict``, or a spec such as ``open``; None: the default.
        illegal: what an illegal action does. ``error``: it raises ``IllegalAction`` and the game goes on;
            ``loss``: it ends the game with reward -1.
        render_mode: ``ansi`` (a string), ``human`` (prints the text after every step), or ``rgb_array`` if
            the game is drawn.
        shaping: what is added to the rewards (``wotr_env.envs.shaping``); by default nothing.

    Raises:
        TypeError: the shaping is no ``Shaping``.
        ValueError: another argument has an unknown value, or there is no such ruleset.
        BotError: there is no such bot.
    """

    metadata = {"render_modes": list(RENDER_MODES), "render_fps": 2}  # noqa: RUF012 (Gymnasium's protocol)

    def __init__(
        self,
        game: str | GameKind,
        seat: str | None = None,
        opponent: Any = "random",
        ruleset: Any = None,
        illegal: Illegal = "error",
        render_mode: RenderMode | None = None,
        shaping: Shaping | None = None,
    ) -> None:
        made = KindGame(game, ruleset)
        self.metadata = {**self.metadata, "render_modes": list(render_modes(made.kind))}
        super().__init__(made, made.kind, seat, opponent, illegal, render_mode, shaping)
        self.observation_space = made.observation_space

    def render(self) -> str | np.ndarray | None:
        """The position as the learner's seat sees it; None without a render mode or where it was printed."""
        if self.render_mode is None:
            gymnasium.logger.warn("render() without a render_mode; give one, such as render_mode='ansi'")
            return None
        return self.game.shown(self.render_mode, self._seat)

    def _reward(self) -> float:
        return self.game.rewards()[self._seat] if self.game.over else 0.0
