"""Any game for PettingZoo: its seats are the agents, and who decides next acts next.

    import pettingzoo, wotr_env

    env = pettingzoo.make("aec", "lotr_duel-v0", ruleset="open")

Observations are dictionaries of ``observation``, ``int8[D]``, with all that the agent may know, and
``action_mask``, ``int8[A]``, zeros for an agent that does not decide. Rewards are what the end is worth to
the agent's team, 0 before. At the end the infos tell ``winner``, ``reason`` and ``winning_seats``.

``reset(seed=s)`` starts the game of that seed; a reset without one draws the next from a generator that the
last seed began. No options of ``reset`` are used.
"""

from __future__ import annotations

from typing import Any

import gymnasium
import numpy as np
from gymnasium import spaces
from pettingzoo import AECEnv

from wotr_env.envs.env_game import check_word, draw_seed
from wotr_env.envs.kind_game import RENDER_MODES, KindGame
from wotr_env.envs.wrapping import wrapped
from wotr_env.kind import GameKind


class KindAEC(AECEnv[str, Any, Any]):
    """The environment without wrappers: an illegal action raises ``IllegalAction`` and the game goes on.

    Attributes:
        game: the game being played.

    Args:
        game: a game by its name, or its ``GameKind``.
        name: of the environment, such as ``lotr_duel_v0``; by default that of the game.
        ruleset: one of the game's, or the spec of one; None: the default.
        render_mode: ``ansi`` (a string) or ``human`` (prints the text after every step).

    Raises:
        TypeError: the ruleset is none of this game.
        ValueError: another argument has an unknown value.
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
        render_mode: str | None = None,
    ) -> None:
        super().__init__()
        self.game = KindGame(game, ruleset)
        self.metadata = {**self.metadata, "name": name or self.game.kind.name}
        self.render_mode = check_word("render_mode", render_mode, (None, *RENDER_MODES))
        self.possible_agents = [f"{seat.name}_0" for seat in self.game.ruleset.seats]
        self._seat_of = {agent: seat for seat, agent in enumerate(self.possible_agents)}
        self._seeds: np.random.Generator | None = None
        self.action_spaces = {
            agent: spaces.Discrete(int(self.game.action_space.n)) for agent in self.possible_agents
        }
        seen: dict[str, gymnasium.Space[Any]] = {
            "observation": self.game.observation_space,
            "action_mask": self.game.mask_space,
        }
        self.observation_spaces = {agent: spaces.Dict(seen) for agent in self.possible_agents}

    def observation_space(self, agent: str) -> gymnasium.Space[Any]:
        """Dict of ``observation`` (``int8[D]``) and ``action_mask`` (``int8[A]``)."""
        return self.observation_spaces[agent]

    def action_space(self, agent: str) -> gymnasium.Space[Any]:
        """``Discrete(A)``."""
        return self.action_spaces[agent]

    def reset(self, seed: int | None = None, options: dict[str, Any] | None = None) -> None:
        """Starts a game.

        Raises:
            ValueError: the seed is no integer or out of range.
        """
        if seed is None:
            if self._seeds is None:
                self._seeds = np.random.default_rng()
            self.game.start(draw_seed(self._seeds))
        else:
            self.game.start(seed)
            self._seeds = np.random.default_rng(seed)
        self.agents = list(self.possible_agents)
        self.rewards = dict.fromkeys(self.agents, 0)
        self._cumulative_rewards = dict.fromkeys(self.agents, 0)
        self.terminations = dict.fromkeys(self.agents, False)
        self.truncations = dict.fromkeys(self.agents, False)
        self.infos = {agent: {} for agent in self.agents}
        self.agent_selection = self.agents[self.game.seat]
        self._show()

    def step(self, action: int | None) -> None:
        """Plays the action of the agent who decides; None for one whose game is over.

        Raises:
            IllegalAction: the action is not legal now; the game goes on unchanged.
        """
        agent = self.agent_selection
        if self.terminations[agent] or self.truncations[agent]:
            self._was_dead_step(action)
            return
        self.game.step(action)
        if self.game.over:
            self._end()
        else:  # the rewards of all agents are still 0
            self.agent_selection = self.possible_agents[self.game.seat]
        self._show()

    def _end(self) -> None:
        self.terminations = dict.fromkeys(self.agents, True)
        self.rewards = dict(zip(self.agents, self.game.rewards(), strict=True))
        self._accumulate_rewards()
        self.infos = {agent: self.game.result() for agent in self.agents}
        self.agent_selection = self.agents[0]

    def observe(self, agent: str) -> dict[str, np.ndarray]:
        """What an agent sees: new arrays ``observation`` and ``action_mask``."""
        seat = self._seat_of[agent]
        return {"observation": self.game.observe(seat), "action_mask": self.game.mask(seat)}

    def render(self) -> str | None:
        """The position as the agent who decides sees it; None where it was printed."""
        if self.render_mode is None:
            gymnasium.logger.warn("render() without a render_mode; give one, such as render_mode='ansi'")
            return None
        if self.render_mode == "ansi":
            return self.game.text()
        print(self.game.text())
        return None

    def _show(self) -> None:
        if self.render_mode == "human":
            self.render()

    def close(self) -> None:
        """Nothing is held that must be released."""


def raw_env(**arguments: Any) -> KindAEC:
    """The environment without wrappers; arguments are those of ``KindAEC``."""
    return KindAEC(**arguments)


def env(**arguments: Any) -> AECEnv:
    """With the wrappers of PettingZoo's classic games: an illegal action loses the game."""
    return wrapped(raw_env(**arguments))
