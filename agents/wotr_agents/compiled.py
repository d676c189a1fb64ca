"""Compiling the kernels of the bots, once per version and machine."""

from __future__ import annotations

import numpy as np

from wotr_agents.kernels import AGENTS
from wotr_agents.queller.entry import score_queller_views
from wotr_agents.scripted.entry import features_of, play_scripted, score_views
from wotr_agents.scripted.odds import battle_odds
from wotr_agents.scripted.weights import Weight
from wotr_agents.search.guided import GuidedSettings
from wotr_agents.search.guided_search import GuidedSearch
from wotr_agents.search.search import Search
from wotr_agents.search.simulations import SearchSettings
from wotr_env import STATE
from wotr_env.actions import NUM_ACTIONS
from wotr_env.compiler.kernels import Progress
from wotr_env.engine import kernel
from wotr_env.kernels import RULES


def compile_all(progress: Progress = lambda _done, _total: None) -> None:
    """Compiles the kernels of the bots, or loads them, by using the entry points on no game."""
    if not AGENTS.is_compiled():
        AGENTS.compile_kernels(progress)
    states = np.zeros(0, dtype=STATE)
    masks = np.zeros((0, NUM_ACTIONS), dtype=np.bool_)
    score_views(states, masks, np.zeros((0, NUM_ACTIONS)))
    score_queller_views(states, masks, np.zeros((0, NUM_ACTIONS)), 0, 0)
    play_scripted(states, masks, np.zeros((0, 2, len(Weight))), np.zeros(0, dtype=np.int64))
    features_of(states)
    Search(SearchSettings(), states, seed=0).run(0)
    GuidedSearch(GuidedSettings(), _say_nothing, states.reshape(0, 1), np.zeros(0, dtype=np.int64)).run(1)
    AGENTS.close()


def _say_nothing(_observations: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """What a network says of no positions."""
    return np.zeros((0, NUM_ACTIONS), dtype=np.float32), np.zeros(0, dtype=np.float32)


def ensure_agents() -> float:
    """Makes sure that everything is compiled; returns the seconds it took."""
    battle_odds()  # takes a moment, so not in the middle of a decision
    return AGENTS.ensure_compiled(compile_all)


def everything_is_compiled() -> bool:
    """Whether the rules and the bots need no compiling on this machine."""
    return RULES.is_compiled() and AGENTS.is_compiled()


def ensure_everything(progress: Progress) -> float:
    """Compiles the rules, then the bots, if need be; returns the seconds it took."""
    return RULES.ensure_compiled(kernel.compile_all, progress) + AGENTS.ensure_compiled(compile_all, progress)
