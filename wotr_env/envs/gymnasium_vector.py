"""Vector environments of Gymnasium for War of the Ring (see ``kind_vector.py``).

``WarOfTheRingVectorEnv`` is for self-play. ``gymnasium.make_vec`` makes a ``WarOfTheRingBotVectorEnv``, in
which the learner plays one seat and bots play the other seats. The games of a seed are the games of
``VectorGame(num_envs, seed)``.
"""

from __future__ import annotations

from typing import Any, TypedDict, Unpack

from wotr_env.envs.gymnasium_env import SeatName
from wotr_env.envs.kind_game import RulesetLike
from wotr_env.envs.kind_vector import FrameMode, KindBotVectorEnv, KindVectorEnv
from wotr_env.envs.shaping import Shaping

_GAME = "war-of-the-ring"


class VectorArguments(TypedDict, total=False):
    """The arguments of ``WarOfTheRingVectorEnv`` after ``num_envs``."""

    threads: int
    ruleset: RulesetLike | None
    max_turns: int | None
    copy: bool
    render_mode: FrameMode | None
    individual_bonus: float
    shaping: Shaping | None


class WarOfTheRingVectorEnv(KindVectorEnv):
    """N games of self-play, in which the learner plays all seats; the arguments are those of
    ``KindVectorEnv``."""

    def __init__(self, num_envs: int = 1, **arguments: Unpack[VectorArguments]) -> None:
        super().__init__(_GAME, num_envs, **arguments)


class WarOfTheRingBotVectorEnv(KindBotVectorEnv):
    """N games in which the learner plays one seat and bots play the other seats: ``WarOfTheRingEnv`` in
    batches.

    Args:
        num_envs: N >= 1.
        seat: the learner's seat, by its name in ``ruleset.seats``; by default the first.
        opponent: the player of all other seats, as for ``WarOfTheRingEnv``; bots of a spec get seeds derived
            from the seed of ``reset``.
        **arguments: as for ``WarOfTheRingVectorEnv``.

    Raises:
        BotError: the bot is unknown.
    """

    def __init__(
        self,
        num_envs: int = 1,
        seat: SeatName | None = None,
        opponent: Any = "random",
        **arguments: Unpack[VectorArguments],
    ) -> None:
        super().__init__(_GAME, num_envs, seat, opponent, **arguments)
