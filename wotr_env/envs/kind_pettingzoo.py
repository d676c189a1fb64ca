"""Plays any board game through PettingZoo. Each seat is an agent, and the deciding seat acts next.

    import pettingzoo, wotr_env

    env = pettingzoo.make("aec", "lotr_duel-v0", ruleset="open")

Observations are dictionaries of ``observation`` (``int8[D]``, everything that the agent may know) and
``action_mask`` (``int8[A]``, zeros for an agent that does not decide). A reward is the value of the end for
the agent's team; before the end it is 0, apart from ``shaping``. At the end the infos have ``winner``,
``reason`` and ``winning_seats``.

``max_turns`` limits the turns of a game that counts turns. At the limit, the game is truncated. If the rules
define a winner at the limit, as in the Duel and The Two Towers, the game is terminated instead.

``reset(seed=s)`` starts the game of seed s. Without a seed, ``reset`` draws a seed from a random generator.
The last explicit seed initialised this generator. Options of ``reset`` are ignored.
"""

from __future__ import annotations

from typing import Any, Literal, TypedDict, Unpack, get_args

import gymnasium
import numpy as np
from gymnasium import spaces
from pettingzoo import AECEnv

from wotr_env.core.errors import IllegalAction
from wotr_env.core.kind import GameKind
from wotr_env.core.seats import check_seat
from wotr_env.core.values import check_bonus
from wotr_env.envs.kind_game import (
    RENDER_MODES,
    KindGame,
    RenderMode,
    RulesetLike,
    check_arguments,
    check_word,
    draw_seed,
    observation_box,
    render_modes,
    with_turn_limit,
)
from wotr_env.envs.shaping import ShapedRewards, Shaping
from wotr_env.envs.wrapping import wrapped

Rewards = Literal["win", "none"]
REWARDS: tuple[Rewards, ...] = get_args(Rewards)


