"""The sequential test: the formula against hand computations, decisions and error rates in simulations."""

from __future__ import annotations

import math

import numpy as np
import pytest

from wotr_experiments.arena.result_tables import decision_text
from wotr_experiments.arena.sprt import (
    SCORES,
    Sprt,
    _best_distribution,
    elo_interval,
    elo_of,
    expected_score,
    normalised_elo,
)
from wotr_experiments.errors import CommandError


@pytest.mark.parametrize(("elo", "score"), [(0, 0.5), (-400, 1 / 11), (400, 10 / 11), (100, 0.640065)])
def test_elo_and_scores(elo, score):
    assert expected_score(elo) == pytest.approx(score, abs=1e-6)
    assert elo_of(score) == pytest.approx(elo, abs=1e-3)


def test_no_score_is_infinitely_far():
    assert elo_of(0.0) == -math.inf
    assert elo_of(1.0) == math.inf


def test_bounds():
    assert Sprt(alpha=0.05, beta=0.05).bounds == pytest.approx((-math.log(19), math.log(19)))
    assert Sprt(alpha=0.01, beta=0.1).bounds == pytest.approx((math.log(10 / 99), math.log(90)))


def test_with_two_kinds_of_pairs_it_is_the_plain_ratio_of_likelihoods():
    """By hand: with scores 0 and 1 only, a mean of s leaves one distribution, 1 - s and s."""
    sprt = Sprt(0, 100)
    high = 1 / (1 + 10**-0.25)
    counts = [40, 0, 0, 0, 60]
    by_hand = 60 * math.log(high / 0.5) + 40 * math.log((1 - high) / 0.5)
    assert sprt.log_likelihood_ratio(counts) == pytest.approx(by_hand, abs=0.02)  # unseen scores count 0.001


def test_with_three_kinds_of_pairs_it_is_the_constrained_maximum():
    """By hand, for counts 30, 40, 30 at 0, 0.5, 1: with probability q of 0.5 and mean s the others have
    1 - s - q / 2 and s - q / 2, and the derivative of the log-likelihood by q is zero at the root below."""
    high = expected_score(50)

    def best(mean):
        # 40 / q = 15 / (1 - mean - q / 2) + 15 / (mean - q / 2), a quadratic in q:
        # 40 (1 - mean - q/2) (mean - q/2) = 15 q (1 - q), so 25 q^2 - 35 q + 40 mean (1 - mean) = 0
        q = (35 - math.sqrt(35**2 - 4_000 * mean * (1 - mean))) / 50
        return 1 - mean - q / 2, q, mean - q / 2

    by_hand = sum(n * math.log(b / a) for n, a, b in zip((30, 40, 30), best(0.5), best(high), strict=True))
    ratio = Sprt(0, 50).log_likelihood_ratio([30, 0, 40, 0, 30])
    assert ratio == pytest.approx(by_hand, abs=0.02)


def test_for_small_differences_it_is_the_ratio_of_normal_means():
    """(s1 - s0) (2 mean - s0 - s1) / (2 variance of the mean), as in the literature."""
    counts = np.array([195, 6_985, 15_537, 7_259, 216])
    pairs, scores = counts.sum(), np.array(SCORES)
    mean = counts @ scores / pairs
    variance = counts @ (scores - mean) ** 2 / pairs
    low, high = expected_score(0), expected_score(3)
    normal = pairs * (high - low) * (2 * mean - low - high) / (2 * variance)
    assert Sprt(0, 3).log_likelihood_ratio(counts.tolist()) == pytest.approx(normal, rel=0.01)


def test_the_ratio_is_antisymmetric_and_adds_up():
    counts = [3, 20, 40, 30, 7]
    forwards = Sprt(-10, 10).log_likelihood_ratio(counts)
    assert forwards > 0
    assert Sprt(-10, 10).log_likelihood_ratio(counts[::-1]) == pytest.approx(-forwards)
    doubled = Sprt(-10, 10).log_likelihood_ratio([2 * count for count in counts])
    assert doubled == pytest.approx(2 * forwards)
    assert Sprt().log_likelihood_ratio([0] * 5) == 0


@pytest.mark.parametrize("place", range(5))
def test_pairs_of_one_kind_are_no_trouble(place):
    counts = [0] * 5
    counts[place] = 1_000
    assert math.isfinite(Sprt().log_likelihood_ratio(counts))
    assert Sprt(0, 20).decide(Sprt(0, 20).log_likelihood_ratio(counts)) is (place > 2)


def test_the_interval_of_the_elo_difference():
    elo, low, high = elo_interval([10, 20, 40, 20, 10])
    assert elo == 0
    assert low == pytest.approx(-high)
    assert 30 < high < 40  # 400 / ln 10 / 0.25 times 1.96 times 0.0274
    assert elo_interval([0] * 5) == (0, -math.inf, math.inf)
    elo, low, high = elo_interval([0, 0, 0, 0, 10])
    assert elo == high == math.inf
    assert 100 < low < 400


