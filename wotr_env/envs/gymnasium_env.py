"""Plays War of the Ring through Gymnasium (``gymnasium.make("WarOfTheRing-v0")``): one learner plays one
seat, and bots play the other seats.

    import gymnasium, wotr_env

    env = gymnasium.make("WarOfTheRing-v0", seat="shadow", opponent="random")
    observation, info = env.reset(seed=1)
    action = env.action_space.sample(info["action_mask"])
    observation, reward, terminated, truncated, info = env.step(action)

One step is one decision of the learner's seat. The bots decide inside ``step`` and ``reset``.
``info["action_mask"]`` has the legal actions; ``action_masks()`` has them in the form that MaskablePPO of
sb3-contrib reads. With ``ruleset=Ruleset(players=4)`` the learner plays ``gondor``, ``sauron``, ``isengard``
or ``rohan``, and one of the bots is its partner. ``gymnasium.make_vec`` makes a batch of such games, which is
faster than single environments.
"""

from __future__ import annotations

from typing import Any, Literal

from wotr_env.envs.kind_game import RenderMode, RulesetLike
from wotr_env.envs.kind_gymnasium import Illegal, KindEnv
from wotr_env.envs.shaping import Shaping

SeatName = Literal["free_peoples", "free-peoples", "shadow", "sauron", "isengard", "gondor", "rohan"]
"""The names of the seats of War of the Ring, for type checkers; ``wotr_env.core.spelling`` reads more
spellings."""
_GAME = "war-of-the-ring"


class WarOfTheRingEnv(KindEnv):
    """One seat of War of the Ring, with bots in the other seats.

    Observations are ``int8[OBSERVATION_SIZE]`` from the view of the learner's seat; actions are
    ``Discrete(NUM_ACTIONS)``. The reward is +1 for a victory of the learner's side, -1 for a defeat and 0
    otherwise; the turn limit truncates the game. ``info["action_mask"]`` is ``int8[NUM_ACTIONS]``, zeros at
    the end. At the end, ``info`` also has ``winner``, ``reason`` and ``turn``, and with more than two players
    ``winning_seats``.

    ``reset(seed=s)`` starts the game of ``wotr_env.Game(seed=s)`` and gives the bots seeds derived from s.
    Without a seed, ``reset`` draws the seed of the game from a random generator. The last explicit seed
    initialised this generator. The bots are not seeded again. Options of ``reset`` are ignored.

    Copies (``copy.deepcopy``, ``pickle``) continue from the same position with the same future, including the
    bots.

    Args:
        seat: the learner's seat, by its name in ``ruleset.seats``, such as ``shadow``; by default the first.
        opponent: the player of all other seats, including a partner's: the spec of a registered bot (``wotr
            bots`` lists them), a ``Bot``, or a mapping from the name of each other seat to one of these.
        individual_bonus: an addition to the reward if the learner's side wins, two players share this side,
            and the learner wins within the side, alone or together with its partner (R13.8).
        ruleset: the edition and options: a ``Ruleset``, its ``to_dict``, or a spec such as
            ``second:null_events=false``.
        max_turns: turn limit (0: no limit); by default the limit of the ruleset.
        illegal: the effect of an illegal action. ``error``: the action raises ``IllegalAction`` and the game
            continues; ``loss``: the action ends the game with reward -1, for learners without masks.
        render_mode: ``ansi`` (a string), ``rgb_array``, or ``human`` (prints the text after every step).
        shaping: reward shaping (``wotr_env.envs.shaping``); by default none.

    Raises:
        TypeError: the shaping is not a ``Shaping``.
        ValueError: another argument has an unknown value, or the ruleset is unknown.
        BotError: the bot is unknown.
    """

    def __init__(
        self,
        seat: SeatName | None = None,
        opponent: Any = "random",
        ruleset: RulesetLike | None = None,
        max_turns: int | None = None,
        illegal: Illegal = "error",
        render_mode: RenderMode | None = None,
        individual_bonus: float = 0.0,
        shaping: Shaping | None = None,
    ) -> None:
        super().__init__(
            _GAME, seat, opponent, ruleset, illegal, render_mode, shaping, max_turns, individual_bonus
        )