class KindAEC(AECEnv[str, Any, Any]):
    """The environment without wrappers: an illegal action raises ``IllegalAction`` and the game continues.

    Copies (``copy.deepcopy``, ``pickle``) continue from the same position with the same future.

    Attributes:
        game: the current game.

    Args:
        game: a game by its name, or its ``GameKind``.
        name: the name of the environment, such as ``lotr_duel_v0``; by default the name of the game.
        ruleset: a ruleset of the game, its ``to_dict``, or a spec such as ``open``; None: the default.
        render_mode: ``ansi`` (a string), ``human`` (prints the text after every step), or ``rgb_array`` if
            the game has drawings.
        shaping: reward shaping (``wotr_env.envs.shaping``); by default none.
        max_turns: turn limit (0: no limit); by default the limit of the ruleset.
        rewards: ``win``, or ``none`` if all rewards are 0.
        individual_bonus: an addition to the reward of an agent that wins within a team of several agents.
        viewer: the agent whose view ``render`` shows; by default the deciding agent, and everything at the
            end. In a game without ``Environments.text``, the text describes the position only when the
            viewer decides; at other times it names the deciding agent.

    Raises:
        TypeError: the shaping is not a ``Shaping``.
        ValueError: another argument has an unknown value, or the ruleset is unknown, or the game has no turn
            limit, or not this one.
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
        ruleset: RulesetLike | None = None,
        render_mode: RenderMode | None = None,
        shaping: Shaping | None = None,
        max_turns: int | None = None,
        rewards: Rewards = "win",
        individual_bonus: float = 0.0,
        viewer: str | None = None,
    ) -> None:
        super().__init__()
        self.game = KindGame(game, with_turn_limit(game, ruleset, max_turns))
        kind, seats = self.game.kind, self.game.ruleset.seats
        modes = render_modes(kind)
        self.metadata = {**self.metadata, "name": name or kind.name, "render_modes": list(modes)}
        self.render_mode = check_word("render_mode", render_mode, (None, *modes))
        self.possible_agents = [f"{seat.name}_0" for seat in seats]
        self._seat_of = {agent: seat for seat, agent in enumerate(self.possible_agents)}
        self._seeds: np.random.Generator | None = None
        self._shaped = ShapedRewards(shaping, 1, len(seats))
        self.viewer = None if viewer is None else self.possible_agents[check_seat(viewer, seats)]
        self._rewarded = check_word("rewards", rewards, REWARDS) == "win"
        self.game.bonus = check_bonus(individual_bonus)
        actions = kind.actions.size
        self.action_spaces = {agent: spaces.Discrete(actions) for agent in self.possible_agents}
        seen: dict[str, gymnasium.Space[Any]] = {
            "observation": observation_box(kind),
            "action_mask": spaces.Box(0, 1, (actions,), np.int8),
        }
        self.observation_spaces = {agent: spaces.Dict(seen) for agent in self.possible_agents}

    def observation_space(self, agent: str) -> gymnasium.Space[Any]:
        """Dict of ``observation`` (``int8[D]``) and ``action_mask`` (``int8[A]``)."""
        return self.observation_spaces[self._known(agent)]

    def action_space(self, agent: str) -> gymnasium.Space[Any]:
        """``Discrete(A)``."""
        return self.action_spaces[self._known(agent)]

    def reset(self, seed: int | None = None, options: dict[str, Any] | None = None) -> None:
        """Starts the game of the seed. Without a seed, draws one from a random generator, which the last
        explicit seed initialised.

        Raises:
            ValueError: the seed is not an integer or is out of range.
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
        if self._shaped:
            self._shaped.begin()
            self._shape()
        self._show()

    def step(self, action: int | None) -> None:
        """Plays the action of the deciding agent; None for an agent whose game is over.

        Raises:
            IllegalAction: the action is illegal; the game is unchanged.
        """
        if not getattr(self, "agents", ()):
            raise IllegalAction(f"action {action} before a game has begun or after it: call reset()")
        agent = self.agent_selection
        if self.terminations[agent] or self.truncations[agent]:
            self._was_dead_step(action)
            return
        game = self.game
        game.step(action)
        if game.over:
            self._end()
        else:  # the rewards of all agents are still 0, but for shaping
            self.agent_selection = self.possible_agents[game.seat]
            if self._shaped:
                self._shape(agent)
        self._show()

    def _end(self) -> None:
        ended = dict.fromkeys(self.agents, True)
        if self.game.truncated:
            self.truncations = ended
        else:
            self.terminations = ended
        rewards = self.game.rewards() if self._rewarded else [0] * len(self.agents)
        self.rewards = dict(zip(self.agents, rewards, strict=True))
        if self._shaped:
            self._cumulative_rewards[self.agent_selection] = 0
            self._add(self.rewards)
        self._accumulate_rewards()
        self.infos = {agent: self.game.result() for agent in self.agents}
        self.agent_selection = self.agents[0]

    def forfeit(self) -> None:
        """Adds the shaping rewards at the end of a game that an illegal action ended."""
        if self._shaped:
            self._add(self.rewards, self._cumulative_rewards)

    def _shape(self, acted: str | None = None) -> None:
        """Adds the shaping reward of the deciding agent.

        Args:
            acted: the agent that made the previous decision.
        """
        seat = self.game.seat
        gained = self._shaped.decide([0], [seat], self.game.observe(seat)[None])[0]
        if acted is not None:
            self._cumulative_rewards[acted] = 0
        self._clear_rewards()
        self.rewards[self.agent_selection] = float(gained)
        self._accumulate_rewards()

    def _add(self, *accounts: dict[str, Any]) -> None:
        """Adds the shaping rewards of all agents at the end."""
        for agent, gained in zip(self.possible_agents, self._shaped.end([0])[0].tolist(), strict=True):
            for rewards in accounts:
                rewards[agent] += gained

    def observe(self, agent: str) -> dict[str, np.ndarray]:
        """The observation of an agent: new arrays ``observation`` and ``action_mask``.

        Raises:
            ValueError: there is no such agent.
        """
        seat = self._seat_of[self._known(agent)]
        return {"observation": self.game.observe(seat), "action_mask": self.game.mask(seat)}

    def _known(self, agent: str) -> str:
        if agent not in self._seat_of:
            raise ValueError(f"there is no agent {agent!r}; the agents are {', '.join(self.possible_agents)}")
        return agent

    def render(self) -> str | np.ndarray | None:
        """The position from the view of the viewer, by the render mode; None if it was printed."""
        if self.render_mode is None:
            gymnasium.logger.warn("render() without a render_mode; give one, such as render_mode='ansi'")
            return None
        return self.game.frame(self.render_mode, self._viewer())

    def _viewer(self) -> int | None:
        """The seat whose view ``render`` shows; None: everything is shown."""
        if self.viewer is not None:
            return self._seat_of[self.viewer]
        return self.game.seat if self.game.begun and not self.game.over else None

    def _show(self) -> None:
        if self.render_mode == "human":
            self.render()

    def close(self) -> None:
        """Does nothing; PettingZoo wants this method if there is ``render``."""


class _Game(TypedDict):
    game: str | GameKind


class KindArguments(_Game, total=False):
    """The arguments of ``env``, ``raw_env`` and ``KindAEC``."""

    name: str | None
    ruleset: RulesetLike | None
    render_mode: RenderMode | None
    shaping: Shaping | None
    max_turns: int | None
    rewards: Rewards
    individual_bonus: float
    viewer: str | None


def raw_env(**arguments: Unpack[KindArguments]) -> KindAEC:
    """The environment without wrappers.

    Raises:
        TypeError: an argument is unknown, ``game`` is missing, or the shaping is not a ``Shaping``.
        ValueError: an argument has an unknown value.
    """
    check_arguments(arguments, KindArguments)
    return KindAEC(**arguments)


def env(**arguments: Unpack[KindArguments]) -> AECEnv:
    """The environment with the wrappers of PettingZoo's classic games: an illegal action loses the game."""
    return wrapped(raw_env(**arguments))
