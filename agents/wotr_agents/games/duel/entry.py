"""The scripted policy of the Duel, made from its kernels."""

from __future__ import annotations

from wotr_agents.games.duel.kernels import DUELLISTS
from wotr_agents.games.duel.policy import ROOM, score_legal_actions
from wotr_agents.games.duel.value import value_of
from wotr_agents.games.duel.weights import DEFAULT_WEIGHTS
from wotr_agents.weighted import WeightedPolicy
from wotr_env.games.duel.state import STATE
from wotr_env.games.duel.turn import apply, run

DUEL_POLICY = WeightedPolicy(
    f"{__name__}:DUEL_POLICY",
    DUELLISTS,
    STATE,
    DEFAULT_WEIGHTS,
    ROOM,
    score_legal_actions=score_legal_actions,
    value_of=value_of,
    apply=apply,
    run=run,
)
