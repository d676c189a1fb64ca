"""The scripted policy reads of the board what a decision needs, and no less."""

from __future__ import annotations

import numpy as np
import pytest

from wotr_agents.games.war_of_the_ring.scripted.entry import _score, ensure_agents, play_scripted, score_views
from wotr_agents.games.war_of_the_ring.scripted.odds import battle_odds
from wotr_agents.games.war_of_the_ring.scripted.reading import READ_FIELDS, new_readings
from wotr_agents.games.war_of_the_ring.scripted.weights import DEFAULT_WEIGHTS, PLAIN_WEIGHTS
from wotr_env import Ruleset, VectorGame
from wotr_env.games.war_of_the_ring.codes import Decision, Side


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


@pytest.mark.parametrize("players", [2, 3, 4])
def test_a_reading_is_kept_while_a_game_goes_on(players):
    """Scores behind one another of one game are those of readings that have seen nothing."""
    ensure_agents()
    game = VectorGame(1, seed=players, ruleset=Ruleset(players=players), observations=False)
    readings, odds = new_readings(DEFAULT_WEIGHTS), battle_odds().reshape(-1)
    kept, fresh = (np.empty(game.masks.shape) for _ in range(2))
    reused = 0
    for _ in range(1500):
        states, masks = game.states.copy(), game.masks.copy()
        before = readings.copy()
        _score(states, masks, kept, readings, odds)
        score_views(states, masks, fresh)
        np.testing.assert_array_equal(kept, fresh)
        reused += readings.tobytes() == before.tobytes() and readings["extent"][0] > 0
        game.random_steps(1)
    assert (reused > 100) == (players < 4), reused  # alone on a side


def _board_of(states, readings):
    """The side for which a board was read, and where its armies are pulled."""
    masks = np.ones((1, 322), dtype=np.bool_)
    states["decision"] = Decision.ARMY_ORIGIN
    _score(states, masks, np.empty(masks.shape), readings, battle_odds().reshape(-1))
    return readings


@pytest.mark.parametrize("field", READ_FIELDS)
def test_whatever_changes_is_read_again(field):
    ensure_agents()
    games = VectorGame(1, seed=5, observations=False)
    games.random_steps(200)
    states = games.states.copy()
    kept = _board_of(states, new_readings(DEFAULT_WEIGHTS))
    numbers = states[field].reshape(-1)
    for place in {0, numbers.size // 2, numbers.size - 1}:
        if field == "options" and place == 0:
            continue  # the number of players is not changed in a game
        numbers[place] ^= 1
        kept = _board_of(states, kept)
        wanted = _board_of(states, new_readings(DEFAULT_WEIGHTS))
        for name in ("hits", "leadership", "nearness", "threat", "pull", field):
            np.testing.assert_array_equal(kept[name], wanted[name])


def test_sides_are_read_by_their_own_weights():
    """Games with different weights of both sides are the same one by one and behind one another."""
    ensure_agents()
    games = VectorGame(6, seed=1, observations=False)
    of_sides = np.stack([DEFAULT_WEIGHTS, PLAIN_WEIGHTS])
    weights = np.stack([of_sides if game % 2 else of_sides[::-1] for game in range(6)])
    together, masks, streams = games.states.copy(), games.masks.copy(), np.arange(6)
    play_scripted(together, masks, weights, streams, decisions=300)
    for game in range(6):
        alone = slice(game, game + 1)
        states, masks, streams = games.states[alone].copy(), games.masks[alone].copy(), np.arange(6)[alone]
        play_scripted(states, masks, weights[alone], streams, decisions=300)
        assert states[0].tobytes() == together[game].tobytes()
    assert weights[0, Side.SHADOW].tolist() != weights[1, Side.SHADOW].tolist()