def test_normalised_elo():
    """Games that one bot wins with 0.55, each alone: 0.05 over a deviation of 0.497, times 347.4."""
    share = np.array([0.45**2, 0, 2 * 0.45 * 0.55, 0, 0.55**2]) * 1_000_000
    elo, low, high = normalised_elo(share.tolist())
    assert elo == pytest.approx(0.05 / math.sqrt(0.55 * 0.45) * 800 / math.log(10), rel=1e-3)
    assert low < elo < high and high - elo == pytest.approx(
        1.96 * 800 / math.log(10) / math.sqrt(2e6), rel=1e-2
    )
    drawn = [0, 0, 0, 0, 0]
    assert normalised_elo(drawn) == (0, -math.inf, math.inf)
    one, *_ = normalised_elo([0, 0, 90, 10, 0])
    other, *_ = normalised_elo([20, 0, 50, 0, 30])
    assert one > other  # though its mean score is lower: 0.525 and 0.55


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ((5, 5), "elo0 must be less than elo1, not 5 and 5"),
        ((5, 0), "elo0 must be less than elo1, not 5 and 0"),
        ((0, math.inf), "elo1 must be a finite number, not inf"),
        ((math.nan, 5), "elo0 must be a finite number, not nan"),
        (("0", 5), "elo0 must be a finite number, not 0"),
        ((0, 10**400), "elo1 must be a finite number, not 1000"),
        ((0, 7000), "elo1 must be from -1000 to 1000, not 7000"),
        ((-1000.5, 5), "elo0 must be from -1000 to 1000, not -1000.5"),
        ((0, 5, 5e-324), "alpha and beta must be at least 1e-12, not 4.94066e-324 and 0.05"),
        ((0, 5, 0), "alpha and beta must be between 0 and 0.5, not 0 and 0.05"),
        ((0, 5, 0.05, 0.5), "alpha and beta must be between"),
    ],
)
def test_questions_that_cannot_be(arguments, message):
    with pytest.raises(CommandError, match=message):
        Sprt(*arguments)


@pytest.mark.parametrize("elos", [(-1000, 1000), (999.9, 1000), (-1000, -999.9), (0, 1000)])
@pytest.mark.parametrize(
    "counts", [[10**6, 0, 0, 0, 0], [0, 0, 0, 0, 10**6], [0, 0, 1, 0, 0], [1, 2, 3, 4, 5]]
)
def test_questions_at_the_limit_have_answers(elos, counts):
    sprt = Sprt(*elos, alpha=1e-12, beta=1e-12)
    assert math.isfinite(sprt.log_likelihood_ratio(counts)) and all(map(math.isfinite, sprt.bounds))
    for elo in elos:
        chances = _best_distribution([count or 1e-3 for count in counts], expected_score(elo))
        assert sum(chances) == pytest.approx(1, abs=1e-4) and min(chances) > 0
        mean = sum(chance * score for chance, score in zip(chances, SCORES, strict=True))
        assert mean == pytest.approx(expected_score(elo), abs=1e-4)


def simulated(sprt, elo, advantage, generator):
    """A match of a player of known strength: decision and pairs. The side is worth ``advantage`` to it."""
    wins = expected_score(elo + advantage), expected_score(elo - advantage)
    counts = [0] * 5
    while (passed := sprt.decide(sprt.log_likelihood_ratio(counts))) is None:
        counts[2 * sum(generator.random() < chance for chance in wins)] += 1
    return passed, sum(counts)


def mean_elo(score, advantage):
    """The Elo on each side of the given advantage that gives this score over both."""
    low, high = -1_000.0, 1_000.0
    for _ in range(60):
        middle = (low + high) / 2
        both = (expected_score(middle + advantage) + expected_score(middle - advantage)) / 2
        low, high = (middle, high) if both < score else (low, middle)
    return low


@pytest.mark.parametrize("advantage", [0, 250])
@pytest.mark.parametrize("stronger", [False, True])
def test_error_rates(stronger, advantage):
    """At the edges of the question the wrong answer comes at most as often as asked for.

    200 matches with an error rate of 10%: 4.2 standard deviations are 8.9%.
    """
    sprt = Sprt(0, 100, alpha=0.1, beta=0.1)
    elo = mean_elo(expected_score(sprt.elo1 if stronger else sprt.elo0), advantage)
    generator = np.random.default_rng(advantage + stronger)
    wrong = sum(simulated(sprt, elo, advantage, generator)[0] != stronger for _ in range(200))
    assert 2 <= wrong <= 37


def test_clear_cases_are_decided_soon():
    generator = np.random.default_rng(0)
    for elo, stronger in ((-100, False), (200, True)):
        matches = [simulated(Sprt(0, 100), elo, 0, generator) for _ in range(20)]
        assert [passed for passed, _ in matches] == [stronger] * 20
        assert np.mean([pairs for _, pairs in matches]) < 40


@pytest.mark.parametrize(
    ("elo0", "elo1", "passed", "failed"),
    [
        (0, 10, "a is stronger than b", "a is not stronger than b by 10 Elo"),
        (20, 40, "a is stronger than b by more than 20 Elo", "a is not stronger than b by 40 Elo"),
        (-10, 0, "a is not weaker than b by 10 Elo", "a is weaker than b"),
        (-40, -20, "a is not weaker than b by 40 Elo", "a is weaker than b by more than 20 Elo"),
    ],
)
def test_a_decision_says_no_more_than_its_hypotheses(elo0, elo1, passed, failed):
    def told(decision):
        sprt = {"elo0": elo0, "elo1": elo1, "decision": decision}
        return decision_text({"results": [{"bot": "a"}, {"bot": "b"}], "sprt": sprt})

    assert told("stronger") == passed
    assert told("not stronger") == failed
    assert told("undecided") == f"undecided whether {passed}"
