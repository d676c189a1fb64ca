"""Many games of War of the Ring at once, as vector environments of Gymnasium.

``WarOfTheRingVectorEnv`` is self-play: each step takes, in every game, the action of the seat that decides.
``WarOfTheRingBotVectorEnv``, one seat with bots at the others, is what ``gymnasium.make_vec`` gives.

Autoreset is same-step: where a game ended, the observation, the mask and the seat returned are those of the
next game, and ``infos["final_obs"]`` and ``infos["final_info"]`` tell of the one that ended. The games of a
seed are those of ``VectorGame(num_envs, seed)``.
"""

from __future__ import annotations

from typing import Any, Literal, TypedDict, Unpack, get_args

import gymnasium
import numpy as np
from gymnasium import spaces
from gymnasium.vector import AutoresetMode, VectorEnv
from gymnasium.vector.utils import batch_space

from wotr_env.core.kind import copy_states
from wotr_env.core.values import check_bonus, check_seed
from wotr_env.envs.env_game import (
    check_word,
    draw_seed,
    frame,
    observation_box,
    result_words,
    rewards_of,
    with_turn_limit,
)
from wotr_env.envs.gymnasium_env import Opponents, SeatName, seat_number
from wotr_env.envs.shaping import ShapedRewards, Shaping
from wotr_env.envs.specs import PlainSpec
from wotr_env.games.war_of_the_ring.actions import NUM_ACTIONS
from wotr_env.games.war_of_the_ring.codes import Reason
from wotr_env.games.war_of_the_ring.engine import kernel
from wotr_env.games.war_of_the_ring.game import FIRST_EDITION
from wotr_env.games.war_of_the_ring.observation import observe
from wotr_env.games.war_of_the_ring.ruleset import RulesetLike
from wotr_env.games.war_of_the_ring.vector import VectorGame

FrameMode = Literal["ansi", "rgb_array"]
RENDER_MODES: tuple[FrameMode, ...] = get_args(FrameMode)


class VectorArguments(TypedDict, total=False):
    """Arguments of ``WarOfTheRingVectorEnv`` behind ``num_envs``, described there."""

    threads: int
    ruleset: RulesetLike
    max_turns: int | None
    copy: bool
    render_mode: FrameMode | None
    individual_bonus: float
    shaping: Shaping | None


