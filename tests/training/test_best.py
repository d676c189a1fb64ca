"""The best network of a run: evaluations of simulated strength, and runs that go on."""

from __future__ import annotations

import json
import math
import shutil

import numpy as np
import pytest

from tests.tiny_training import config_of, open_tiny, short_evaluations, timeless_metrics, train_tiny
from wotr_agents.networks.checkpoint import load_network
from wotr_experiments.arena.statistics import wilson
from wotr_experiments.errors import CommandError
from wotr_experiments.training.best import POOLED, BestNetworkSelector
from wotr_experiments.training.run_folder import RunFolder

SERIES = 200
"""Simulated runs of each kind."""


def takes(strengths, games, generator, rule=None):
    """The evaluations whose networks were taken, of networks that win with these chances."""
    rule = rule or BestNetworkSelector()
    points = generator.binomial(games, strengths)
    return [place for place, won in enumerate(points) if rule.judge([float(won)], games)]


def takes_luckiest(strengths, games, generator):
    """As ``takes`` if the best single evaluation decided."""
    points = generator.binomial(games, strengths)
    return [place for place in range(len(points)) if points[place] >= points[: place + 1].max()]


@pytest.mark.parametrize("games", [40, 200])
@pytest.mark.parametrize("strength", [0.1, 0.5, 0.8])
def test_networks_of_the_same_strength_seldom_take_turns(games, strength):
    generator = np.random.default_rng(1)
    series = [takes([strength] * 50, games, generator) for _ in range(SERIES)]
    lucky = [len(takes_luckiest([strength] * 50, games, generator)) - 1 for _ in range(SERIES)]
    turns = [len(found) - 1 for found in series]
    assert np.mean(turns) < 0.75 and np.mean(np.array(turns) > 2) < 0.03
    assert np.mean(lucky) > 3.0


@pytest.mark.parametrize(("games", "gain", "soon"), [(40, 0.25, 3), (40, 0.15, 4), (200, 0.1, 3)])
def test_a_stronger_network_is_taken_soon(games, gain, soon):
    generator = np.random.default_rng(2)
    strengths = [0.5] * 10 + [0.5 + gain] * POOLED * 3
    delays = []
    for _ in range(SERIES):
        after = [place - 9 for place in takes(strengths, games, generator) if place >= 10]
        delays.append(min(after, default=math.inf))
    assert np.median(delays) <= soon
    assert np.mean(np.array(delays) > 2 * POOLED) < 0.1


def test_the_last_of_a_rise_is_not_missed_by_much():
    generator = np.random.default_rng(3)
    strengths = np.concatenate([np.linspace(0.1, 0.8, 30), [0.8] * 20])
    behind = [0.8 - strengths[takes(strengths, 100, generator)[-1]] for _ in range(SERIES)]
    assert np.mean(behind) < 0.02 and max(behind) < 0.1


def test_a_network_behind_the_peak_is_not_taken():
    generator = np.random.default_rng(4)
    strengths = np.concatenate([np.linspace(0.1, 0.8, 20), np.linspace(0.8, 0.3, 20)])
    behind = [0.8 - strengths[takes(strengths, 100, generator)[-1]] for _ in range(SERIES)]
    assert np.mean(behind) < 0.05 and max(behind) < 0.2


def test_the_rule_by_hand():
    best = BestNetworkSelector()
    for points in (5, 4, 6, 5):  # 50% in all
        best.judge([float(points)], 10)
    assert not best.judge([7.0], 10)  # 22 of 40: from 40% on
    assert wilson(22, 40)[0] < 0.5
    assert not best.judge([8.0], 10)  # 26 of 40: from 49.5% on
    assert wilson(26, 40)[0] < 0.5
    assert best.judge([9.0], 10)  # 29 of 40: from 57% on
    assert wilson(29, 40)[0] > 0.5
    assert not best.judge([10.0], 10)  # 34 of 40: from 71% on, but now against 72.5%
    assert wilson(34, 40)[0] < 29 / 40
    assert not best.judge([7.0], 10)  # 34 of 40 again
    assert best.judge([10.0], 10)  # 36 of 40: from 77% on


def test_the_first_evaluations_are_not_taken_for_more_than_they_are():
    best = BestNetworkSelector()
    assert best.judge([8.0], 10)
    assert not best.judge([5.0], 10)  # perhaps no worse, and the first was lucky
    assert best.to_dict()["best"] == [[13.0], 20]
    assert not best.judge([7.0], 10)
    assert best.to_dict()["best"] == [[20.0], 30]
    assert not best.judge([0.0], 10)  # surely worse
    assert wilson(0, 10)[1] < wilson(20, 30)[0]
    assert best.to_dict()["best"] == [[20.0], 30]
    assert not best.judge([7.0], 10)


