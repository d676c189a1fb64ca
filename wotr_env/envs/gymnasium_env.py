"""War of the Ring for one learner: ``gymnasium.make("WarOfTheRing-v0")``, one seat and bots at the others.

    import gymnasium, wotr_env

    env = gymnasium.make("WarOfTheRing-v0", seat="shadow", opponent="random")
    observation, info = env.reset(seed=1)
    action = env.action_space.sample(info["action_mask"])
    observation, reward, terminated, truncated, info = env.step(action)

One step is one decision of the learner's seat; those of the others are played inside ``step`` and
``reset``. ``info["action_mask"]`` has the legal actions, and so has ``action_masks()``, which MaskablePPO of
sb3-contrib asks for. With ``ruleset=Ruleset(players=4)`` the learner plays ``gondor``, ``sauron``,
``isengard`` or ``rohan``, and one of the bots is its partner. ``gymnasium.make_vec`` gives many such games at
once, faster (``gymnasium_vector.py``).
"""

from __future__ import annotations

import importlib.metadata
from collections.abc import Mapping
from typing import Any, Literal, get_args

import gymnasium
import numpy as np
from gymnasium import spaces

from wotr_env.core.errors import IllegalAction
from wotr_env.core.kind import GameKind, Seat, check_seat, copy_states
from wotr_env.core.spelling import known_names
from wotr_env.core.values import check_bonus, check_seed
from wotr_env.envs.env_game import (
    RENDER_MODES,
    EnvGame,
    RenderMode,
    check_word,
    draw_seed,
    frame,
    observation_box,
    rewards_of,
    with_turn_limit,
)
from wotr_env.envs.kind_game import KindGame
from wotr_env.envs.shaping import ShapedRewards, Shaping
from wotr_env.envs.specs import PlainSpec
from wotr_env.games.war_of_the_ring.game import FIRST_EDITION
from wotr_env.games.war_of_the_ring.kind import WAR_OF_THE_RING
from wotr_env.games.war_of_the_ring.ruleset import RulesetLike
from wotr_env.play.bots import BotError, choose, view_of

Illegal = Literal["error", "loss"]
ILLEGAL: tuple[Illegal, ...] = get_args(Illegal)
SeatName = Literal["free_peoples", "free-peoples", "shadow", "sauron", "isengard", "gondor", "rohan"]
"""The seats of War of the Ring as a type checker knows them; ``wotr_env.core.spelling`` reads more
spellings."""
_NOBODY = -1
"""No seat: nothing is legal for it."""


REGISTRY = "wotr.registry"


def _registry() -> Any:
    """The bots by name of an installed package: what its entry point of the group ``wotr.registry`` names.

    It offers ``check_spec(spec, game)``, which gives the spec in its canonical form, and
    ``make_bot(spec, seed, game)``; no game knows players.
    """
    found = importlib.metadata.entry_points(group=REGISTRY)
    if not found:
        raise BotError("opponents by name need an installed package of bots; give a bot instead of a spec")
    return next(iter(found)).load()


class Opponent:
    """A bot that plays another seat.

    A bot given by its spec is made anew by each ``reseed``; a bot given as an object keeps its own random
    numbers.

    Args:
        bot: the spec of a registered bot, such as ``random``, or an ``Bot``.
        kind: the game that it plays.

    Raises:
        BotError: there is no such bot, or what its spec names cannot be found.
    """

    def __init__(self, bot: Any, kind: GameKind = WAR_OF_THE_RING) -> None:
        self._kind = kind
        self._spec = _registry().check_spec(bot, kind.name) if isinstance(bot, str) else None
        self._name = self._spec or type(bot).__name__
        self._bot: Any = None if self._spec else bot
        if not self._spec and not callable(getattr(bot, "act", None)):
            wanted = "an opponent is a bot or the spec of one, such as random"
            raise BotError(f"{wanted}, not {bot!r}")

    def reseed(self, seed: int) -> None:
        """Makes the bot of a spec anew with a seed."""
        if self._spec:
            self._bot = _registry().make_bot(self._spec, seed, self._kind.name)

    def act(self, states: np.ndarray, masks: np.ndarray) -> np.ndarray:
        """The bot's actions ``int64[B]`` for B games (``STATE[B]``) that wait for it, and their masks.

        Raises:
            BotError: the bot's answer is not one legal action for each game.
        """
        return choose(self._bot, view_of(states, masks, self._kind), self._name)


