"""The report of whether a network wins as often as it says."""

from __future__ import annotations

import numpy as np
import pytest

from tests.networks import write_network
from wotr_experiments.games.war_of_the_ring.reports import calibration
from wotr_experiments.games.war_of_the_ring.reports.calibration import Phase, main, play
from wotr_experiments.games.war_of_the_ring.reports.studied import Network


def phase(said, won, played_out):
    return Phase((1, 2), np.array(said), np.array(won, dtype=float), np.array(played_out, dtype=float))


def test_what_a_phase_tells():
    perfect = phase([0.0, 1.0] * 50, [0, 1] * 50, [[0] * 8, [1] * 8] * 10)
    assert perfect.brier == 0 and perfect.without == 0.25 and perfect.calibration_error == 0
    assert perfect.possible[0] == 1.0
    knows_nothing = phase([0.5] * 100, [0, 1] * 50, [[0, 1] * 4] * 20)
    assert knows_nothing.brier == knows_nothing.without and knows_nothing.calibration_error < 0.2
    assert -0.2 < knows_nothing.possible[0] < 0
    assert phase(
        [0.9] * 100, [0, 0, 0, 0, 1, 0, 0, 0, 0, 0] * 10, [[0, 1]] * 2
    ).calibration_error == pytest.approx(0.8)


def test_a_perfect_network_is_off_by_chance():
    generator = np.random.default_rng(1)
    said = generator.random(2000)
    perfect = Phase((1, 2), said, (generator.random(2000) < said).astype(float), np.array([[0.0, 1.0]] * 2))
    assert perfect.calibration_error == pytest.approx(perfect.by_chance, rel=0.3)
    row = [
        line for line in calibration.page("x", [perfect], 2000, 1, "x.png").splitlines() if "1 to 2" in line
    ]
    assert row[0].endswith(f"| {perfect.calibration_error:.1%} | {perfect.by_chance:.1%} |")


def test_possible_is_what_differs_between_positions_and_not_by_chance():
    generator = np.random.default_rng(1)
    chances = generator.choice([0.3, 0.7], size=3000)
    found = phase([0.5], [1], generator.random((3000, 16)) < chances[:, None])
    share, error = found.possible
    assert abs(share - 0.04 / 0.25) < 1.5 * error < 0.03


def test_page(tmp_path, monkeypatch):
    pytest.importorskip("matplotlib")
    monkeypatch.setattr(calibration, "LONGEST", 3)
    monkeypatch.setattr(calibration, "PHASES", ((1, 2), (3, 3)))
    out = tmp_path / "calibration.md"
    options = ["--net", str(write_network(tmp_path)), "--games", "12", "--judged", "4", "--playouts", "3"]
    assert main([*options, "--out", str(out)]) == 0
    table = out.read_text().partition("| column | meaning |")[0]
    rows = [row.split(" | ") for row in table.splitlines() if row.startswith("|")]
    assert [row[0].strip("| ") for row in rows] == ["turns", "---", "1 to 2", "3 and on"]
    assert rows[2][1] == "12" and "3 playouts" in " ".join(out.read_text().split())
    assert out.with_suffix(".png").stat().st_size > 1000


def test_each_game_counts_once_in_a_phase_and_the_same_seed_says_the_same(tmp_path, monkeypatch):
    monkeypatch.setattr(calibration, "LONGEST", 3)
    monkeypatch.setattr(calibration, "PHASES", ((1, 2), (3, 3)))
    network = Network(str(write_network(tmp_path)))
    first, again = (play(network, 6, 3, 2, 4) for _ in range(2))
    assert [each.said.size for each in first] == [6] * 2
    assert all((one.said == other.said).all() for one, other in zip(first, again, strict=True))
    assert all((one.played_out == other.played_out).all() for one, other in zip(first, again, strict=True))


@pytest.mark.parametrize("options", [["--judged", "1"], ["--games", "3", "--judged", "4"], ["--seed", "-1"]])
def test_bad_numbers_are_told_in_one_line(options, capsys, tmp_path):
    pytest.importorskip("matplotlib")
    assert main([*options, "--out", str(tmp_path / "page.md")]) == 2
    assert capsys.readouterr().err.startswith("wotr: --judged is from")
