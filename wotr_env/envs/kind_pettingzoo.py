"""Any game for PettingZoo: its seats are the agents, and who decides next acts next.

    import pettingzoo, wotr_env

    env = pettingzoo.make("aec", "lotr_duel-v0", ruleset="open")

Observations are dictionaries of ``observation``, ``int8[D]``, with all that the agent may know, and
``action_mask``, ``int8[A]``, zeros for an agent that does not decide. Rewards are what the end is worth to
the agent's team, 0 before, but for ``shaping``. At the end the infos tell ``winner``, ``reason`` and
``winning_seats``.

``reset(seed=s)`` starts the game of that seed; a reset without one draws the next from a generator that the
last seed began. No options of ``reset`` are used.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, TypedDict, Unpack

import gymnasium
import numpy as np
from pettingzoo import AECEnv

from wotr_env.core.kind import GameKind
from wotr_env.envs.env_game import RENDER_MODES, RenderMode, check_arguments
from wotr_env.envs.kind_game import KindGame, render_modes
from wotr_env.envs.seats_aec import SeatsAEC
from wotr_env.envs.shaping import Shaping
from wotr_env.envs.wrapping import wrapped


class KindAEC(SeatsAEC):
    """The environment without wrappers: an illegal action raises ``IllegalAction`` and the game goes on.

    Attributes:
        game: the game being played.

    Args:
        game: a game by its name, or its ``GameKind``.
        name: of the environment, such as ``lotr_duel_v0``; by default that of the game.
        ruleset: one of the game's, its ``to_dict``, or a spec such as ``open``; None: the default.
        render_mode: ``ansi`` (a string), ``human`` (prints the text after every step), or ``rgb_array`` if
            the game is drawn.
        shaping: what is added to the rewards (``wotr_env.envs.shaping``); by default nothing.

    Raises:
        TypeError: the shaping is no ``Shaping``.
        ValueError: another argument has an unknown value, or there is no such ruleset.
    """

    metadata = {  # noqa: RUF012 (PettingZoo's protocol)
        "render_modes": list(RENDER_MODES),
        "is_parallelizable": False,
        "render_fps": 2,
    }

    def __init__(
        self,
        game: str | GameKind,
        name: str | None = None,
        ruleset: Any = None,
        render_mode: RenderMode | None = None,
        shaping: Shaping | None = None,
    ) -> None:
        self.game = made = KindGame(game, ruleset)
        self.metadata = {**self.metadata, "name": name or made.kind.name}
        modes = render_modes(made.kind)
        self.metadata["render_modes"] = list(modes)
        seats = made.ruleset.seats
        boxes = made.observation_space, made.mask_space
        super().__init__(made, seats, *boxes, render_mode, modes, shaping)

    def _end_rewards(self) -> Sequence[float]:
        return self.game.rewards()

    def render(self) -> str | np.ndarray | None:
        """The position as the agent who decides sees it; None where it was printed."""
        if self.render_mode is None:
            gymnasium.logger.warn("render() without a render_mode; give one, such as render_mode='ansi'")
            return None
        return self.game.shown(self.render_mode, self.game.seat)


class _Game(TypedDict):
    game: str | GameKind


class KindArguments(_Game, total=False):
    """Arguments of ``env`` and ``raw_env``, those of ``KindAEC``."""

    name: str | None
    ruleset: Any
    render_mode: RenderMode | None
    shaping: Shaping | None


def raw_env(**arguments: Unpack[KindArguments]) -> KindAEC:
    """The environment without wrappers.

    Raises:
        TypeError: it has no such argument, there is no ``game``, or as ``KindAEC``.
        ValueError: an argument has an unknown value.
    """
    check_arguments(arguments, KindArguments)
    return KindAEC(**arguments)


def env(**arguments: Unpack[KindArguments]) -> AECEnv:
    """With the wrappers of PettingZoo's classic games: an illegal action loses the game."""
    return wrapped(raw_env(**arguments))
