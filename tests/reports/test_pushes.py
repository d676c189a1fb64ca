"""What a network wins when it is pushed towards a plan."""

from __future__ import annotations

import numpy as np
import pytest

from tests.networks import write_network
from tests.random_play import positions, refreshed
from wotr_agents.networks.bot import NetBot, NetParameters
from wotr_env.games.war_of_the_ring.actions import ACTION_NAMES
from wotr_env.games.war_of_the_ring.codes import Decision, Side, Winner
from wotr_env.play.bots import view_of
from wotr_experiments.errors import CommandError
from wotr_experiments.games.war_of_the_ring.reports.pushes import Push, PushedNet, main, play, read_pushes

RECRUIT = ACTION_NAMES.index("plan:recruit")


@pytest.fixture(scope="module")
def net(tmp_path_factory):
    return str(write_network(tmp_path_factory.mktemp("network")))


def views():
    states, masks = refreshed(positions("first")[::5])
    running = states["winner"] == Winner.NONE
    states, masks = states[running].copy(), masks[running].copy()
    return states, masks, view_of(states, masks)


def test_pushes_are_read_by_side_action_and_decision():
    told = "fp/plan:recruit=4+shadow/count:1=-2.5@hunt-allocation"
    count = ACTION_NAMES.index("count:1")
    assert read_pushes(told) == (
        Push(Side.FREE_PEOPLES, RECRUIT, 4.0, None),
        Push(Side.SHADOW, count, -2.5, Decision.HUNT_ALLOCATION),
    )
    assert read_pushes("") == ()


@pytest.mark.parametrize(
    ("written", "wrong"),
    [
        ("plan:recruit=4", "a push has the form SIDE/ACTION=LOGITS"),
        ("elves/plan:recruit=4", "there is no side 'elves'"),
        ("shadow/plan:recrut=4", "there is no action 'plan:recrut'"),
        ("shadow/plan:recruit=four", "LOGITS must be a number, not 'four'"),
        ("shadow/plan:recruit=nan", "LOGITS must be a number"),
        ("shadow/plan:recruit=4@dice", "there is no decision 'dice'"),
    ],
)
def test_what_there_is_not_is_refused(written, wrong):
    with pytest.raises(CommandError, match=wrong):
        read_pushes(written)


def test_a_pushed_side_takes_the_action_wherever_it_may_and_the_other_plays_as_before(net):
    _, masks, view = views()
    plain = NetBot(NetParameters(net), 0).act(view)
    pushed = PushedNet(net, read_pushes("free-peoples/plan:recruit=1000"), 0).act(view)
    legal = masks[:, RECRUIT]
    assert legal.sum() > 3 and (pushed[legal] == RECRUIT).all()
    np.testing.assert_array_equal(pushed[~legal], plain[~legal])
    other = PushedNet(net, read_pushes("free-peoples/plan:recruit=1000"), 1).act(view)
    np.testing.assert_array_equal(other, plain)


def test_a_push_at_one_decision_leaves_the_others(net):
    states, masks, view = views()
    plain = NetBot(NetParameters(net), 0).act(view)
    count = ACTION_NAMES.index("count:1")
    pushed = PushedNet(net, read_pushes("shadow/count:1=1000@hunt-allocation"), 1).act(view)
    asked = states["decision"] == Decision.HUNT_ALLOCATION
    assert (masks[:, count] & ~asked).any() and (masks[:, count] & asked).any()
    assert (pushed[asked & masks[:, count]] == count).all()
    np.testing.assert_array_equal(pushed[~asked], plain[~asked])


def test_the_page_compares_the_same_seeds(net, tmp_path, capsys):
    out = tmp_path / "pushes.md"
    options = [net, "shadow/plan:attack=-3", "--games", "3", "--seed", "4", "--out", str(out)]
    options += ["--ruleset", "first:max_turns=4"]
    assert main(options) == 0
    page = out.read_text()
    assert "| nothing | " in page and "| `shadow/plan:attack=-3` | " in page
    ends = play(net, (), 3, 4, "first:max_turns=4")
    assert f"| {ends['turn'].mean():.1f} |" in page.split("| nothing |")[1].split("\n")[0]
    assert main([net, "shadow/plan:atack=1", "--out", str(out)]) == 2
    assert "wotr: there is no action" in capsys.readouterr().err
