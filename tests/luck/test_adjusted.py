"""Adjusted scores: the same mean, a smaller spread where luck says something, and honest intervals."""

from __future__ import annotations

import numpy as np
import pytest

from wotr_experiments.arena.sprt import Sprt, expected_score
from wotr_experiments.luck.adjusted import SequentialAdjustment, adjust, adjusted_scores, multiples


def units(number, generator, *, share=0.5, known=0.8, useless=1.0):
    """Scores of 0 and 1, the luck of two sources: one of which much of the score follows, and one that says
    nothing."""
    luck = generator.normal(size=(number, 2)) * (0.4, useless)
    scores = generator.random(number) < np.clip(share + known * luck[:, 0], 0, 1)
    return scores.astype(float), luck


def test_multiples_are_1_at_first_and_then_what_the_scores_say():
    assert multiples(np.array([1.0]), np.ones((1, 3))).tolist() == [1, 1, 1]
    scores, luck = units(20_000, np.random.default_rng(0))
    first, second = multiples(scores, luck)
    assert 0.4 < first < 0.8 and abs(second) < 0.02


def test_the_mean_stays_and_the_spread_shrinks():
    generator = np.random.default_rng(1)
    found = [adjust(*units(200, generator, share=0.6)) for _ in range(300)]
    truth = np.mean([each.plain for each in found])
    inside = [each.interval_95[0] <= truth <= each.interval_95[1] for each in found]
    assert np.mean([each.share for each in found]) == pytest.approx(truth, abs=0.006)
    assert 0.91 <= np.mean(inside) <= 0.98
    assert np.mean([each.games_saved for each in found]) > 1.3


def test_useless_luck_costs_little():
    generator = np.random.default_rng(2)
    found = [adjust(*units(400, generator, known=0.0, useless=3.0)) for _ in range(50)]
    assert 0.9 < np.mean([each.games_saved for each in found]) < 1.01
    assert abs(np.mean([each.share - each.plain for each in found])) < 0.01


def test_a_unit_does_not_choose_its_own_multiples():
    scores, luck = units(40, np.random.default_rng(3))
    changed = scores.copy()
    changed[7] += 5
    before, after = adjusted_scores(scores, luck), adjusted_scores(changed, luck)
    assert after[7] - before[7] == pytest.approx(5)  # and those of its fold keep theirs too
    assert after[17] == before[17] and after[8] != before[8]


def test_few_units_have_no_interval():
    assert adjust(np.zeros(0), np.zeros((0, 2))).to_dict() == {
        "share": None,
        "interval_95": [None, None],
        "plain": None,
        "plain_interval_95": [None, None],
        "games_saved": None,
    }
    two = adjust(np.array([1.0, 0.0]), np.zeros((2, 2)))  # Student's t with one degree of freedom
    assert two.plain_interval_95 == pytest.approx((0.5 - 12.7062 * 0.5, 0.5 + 12.7062 * 0.5), rel=1e-4)
    one = adjust(np.array([1.0]), np.array([[0.25, 0.0]]))
    assert (one.share, one.plain, one.interval_95, one.games_saved) == (0.75, 1.0, (None, None), None)
    same = adjust(np.ones(5), np.zeros((5, 1)))
    assert same.games_saved is None and same.interval_95 == (1.0, 1.0)


def matched(sprt, score, generator, known=0.8):
    """Whether a match of pairs with a mean score passes, by adjusted scores; and its pairs."""
    following = SequentialAdjustment()
    while True:
        luck = generator.normal(size=2) * (0.2, 0.3)
        shares = np.clip(score + known * luck[0] + (-0.3, 0.3), 0, 1)  # a side that is worth something
        following.add((generator.random(2) < shares).mean(), luck)
        passed = sprt.decide(sprt.ratio_of_scores(*following.moments))
        if passed is not None:
            return passed, following.moments[0]


@pytest.mark.parametrize("known", [0.8, 0.0])
@pytest.mark.parametrize("stronger", [False, True])
def test_error_rates_of_the_test_by_adjusted_scores(stronger, known):
    """At most the 10% that were asked for, also if luck says nothing."""
    sprt = Sprt(0, 100, alpha=0.1, beta=0.1)
    generator = np.random.default_rng(10 + stronger)
    score = expected_score(sprt.elo1 if stronger else sprt.elo0)
    found = [matched(sprt, score, generator, known)[0] for _ in range(300)]
    assert 1 <= sum(passed != stronger for passed in found) <= 30


def test_moments_are_of_the_adjusted_scores():
    """The multiples of the first two scores are 1."""
    following = SequentialAdjustment()
    following.add(1.0, np.array([0.25, 0.0]))
    assert following.moments == (1, 0.75, 0.0)
    following.add(0.5, np.array([0.0, -0.05]))
    assert following.moments == pytest.approx((2, np.mean([0.75, 0.55]), np.var([0.75, 0.55])))


def test_a_match_of_one_kind_of_pairs_is_decided():
    sprt = Sprt(0, 50)
    for score, stronger in ((0.0, False), (1.0, True)):
        ratios = [sprt.ratio_of_scores(pairs, score, 0.0) for pairs in range(200)]
        assert ratios[0] == 0 and np.isfinite(ratios).all()
        assert sprt.decide(ratios[-1]) is stronger
