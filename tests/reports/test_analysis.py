"""The report of whether analysed chances agree with play."""

from __future__ import annotations

import numpy as np
import pytest

from wotr_experiments.games.war_of_the_ring.reports.analysis import Judged, judge, main


def test_what_is_said_and_won_is_compared_in_bins():
    said = np.linspace(0, 1, 200)
    perfect = Judged(said, said.copy(), 50)
    assert perfect.calibration_error == pytest.approx(0) and len(perfect.bins()) == 10
    assert [count for *_, count in perfect.bins()] == [20] * 10
    assert Judged(said, np.full(200, 0.5), 50).calibration_error == pytest.approx(0.25, abs=0.01)


def test_what_playouts_alone_would_be_off_by_is_what_chance_makes():
    chances = np.random.default_rng(2).uniform(0.2, 0.8, 4000)
    won = np.random.default_rng(1).binomial(50, chances) / 50
    found = Judged(chances, won, 50)
    assert np.abs(chances - won).mean() == pytest.approx(found.by_chance, rel=0.05)


def test_positions_are_judged_the_same_again():
    one, other = (judge("expectation", 6, 4, 3) for _ in range(2))
    assert (one.said == other.said).all() and (one.won == other.won).all()
    assert one.said.size == 6 and ((one.said >= 0) & (one.said <= 1)).all()


def test_page(tmp_path):
    out = tmp_path / "analysis.md"
    assert main(["--bot", "expectation", "--positions", "12", "--playouts", "2", "--out", str(out)]) == 0
    text = out.read_text()
    assert "12 games" in text and text.count("%|") + text.count("% |") >= 10
    assert main(["--positions", "3", "--out", str(out)]) == 2
