"""The report of how well a belief knows the other side's hand."""

from __future__ import annotations

import json
import math

import numpy as np
import pytest

from tests.beliefs import write_belief
from wotr_agents.belief.hands import LIMIT
from wotr_agents.belief.model import Belief, BeliefWeights, belief_bytes
from wotr_env.games.war_of_the_ring.components import NUM_CARDS
from wotr_env.games.war_of_the_ring.engine.observation_layout import OBSERVATION_SIZE
from wotr_experiments.games.war_of_the_ring.belief.fit import CARDS_ALONE
from wotr_experiments.games.war_of_the_ring.belief.positions import Seen
from wotr_experiments.games.war_of_the_ring.reports import belief as report
from wotr_experiments.games.war_of_the_ring.reports.belief import costs_of, main, ratio, table_of_games

RULES = "first:max_turns=2"


def says(log_odds, facts=None):
    """A belief that says the same in every position."""
    bias = (LIMIT * np.arctanh(np.asarray(log_odds) / LIMIT)).astype(np.float32)
    zeros = {
        "first": (OBSERVATION_SIZE, 1),
        "first_bias": (1,),
        "norm": (1,),
        "norm_bias": (1,),
        "hidden": (1, 1),
        "hidden_bias": (1,),
        "cards": (1, NUM_CARDS),
    }
    arrays = {name: np.zeros(shape, dtype=np.float32) for name, shape in zeros.items()}
    return Belief(BeliefWeights(**arrays, cards_bias=bias), facts or {})


def test_costs_are_those_of_the_hands():
    hidden, held = np.zeros((4, 24), dtype=np.bool_), np.zeros((4, 24), dtype=np.bool_)
    hidden[:, :3] = True
    held[0, 0] = held[1, 1] = held[2, 2] = held[3, [0, 1]] = True
    observations = np.zeros((2, OBSERVATION_SIZE), dtype=np.int8)
    seen = Seen(observations, hidden, held, np.arange(2), np.ones(2, np.int64), np.array([1, 0]))
    log_odds = np.zeros(NUM_CARDS)
    log_odds[0] = log_odds[48] = math.log(3.0)  # of the first Character card of each side
    costs = costs_of(says(log_odds, {CARDS_ALONE: log_odds.tolist()}), seen)
    even = math.log(3)
    np.testing.assert_allclose(costs.even, [[even, even], [even, even]])
    np.testing.assert_allclose(costs.belief, [[math.log(5 / 3), even], [math.log(5), even]], atol=1e-6)
    np.testing.assert_allclose(costs.alone, costs.belief, atol=1e-6)
    np.testing.assert_array_equal(costs.held, [[1, 1], [1, 2]])
    weights = np.array([3, 1, 1])
    np.testing.assert_allclose(costs.left, weights.sum() ** 2 / (3 * (weights**2).sum()), atol=1e-6)
    without = costs_of(says(log_odds), seen)
    np.testing.assert_allclose(without.alone, without.even)


def test_an_interval_is_by_game():
    """A hundred positions of a game are one game."""
    rng = np.random.default_rng(1)
    games, each = 400, 25
    means = rng.normal(1.0, 0.5, size=games)
    values, numbers = np.repeat(means, each), np.repeat(np.arange(games) * 7, each)
    mean, low, high = ratio(values, np.ones(values.size), numbers)
    assert mean == pytest.approx(means.mean())
    expected = 1.96 * means.std() / math.sqrt(games)
    assert mean - low == pytest.approx(expected, rel=0.15)
    assert high - mean == pytest.approx(expected, rel=0.15)


def test_the_page(tmp_path, monkeypatch):
    monkeypatch.setattr(report, "_FEW", 5)
    path = tmp_path / "flat.safetensors"
    facts = {"bots": ["scripted"], "games": 30, "positions": 900, "seed": 1, "ruleset": RULES}
    path.write_bytes(belief_bytes(says(np.zeros(NUM_CARDS), facts)))
    out = tmp_path / "page.md"
    options = ["--bot", "scripted", "--games", "12", "--every", "10", "--seed", "2", "--out", str(out)]
    assert main([str(path), *options]) == 0
    text = out.read_text()
    rows = [line.strip("| ").split(" | ") for line in text.splitlines() if line.startswith("| `scripted`")]
    assert [row[1] for row in rows] == ["Free Peoples", "Shadow"]
    for row in rows:  # a belief that all cards are as likely costs what even hands cost
        assert row[4] == row[5] == row[6] != "0.000" and row[7].startswith(("0.000 (", "-0.000 ("))
        assert row[-1] == "100%"
    assert "30 games each of `scripted` against itself (900 positions, seed 1)" in " ".join(text.split())
    assert "| turns 1 to 2 |" in text and "Effect on games" not in text
    first = text
    assert main([str(path), *options]) == 0 and out.read_text() == first
    other = write_belief(tmp_path, seed=6)
    assert main([str(path), str(other), *options]) == 0
    text = out.read_text()
    (row,) = (line for line in text.splitlines() if line.startswith("| learned from 0 games"))
    assert float(row.split(" | ")[1].split()[0]) < -1  # of random numbers
    assert text.split("\n## Beliefs from other games")[0].replace(f" {other}", "") == first


def test_what_was_played_is_told(tmp_path):
    share = {"games": 40, "share": 0.55, "interval_95": [0.4, 0.69]}
    keys = ("wins", "wins_as_free_peoples", "wins_as_shadow")
    summary = {"bots": ["a", "b"], "seed": 3, "results": [dict.fromkeys(keys, share)]}
    (tmp_path / "summary.json").write_text(json.dumps(summary))
    table = table_of_games([tmp_path])
    assert "| `a` | `b` | 55.0% (40.0% to 69.0% of 40) |" in table and table.endswith("| 3 |")


def test_bad_input_is_told_in_one_line(tmp_path, capsys):
    path, out = write_belief(tmp_path, seed=6), tmp_path / "page.md"
    options = [str(path), "--bot", "scripted", "--out", str(out)]
    (tmp_path / "summary.json").write_text("[]")
    for more, words in (
        (["--seed", "6"], "was learned from games of --seed 6"),
        (["--games", "0"], "at least 1"),
        (["--bot", "nobody"], "unknown bot"),
        (["--played", str(tmp_path)], "not the summary of a tournament of two bots"),
        (["--played", str(tmp_path / "none")], "No such file"),
    ):
        assert main([*options, *more]) == 2
        (line,) = capsys.readouterr().err.splitlines()
        assert line.startswith("wotr: ") and words in line
    assert main([str(tmp_path / "nothing"), "--out", str(out)]) == 2
    assert "there is no belief" in capsys.readouterr().err
    assert not out.exists()
