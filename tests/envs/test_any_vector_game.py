"""Many games of any kind in step: rewards by seat, and beginning anew."""

import numpy as np
import pytest

from wotr_env.play.games import game_kind


def random_step(games, generator):
    return games.step(np.where(games.masks, generator.random(games.masks.shape), -1).argmax(axis=1))


@pytest.mark.parametrize(("name", "ruleset"), [("duel", "standard"), ("two-towers", "three")])
def test_rewards_are_the_worth_of_ends_by_seat(name, ruleset):
    kind = game_kind(name)
    games, generator = kind.games(32, 1, kind.find_ruleset(ruleset)), np.random.default_rng(1)
    assert games.rewards.shape == (32, len(games.ruleset.seats)) and games.rewards.dtype == np.float32
    ended = 0
    for _ in range(200):
        random_step(games, generator)
        assert not games.rewards[~games.terminated].any()
        for row in np.flatnonzero(games.terminated):
            winner, ended = int(games.outcomes["winner"][row]), ended + 1
            won = [
                0.0 if winner == kind.draw else 1.0 if s.team == winner else -1.0 for s in games.ruleset.seats
            ]
            assert games.rewards[row].tolist() == won
    assert ended > 20


def test_games_begin_anew():
    kind = game_kind("duel")
    games, other = (kind.games(4, seed, kind.find_ruleset()) for seed in (1, 2))
    first, generator = games.states.copy(), np.random.default_rng(1)
    for _ in range(30):
        random_step(games, generator)
    assert games.reset().states.tobytes() != first.tobytes()  # the next episodes
    assert games.reset(1).states.tobytes() == first.tobytes() and not games.terminated.any()
    assert games.reset(2).states.tobytes() == other.states.tobytes()
    assert (games.observations == other.observations).all() and (games.masks == other.masks).all()
    with pytest.raises(ValueError):
        games.reset(-1)