class WarOfTheRingVectorEnv(PlainSpec, VectorEnv[np.ndarray, np.ndarray, np.ndarray]):
    """N games of self-play; all seats are the learner's.

    Observations are ``int8[N, OBSERVATION_SIZE]`` of the seat that decides, actions ``int64[N]``. Rewards are
    ``float32[N]`` from the view of the seat whose action was played, +1 and -1 where a victory ended the game
    and 0 otherwise; a partner has the same and the others the opposite. ``infos`` has for the next decision

    - ``action_mask`` ``int8[N, NUM_ACTIONS]``: the legal actions,
    - ``seat`` ``int8[N]``: the seat that decides, its place in ``ruleset.seats``,
    - ``rewards`` ``float32[N, S]``: the rewards of this step by seat,

    and, where games ended in this step,

    - ``final_obs`` ``object[N]``: the last observation of the game, seen by the seat whose action was played;
      None elsewhere; a mask ``_final_obs`` ``bool[N]`` tells where,
    - ``final_info``: a dict of ``winner``, ``reason``, ``turn`` and ``seat`` (who sees ``final_obs``), of
      more than two players also ``winning_seats``, by game, each with such a mask; ``_final_info``
      ``bool[N]``.

    A victory terminates a game, the turn limit truncates it.

    Args:
        num_envs: N >= 1.
        threads: worker threads, each with a share of the games.
        ruleset: the edition and options played: a ``Ruleset``, its ``to_dict``, or a spec such as
            ``second:null_events=false``.
        max_turns: turn limit, 0 for none; by default that of the ruleset.
        copy: return copies; without, the observations and masks are overwritten by the next step.
        render_mode: ``ansi`` or ``rgb_array``: what ``render`` returns for each game.
        individual_bonus: added to the reward of a partner who wins inside his side (R13.8), alone or not.
        shaping: what is added to the rewards (``wotr_env.envs.shaping``); by default nothing. A seat gets it
            when it decides next, so that in self-play ``infos["rewards"]`` alone has all of it.

    Raises:
        TypeError: the shaping is no ``Shaping``.
        ValueError: another argument has an unknown value, or there is no such ruleset.
    """

    metadata = {  # noqa: RUF012 (Gymnasium's protocol)
        "autoreset_mode": AutoresetMode.SAME_STEP,
        "render_modes": list(RENDER_MODES),
        "render_fps": 2,
    }

    def __init__(
        self,
        num_envs: int = 1,
        *,
        threads: int = 1,
        ruleset: RulesetLike = FIRST_EDITION,
        max_turns: int | None = None,
        copy: bool = True,
        render_mode: FrameMode | None = None,
        individual_bonus: float = 0.0,
        shaping: Shaping | None = None,
    ) -> None:
        self.render_mode = check_word("render_mode", render_mode, (None, *RENDER_MODES))
        self._bonus = check_bonus(individual_bonus)
        self._ruleset = with_turn_limit(ruleset, max_turns)
        # Finished games are renewed here and not by VectorGame, so that their last observation can be seen.
        self.games = VectorGame(
            num_envs,
            threads=threads,
            ruleset=self._ruleset,
            auto_reset=False,
            observations=True,
            individual_bonus=self._bonus,
        )
        self.num_envs = self.games.num_games
        self._shaped = ShapedRewards(shaping, self.num_envs, self.games.num_seats)
        self.single_observation_space = observation_box()
        self.observation_space = batch_space(self.single_observation_space, self.num_envs)
        self.single_action_space = spaces.Discrete(NUM_ACTIONS)
        self.action_space = batch_space(self.single_action_space, self.num_envs)
        self._copy = bool(copy)

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[np.ndarray, dict[str, Any]]:
        """Starts all games anew, as ``VectorGame`` does with that seed; without one a seed is drawn.

        Raises:
            ValueError: the seed is no integer or out of range, or some of the games only shall be reset.
        """
        if options and "reset_mask" in options:
            raise ValueError("reset_mask is not supported: finished games are replaced in the same step")
        seed = None if seed is None else check_seed(seed)
        super().reset(seed=seed)
        self.games.reset(draw_seed(self.np_random) if seed is None else seed)
        self._begin(seed)
        if self._shaped:
            self._shaped.begin()
            self._shape(np.arange(self.num_envs))
        return self._observations(), self._infos()

    def step(
        self, actions: np.ndarray
    ) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray, dict[str, Any]]:
        """Plays one action (integers, N) in every game.

        Returns:
            Observations, rewards, terminations ``bool[N]``, truncations ``bool[N]`` and infos.

        Raises:
            TypeError: the actions are no integers.
            ValueError: their shape is not (N,).
            IllegalAction: an action is illegal in its game.

        No game has changed after an error.
        """
        viewers = self.games.seats.copy()
        self.games.step(actions)
        return self._conclude(viewers)

    def render(self) -> tuple[Any, ...] | None:
        """One frame for each game, as the seat that decides sees it; None without a render mode."""
        if self.render_mode is None:
            gymnasium.logger.warn("render() without a render_mode")
            return None
        return tuple(
            frame(self.games.states[game], self.render_mode, self._viewer(game))
            for game in range(self.num_envs)
        )

    def close_extras(self, **_arguments: Any) -> None:
        """Ends the worker threads."""
        self.games.close()

    def _viewer(self, game: int) -> int:
        return int(self.games.seats[game])

    def _conclude(
        self, viewers: np.ndarray
    ) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray, dict[str, Any]]:
        """The result of a step for the seats ``viewers`` (int8[N]); replaces the games that ended."""
        games = self.games
        ended = np.flatnonzero(games.terminated)
        by_seat = np.zeros((self.num_envs, games.num_seats), dtype=np.float32)
        truncations = np.zeros(self.num_envs, dtype=np.bool_)
        terminations = games.terminated.copy()
        last: dict[str, Any] = {}
        if ended.size:
            by_seat[ended] = rewards_of(copy_states(games.states, ended), self._ruleset, self._bonus)
            truncations[ended] = games.states["reason"][ended] == Reason.TURN_LIMIT
            terminations &= ~truncations
            last = self._last_words(ended, viewers)
        if self._shaped:
            by_seat[ended] += self._shaped.end(ended)
            self._shape(np.flatnonzero(~games.terminated), by_seat)
        if ended.size:
            self._renew()
            if self._shaped:
                self._shape(ended, by_seat)
        rewards = by_seat[np.arange(self.num_envs), viewers]
        return self._observations(), rewards, terminations, truncations, {**self._infos(by_seat), **last}

    def _begin(self, seed: int | None) -> None:
        """After the games were set up by ``reset`` with that seed: plays them to the learner's decision."""

    def _shape(self, rows: np.ndarray, by_seat: np.ndarray | None = None) -> None:
        """Adds what the seats that decide in these games get to the rewards by seat."""
        if rows.size:
            seats = self.games.seats[rows].astype(np.int64)
            gained = self._shaped.decide(rows, seats, self.games.observations[rows])
            if by_seat is not None:
                by_seat[rows, seats] += gained

    def _observations(self) -> np.ndarray:
        return self.games.observations.copy() if self._copy else self.games.observations

    def _infos(self, rewards: np.ndarray | None = None) -> dict[str, Any]:
        masks, seats = self.games.masks.view(np.int8), self.games.seats
        if self._copy:
            masks, seats = masks.copy(), seats.copy()
        infos = {"action_mask": masks, "seat": seats}
        return infos if rewards is None else {**infos, "rewards": rewards}

    def _last_words(self, ended: np.ndarray, viewers: np.ndarray) -> dict[str, Any]:
        """``final_obs`` and ``final_info`` of the games that ended, in the form of ``SyncVectorEnv``."""
        infos: dict[str, Any] = {}
        states = copy_states(self.games.states, ended)
        observations = observe(states, viewers[ended])
        for game, state, observation in zip(ended, states, observations, strict=True):
            last = {**result_words(state, self._ruleset), "seat": viewers[game]}
            infos = self._add_info(infos, {"final_obs": observation, "final_info": last}, int(game))
        return infos

    def _renew(self) -> None:
        """Replaces the games that are over by their next episodes."""
        self.games.restart(self.games.terminated)


