"""Vector environments of Gymnasium for any game.

``KindVectorEnv`` is for self-play: in every game, a step plays an action of the deciding seat.
``gymnasium.make_vec`` makes a ``KindBotVectorEnv``, in which the learner plays one seat and bots play the
other seats.

Autoreset is same-step: where a game ended, the returned observation, mask and seat belong to the next game;
``infos["final_obs"]`` and ``infos["final_info"]`` describe the ended game. The games of a seed are the games
of ``GameKind.games``.
"""

from __future__ import annotations

from typing import Any, Literal, get_args

import gymnasium
import numpy as np
from gymnasium import spaces
from gymnasium.vector import AutoresetMode, VectorEnv
from gymnasium.vector.utils import batch_space

from wotr_env.core.kind import GameKind
from wotr_env.core.states import copy_states
from wotr_env.core.values import check_bonus, check_seed
from wotr_env.envs.kind_game import (
    MOST_STARTS,
    RulesetLike,
    check_word,
    draw_seed,
    end_info,
    frame,
    kind_of,
    never_decides,
    observation_box,
    render_modes,
    rewards_of,
    truncated,
    with_turn_limit,
)
from wotr_env.envs.opponents import Opponents, seat_number
from wotr_env.envs.shaping import ShapedRewards, Shaping
from wotr_env.envs.specs import PlainSpec

FrameMode = Literal["ansi", "rgb_array"]
RENDER_MODES: tuple[FrameMode, ...] = get_args(FrameMode)