def test_one_lucky_evaluation_at_the_start_holds_nothing_up():
    generator = np.random.default_rng(8)
    waits = []
    for _ in range(SERIES):
        rule = BestNetworkSelector()
        assert rule.judge([15.0], 20)
        after = takes([0.5] * 3 + [0.7] * 40, 20, generator, rule)
        waits.append(min([place - 2 for place in after if place >= 3], default=math.inf))
    assert np.median(waits) <= 4 and np.mean(np.array(waits) > 20) < 0.1


def test_a_newest_network_that_is_worse_is_not_taken():
    best = BestNetworkSelector()
    for points in (20, 20, 20, 20, 19, 90, 90, 90):
        taken = best.judge([float(points)], 100)
    assert taken and best.to_dict()["best"] == [[289.0], 400]
    assert not best.judge([70.0], 100)  # 340 of 400 with those before: from 81% on
    assert wilson(340, 400)[0] > 289 / 400
    assert best.to_dict()["best"] == [[289.0], 400]
    assert best.judge([73.0], 100)


def test_the_anchor_before_decides_where_the_last_does_not():
    best = BestNetworkSelector()
    for _ in range(POOLED):
        best.judge([10.0, 0.0], 100)
    assert best.judge([50.0, 0.0], 100)  # nothing won against the last one yet
    assert best.judge([90.0, 30.0], 100)
    assert not best.judge([100.0, 0.0], 100)  # better against the first, but worse against the last
    for _ in range(POOLED):
        taken = best.judge([0.0, 90.0], 100)
    assert taken  # the other way round it is


def test_it_goes_on_from_json():
    strengths = np.linspace(0.1, 0.8, 40)
    whole = takes(strengths, 40, np.random.default_rng(6))
    points = np.random.default_rng(6).binomial(40, strengths)
    rule, found = BestNetworkSelector(), []
    for place, won in enumerate(points):
        rule = BestNetworkSelector.from_dict(json.loads(json.dumps(rule.to_dict())), 1)
        if rule.judge([float(won)], 40):
            found.append(place)
    assert found == whole and len(found) > 3


@pytest.mark.parametrize(
    "found",
    [
        {},
        {"best": None},
        {"best": 3, "recent": []},
        {"best": [[1.0], 0], "recent": []},
        {"best": [[4.0], 3], "recent": []},
        {"best": [[math.nan], 3], "recent": []},
        {"best": [[1.0, 2.0], 3], "recent": []},
        {"best": None, "recent": [[[], 3]]},
    ],
)
def test_what_is_no_rule(found):
    with pytest.raises((KeyError, TypeError, ValueError)):
        BestNetworkSelector.from_dict(found, 1)


def test_the_number_of_earlier_checkpoints():
    assert BestNetworkSelector.from_merit(-1.0, 2, 40).judge([0.0, 0.0], 40)
    rule = BestNetworkSelector.from_merit(0.509, 2, 40)
    assert not rule.judge([40.0, 20.0], 40)
    assert rule.judge([0.0, 36.0], 40)
    assert not BestNetworkSelector.from_merit(1.01, 2, 40).judge([40.0, 39.0], 40)


@pytest.fixture(scope="module")
def trained(tmp_path_factory):
    """The folder of a run with two evaluations."""
    out = tmp_path_factory.mktemp("best") / "trained"
    with short_evaluations():
        train_tiny(out, config_of(4, 1, evaluate_every=2, expert="", expert_decisions=0))
    return out


@pytest.fixture
def run(trained, tmp_path):
    """A copy of it."""
    return shutil.copytree(trained, tmp_path / "run")


def test_the_metrics_tell_which_network_is_the_best(run):
    evaluations = [line for line in timeless_metrics(run) if line["kind"] == "evaluation"]
    taken = [line["update"] for line in evaluations if line["best"]]
    assert taken[0] == evaluations[0]["update"] == 2
    assert load_network(run / "best.safetensors").facts["updates"] == taken[-1]


def test_a_run_goes_on_with_its_rule(run):
    with open_tiny(run, None) as training:
        assert len(training.best.to_dict()["recent"]) == 2
        assert training.best.to_dict()["best"] is not None


@pytest.mark.parametrize(
    "changes", [{"best": {}}, {"best": None}, {"best": {"best": None, "recent": [[[1.0, 1.0], 4]]}}]
)
def test_a_checkpoint_with_another_rule_is_one_error(run, changes):
    with RunFolder(run) as folder:
        tensors, facts = folder.load()
        del facts["problems"]
        folder.save(4, tensors, facts | changes)
    with pytest.raises(CommandError, match="does not fit its run"):
        open_tiny(run, None)


def test_a_run_of_an_earlier_version_goes_on(run):
    with RunFolder(run) as folder:
        tensors, facts = folder.load()
        del facts["problems"]
        folder.save(4, tensors, facts | {"best": 0.75})
    with open_tiny(run, None) as training:
        assert training.best.to_dict() == {"best": [[3.0], 4], "recent": []}
