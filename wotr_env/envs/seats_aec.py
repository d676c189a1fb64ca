"""What the PettingZoo environments of all games share: seats are agents, and who decides next acts next."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Protocol

import gymnasium
import numpy as np
from gymnasium import spaces
from pettingzoo import AECEnv

from wotr_env.core.errors import IllegalAction
from wotr_env.core.kind import Seat
from wotr_env.envs.env_game import check_word, draw_seed
from wotr_env.envs.shaping import ShapedRewards, Shaping


class SteppedGame(Protocol):
    """One game stepped in place: ``EnvGame`` or ``KindGame``."""

    @property
    def seat(self) -> int:
        """The seat that decides; of no meaning when the game is over."""
        ...

    @property
    def over(self) -> bool:
        """Whether the game has ended."""
        ...

    @property
    def at_turn_limit(self) -> bool:
        """Whether the game has ended at its turn limit."""
        ...

    def start(self, seed: int) -> None:
        """Starts the game of a seed."""
        ...

    def step(self, action: Any) -> None:
        """Plays one legal action; IllegalAction for another."""
        ...

    def observe(self, seat: int) -> np.ndarray:
        """What a seat sees: a new ``int8[D]``."""
        ...

    def mask(self, seat: int) -> np.ndarray:
        """The legal actions of a seat: a new ``int8[A]``; zeros if it does not decide."""
        ...

    def result(self) -> dict[str, Any]:
        """How the game ended."""
        ...


class SeatsAEC(AECEnv[str, Any, Any]):
    """An environment without wrappers; who inherits says how it is rendered and what an end is worth.

    Args:
        game: the game being played.
        seats: who play it.
        observation: the space of what a seat sees.
        mask: the space of a mask of legal actions.
        render_mode: one of ``modes``, or None.
        modes: ``metadata["render_modes"]``.
        shaping: what is added to the rewards, or None.
    """

    def __init__(
        self,
        game: SteppedGame,
        seats: Sequence[Seat],
        observation: spaces.Box,
        mask: spaces.Box,
        render_mode: str | None,
        modes: Sequence[str],
        shaping: Shaping | None = None,
    ) -> None:
        super().__init__()
        self._game = game
        self.render_mode = check_word("render_mode", render_mode, (None, *modes))
        self.possible_agents = [f"{seat.name}_0" for seat in seats]
        self._seat_of = {agent: seat for seat, agent in enumerate(self.possible_agents)}
        self._seeds: np.random.Generator | None = None
        self._shaped = ShapedRewards(shaping, 1, len(seats))
        self.action_spaces = {agent: spaces.Discrete(mask.shape[0]) for agent in self.possible_agents}
        seen: dict[str, gymnasium.Space[Any]] = {"observation": observation, "action_mask": mask}
        self.observation_spaces = {agent: spaces.Dict(seen) for agent in self.possible_agents}

    def observation_space(self, agent: str) -> gymnasium.Space[Any]:
        """Dict of ``observation`` (``int8[D]``) and ``action_mask`` (``int8[A]``)."""
        return self.observation_spaces[self._known(agent)]

    def action_space(self, agent: str) -> gymnasium.Space[Any]:
        """``Discrete(A)``."""
        return self.action_spaces[self._known(agent)]

    def reset(self, seed: int | None = None, options: dict[str, Any] | None = None) -> None:
        """Starts a game: that of the seed, or without one the next that the last seed's generator draws.

        Raises:
            ValueError: the seed is no integer or out of range.
        """
        if seed is None:
            if self._seeds is None:
                self._seeds = np.random.default_rng()
            self._game.start(draw_seed(self._seeds))
        else:
            self._game.start(seed)
            self._seeds = np.random.default_rng(seed)
        self.agents = list(self.possible_agents)
        self.rewards = dict.fromkeys(self.agents, 0)
        self._cumulative_rewards = dict.fromkeys(self.agents, 0)
        self.terminations = dict.fromkeys(self.agents, False)
        self.truncations = dict.fromkeys(self.agents, False)
        self.infos = {agent: {} for agent in self.agents}
        self.agent_selection = self.agents[self._game.seat]
        if self._shaped:
            self._shaped.begin()
            self._shape()
        self._show()

    def step(self, action: int | None) -> None:
        """Plays the action of the agent who decides; None for one whose game is over.

        Raises:
            IllegalAction: the action is not legal now; the game goes on unchanged.
        """
        if not getattr(self, "agents", ()):
            raise IllegalAction(f"action {action} before a game has begun or after it: call reset()")
        agent = self.agent_selection
        if self.terminations[agent] or self.truncations[agent]:
            self._was_dead_step(action)
            return
        game = self._game
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
        if self._game.at_turn_limit:
            self.truncations = ended
        else:
            self.terminations = ended
        self.rewards = dict(zip(self.agents, self._end_rewards(), strict=True))
        if self._shaped:
            self._cumulative_rewards[self.agent_selection] = 0
            self._add(self.rewards)
        self._accumulate_rewards()
        self.infos = {agent: self._game.result() for agent in self.agents}
        self.agent_selection = self.agents[0]

    def forfeit(self) -> None:
        """Ends the shaping of a game that an illegal action ended: adds to the rewards already given."""
        if self._shaped:
            self._add(self.rewards, self._cumulative_rewards)

    def _shape(self, acted: str | None = None) -> None:
        """Rewards the agent who decides now; ``acted`` is who has taken his reward and decided before."""
        seat = self._game.seat
        gained = self._shaped.decide([0], [seat], self._game.observe(seat)[None])[0]
        if acted is not None:
            self._cumulative_rewards[acted] = 0
        self._clear_rewards()
        self.rewards[self.agent_selection] = float(gained)
        self._accumulate_rewards()

    def _add(self, *accounts: dict[str, Any]) -> None:
        """Adds what shaping gives to all at the end."""
        for agent, gained in zip(self.possible_agents, self._shaped.end([0])[0].tolist(), strict=True):
            for rewards in accounts:
                rewards[agent] += gained

    def _end_rewards(self) -> Sequence[float]:
        """Of each seat, for the game that is over."""
        raise NotImplementedError

    def observe(self, agent: str) -> dict[str, np.ndarray]:
        """What an agent sees: new arrays ``observation`` and ``action_mask``.

        Raises:
            ValueError: there is no such agent.
        """
        seat = self._seat_of[self._known(agent)]
        return {"observation": self._game.observe(seat), "action_mask": self._game.mask(seat)}

    def _known(self, agent: str) -> str:
        if agent not in self._seat_of:
            raise ValueError(f"there is no agent {agent!r}; the agents are {', '.join(self.possible_agents)}")
        return agent

    def _show(self) -> None:
        if self.render_mode == "human":
            self.render()

    def close(self) -> None:
        """Nothing is held that must be released."""
