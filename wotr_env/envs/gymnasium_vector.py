"""Many games of War of the Ring at once, as vector environments of Gymnasium (``kind_vector.py``).

``WarOfTheRingVectorEnv`` is self-play; ``gymnasium.make_vec`` gives a ``WarOfTheRingBotVectorEnv``, one seat
with bots at the others. The games of a seed are those of ``VectorGame(num_envs, seed)``.
"""

from __future__ import annotations

from typing import Any, TypedDict, Unpack

from wotr_env.core.values import check_bonus
from wotr_env.envs.gymnasium_env import SeatName
from wotr_env.envs.kind_game import RulesetLike, with_turn_limit
from wotr_env.envs.kind_vector import FrameMode, KindBotVectorEnv, KindVectorEnv
from wotr_env.envs.shaping import Shaping

_GAME = "war-of-the-ring"


class VectorArguments(TypedDict, total=False):
    """Arguments of ``WarOfTheRingVectorEnv`` behind ``num_envs``, described there."""

    threads: int
    ruleset: RulesetLike | None
    max_turns: int | None
    copy: bool
    render_mode: FrameMode | None
    individual_bonus: float
    shaping: Shaping | None


class WarOfTheRingVectorEnv(KindVectorEnv):
    """N games of self-play; all seats are the learner's: ``KindVectorEnv`` with two arguments more.

    Args:
        max_turns: turn limit, 0 for none; by default that of the ruleset.
        individual_bonus: added to the reward of a partner who wins inside his side (R13.8), alone or not.
    """

    def __init__(
        self,
        num_envs: int = 1,
        *,
        threads: int = 1,
        ruleset: RulesetLike | None = None,
        max_turns: int | None = None,
        copy: bool = True,
        render_mode: FrameMode | None = None,
        individual_bonus: float = 0.0,
        shaping: Shaping | None = None,
    ) -> None:
        super().__init__(
            _GAME,
            num_envs,
            threads=threads,
            ruleset=with_turn_limit(_GAME, ruleset, max_turns),
            copy=copy,
            render_mode=render_mode,
            shaping=shaping,
        )
        self.bonus = check_bonus(individual_bonus)


class WarOfTheRingBotVectorEnv(KindBotVectorEnv):
    """N games of one seat with bots at the others: ``WarOfTheRingEnv`` in batches.

    Args:
        num_envs: N >= 1.
        seat: the learner's, by its name in ``ruleset.seats``; by default the first.
        opponent: who plays all other seats, as for ``WarOfTheRingEnv``; a spec's bots get seeds that follow
            from that of ``reset``.
        **arguments: as for ``WarOfTheRingVectorEnv``.

    Raises:
        BotError: there is no such bot.
    """

    def __init__(
        self,
        num_envs: int = 1,
        seat: SeatName | None = None,
        opponent: Any = "random",
        **arguments: Unpack[VectorArguments],
    ) -> None:
        max_turns, bonus = arguments.pop("max_turns", None), arguments.pop("individual_bonus", 0.0)
        arguments["ruleset"] = with_turn_limit(_GAME, arguments.get("ruleset"), max_turns)
        super().__init__(_GAME, num_envs, seat, opponent, **arguments)
        self.bonus = check_bonus(bonus)
