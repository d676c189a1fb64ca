"""Numbers to foresee: what they are, that they are learned, and that networks that play have none of it."""

from __future__ import annotations

import dataclasses

import pytest
import torch

from tests.learners import CPU, SMALL, learner_of, network_of, rollout_of, scattered_games
from tests.tiny_training import TINY, check_that_it_goes_on
from wotr_agents.networks.scales import input_scale
from wotr_env.games.war_of_the_ring.game import WAR_OF_THE_RING
from wotr_env.play.games import game_kind
from wotr_experiments.cli import main as cli
from wotr_experiments.training.config import PpoConfig, TrainConfig
from wotr_experiments.training.foresight import Foresight
from wotr_experiments.training.ppo import Learner
from wotr_experiments.training.rollouts import Rollout

pytestmark = pytest.mark.usefixtures("short")

FORESEEN = Foresight(torch.tensor([1]), torch.tensor([0.5]))
FORESEES = dataclasses.replace(TINY, ppo=dataclasses.replace(TINY.ppo, foresees=("turn", "corruption")))


def test_what_is_foreseen_is_what_the_team_sees_at_its_last_decision():
    rollout = Rollout.empty(6, 2, 2, 1, 1)
    rollout.observations[:, 0, 1] = torch.tensor([1, 2, 3, 4, 5, 6])
    rollout.teams[:, 0] = torch.tensor([0, 1, 0, 1, 1, 0])
    rollout.reasons[3, 0] = 1  # the second game goes on
    targets, known = FORESEEN.targets(rollout)
    assert targets[:4, 0, 0].tolist() == [1.5, 2.0, 1.5, 2.0]
    assert known[:, 0].tolist() == [True] * 4 + [False] * 2 and not known[:, 1].any()


def test_the_second_of_two_games_in_a_rollout_has_numbers_of_its_own():
    rollout = Rollout.empty(5, 1, 2, 1, 1)
    rollout.observations[:, 0, 1] = torch.tensor([1, 2, 3, 4, 5])
    rollout.reasons[1, 0] = rollout.reasons[3, 0] = 1
    targets, known = FORESEEN.targets(rollout)
    assert targets[:4, 0, 0].tolist() == [1.0, 1.0, 2.0, 2.0]
    assert known[:, 0].tolist() == [True, True, True, True, False]


@pytest.mark.parametrize("game", ["war-of-the-ring", "duel", "two-towers"])
def test_parts_are_found_by_their_names(game):
    kind = game_kind(game)
    for field in kind.layout.fields:
        assert len(Foresight.of(kind, (field.name,)).columns) == torch.Size(field.shape).numel()
    part = kind.layout.fields[-1]
    last = Foresight.of(kind, (part.name, part.name))
    assert last.columns.tolist() == list(range(kind.layout.size - len(last.columns), kind.layout.size))
    assert last.scales.tolist() == input_scale(kind)[-len(last.columns) :].tolist()


@pytest.mark.parametrize("config", SMALL, ids=lambda config: config.kind)
def test_what_is_foreseen_is_learned(config):
    network = network_of(config)
    foresight = Foresight.of(WAR_OF_THE_RING, ("turn", "victory_points"))
    network.foresee(len(foresight.columns))
    rollout = rollout_of(scattered_games(), network, steps=24)
    rollout.reasons[-1] = 1
    ppo = PpoConfig(games=8, steps=24, workers=1, minibatch_size=64, learning_rate=3e-3)
    learner = Learner(network, ppo, CPU, 1, foresight=foresight)
    losses = [learner.update(rollout, 0.0)["foresight_loss"] for _ in range(12)]
    assert losses[-1] < 0.5 * losses[0]


def test_a_learner_that_foresees_nothing_has_no_such_loss():
    network = network_of(SMALL[0])
    rollout = rollout_of(scattered_games(), network, steps=8)
    assert "foresight_loss" not in learner_of(network).update(rollout, 0.0)


def test_runs_that_foresee_go_on_to_the_same_bytes(tmp_path):
    check_that_it_goes_on(tmp_path, FORESEES, "foresight")


def test_a_part_that_is_none_is_refused(tmp_path, capsys):
    with pytest.raises(ValueError, match="the observation has no part mithril; known: acting, "):
        TrainConfig(ppo=PpoConfig(foresees=("mithril",)))
    assert cli.main(["train", str(tmp_path / "run"), "--foresee", "mithril"]) == 2
    assert "no part mithril" in capsys.readouterr().err
    assert not (tmp_path / "run").exists()
