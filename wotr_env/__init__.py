"""War of the Ring, first edition: the complete rules as compiled functions over one numpy record."""

from wotr_env.errors import IllegalAction
from wotr_env.game import Game, Result
from wotr_env.record import GameRecord
from wotr_env.ruleset import Ruleset
from wotr_env.state import STATE
from wotr_env.vector import VectorGame

__all__ = ["STATE", "Game", "GameRecord", "IllegalAction", "Result", "Ruleset", "VectorGame"]
