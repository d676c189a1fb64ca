"""The compiled entry point of the Queller-style Shadow."""

from __future__ import annotations

import numpy as np

from wotr_agents.kernels import entry_point
from wotr_agents.queller.board import FACTS_AT, QUELLER_SIZE, Fact
from wotr_agents.queller.policy import score_queller
from wotr_agents.scripted.board import NEARNESS_AT, WEIGHTS_AT
from wotr_agents.scripted.odds import battle_odds
from wotr_agents.scripted.weights import DEFAULT_WEIGHTS


@entry_point
def _score_queller(states, masks, scores, work, odds):
    for game in range(states.size):
        score_queller(states[game], masks[game], scores[game], work, odds)


def score_queller_views(
    states: np.ndarray, masks: np.ndarray, scores: np.ndarray, strategy: int, coin: int
) -> None:
    """Scores the legal actions of games.

    Args:
        states: ``STATE[B]``, of which the other seat's hidden cards are not read.
        masks: ``bool[B, NUM_ACTIONS]``.
        scores: ``float64[B, NUM_ACTIONS]``, written; ``NO_SCORE`` for illegal actions.
        strategy: a ``Strategy``.
        coin: of the bot, 0 to 1023: with what is seen of a game it decides the first strategy.
    """
    work = np.zeros(QUELLER_SIZE)
    work[WEIGHTS_AT:NEARNESS_AT] = DEFAULT_WEIGHTS
    work[FACTS_AT + Fact.WANTED] = strategy
    work[FACTS_AT + Fact.COIN] = coin
    masks = np.ascontiguousarray(masks)
    _score_queller(np.ascontiguousarray(states), masks, scores, work, battle_odds().reshape(-1))
