"""Ratings: known strengths come out again, and intervals cover them as often as they say."""

from __future__ import annotations

import tracemalloc

import numpy as np
import pytest

from wotr_experiments.arena import ratings
from wotr_experiments.arena.ratings import rate, rate_seats
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
    ratings = rate(3, simulated(20_000, np.random.default_rng(1)), resamples=0)
    assert [each.value for each in ratings.teams[0]] == pytest.approx(FREE_PEOPLES, abs=10)
    assert [each.value for each in ratings.teams[1]] == pytest.approx(SHADOW, abs=10)
    assert [each.value for each in ratings.both] == pytest.approx((FREE_PEOPLES + SHADOW) / 2, abs=6)
    assert ratings.advantages[0].value == pytest.approx(ADVANTAGE, abs=6)


def test_the_mean_is_zero_on_each_side():
    ratings = rate(3, simulated(50, np.random.default_rng(2)))
    for ratings_of in (*ratings.teams, ratings.both):
        assert sum(each.value for each in ratings_of) == pytest.approx(0, abs=1e-6)


def test_two_bots_by_hand():
    """Each side of i wins 75% against j: 191 Elo between them over both sides, and no advantage of a side."""
    scores = np.array([[1.0, 0.0]] * 3_000 + [[0.0, 1.0]] * 1_000)
    ratings = rate(2, {(0, 1): scores})
    assert ratings.both[0].value - ratings.both[1].value == pytest.approx(190.8, abs=0.5)
    assert ratings.advantages[0].value == pytest.approx(0, abs=0.5)
    assert ratings.teams[0][0].value == pytest.approx(ratings.teams[1][0].value, abs=0.1)


def test_a_draw_is_half_a_win():
    drawn = rate(2, {(0, 1): np.full((500, 2), 0.5)})
    shared = rate(2, {(0, 1): np.array([[1.0, 1.0], [0.0, 0.0]] * 250)})
    assert drawn.both[0].value == pytest.approx(shared.both[0].value, abs=1e-6)
    assert drawn.advantages[0].value == pytest.approx(0, abs=1e-6)


@pytest.mark.parametrize("pair", [(0.5, 0.5), (1.0, 1.0)], ids=["draws", "one side"])
def test_pairs_that_are_all_alike_are_no_certainty(pair):
    few = rate(2, {(0, 1): np.array([pair] * 2)}).both[0]
    assert few.value == pytest.approx(0, abs=1e-6)
    assert few.low < -100 and few.high > 100


def test_many_draws_say_more_than_few():
    many = rate(2, {(0, 1): np.full((2_000, 2), 0.5)}).both[0]
    assert -15 < many.low < -2 and 2 < many.high < 15


def test_seats_of_draws_alone_are_no_certainty():
    seated = np.array([[[0, 1], [1, 0]]] * 3)
    shown = rate_seats(2, (0, 1), seated, np.full((3, 2, 2), 0.5))
    assert all(each.low < -50 and each.high > 50 for each in (*shown.both, *shown.seats[0]))


def test_a_bot_that_has_won_everything_has_a_finite_rating_with_an_interval():
    ratings = rate(2, {(0, 1): np.array([[1.0, 0.0]] * 200)})
    best = ratings.both[0]
    assert 300 < best.low < best.value < best.high < 1_000


def test_games_that_were_not_played_do_not_count():
    scores = simulated(400, np.random.default_rng(3))
    with_holes = {pairing: np.vstack([pairs, np.full((100, 2), np.nan)]) for pairing, pairs in scores.items()}
    assert rate(3, with_holes) == rate(3, scores)
    half = {pairing: pairs.copy() for pairing, pairs in scores.items()}
    half[0, 1][::2, 0] = np.nan
    assert rate(3, half).both[0].value == pytest.approx(rate(3, scores).both[0].value, abs=40)


def width(estimate):
    return estimate.high - estimate.low


def test_games_of_a_round_in_several_pairings_are_not_independent():
    """A bot given twice that plays the same games in both pairings is no second observation."""
    scores = simulated(400, np.random.default_rng(10))[0, 1]
    other = simulated(400, np.random.default_rng(11))[0, 1]
    copied, fresh = (rate(3, {(0, 1): scores, (0, 2): each}).teams[0][0] for each in (scores, other))
    assert width(copied) == pytest.approx(1.41 * width(fresh), rel=0.1)


def test_a_pairing_of_which_most_rounds_are_missing_has_a_wide_interval():
    """While a tournament is played, its pairings have different numbers of rounds."""
    generator = np.random.default_rng(12)
    scores = simulated(400, generator)
    part = {pairing: pairs.copy() for pairing, pairs in scores.items()}
    for pairing in ((0, 2), (1, 2)):
        part[pairing][20:] = np.nan
    whole, some = rate(3, scores), rate(3, part)
    alone = rate(3, {pairing: pairs[:20] for pairing, pairs in scores.items()})
    assert width(some.both[2]) > 3 * width(whole.both[2])
    assert width(some.both[2]) == pytest.approx(width(alone.both[2]), rel=0.25)


def test_the_same_seed_gives_the_same_intervals():
    scores = simulated(100, np.random.default_rng(4))
    assert rate(3, scores, 1) == rate(3, scores, 1)
    assert rate(3, scores, 1) != rate(3, scores, 2)


