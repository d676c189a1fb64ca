"""How sure the figures of evaluations are: intervals in the metrics and on the screen."""

from __future__ import annotations

import math

import numpy as np
import pytest

from tests.tiny_training import config_of, shorten_evaluations, timeless_metrics, train_tiny
from wotr_experiments.arena.statistics import wilson
from wotr_experiments.training.strength import elo_above, elo_words, intervals_of, percent, score_interval
from wotr_experiments.training.watch import evaluation_text


def test_the_interval_of_a_score_is_wilsons():
    assert score_interval(0.25, 100) == pytest.approx((0.1755, 0.3430), abs=1e-4)
    assert score_interval(0.125, 4) == wilson(0.5, 4)
    assert percent(0.25, 100) == "25.0% (17.5% to 34.3%)"


@pytest.mark.parametrize(("score", "games"), [(math.nan, 10), (1.5, 10), (-0.1, 10), (0.5, 0), (0.5, -3)])
def test_what_is_no_score_has_no_ends(score, games):
    assert score_interval(score, games) == (0.0, 1.0)


def test_the_interval_covers_scores_with_draws():
    """Draws as halves spread less than wins and losses, so 95% is the least."""
    generator = np.random.default_rng(7)
    for chances in ((0.5, 0.0, 0.5), (0.2, 0.5, 0.3), (0.05, 0.1, 0.85)):
        true = chances[0] + 0.5 * chances[1]
        counts = generator.multinomial(60, chances, size=2000)
        ends = [score_interval((won + 0.5 * drawn) / 60, 60) for won, drawn, _ in counts]
        covered = np.mean([low <= true <= high for low, high in ends])
        assert covered >= 0.93


def test_elo_with_its_interval():
    elo, (low, high) = elo_above(50.0, 100, 1)
    assert elo == 0.0 and low == pytest.approx(-high) and 60 < high < 75
    assert elo_words(elo, [low, high]) == f"+0 ({low:+.0f} to {high:+.0f})"
    elo, ends = elo_above(10.0, 10, 1)
    assert elo == pytest.approx(400 * math.log10(21), abs=0.1)
    assert ends[1] is None and elo_words(elo, ends).endswith(" to +inf)")
    assert elo_words(*elo_above(0.0, 10, 1)).startswith("-529 (-inf to ")
    assert elo_above(25.0, 100, 3)[0] == pytest.approx(0.0, abs=4)  # one of four teams
    assert elo_words(12.3) == elo_words(12.3, "wide") == elo_words(12.3, [1.0, math.nan]) == "+12"


def test_the_metrics_have_the_intervals(tmp_path, monkeypatch):
    shorten_evaluations(monkeypatch.setattr)
    train_tiny(tmp_path / "run", config_of(2, expert="", expert_decisions=0, evaluate_games=3))
    line = timeless_metrics(tmp_path / "run")[-1]
    assert line["kind"] == "evaluation" and line["games"] == 3
    assert line["intervals_95"] == intervals_of(line["scores"], 3)
    for anchor, row in line["scores"].items():
        for team, score in row.items():
            low, high = line["intervals_95"][anchor][team]
            assert low <= score <= high and high - low > 0.4
    low, high = line["elo_interval_95"]
    assert (low is None or low <= line["elo"]) and (high is None or line["elo"] <= high)


def test_the_screen_tells_the_intervals():
    line = {
        "decisions": 1000,
        "seconds": 2.0,
        "games": 100,
        "scores": {"scripted": {"free_peoples": 0.25, "shadow": 0.5}},
        "elo": -88.7,
        "elo_interval_95": [-138.2, -41.0],
    }
    assert evaluation_text(line) == (
        "1,000 decisions, 2 s of updates: against scripted as Free Peoples 25% (18% to 34%), "
        "as Shadow 50% (40% to 60%); Elo -89 (-138 to -41)"
    )