class KindVectorEnv(PlainSpec, VectorEnv[np.ndarray, np.ndarray, np.ndarray]):
    """N games of self-play, in which the learner plays all seats.

    Observations are ``int8[N, D]`` of the deciding seat; actions are ``int64[N]``. Rewards are ``float32[N]``
    for the seat whose action was played: the value of the end for the team of this seat, and 0 before the
    end. For the next decision, ``infos`` has

    - ``action_mask`` ``int8[N, A]``: the legal actions,
    - ``seat`` ``int8[N]``: the deciding seat, as an index of ``ruleset.seats``,
    - ``rewards`` ``float32[N, S]``: the rewards of this step by seat,

    and, if games ended in this step,

    - ``final_obs`` ``object[N]``: the last observation of each ended game, from the view of the seat whose
      action was played; None for other games; the mask ``_final_obs`` ``bool[N]`` marks the ended games,
    - ``final_info``: a dict of arrays with one element per game: the values that the infos of ``KindEnv``
      have at the end, and ``seat`` (the viewer of ``final_obs``). Each array of ``final_info`` has a mask of
      the same kind, and ``final_info`` has the mask ``_final_info`` ``bool[N]``.

    An end with ``End.truncates``, such as a turn limit, is a truncation; other ends are terminations.

    Args:
        game: a game by its name, or its ``GameKind``.
        num_envs: N >= 1.
        threads: worker threads, each with a share of the games.
        ruleset: a ruleset of the game, its ``to_dict``, or a spec such as ``open``; None: the default.
        copy: whether observations and masks are returned as copies. If not, the next step overwrites them.
        render_mode: ``ansi``, or ``rgb_array`` if the game has drawings: the form of the frames of
            ``render``.
        shaping: reward shaping (``wotr_env.envs.shaping``); by default none. A seat gets the shaping reward
            of a step at its next decision, so in self-play only ``infos["rewards"]`` contains all shaping
            rewards.
        max_turns: turn limit (0: no limit); by default the limit of the ruleset.
        individual_bonus: an addition to the reward of each seat that wins within a team of several seats.

    Raises:
        TypeError: the shaping is not a ``Shaping``.
        ValueError: another argument has an unknown value, or the ruleset is unknown, or the game has no turn
            limit, or not this one.
    """

    metadata = {  # noqa: RUF012 (Gymnasium's protocol)
        "autoreset_mode": AutoresetMode.SAME_STEP,
        "render_modes": list(RENDER_MODES),
        "render_fps": 2,
    }

    def __init__(
        self,
        game: str | GameKind,
        num_envs: int = 1,
        *,
        threads: int = 1,
        ruleset: RulesetLike | None = None,
        copy: bool = True,
        render_mode: FrameMode | None = None,
        shaping: Shaping | None = None,
        max_turns: int | None = None,
        individual_bonus: float = 0.0,
    ) -> None:
        self.kind = kind = kind_of(game)
        modes = tuple(mode for mode in RENDER_MODES if mode in render_modes(kind))
        self.metadata = {**self.metadata, "render_modes": list(modes)}
        self.render_mode = check_word("render_mode", render_mode, (None, *modes))
        self.bonus = check_bonus(individual_bonus)
        self.ruleset = rules = with_turn_limit(kind, ruleset, max_turns)
        # Finished games are renewed here and not by the games, so that their last observation can be seen.
        self.games: Any = kind.games(num_envs, 0, rules, threads=threads, auto_reset=False)
        self.num_envs = self.games.num_games
        self._shaped = ShapedRewards(shaping, self.num_envs, self.games.num_seats)
        self.single_observation_space = observation_box(kind)
        self.observation_space = batch_space(self.single_observation_space, self.num_envs)
        self.single_action_space = spaces.Discrete(kind.actions.size)
        self.action_space = batch_space(self.single_action_space, self.num_envs)
        self._copy = bool(copy)

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[np.ndarray, dict[str, Any]]:
        """Restarts all games. With a seed, the games are those of ``GameKind.games`` with this seed; without
        one, a seed is drawn. Returns the observations and infos.

        Raises:
            ValueError: the seed is not an integer or is out of range, or only some games are to be reset.
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
        """Plays one action (integers of N) in every game.

        Returns:
            The observations, rewards, terminations ``bool[N]``, truncations ``bool[N]`` and infos.

        Raises:
            TypeError: the actions are not integers.
            ValueError: their shape is not (N,).
            IllegalAction: an action is illegal in its game.

        If an error is raised, no game is changed.
        """
        viewers = self.games.seats.copy()
        self.games.step(actions)
        return self._conclude(viewers)

    def render(self) -> tuple[Any, ...] | None:
        """One frame for each game, from the view of the deciding seat; None without a render mode."""
        if self.render_mode is None:
            gymnasium.logger.warn("render() without a render_mode")
            return None
        return tuple(
            frame(self.kind, self.games.states[game], self.render_mode, self._viewer(game))
            for game in range(self.num_envs)
        )

    def close_extras(self, **_arguments: Any) -> None:
        """Stops the worker threads."""
        self.games.close()

    def _viewer(self, game: int) -> int:
        return int(self.games.seats[game])

    def _conclude(
        self, viewers: np.ndarray
    ) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray, dict[str, Any]]:
        """Returns the result of a step for the seats ``viewers`` (``int8[N]``), and replaces the ended
        games."""
        games = self.games
        ended = np.flatnonzero(games.terminated)
        by_seat = np.zeros((self.num_envs, games.num_seats), dtype=np.float32)
        truncations = np.zeros(self.num_envs, dtype=np.bool_)
        terminations = games.terminated.copy()
        last: dict[str, Any] = {}
        if ended.size:
            states = copy_states(games.states, ended)
            by_seat[ended] = rewards_of(self.kind, states, self.ruleset, self.bonus)
            truncations[ended] = truncated(self.kind, states)
            terminations &= ~truncations
            last = self._last_words(ended, states, viewers)
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
        """Plays the games to the first decision of the learner. Called after ``reset`` with this seed."""

    def _shape(self, rows: np.ndarray, by_seat: np.ndarray | None = None) -> None:
        """Adds the shaping rewards of the deciding seats of these games to the rewards by seat."""
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

    def _last_words(self, ended: np.ndarray, states: np.ndarray, viewers: np.ndarray) -> dict[str, Any]:
        """``final_obs`` and ``final_info`` of the games that ended, in the form of ``SyncVectorEnv``."""
        infos: dict[str, Any] = {}
        observations = self.kind.kernels.observe(states, viewers[ended].astype(np.int64))
        for game, state, observation in zip(ended, states, observations, strict=True):
            last = {**end_info(self.kind, state, self.ruleset), "seat": viewers[game]}
            infos = self._add_info(infos, {"final_obs": observation, "final_info": last}, int(game))
        return infos

    def _renew(self) -> None:
        """Replaces finished games by their next episodes."""
        self.games.restart(self.games.terminated)


class KindBotVectorEnv(KindVectorEnv):
    """N games in which the learner plays one seat and bots play the other seats: ``KindEnv`` in batches.

    As ``KindVectorEnv``, but the learner plays only one seat. Observations, rewards and last observations are
    those of the learner's seat. The bots decide inside ``step`` and ``reset``; one call of a bot answers all
    games that wait for this bot. A game that ends before the learner decides is replaced by the next game,
    and no step reports its end. If ``MOST_STARTS`` games in a row end in this way, ``reset`` or ``step``
    raises ValueError.

    Args:
        game: a game by its name, or its ``GameKind``.
        num_envs: N >= 1.
        seat: the learner's seat, by its name in ``ruleset.seats``; by default the first.
        opponent: the player of all other seats, as for ``KindEnv``; bots of a spec get seeds derived from the
            seed of ``reset``.
        **arguments: as for ``KindVectorEnv``.

    Raises:
        BotError: the bot is unknown.
    """

    def __init__(
        self,
        game: str | GameKind,
        num_envs: int = 1,
        seat: str | None = None,
        opponent: Any = "random",
        **arguments: Any,
    ) -> None:
        super().__init__(game, num_envs, **arguments)
        self._seat = seat_number(seat, self.ruleset.seats)
        self._seats = np.full(self.num_envs, self._seat, dtype=np.int8)
        self._opponents = Opponents(opponent, self.ruleset.seats, self._seat, self.kind)

    def _begin(self, seed: int | None) -> None:
        self._opponents.begin(self.np_random, seeded=seed is not None)
        self._play_to_decisions()

    def step(
        self, actions: np.ndarray
    ) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray, dict[str, Any]]:
        """Plays one action of the learner in every game, and all actions of the bots until the learner
        decides again.

        Returns the same values and raises the same errors as ``KindVectorEnv.step``.
        """
        self.games.step(actions)
        self._play_opponents()
        return self._conclude(self._seats)

    def _viewer(self, _game: int) -> int:
        return self._seat

    def _renew(self) -> None:
        super()._renew()
        self._play_to_decisions()

    def _play_to_decisions(self) -> None:
        """Plays to the next decision of the learner in all games; replaces games that end before."""
        for _ in range(MOST_STARTS):
            self._play_opponents()
            if not self.games.terminated.any():
                return
            super()._renew()
        raise never_decides(self.kind, self.ruleset.seats[self._seat])

    def _play_opponents(self) -> None:
        games = self.games
        played = rows = np.flatnonzero((games.seats != self._seat) & ~games.terminated)
        while rows.size:
            states, masks = games.take(rows)
            self.kind.kernels.step(states, masks, self._opponents.act(states, masks))
            games.put_back(rows, states, masks)
            rows = rows[(games.seats[rows] != self._seat) & ~games.terminated[rows]]
        seats = np.full(played.size, self._seat)
        games.observations[played] = self.kind.kernels.observe(copy_states(games.states, played), seats)