def test_intervals_cover_the_truth():
    """Of 50 tournaments about 47.5 intervals hold the truth; 4 standard deviations are 6.2."""
    generator = np.random.default_rng(5)
    truth = (FREE_PEOPLES + SHADOW)[0] / 2
    covered = 0
    for _ in range(50):
        first = rate(3, simulated(150, generator), resamples=300).both[0]
        covered += first.low <= truth <= first.high
    assert covered >= 42


# --- Seats that are drawn. ---

TEAMS = (0, 1, 1, 0)
SEATS = np.array([[100.0, -100.0], [60.0, -60.0], [-20.0, 20.0], [0.0, 0.0]])
"""By seat and bot; the third seat's better bot is the worse one in all others."""
SIGNS = np.array([1, -1, -1, 1])


def drawn_games(rounds, generator):
    """Rounds of two games in which each of two bots has every seat once."""
    first = generator.integers(0, 2, (rounds, 1, len(TEAMS)))
    seated = np.concatenate([first, 1 - first], axis=1)
    strengths = ADVANTAGE + (SEATS[np.arange(len(TEAMS)), seated] * SIGNS).sum(axis=2)
    chances = np.vectorize(expected_score)(strengths)
    won = (generator.random(chances.shape) < chances).astype(np.float64)
    return seated, np.stack([won, 1 - won], axis=2)


def test_known_strengths_of_seats_come_out_again():
    ratings = rate_seats(2, TEAMS, *drawn_games(20_000, np.random.default_rng(6)), resamples=0)
    found = [[each.value for each in seat] for seat in ratings.seats]
    assert np.array(found) == pytest.approx(SEATS, abs=10)
    assert ratings.advantages[0].value == pytest.approx(ADVANTAGE, abs=10)
    for team, seats in enumerate(((0, 3), (1, 2))):
        strengths = [each.value for each in ratings.teams[team]]
        assert strengths == pytest.approx(SEATS[list(seats)].sum(axis=0), abs=15)


def test_intervals_of_seats_cover_the_truth():
    """Of 48 intervals about 46 hold the truth; 4 standard deviations are 6."""
    generator = np.random.default_rng(7)
    covered = 0
    for number in range(12):
        ratings = rate_seats(2, TEAMS, *drawn_games(150, generator), seed=number)
        covered += sum(
            each[0].low <= truth <= each[0].high
            for each, (truth, _) in zip(ratings.seats, SEATS, strict=True)
        )
    assert covered >= 40


def test_seats_that_are_teams_are_rated_as_teams():
    scores = simulated(200, np.random.default_rng(8))[0, 1]
    seated = np.broadcast_to([[0, 1], [1, 0]], (len(scores), 2, 2))
    by_team = rate(2, {(0, 1): scores})
    by_seat = rate_seats(2, (0, 1), seated, np.stack([scores, 1 - scores], axis=2))
    assert by_seat.both[0].value == pytest.approx(by_team.both[0].value, abs=1e-6)
    assert by_seat.advantages[0].value == pytest.approx(by_team.advantages[0].value, abs=1e-6)


def test_known_strengths_of_three_teams_come_out_again():
    """Each seat is a team; a team wins in proportion to 10 to the power of a 400th of its Elo."""
    generator = np.random.default_rng(9)
    ahead = np.array([50.0, -80.0, 30.0])
    strengths = np.array([[90.0, -90.0], [40.0, -40.0], [-10.0, 10.0]])
    first = generator.integers(0, 2, (20_000, 1, 3))
    seated = np.concatenate([first, 1 - first], axis=1)
    odds = 10 ** ((ahead + strengths[np.arange(3), seated]) / 400)
    drawn = generator.random(odds.shape[:2]) * odds.sum(axis=2)
    winner = (drawn[:, :, None] > odds.cumsum(axis=2)).sum(axis=2)
    found = rate_seats(2, (0, 1, 2), seated, np.eye(3)[winner], resamples=100)
    assert [[each.value for each in seat] for seat in found.seats] == pytest.approx(strengths, abs=8)
    assert [each.value for each in found.advantages] == pytest.approx(ahead, abs=8)
    assert [each.value for each in found.both] == pytest.approx(strengths.mean(axis=0), abs=5)
    assert found.both[0].low < 40 < found.both[0].high


def test_shared_wins_of_three_teams_are_worth_their_parts():
    seated = np.array([[[0, 1, 1], [1, 0, 0]]] * 60)
    alone = np.array([[[1.0, 0, 0], [0, 1, 0]], [[0, 1, 0], [1.0, 0, 0]]] * 30)
    shared = np.array([[[0.5, 0.5, 0], [0.5, 0.5, 0]]] * 60)
    values = [[each.value for each in rate_seats(2, (0, 1, 2), seated, one).both] for one in (alone, shared)]
    assert values[0] == pytest.approx(values[1], abs=1e-6)


def test_many_pairs_are_resampled_a_few_at_a_time():
    pairs, resamples = 40_000, 40
    values = np.random.default_rng(2).random((pairs, 3)).round()
    tracemalloc.start()
    try:
        found = ratings._resampled(values, np.random.default_rng(1), resamples)
        most = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert most < 3 * 8 * ratings._MOST_WEIGHTS < 8 * pairs * resamples * 3
    taken = np.random.default_rng(1).multinomial(pairs, np.full(pairs, 1 / pairs), size=resamples)
    assert np.array_equal(found, np.vstack([values.sum(axis=0), taken @ values]))
