"""War of the Ring, first edition: the complete rules as compiled functions over one numpy record.

Importing this package registers the environments ``WarOfTheRing-v0`` with Gymnasium and
``war_of_the_ring/wotr-v0`` with PettingZoo, ``LotrDuel-v0`` and ``lotr_duel-v0`` for the Duel, and
``TwoTowers-v0`` and ``two_towers-v0`` for The Two Towers; their code is loaded when an environment is made.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Unpack

import gymnasium
import pettingzoo

from wotr_env.core.errors import IllegalAction
from wotr_env.games.war_of_the_ring.game import Game
from wotr_env.games.war_of_the_ring.observation import sample_world
from wotr_env.games.war_of_the_ring.result import Result
from wotr_env.games.war_of_the_ring.ruleset import Ruleset
from wotr_env.games.war_of_the_ring.state import STATE
from wotr_env.games.war_of_the_ring.vector import VectorGame
from wotr_env.play.plugins import version_of
from wotr_env.play.record import GameRecord

if TYPE_CHECKING:
    from wotr_env.envs.pettingzoo_env import EnvArguments

__version__ = version_of()

__all__ = [
    "STATE",
    "Game",
    "GameRecord",
    "IllegalAction",
    "Result",
    "Ruleset",
    "VectorGame",
    "__version__",
    "env",
    "raw_env",
    "sample_world",
]

gymnasium.register(
    id="WarOfTheRing-v0",
    entry_point="wotr_env.envs.gymnasium_env:WarOfTheRingEnv",
    vector_entry_point="wotr_env.envs.gymnasium_vector:WarOfTheRingBotVectorEnv",
)
pettingzoo.register("aec", "war_of_the_ring/wotr-v0", "wotr_env.envs.pettingzoo_env:env")
for _game, _single, _several in (
    ("duel", "LotrDuel", "lotr_duel"),
    ("two-towers", "TwoTowers", "two_towers"),
):
    gymnasium.register(
        id=f"{_single}-v0",
        entry_point="wotr_env.envs.kind_gymnasium:KindEnv",
        vector_entry_point="wotr_env.envs.kind_vector:KindBotVectorEnv",
        kwargs={"game": _game},
    )
    pettingzoo.register(
        "aec",
        f"{_several}-v0",
        "wotr_env.envs.kind_pettingzoo:env",
        kwargs={"game": _game, "name": f"{_several}_v0"},
    )


def env(**arguments: Unpack[EnvArguments]) -> pettingzoo.AECEnv:
    """The PettingZoo environment; ``wotr_env.envs.pettingzoo_env`` documents it and its arguments."""
    from wotr_env.envs import pettingzoo_env

    return pettingzoo_env.env(**arguments)


def raw_env(**arguments: Unpack[EnvArguments]) -> pettingzoo.AECEnv:
    """The PettingZoo environment without wrappers; see ``wotr_env.envs.pettingzoo_env``."""
    from wotr_env.envs import pettingzoo_env

    return pettingzoo_env.raw_env(**arguments)
