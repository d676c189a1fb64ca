"""Ratings: known strengths come out again, and intervals cover them as often as they say."""

from __future__ import annotations

import numpy as np
import pytest

from wotr_experiments.arena.ratings import rate
from wotr_experiments.arena.sprt import expected_score

FREE_PEOPLES = np.array([120.0, 0.0, -120.0])
SHADOW = np.array([80.0, -100.0, 20.0])
ADVANTAGE = -60.0


def simulated(pairs, generator, free_peoples=FREE_PEOPLES, shadow=SHADOW, advantage=ADVANTAGE):
    """The pairs of a round robin of bots of known strength."""
    found = {}
    for first in range(len(free_peoples)):
        for second in range(first + 1, len(free_peoples)):
            sides = ((first, second), (second, first))
            chances = [expected_score(advantage + free_peoples[i] - shadow[j]) for i, j in sides]
            found[first, second] = (generator.random((pairs, 2)) < chances).astype(np.float64)
    return found


def test_known_strengths_come_out_again():
    ratings = rate(3, simulated(20_000, np.random.default_rng(1)))
    assert [each.value for each in ratings.teams[0]] == pytest.approx(FREE_PEOPLES, abs=10)
    assert [each.value for each in ratings.teams[1]] == pytest.approx(SHADOW, abs=10)
    assert [each.value for each in ratings.both] == pytest.approx((FREE_PEOPLES + SHADOW) / 2, abs=6)
    assert ratings.advantage.value == pytest.approx(ADVANTAGE, abs=6)


def test_the_mean_is_zero_on_each_side():
    ratings = rate(3, simulated(50, np.random.default_rng(2)))
    for ratings_of in (*ratings.teams, ratings.both):
        assert sum(each.value for each in ratings_of) == pytest.approx(0, abs=1e-6)


def test_two_bots_by_hand():
    """Each side of i wins 75% against j: 191 Elo between them over both sides, and no advantage of a side."""
    scores = np.array([[1.0, 0.0]] * 3_000 + [[0.0, 1.0]] * 1_000)
    ratings = rate(2, {(0, 1): scores})
    assert ratings.both[0].value - ratings.both[1].value == pytest.approx(190.8, abs=0.5)
    assert ratings.advantage.value == pytest.approx(0, abs=0.5)
    assert ratings.teams[0][0].value == pytest.approx(ratings.teams[1][0].value, abs=0.1)


def test_a_draw_is_half_a_win():
    drawn = rate(2, {(0, 1): np.full((500, 2), 0.5)})
    shared = rate(2, {(0, 1): np.array([[1.0, 1.0], [0.0, 0.0]] * 250)})
    assert drawn.both[0].value == pytest.approx(shared.both[0].value, abs=1e-6)
    assert drawn.advantage.value == pytest.approx(0, abs=1e-6)


def test_a_bot_that_has_won_everything_has_a_finite_rating_with_an_interval():
    ratings = rate(2, {(0, 1): np.array([[1.0, 0.0]] * 200)})
    best = ratings.both[0]
    assert 300 < best.low < best.value < best.high < 1_000


def test_games_that_were_not_played_do_not_count():
    scores = simulated(400, np.random.default_rng(3))
    with_holes = {pairing: np.vstack([pairs, np.full((100, 2), np.nan)]) for pairing, pairs in scores.items()}
    with_holes = {pairing: pairs[~np.isnan(pairs).all(axis=1)] for pairing, pairs in with_holes.items()}
    assert rate(3, with_holes) == rate(3, scores)
    half = {pairing: pairs.copy() for pairing, pairs in scores.items()}
    half[0, 1][::2, 0] = np.nan
    assert rate(3, half).both[0].value == pytest.approx(rate(3, scores).both[0].value, abs=40)


def test_the_same_seed_gives_the_same_intervals():
    scores = simulated(100, np.random.default_rng(4))
    assert rate(3, scores, 1) == rate(3, scores, 1)
    assert rate(3, scores, 1) != rate(3, scores, 2)


def test_intervals_cover_the_truth():
    """Of 100 tournaments about 95 intervals hold the truth; 4 standard deviations are 8.7."""
    generator = np.random.default_rng(5)
    truth = (FREE_PEOPLES + SHADOW)[0] / 2
    covered = 0
    for _ in range(100):
        first = rate(3, simulated(150, generator)).both[0]
        covered += first.low <= truth <= first.high
    assert covered >= 86