class WarOfTheRingBotVectorEnv(WarOfTheRingVectorEnv):
    """N games of one seat with bots at the others: ``WarOfTheRingEnv`` in batches.

    As ``WarOfTheRingVectorEnv``, but the seat is always the learner's, and so are the views of observations,
    rewards and last observations. The bots' decisions are played inside ``step`` and ``reset``, those of all
    games that wait for one bot together.

    Args:
        num_envs: N >= 1.
        seat: the learner's, by its name in ``ruleset.seats``; by default the first.
        opponent: who plays all other seats, as for ``WarOfTheRingEnv``; a spec's bots get seeds that follow
            from that of ``reset``.
        **arguments: as for ``WarOfTheRingVectorEnv``.

    Raises:
        agents.BotError: there is no such bot.
    """

    def __init__(
        self,
        num_envs: int = 1,
        seat: SeatName | None = None,
        opponent: Any = "random",
        **arguments: Unpack[VectorArguments],
    ) -> None:
        super().__init__(num_envs, **arguments)
        self._seat = seat_number(seat, self._ruleset.seats)
        self._seats = np.full(self.num_envs, self._seat, dtype=np.int8)
        self._opponents = Opponents(opponent, self._ruleset.seats, self._seat)
        self._opponents_seeded = False

    def _begin(self, seed: int | None) -> None:
        if seed is not None or not self._opponents_seeded:
            self._opponents.reseed(self.np_random)
            self._opponents_seeded = True
        self._play_opponents()

    def step(
        self, actions: np.ndarray
    ) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray, dict[str, Any]]:
        """Plays one action of the learner in every game, and the others' up to the learner's next one.

        Raises and returns as ``WarOfTheRingVectorEnv.step``.
        """
        self.games.step(actions)
        self._play_opponents()
        return self._conclude(self._seats)

    def _viewer(self, _game: int) -> int:
        return self._seat

    def _renew(self) -> None:
        super()._renew()
        self._play_opponents()

    def _play_opponents(self) -> None:
        games = self.games
        played = rows = np.flatnonzero((games.seats != self._seat) & ~games.terminated)
        while rows.size:
            states, masks = games.take(rows)
            kernel.step(states, masks, self._opponents.act(states, masks))
            games.put_back(rows, states, masks)
            rows = rows[(games.seats[rows] != self._seat) & ~games.terminated[rows]]
        games.observations[played] = observe(copy_states(games.states, played), self._seat)
