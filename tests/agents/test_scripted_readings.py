"""The scripted policy reads of the board what a decision needs, and no less."""

from __future__ import annotations

import numpy as np
import pytest

from wotr_agents.compiled import ensure_agents
from wotr_agents.scripted.entry import score_views
from wotr_env import Ruleset, VectorGame
from wotr_env.codes import Decision


@pytest.mark.parametrize("players", [2, 4])
def test_scores_are_the_same_whatever_was_read_before(players):
    ensure_agents()
    games = VectorGame(128, seed=players, ruleset=Ruleset(players=players), observations=False)
    seen = set()
    for _ in range(150):
        games.random_steps(13)
        states, masks = games.states.copy(), games.masks
        seen |= set(states["decision"].tolist())
        scores = np.empty((2, *masks.shape))
        score_views(states, masks, scores[0])
        # In another order every position is scored behind another one, whose reading is still there.
        shuffled = np.random.default_rng(1).permutation(states.size)
        found = np.empty(masks.shape)
        score_views(states[shuffled], masks[shuffled], found)
        scores[1, shuffled] = found
        assert (scores[0] == scores[1]).all()
    assert len(seen) > 0.6 * len(Decision)