class Opponents:
    """The bots at all seats but one.

    A spec makes a bot for each seat, so that none remembers what another has seen; a bot given as an object
    plays all the seats that it is given for.

    Args:
        given: the spec of a registered bot, a bot, or one of these for each other seat by its name.
        seats: all who play.
        own: the number of the seat that the bots leave.
        kind: the game that they play.

    Raises:
        ValueError: a mapping is not of just the other seats.
        BotError: there is no such bot.
    """

    def __init__(
        self, given: Any, seats: tuple[Seat, ...], own: int, kind: GameKind = WAR_OF_THE_RING
    ) -> None:
        names = {number: seat.name for number, seat in enumerate(seats) if number != own}
        if isinstance(given, Mapping):
            bots = {check_seat(name, seats): bot for name, bot in given.items()}
            if set(bots) != set(names) or len(bots) != len(given):
                wanted, found = known_names(names.values()), ", ".join(map(str, given))
                raise ValueError(f"a mapping of opponents has the seats {wanted}, not {found}")
            self._bots = {number: Opponent(bots[number], kind) for number in names}
        elif isinstance(given, str):
            self._bots = {number: Opponent(given, kind) for number in names}
        else:
            self._bots = dict.fromkeys(names, Opponent(given, kind))
        self._only = next(iter(self._bots.values())) if len(set(self._bots.values())) == 1 else None

    def reseed(self, generator: np.random.Generator) -> None:
        """Makes the bots of specs anew, each with a seed."""
        for bot in dict.fromkeys(self._bots.values()):
            bot.reseed(draw_seed(generator))

    def act(self, states: np.ndarray, masks: np.ndarray) -> np.ndarray:
        """The bots' actions ``int64[B]`` for B games (``STATE[B]``) that wait for one of them.

        Raises:
            BotError: an answer is not one legal action for each game.
        """
        if self._only is not None:
            return self._only.act(states, masks)
        seats = states["seat"]
        if len(seats) == 1:
            return self._bots[seats.item()].act(states, masks)
        actions = np.empty(len(seats), dtype=np.int64)
        for seat in np.unique(seats).tolist():
            rows = np.flatnonzero(seats == seat)
            actions[rows] = self._bots[seat].act(copy_states(states, rows), masks[rows])
        return actions


def seat_number(seat: Any, seats: tuple[Seat, ...]) -> int:
    """The number of a seat by its name (``wotr_env.core.spelling``); None is the first.

    Raises:
        ValueError: nobody of that name plays.
    """
    return 0 if seat is None else check_seat(seat, seats)


