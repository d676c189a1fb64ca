"""The compiled entry point of the Queller-style Shadow."""

from __future__ import annotations

import numpy as np

from wotr_agents.games.war_of_the_ring.kernels import FLOAT_TABLE, entry_point
from wotr_agents.games.war_of_the_ring.queller.policy import score_queller
from wotr_agents.games.war_of_the_ring.queller.reading import QUELLER_READING, new_queller_reading
from wotr_agents.games.war_of_the_ring.scripted.odds import battle_odds
from wotr_env.compiler.types import array_of


@entry_point(scores=FLOAT_TABLE, readings=array_of(QUELLER_READING))
def _score_queller(states, masks, scores, readings, odds):
    queller = readings[0]
    for game in range(states.size):
        score_queller(states[game], masks[game], scores[game], queller, odds)


def score_queller_views(
    states: np.ndarray, masks: np.ndarray, scores: np.ndarray, strategy: int, coin: int
) -> None:
    """Scores the legal actions of games.

    Args:
        states: ``STATE[B]``; hidden cards of other seats are not read.
        masks: ``bool[B, NUM_ACTIONS]``: the legal actions.
        scores: ``float64[B, NUM_ACTIONS]``, written; ``NO_SCORE`` for illegal actions.
        strategy: a ``Strategy``.
        coin: the random number of the bot, 0 to 1023. Together with visible cards of a game, it determines
            the strategy while neither victory points nor Corruption is ahead.
    """
    masks = np.ascontiguousarray(masks)
    readings = new_queller_reading(strategy, coin)
    _score_queller(np.ascontiguousarray(states), masks, scores, readings, battle_odds().reshape(-1))
