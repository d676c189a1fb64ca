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

from typing import Any, Literal

from wotr_env.core.values import check_bonus
from wotr_env.envs.kind_game import RenderMode, RulesetLike, with_turn_limit
from wotr_env.envs.kind_gymnasium import Illegal, KindEnv
from wotr_env.envs.shaping import Shaping

SeatName = Literal["free_peoples", "free-peoples", "shadow", "sauron", "isengard", "gondor", "rohan"]
"""The seats of War of the Ring as a type checker knows them; ``wotr_env.core.spelling`` reads more
spellings."""
_GAME = "war-of-the-ring"


class WarOfTheRingEnv(KindEnv):
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
        ruleset = with_turn_limit(_GAME, ruleset, max_turns)
        super().__init__(_GAME, seat, opponent, ruleset, illegal, render_mode, shaping)
        self.game.bonus = check_bonus(individual_bonus)
