"""A training run of another game, by the code that trains for War of the Ring."""

from __future__ import annotations

import dataclasses
import json

import pytest
import torch

from tests.tiny_training import check_same, open_tiny, timeless_metrics, train_tiny
from tests.toy_games import HUNT, HuntOnly
from tests.toy_learning import greedy, network_policy
from wotr_agents import BotError
from wotr_agents.networks.checkpoint import load_network
from wotr_agents.networks.config import NetworkConfig
from wotr_agents.networks.files import find_network
from wotr_agents.networks.models import make_network
from wotr_experiments.cli import main as cli
from wotr_experiments.errors import CommandError
from wotr_experiments.training.config import PpoConfig, TrainConfig
from wotr_experiments.training.ppo import Learner

pytestmark = pytest.mark.usefixtures("toys")
UPDATES = 6


@pytest.fixture
def config():
    return TrainConfig(
        network=NetworkConfig(width=64, hidden=64),
        ppo=PpoConfig(
            decisions=UPDATES * 64 * 32,
            games=64,
            steps=32,
            minibatch_size=512,
            learning_rate=3e-3,
            ema_decay=0.9,
        ),
        opponents=("oracle", "random"),
        anchors=("random", "oracle"),
        evaluate_every=4,
        evaluate_games=20,
        checkpoint_every=2,
        past_every=3,
        game="hunt-only",
    )


def test_a_toy_is_learned_stopped_and_resumed(tmp_path, config):
    train_tiny(tmp_path / "undisturbed", config)
    opened = open_tiny(tmp_path / "stopped", config)
    with opened:
        for _ in opened.run(stopped=lambda: opened.updates == 3):
            pass
    train_tiny(tmp_path / "stopped", config)
    check_same(tmp_path / "undisturbed", tmp_path / "stopped")
    lines = timeless_metrics(tmp_path / "stopped")
    update, evaluation = (
        next(line for line in lines if line["kind"] == kind) for kind in ("update", "evaluation")
    )
    assert list(update["ends"]) == [end.name for end in HUNT.ends]
    assert list(evaluation["scores"]) == ["random", "oracle"]
    assert all(list(row) == ["walkers", "eye"] for row in evaluation["scores"].values())
    found = load_network(find_network(str(tmp_path / "stopped")))
    assert found.kind is HUNT and json.loads(json.dumps(found.facts))["config"]["game"] == "hunt-only"
    games = HuntOnly(1, 1)
    torch.manual_seed(0)
    fresh = greedy(network_policy(games, make_network(config.network, HUNT)))
    learned = greedy(network_policy(games, found.network))
    before, after = (sum(games.regret(policy, team) for team in (0, 1)) for policy in (fresh, learned))
    assert after < before


@pytest.mark.parametrize("game", ["duel", "two-towers"])
def test_an_entity_network_of_a_game_is_trained_and_plays(tmp_path, config, game):
    network = NetworkConfig("entity", width=16, hidden=8, advice=True)
    ppo = dataclasses.replace(config.ppo, decisions=2 * 16 * 8, games=16, steps=8, minibatch_size=64)
    short = {"opponents": ("random",), "anchors": (), "evaluate_games": 1}
    train_tiny(tmp_path / "run", dataclasses.replace(config, network=network, ppo=ppo, game=game, **short))
    assert load_network(find_network(str(tmp_path / "run"))).config == network
    arguments = ["tournament", f"net:{tmp_path / 'run'}", "random", "--game", game, "--games", "2"]
    assert cli.main([*arguments, "--workers", "0"]) == 0


@pytest.mark.parametrize(("side", "team"), [("walkers", 0), ("eye", 1)])
def test_one_team_learns_alone(tmp_path, config, side, team):
    alone = dataclasses.replace(config, side=side, opponents_share=1.0, past_share=0.0)
    opened = open_tiny(tmp_path / "run", alone)
    with opened:
        next(iter(opened.run()))
        assert set(opened.rollout.teams[opened.rollout.learned].tolist()) == {team}


@pytest.mark.parametrize(
    ("changes", "error", "message"),
    [
        ({"opponents": ("scripted",)}, BotError, "bot scripted does not play hunt-only"),
        (
            {"network": NetworkConfig("entity")},
            CommandError,
            "declares no entities, so it has no entity networks",
        ),
        ({"start": "zoo/laptop"}, CommandError, "zoo/laptop is a network for War of the Ring"),
    ],
)
def test_what_does_not_fit_the_game_is_refused(tmp_path, config, changes, error, message):
    with pytest.raises(error, match=message):
        open_tiny(tmp_path / "run", dataclasses.replace(config, **changes))


def test_anchors_are_those_that_play_the_game():
    assert TrainConfig(game="hunt-only").anchors == ("random",)
    assert TrainConfig().anchors == ("random", "scripted")


@pytest.mark.parametrize("option", ["--opponent", "--anchor", "--expert"])
def test_a_bot_of_another_game_is_refused_before_anything_is_written(tmp_path, capsys, option):
    arguments = ["train", str(tmp_path / "run"), "--game", "hunt-only", option, "scripted", "--device", "cpu"]
    decisions = ["--expert-decisions", "9"] if option == "--expert" else []
    assert cli.main([*arguments, *decisions]) == 2
    error = capsys.readouterr().err
    assert error == "wotr: bot scripted does not play hunt-only; it plays war-of-the-ring, duel, two-towers\n"
    assert not (tmp_path / "run").exists()


def test_teams_have_their_names(config):
    assert dataclasses.replace(config, side="eye").teams == (1,)
    with pytest.raises(ValueError, match="side must be both, walkers, eye, not 'shadow'"):
        dataclasses.replace(config, side="shadow")


@pytest.mark.parametrize("where", ["loss", "weight"])
def test_training_ends_at_the_first_number_that_is_not_finite(tmp_path, config, monkeypatch, where):
    small = dataclasses.replace(config, ppo=dataclasses.replace(config.ppo, games=16, steps=8))
    good = open_tiny(tmp_path / "good", small)
    with good:
        for _ in good.run(lambda: good.updates == 3):
            pass
    update = Learner.update

    def poisoned(learner, rollout, progress):
        means = update(learner, rollout, progress)
        if run.updates == 3:
            if where == "loss":
                return means | {"value_loss": float("inf")}
            learner._parameters[0].data.view(-1)[0] = torch.nan
        return means

    monkeypatch.setattr(Learner, "update", poisoned)
    run = open_tiny(tmp_path / "run", small)
    wanted = r"update 4 led .*\(value_loss inf\)" if where == "loss" else r"update 4 led .*\(a weight\)"
    with run, pytest.raises(CommandError, match=wanted):
        list(run.run())
    assert [line["update"] for line in timeless_metrics(tmp_path / "run")] == [1, 2, 3]
    kept = load_network(tmp_path / "run" / "last.safetensors")
    averaged = good.learner.averaged.state_dict()
    assert kept.facts["updates"] == 3
    assert all(torch.equal(values, averaged[name]) for name, values in kept.network.state_dict().items())
