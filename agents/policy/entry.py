"""The compiled entry point of the scripted policy."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from agents.kernels import AGENTS, entry_point
from agents.policy.board import WORK_SIZE
from agents.policy.odds import battle_odds
from agents.policy.policy import score_actions
from wotr_env import STATE
from wotr_env.actions import NUM_ACTIONS
from wotr_env.compile import INTERPRETED


@entry_point
def _score(states, masks, scores, work, odds):  # noqa: ANN001, ANN202 (a kernel)
    for game in range(states.size):
        score_actions(states[game], masks[game], scores[game], work, odds)


def score_views(states: np.ndarray, masks: np.ndarray, scores: np.ndarray) -> None:
    """Scores the legal actions of games.

    Args:
        states: ``STATE[B]``, of which the other seat's hidden cards are not read.
        masks: ``bool[B, NUM_ACTIONS]``.
        scores: ``float64[B, NUM_ACTIONS]``, written; ``NO_SCORE`` for illegal actions.
    """
    masks = np.ascontiguousarray(masks)
    _score(np.ascontiguousarray(states), masks, scores, np.zeros(WORK_SIZE), battle_odds().reshape(-1))


def compile_all(progress: Callable[[int, int], object] = lambda _done, _total: None) -> None:
    """Compiles the kernels of the bots and their entry points."""
    if not INTERPRETED:
        AGENTS.compile_kernels(progress)
    states = np.zeros(0, dtype=STATE)
    masks = np.zeros((0, NUM_ACTIONS), dtype=np.bool_)
    score_views(states, masks, np.zeros((0, NUM_ACTIONS)))


def ensure_policy() -> float:
    """Compiles the scripted policy once per version and machine; returns the seconds it took."""
    return AGENTS.ensure_compiled(compile_all)
