"""The scripted policy of The Two Towers, made from its kernels."""

from __future__ import annotations

from wotr_agents.games.two_towers.kernels import WALKERS
from wotr_agents.games.two_towers.policy import score_legal_actions
from wotr_agents.games.two_towers.value import value_of
from wotr_agents.games.two_towers.weights import DEFAULT_WEIGHTS
from wotr_agents.games.two_towers.worth import ROOM
from wotr_agents.weighted import WeightedPolicy
from wotr_env.games.two_towers.state import STATE
from wotr_env.games.two_towers.turn import apply, run

TOWERS_POLICY = WeightedPolicy(
    f"{__name__}:TOWERS_POLICY",
    WALKERS,
    STATE,
    DEFAULT_WEIGHTS,
    ROOM,
    several=True,
    score_legal_actions=score_legal_actions,
    value_of=value_of,
    apply=apply,
    run=run,
)