class OneSeatEnv(PlainSpec, gymnasium.Env[np.ndarray, int | np.int64]):
    """One seat of a game with bots at the others; who inherits says how it is shown and what an end is worth.

    Args:
        game: stepped in place.
        kind: the game that it is of.
        seat: the learner's, by its name; by default the first.
        opponent: as for ``Opponents``.
        illegal: one of ``ILLEGAL``.
        render_mode: one of ``metadata["render_modes"]``, or None.
        shaping: what is added to the rewards, or None.
    """

    def __init__(
        self,
        game: EnvGame | KindGame,
        kind: GameKind,
        seat: str | None,
        opponent: Any,
        illegal: Illegal,
        render_mode: RenderMode | None,
        shaping: Shaping | None = None,
    ) -> None:
        self._illegal_loses = check_word("illegal", illegal, ILLEGAL) == "loss"
        self.render_mode = check_word("render_mode", render_mode, (None, *self.metadata["render_modes"]))
        self.game: Any = game
        self.action_space = spaces.Discrete(kind.actions.size)
        self._seat = seat_number(seat, game.ruleset.seats)
        self._opponents = Opponents(opponent, game.ruleset.seats, self._seat, kind)
        self._opponents_seeded = False
        self._forfeited = False
        self._shaped = ShapedRewards(shaping, 1, len(game.ruleset.seats))

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
        observation = self.game.observe(self._seat)
        if self._shaped:
            self._shaped.begin()
            self._shaping_reward(observation)
        return observation, self._info()

    def step(self, action: int) -> tuple[np.ndarray, float, bool, bool, dict[str, Any]]:
        """Plays one decision of the learner, and the others' up to the learner's next one.

        Returns:
            Observation, reward, terminated (a victory), truncated (the turn limit) and info.

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
            observation = game.observe(self._seat)
            return observation, -1.0 + self._shaping_reward(observation), True, False, self._info()
        self._play_opponents()
        self._show()
        over, truncated = game.over, game.at_turn_limit
        observation, reward = game.observe(self._seat), self._reward()
        if self._shaped:
            reward += self._shaping_reward(observation)
        return observation, reward, over and not truncated, truncated, self._info()

    def action_masks(self) -> np.ndarray:
        """The legal actions, as MaskablePPO asks for them: ``bool[A]``."""
        return self._mask().view(np.bool_)

    def _play_opponents(self) -> None:
        game = self.game
        while not game.over and game.seat != self._seat:
            game.step(self._opponents.act(game.states, game.masks)[0])

    def _reward(self) -> float:
        """Of the learner, 0 before the end."""
        raise NotImplementedError

    def _shaping_reward(self, observation: np.ndarray) -> float:
        """What shaping adds as the learner sees this, to decide or at the end."""
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


class WarOfTheRingEnv(OneSeatEnv):
    """One seat of War of the Ring with bots at the others.

    Observations are ``int8[OBSERVATION_SIZE]`` as the learner's seat sees the game, actions are
    ``Discrete(NUM_ACTIONS)``. The reward is +1 for a victory of the learner's side, -1 for a defeat and 0
    otherwise; the turn limit truncates the game. ``info["action_mask"]`` is ``int8[NUM_ACTIONS]``, zeros at
    the end, where ``info`` also tells ``winner``, ``reason`` and ``turn``, and of more than two players
    ``winning_seats``.

    ``reset(seed=s)`` starts the game of ``wotr_env.Game(seed=s)`` and gives the bots seeds that follow from
    s. A reset without a seed draws the game's seed from a generator that the last seed began; the bots go on
    with their own random numbers. No options of ``reset`` are used.

    Copies (``copy.deepcopy``, ``pickle``) go on from the same position with the same future, the bots' too.

    Args:
        seat: the learner's, by its name in ``ruleset.seats``, such as ``shadow``; by default the first.
        opponent: who plays all other seats, a partner's too: the spec of a registered bot (``wotr bots``
            lists them), a ``Bot``, or a mapping that has one of these for each other seat by its name.
        individual_bonus: added to the reward if the learner wins inside a side that two share (R13.8), alone
            or with its partner.
        ruleset: the edition and options played: a ``Ruleset``, its ``to_dict``, or a spec such as
            ``second:null_events=false``.
        max_turns: turn limit, 0 for none; by default that of the ruleset.
        illegal: what an illegal action does. ``error``: it raises ``IllegalAction`` and the game goes on;
            ``loss``: it ends the game with reward -1, for learners that know no masks.
        render_mode: ``ansi`` (a string), ``rgb_array``, or ``human`` (prints the text after every step).
        shaping: what is added to the rewards (``wotr_env.envs.shaping``); by default nothing.

    Raises:
        TypeError: the shaping is no ``Shaping``.
        ValueError: another argument has an unknown value, or there is no such ruleset.
        BotError: there is no such bot.
    """

    metadata = {"render_modes": list(RENDER_MODES), "render_fps": 2}  # noqa: RUF012 (Gymnasium's protocol)

    def __init__(
        self,
        seat: SeatName | None = None,
        opponent: Any = "random",
        ruleset: RulesetLike = FIRST_EDITION,
        max_turns: int | None = None,
        illegal: Illegal = "error",
        render_mode: RenderMode | None = None,
        individual_bonus: float = 0.0,
        shaping: Shaping | None = None,
    ) -> None:
        game = EnvGame(with_turn_limit(ruleset, max_turns))
        super().__init__(game, WAR_OF_THE_RING, seat, opponent, illegal, render_mode, shaping)
        self.observation_space = observation_box()
        self._bonus = check_bonus(individual_bonus)

    def render(self) -> str | np.ndarray | None:
        """The position as the learner's seat sees it: text or ``uint8[H, W, 3]``; None if it was printed."""
        if self.render_mode is None:
            gymnasium.logger.warn(
                "render() without a render_mode; give one, as in gymnasium.make('WarOfTheRing-v0', "
                "render_mode='ansi')"
            )
            return None
        return frame(self.game.state, self.render_mode, self._seat)

    def _reward(self) -> float:
        game = self.game
        return float(rewards_of(game.states, game.ruleset, self._bonus)[0, self._seat]) if game.over else 0.0
